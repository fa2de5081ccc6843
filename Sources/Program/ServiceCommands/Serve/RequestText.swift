internal import AppSiteAssociation
import AssociationCheck
internal import LinkCoverage
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

/// A commented configuration for `generate`, made from an association file.
enum RequestText {
  static func commented(from path: String) throws(LinkspanError) -> CommentedRequest {
    let source = AssociationSource(
      try FileReader.read(path), sizeLimitBytes: WorkLimits.associationBytes)
    let help = "'linkspan check \(path)' tells what it holds."
    guard let file = source.content.file else {
      throw LinkspanError("'\(path)' is no association file.", help: help)
    }
    let hasApp = file.appLinks?.entries.contains { !$0.applications(on: nil).isEmpty } ?? false
    guard hasApp || file.apps.values.contains(where: { !$0.isEmpty }) else {
      throw LinkspanError("'\(path)' names no app for any service.", help: help)
    }
    return CommentedRequest(file, from: path)
  }
}
