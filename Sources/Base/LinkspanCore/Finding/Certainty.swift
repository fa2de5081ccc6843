/// How sure a rule is.
///
/// - Source: the marks D, O and I of spec associated-domains section 0.
package enum Certainty: String, Hashable, Sendable, CaseIterable {
  /// By the platform's owner.
  case documented
  /// And published by others.
  case observed
  /// By this project, from the other two.
  case inferred
}
