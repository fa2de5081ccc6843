/// The files one host serves, byte for byte.
package struct AssociationSite: Hashable, Sendable {
  /// Without port; compared without case and without a final dot. Nil serves every host that has no site of its own.
  package var host: String?

  /// The association file, as JSON or signed (CMS in DER form).
  package var associationFile: [UInt8]?

  /// Serve the association file at `/apple-app-site-association` too, as iOS before 9.3 asked for it (F2).
  package var servesRootName: Bool

  /// Android's `assetlinks.json`.
  package var assetLinks: [UInt8]?

  package init(
    host: String?, associationFile: [UInt8]? = nil, servesRootName: Bool = false, assetLinks: [UInt8]? = nil
  ) {
    self.host = host
    self.associationFile = associationFile
    self.servesRootName = servesRootName
    self.assetLinks = assetLinks
  }
}
