package import LinkspanCore

/// Why somebody asks for a file.
package struct FetchCause: Hashable, Sendable {
  /// A clause, such as "the app was installed".
  package var reason: String
  /// The rules that make the client request the file.
  package var provenance: Provenance
  /// What tells this from other things the client does side by side.
  package var lane = ""

  /// Nobody has said why.
  package static let unknown = FetchCause("", Provenance([], .documented))

  package init(_ reason: String, _ provenance: Provenance) {
    self.reason = reason
    self.provenance = provenance
  }
}
