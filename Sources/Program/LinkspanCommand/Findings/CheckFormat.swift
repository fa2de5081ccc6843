internal import AppSiteAssociation
package import LinkspanCore

/// In which form `check` answers.
package enum CheckFormat: String, CaseIterable {
  case text
  case json
  case sarif
  case junit
  case github
  case gitlab

  /// - Throws: When there is no such format, or `--json` asks for another one.
  package init(_ arguments: Arguments) throws(LinkspanError) { self = try arguments.format(CheckFormat.self) }
}
