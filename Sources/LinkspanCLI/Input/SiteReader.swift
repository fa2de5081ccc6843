internal import AppBundle
internal import AppSiteAssociation
internal import LinkspanCore

/// Finds the association files a person means by SITE.
struct SiteReader {
  /// One association file, and the host it is for when that is known.
  struct SiteFile {
    var host: String?
    var location: AssociationLocation?
    var source: SourceText
  }

  var files: [SiteFile] = []
  /// Statement lists for Android, beside association files in a folder of hosts.
  var assetLinks: [SiteFile] = []
  /// Hosts to be asked over the network.
  var names: [SiteName] = []
  /// Hosts that have a folder and no association file in it, or say themselves that they have none.
  var emptyHosts: [String] = []
  /// Whether a folder of hosts was given, so that hosts outside it have no file.
  var isWholeSite = false

  /// - Parameters:
  ///   - sites: Files, folders laid out `HOST/.well-known/apple-app-site-association`, or hosts.
  ///   - host: The host of bare files.
  init(_ sites: [String], host: String?) throws(CommandError) {
    for site in sites {
      switch site == "-" ? .file : FileReader.kind(of: site) {
      case .file:
        let source = try FileReader.read(site)
        if StatementSource.isStatementList(source) {
          assetLinks.append(SiteFile(host: host, source: source))
        } else {
          files.append(SiteFile(host: host ?? Self.host(ofFile: site), source: source))
        }
      case .folder: try readFolder(site)
      case .missing:
        do throws(SiteName.Problem) {
          guard let name = try SiteName.read(site) else {
            throw SiteName.Problem(message: "there is no file or folder '\(site)'.", help: nil)
          }
          names.append(name)
        } catch {
          throw CommandError(error.message, help: error.help)
        }
      }
    }
  }

  /// The same site, where other bytes stand for those of some files, by their names.
  func replacing(_ bytes: [String: [UInt8]]) -> SiteReader {
    var copy = self
    for index in copy.files.indices {
      let name = copy.files[index].source.name
      if let other = bytes[name] { copy.files[index].source = SourceText(name: name, bytes: other) }
    }
    return copy
  }

  private mutating func readFolder(_ folder: String) throws(CommandError) {
    let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    // The folder of one host, named after it.
    let name = String(folder.split(separator: "/").last ?? "")
    let statements = assetLinks.count
    if name.contains("."), name != ".", name != "..",
      try readHost(folder, name: name) || assetLinks.count > statements
    {
      return
    }
    var found = false
    for name in try FileReader.names(in: folder)
    where !name.hasPrefix(".") && FileReader.kind(of: "\(folder)/\(name)") == .folder {
      found = true
      if try !readHost("\(folder)/\(name)", name: name) { emptyHosts.append(ASCII.lowercased(name)) }
    }
    guard found else {
      throw CommandError(
        "the folder '\(folder)' holds no hosts.",
        help: "Lay it out as HOST/.well-known/apple-app-site-association, or name the file itself.")
    }
    isWholeSite = true
  }

  private mutating func readHost(_ folder: String, name: String) throws(CommandError) -> Bool {
    var found = false
    for location in AssociationLocation.allCases {
      let path = folder + location.rawValue
      guard FileReader.kind(of: path) == .file else { continue }
      files.append(
        SiteFile(host: ASCII.lowercased(name), location: location, source: try FileReader.read(path)))
      found = true
    }
    let statements = folder + "/.well-known/assetlinks.json"
    if FileReader.kind(of: statements) == .file {
      assetLinks.append(SiteFile(host: ASCII.lowercased(name), source: try FileReader.read(statements)))
    }
    return found
  }

  /// The host in a path that ends as the layout does.
  private static func host(ofFile path: String) -> String? {
    let parts = path.split(separator: "/")
    guard parts.last == "apple-app-site-association" else { return nil }
    let folders = parts.dropLast()
    let host = folders.last == ".well-known" ? folders.dropLast().last : folders.last
    return host.flatMap { $0.contains(".") && $0 != "." && $0 != ".." ? ASCII.lowercased($0) : nil }
  }

  /// The hosts with the file that counts for each: `.well-known` before the root (F6).
  var hosts: [SiteHost] {
    var hosts: [SiteHost] = emptyHosts.map { SiteHost(host: $0, source: nil) }
    for file in files {
      guard let host = file.host, !hosts.contains(where: { $0.host == host && $0.source != nil }) else {
        continue
      }
      hosts.append(SiteHost(host: host, source: AssociationSource(file.source)))
    }
    return hosts.sorted { $0.host < $1.host }
  }
}
