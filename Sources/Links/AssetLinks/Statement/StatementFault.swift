/// Why a part of a statement list, or of a question about one, is not what it should be.
package struct StatementFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The raw value ends the rule identifier of a finding: `assetlinks.<raw value>`.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case notAnArray = "not-an-array"
    case emptyList = "empty-list"
    case statement
    case noTarget = "no-target"
    case noRelation = "no-relation"
    case relation
    case namespace
    case packageName = "package-name"
    case fingerprints
    case fingerprint
    case site
    case include
    case includeFields = "include-fields"
  }

  package let kind: Kind
  package let message: String
  /// The consequence, and what to do about it.
  package let help: String

  package var description: String { "\(message). \(help)" }

  init(_ kind: Kind, _ message: String, help: String) {
    self.kind = kind
    self.message = message
    self.help = help
  }
}
