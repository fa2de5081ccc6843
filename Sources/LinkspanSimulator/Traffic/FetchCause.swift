/// Why somebody asks for a file.
package struct FetchCause: Hashable, Sendable {
  /// A clause, such as "the app was installed".
  package var reason: String
  /// The rules of spec associated-domains that say so.
  package var rules: [String]
  /// What tells this from other things the asker does side by side.
  var lane = ""

  package init(_ reason: String, rules: [String]) {
    self.reason = reason
    self.rules = rules
  }
}
