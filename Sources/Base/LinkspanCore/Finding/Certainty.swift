/// How sure a rule is, the surest first; Documentation/rule-numbers.md says what each means.
package enum Certainty: String, Hashable, Sendable, CaseIterable {
  /// By the platform's owner.
  case documented
  /// And published by others.
  case observed
  /// By this project, from the other two.
  case inferred
  /// Published sources disagree.
  case disputed
  /// No source says, and readings that fit all sources give different answers.
  case open
}
