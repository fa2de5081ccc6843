internal import LinkspanCore

/// `kind/detail`: what one asset says about another.
///
/// - Source: rule D3; the grammar's edges are those of Google's compatibility suite.
package struct Relation: Hashable, Sendable, CustomStringConvertible {
  package let kind: String
  package let detail: String

  package var description: String { "\(kind)/\(detail)" }

  /// An app may open every link of a site, as far as its manifest claims them (D6).
  package static let handleAllURLs = "delegate_permission/common.handle_all_urls"

  /// The relations Android and Chrome look for. The first is in D6; the others are from public files.
  package static let known = [
    handleAllURLs, "delegate_permission/common.get_login_creds",
    "delegate_permission/common.share_login_creds",
    "delegate_permission/common.use_as_origin", "delegate_permission/common.query_webapk",
  ]

  package init(_ text: String) throws(StatementFault) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      throw StatementFault(
        .relation, "'\(text)' is not a relation",
        help: "A relation has the form kind/detail, such as '\(Self.handleAllURLs)'.")
    }
    func isWord(_ part: String) -> Bool {
      !part.isEmpty && part.utf8.allSatisfy { $0 &- 0x61 < 26 || ASCII.isDigit($0) || "_.".utf8.contains($0) }
    }
    for (part, name) in zip(parts, ["kind", "detail"]) where !isWord(part) {
      throw StatementFault(
        .relation, "the \(name) of the relation '\(text)' is '\(part)'",
        help:
          "Kind and detail contain only lower-case letters, digits, '_' and '.', without spaces or wildcards, such as "
          + "'\(Self.handleAllURLs)'.")
    }
    kind = parts[0]
    detail = parts[1]
  }
}
