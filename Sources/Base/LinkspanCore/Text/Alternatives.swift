extension [String] {
  /// The words as those of which one is expected: "production", "page or code", "L, M, Q or H".
  package var alternatives: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
