extension SpecificationRule {
  /// Handoff: what is on the air.
  static let handoff = """
    HO1 | inferred | published frames, OWN | Handoff advertises a hash of the activity type in lower case; types that differ only in case are the same on the air.
    """
}
