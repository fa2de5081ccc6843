package import LinkspanCore

/// What is decided about a host beside its folder, for every server of the registry.
package struct SiteOrder: Hashable, Sendable {
  package enum Kind: String, Sendable {
    /// An earlier publication is served until the folder differs from what it replaced.
    case rollback
    /// A publication is served until somebody takes the pin away.
    case pin
    /// What the API published is served until the folder differs from what it replaced.
    case published
    /// The folder decides again.
    case released
    /// Files that were held back may be served.
    case approved
    /// The folder is gone together with many others; the files are served until somebody confirms that.
    case removalHeld = "removal-held"
    /// The host is served no more.
    case removed
  }

  /// In lower case; nil for every host without files of its own.
  package var host: String?
  package var kind: Kind
  package var associationFile: [UInt8]?
  package var assetLinks: [UInt8]?
  package var servesRootName: Bool
  /// The digest of what lay in the folder of the server that was told, then those of other folders, which a deployment had
  /// not reached; nil for a folder without files of the host.
  package var replaced: [String?]
  /// As audit logs name people and credentials.
  package var actor: String
  package var since: WallTime
  /// Counts up with each order of any host; 0 before it is stored.
  package var revision: Int64 = 0
  /// Whether a server's folder has had other files since.
  package var hasEnded = false

  package init(
    host: String?, kind: Kind, associationFile: [UInt8]? = nil, assetLinks: [UInt8]? = nil,
    servesRootName: Bool = false, replaced: [String?] = [], actor: String, since: WallTime
  ) {
    self.host = host.map(ASCII.lowercased)
    self.kind = kind
    self.associationFile = associationFile
    self.assetLinks = assetLinks
    self.servesRootName = servesRootName
    self.replaced = replaced
    self.actor = actor
    self.since = since
  }
}
