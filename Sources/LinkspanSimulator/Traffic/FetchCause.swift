internal import LinkspanCore

/// Why somebody asks for a file.
package struct FetchCause: Hashable, Sendable {
  /// A clause, such as "the app was installed".
  package var reason: String
  package var grounds: Grounds
  /// What tells this from other things the asker does side by side.
  var lane = ""

  /// Nobody has said why.
  package static let unknown = FetchCause("", Grounds([], .documented))

  package init(_ reason: String, _ grounds: Grounds) {
    self.reason = reason
    self.grounds = grounds
  }
}
