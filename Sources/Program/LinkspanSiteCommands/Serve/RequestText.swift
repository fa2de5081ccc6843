internal import AppSiteAssociation
internal import LinkCoverage
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

/// A commented configuration for `generate`, made from an association file.
enum RequestText {
  static func commented(from path: String) throws(LinkspanError) -> String {
    let source = AssociationSource(
      try FileReader.read(path), sizeLimitBytes: WorkLimits.associationBytes)
    guard let links = source.content.file?.appLinks else {
      throw LinkspanError(
        "'\(path)' has no universal links to read.", help: "'linkspan check \(path)' tells what it holds.")
    }
    guard links.entries.contains(where: { !$0.applications(on: nil).isEmpty }) else {
      throw LinkspanError(
        "'\(path)' names no app for universal links.",
        help: "'linkspan check \(path)' tells what it holds.")
    }
    return CommentedRequest(links, from: path).text
  }
}
