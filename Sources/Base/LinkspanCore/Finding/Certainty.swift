/// How sure a rule is; Documentation/rule-numbers.md says what each means.
package enum Certainty: String, Hashable, Sendable, CaseIterable {
  /// By the platform's owner.
  case documented
  /// And published by others.
  case observed
  /// By this project, from the other two.
  case inferred
}
