internal import AppSiteAssociation
internal import AssetLinks
internal import Glibc
package import LinkspanCore
internal import LinkspanFiles
internal import SiteInput

/// Where the association file of a host lies: found from the sites that `serve` was given and the host alone.
package struct RollbackPlace {
  /// The directory that holds the file, open.
  let folder: OpenFolder
  let name: String

  package var path: String { folder.path(of: name) }

  private static let file = "apple-app-site-association"

  /// - Parameters:
  ///   - sites: Files and folders, laid out as for `serve`.
  ///   - bareHost: The host of files named one by one.
  ///   - linkRoots: Folders that links in the place of a host's folder may lead to.
  /// - Throws: That the host has no place in the sites, or that its place leads out of them.
  package init(
    _ host: String, in sites: [String], bareHost: String?, linkRoots: [String] = []
  ) throws(LinkspanError) {
    for site in sites {
      if let place = try Self.find(host, site, bareHost, .writing(linkRoots: linkRoots)) {
        self = place
        return
      }
    }
    throw LinkspanError(
      "no directory of '\(host)' is in \(sites.map { "'\($0)'" }.joined(separator: ", ")).",
      help: "Make HOST/\(SiteFolder.wellKnown) there first, or name the SITE… that 'serve' was given.")
  }

  private init(_ folder: OpenFolder, _ name: String) {
    self.folder = folder
    self.name = name
  }

  private static func find(
    _ host: String, _ site: String, _ bareHost: String?, _ links: LinkPolicy
  ) throws(LinkspanError) -> RollbackPlace? {
    guard try FileReader.kind(of: site) == .folder else {
      guard (bareHost ?? SiteFolder.host(ofFile: site)) == host else { return nil }
      let (path, name) = FileReader.place(of: site)
      let folder = try OpenFolder(path)
      return try isStatementList(name, in: folder) ? nil : RollbackPlace(folder, name)
    }
    let folder = try SiteFolder(site, links, expecting: host)
    if let home = folder.home, (folder.host ?? bareHost) == host, let place = try place(in: home) {
      return place
    }
    guard let root = try folder.sites() else { return nil }
    for name in try root.names() where ASCII.lowercased(name) == host {
      guard case .folder(let home) = try root.member(name) else { continue }
      if let place = try place(in: home) { return place }
    }
    return nil
  }

  /// In a host's directory: the file that counts (F6), or the place where it would.
  private static func place(in home: ConfinedFolder) throws(LinkspanError) -> RollbackPlace? {
    let inner = try home.directory(SiteFolder.wellKnown)
    if let inner, try inner.kind(of: file) != .missing { return RollbackPlace(inner, file) }
    if try home.folder.kind(of: file) != .missing { return RollbackPlace(home.folder, file) }
    return inner.map { RollbackPlace($0, file) }
  }

  private static func isStatementList(_ name: String, in folder: OpenFolder) throws(LinkspanError) -> Bool {
    guard try folder.kind(of: name) == .file else { return false }
    let bytes = try folder.bytes(of: name, limitBytes: FileReader.sizeLimitBytes)
    return StatementSource.isStatementList(SourceText(name: name, bytes: bytes))
  }
}
