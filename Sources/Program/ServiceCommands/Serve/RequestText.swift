internal import AppSiteAssociation
import AssociationCheck
internal import LinkCoverage
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

/// A commented configuration for `generate`, made from an association file.
enum RequestText {
  static func commented(from path: String) throws(LinkspanError) -> CommentedRequest {
    let file = try AssociationSource.usable(try FileReader.read(path)).1
    let check = "'linkspan check \(ShellWord.quoted(path))'"
    let hasApp = file.appLinks?.entries.contains { !$0.applications(on: nil).isEmpty } ?? false
    guard hasApp || file.apps.values.contains(where: { !$0.isEmpty }) else {
      throw LinkspanError("'\(path)' names no app for any service.", help: "\(check) tells what it holds.")
    }
    let request = CommentedRequest(file, from: path)
    guard !request.isEmpty else {
      throw LinkspanError(
        "'\(path)' has nothing that 'generate' can write.",
        help: "Each of its apps has no rules, or an identifier that no app can have: \(check) tells which.")
    }
    return request
  }
}
