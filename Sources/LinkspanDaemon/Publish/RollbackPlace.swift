internal import AppSiteAssociation
internal import AssetLinks
internal import Glibc
internal import LinkspanCore

/// Where the association file of a host lies: found from the sites that `serve` was given and the host alone.
package struct RollbackPlace {
  /// The directory that holds the file, open.
  let folder: OpenFolder
  let name: String

  package var path: String { "\(folder.path)/\(name)" }

  private static let wellKnown = ".well-known"
  private static let file = "apple-app-site-association"

  /// - Parameters:
  ///   - sites: Files and folders, laid out as for `serve`.
  ///   - bareHost: The host of files named one by one.
  /// - Throws: That the host has no place in the sites, or that its place leads out of them.
  package init(_ host: String, in sites: [String], bareHost: String?) throws(DaemonError) {
    for site in sites {
      if let place = try Self.find(host, site, bareHost) {
        self = place
        return
      }
    }
    throw DaemonError(
      "no directory of '\(host)' is in \(sites.map { "'\($0)'" }.joined(separator: ", ")).",
      help: "Make HOST/\(Self.wellKnown) there first, or name the SITE… that 'serve' was given.")
  }

  private init(_ folder: OpenFolder, _ name: String) {
    self.folder = folder
    self.name = name
  }

  private static func find(
    _ host: String, _ site: String, _ bareHost: String?
  ) throws(DaemonError) -> RollbackPlace? {
    guard try FileReader.kind(of: site) == .folder else {
      guard (bareHost ?? SiteReader.host(ofFile: site)) == host else { return nil }
      let slash = site.lastIndex(of: "/")
      let name = slash.map { String(site[site.index(after: $0)...]) } ?? site
      let folder = try OpenFolder(slash.map { $0 == site.startIndex ? "/" : String(site[..<$0]) } ?? ".")
      return try isStatementList(name, in: folder) ? nil : RollbackPlace(folder, name)
    }
    let root = try OpenFolder(trimmed(site))
    let parts = (FileReader.resolved(site) ?? site).split(separator: "/")
    if parts.last == wellKnown[...] {
      let parent = parts.dropLast().last.map { ASCII.lowercased($0) }
      let known = parent?.contains(".") == true ? parent : bareHost
      return known == host ? RollbackPlace(root, file) : nil
    }
    let isOfHost = site.split(separator: "/").last.map { ASCII.lowercased($0) } == host
    if isOfHost, let place = try place(below: root, []) { return place }
    for name in try root.names() where ASCII.lowercased(name) == host {
      if let place = try place(below: root, [name]) { return place }
    }
    return nil
  }

  /// In a host's directory: the file that counts (F6), or the place where it would.
  private static func place(
    below root: OpenFolder, _ host: [String]
  ) throws(DaemonError) -> RollbackPlace? {
    let home = try root.folder(beneath: host)
    let inner = try home.kind(of: wellKnown) == .missing ? nil : root.folder(beneath: host + [wellKnown])
    if let inner, try inner.kind(of: file) != .missing { return RollbackPlace(inner, file) }
    if try home.kind(of: file) != .missing { return RollbackPlace(home, file) }
    return inner.map { RollbackPlace($0, file) }
  }

  private static func isStatementList(_ name: String, in folder: OpenFolder) throws(DaemonError) -> Bool {
    guard try folder.kind(of: name) == .file else { return false }
    let bytes = try folder.bytes(of: name, limitBytes: FileReader.sizeLimitBytes)
    return StatementSource.isStatementList(SourceText(name: name, bytes: bytes))
  }

  private static func trimmed(_ path: String) -> String {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return String(path)
  }
}
