package import LinkspanCore

/// An answer to an open question (section 15 of the specification) that is not this program's own. The sources leave room for
/// both.
package enum OtherReading: Hashable, Sendable {
  /// `/x?*` matches `/x` (question 1).
  case slashAdded
  /// An entry without rules opens nothing (question 2).
  case noRulesOpenNothing
  /// `appID` counts beside `appIDs` (question 3).
  case identifiersUnited
  /// A URL of the scheme `http` matches nothing (question 6).
  case httpRefused
  /// A URL with user information matches nothing (question 6).
  case userInformationRefused
  /// Question 7.
  case query(QueryReading)
  /// `ſ` and the Kelvin sign are not folded to `s` and `k` (question 7).
  case lettersApart
  /// A predefined list wins against the file's own of the same name (question 8).
  case predefinedListWins
  /// The file's own list is added to the predefined one (question 8).
  case listsUnited
  /// `*` in a value of a variable stays within a segment of the path (question 8).
  case valuesWithinSegments
  /// A rule with a value of a wrong type under the key is left out (question 9).
  case ruleDropped(key: String)
  /// An `exclude` of a wrong type counts for nothing (question 9).
  case wrongExcludeOpens
}

extension AssociationMatcher {
  /// What the file says of a URL when one open question has another answer; nil when comparing takes more than the budget.
  package func verdict(
    _ url: LinkURL, app: String, host: HostScope, by reading: OtherReading, _ work: inout WorkBudget
  ) -> Decision.Verdict? {
    OpenQuestions(self, app: app).verdict(url, host: host, by: reading, &work)
  }
}
