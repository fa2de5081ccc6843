internal import AppBundle
internal import AppSiteAssociation
internal import AssetLinks
import AssociationCheck
internal import LinkspanCommand
internal import LinkspanCore

extension AssociationSource {
  /// The association file that somebody named. A file about the app, for Android or of an archive is told for what it is, and
  /// not for what it lacks. Of a file that devices drop for its size alone the console says so, and it is answered for.
  ///
  /// - Parameter help: What to do with a file about the app.
  /// - Throws: What the file is instead, or the mistake for which devices drop it.
  static func named(
    _ text: SourceText, insteadOfApp help: String? = nil, _ console: Console
  ) throws(LinkspanError) -> (AssociationSource, AssociationFile) {
    let check = "'linkspan check \(text.nameOfArgument)' checks it."
    func other(_ kind: String, _ help: String?) -> LinkspanError {
      LinkspanError("'\(text.name)' is \(kind); expected an association file.", help: help ?? check)
    }
    if text.bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      throw other("a zip archive, as an .ipa is", help)
    }
    if let kind = AppFile.kind(of: text.bytes, name: text.name) { throw other(kind, help) }
    if StatementSource.isStatementList(text) { throw other("a statement list for Android", nil) }
    let usable = try usable(text)
    tellSize("'\(text.name)'", text.bytes.count, console)
    return usable
  }

  /// Warns of a file that is answered for although devices drop it for its size.
  ///
  /// - Parameter name: As the sentence begins, such as `'file.json'`.
  static func tellSize(_ name: String, _ bytes: Int, _ console: Console) {
    let limit = AssociationLocation.maximumFileBytes
    guard bytes > limit else { return }
    console.note(
      "warning: \(name) has \(bytes) bytes. Devices drop a file of more than \(limit) (R4); the answer is as if they took it."
    )
  }
}
