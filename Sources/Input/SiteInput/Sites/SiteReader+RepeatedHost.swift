internal import AppSiteAssociation
internal import LinkspanCore

extension SiteReader {
  /// A host of which several folders have a file, such as two SITE folders, or `example.com` beside `Example.COM`.
  package struct RepeatedHost {
    /// nil where nothing says the host.
    package var host: String?
    /// In the order in which they were read; the first one counts where only one can.
    package var folders: [String]

    /// For an operator.
    package var words: String {
      let name = host ?? "every other host"
      let others = folders.dropFirst().map { "'\($0)'" }.joinedForReading
      return
        "\(name) has files in \(folders.count) places: those in '\(folders[0])' are served, and \(others) "
        + (folders.count == 2 ? "is ignored." : "are ignored.") + " Name one of them, or remove the others."
    }
  }

  /// The hosts with more than one association file, or more than one `assetlinks.json`, that do not lie in one folder; in the
  /// order in which they were read.
  package var repeatedHosts: [RepeatedHost] {
    let statements = Self.folders(of: assetLinks)
    var found: [RepeatedHost] = []
    for (host, folders) in Self.folders(of: files) + statements where folders.count > 1 {
      guard !found.contains(where: { $0.host == host }) else { continue }
      found.append(RepeatedHost(host: host, folders: folders))
    }
    return found
  }

  private static func folders(of files: [SiteFile]) -> [(host: String?, folders: [String])] {
    var places: [String?: Int] = [:]
    var all: [(host: String?, folders: [String])] = []
    for file in files {
      let (host, folder) = (file.host.map(IDNA.named), Self.folder(of: file))
      if let place = places[host] {
        if !all[place].folders.contains(folder) { all[place].folders.append(folder) }
      } else {
        places[host] = all.count
        all.append((host, [folder]))
      }
    }
    return all
  }

  /// The folder of the host that a file lies in; the file itself where no name says that it lies in one.
  package static func folder(of file: SiteFile) -> String {
    let path = file.source.name
    let endings =
      AssociationLocation.allCases.map { $0.rawValue } + ["/\(SiteFolder.wellKnown)/assetlinks.json"]
    // `/.well-known/apple-app-site-association` ends like the one at the root.
    let ending = endings.filter(path.hasSuffix).max { $0.utf8.count < $1.utf8.count }
    return ending.map { String(path.dropLast($0.count)) } ?? path
  }
}
