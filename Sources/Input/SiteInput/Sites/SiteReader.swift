internal import AppBundle
package import AppSiteAssociation
internal import AssetLinks
package import AssociationDelivery
package import LinkspanCore
package import LinkspanFiles

/// Finds the association files a person means by SITE.
package struct SiteReader {
  /// One association file, and the host it is for when that is known.
  package struct SiteFile {
    package var host: String?
    package var location: AssociationLocation?
    package var source: SourceText

    package init(host: String? = nil, location: AssociationLocation? = nil, source: SourceText) {
      self.host = host
      self.location = location
      self.source = source
    }
  }

  /// The folder of a host in which nothing is found.
  package struct EmptyFolder {
    package var path: String
    /// A file in it whose name is nearly the right one.
    var nearMiss: String?
  }

  /// A host in a folder of hosts whose files could not all be read.
  package struct HostProblem {
    package var host: String
    let error: LinkspanError

    package var message: String { error.text }
  }

  package var files: [SiteFile] = []
  /// Statement lists for Android, beside association files in a folder of hosts.
  package var assetLinks: [SiteFile] = []
  /// Entitlements, property lists, profiles and configurations of apps that were named as a SITE.
  package private(set) var appFiles: [SourceText] = []
  /// Paths of apps that were named as a SITE: archives, programs and bundles.
  package private(set) var appBundles: [String] = []
  /// Hosts to be asked over the network.
  package var names: [SiteName] = []
  /// Hosts that have a folder and no association file in it, or say themselves that they have none.
  package var emptyHosts: [String] = []
  /// Folders of hosts with no file for iOS and none for Android.
  package private(set) var emptyFolders: [EmptyFolder] = []
  /// Hosts of which nothing is among the files because something of them cannot be read.
  package private(set) var problems: [HostProblem] = []
  /// Folders beside those of hosts that have no file and whose names are no hosts.
  package private(set) var skippedFolders: [String] = []
  /// Why nothing is read of a SITE that is a folder of hosts and holds none.
  package private(set) var emptySites: [LinkspanError] = []
  private let passesOverProblems: Bool
  private let passesOverEmptySites: Bool
  private let refusesLargeFiles: Bool
  private let isProject: Bool
  private let links: LinkPolicy
  /// Why links beside the folders of hosts are not followed, where their names are no hosts.
  package private(set) var refusedLinks: [LinkspanError] = []
  /// Whether some SITE does not say its host, so that a person has to.
  package private(set) var hasBareFiles = false
  /// Whether a folder of hosts was given, so that hosts outside it have no file.
  package var isWholeSite = false

  /// - Parameters:
  ///   - sites: Files, folders laid out `HOST/.well-known/apple-app-site-association`, or hosts.
  ///   - host: The host of bare files.
  ///   - passesOverProblems: Whether a host in a folder of hosts that cannot be read is one of ``problems`` and the
  ///     others are read all the same; else it is thrown.
  ///   - passesOverEmptySites: Whether a folder without a host is one of ``emptySites``; else it is thrown.
  ///   - refusesLargeFiles: Whether a file above the size that can be published is a problem instead of being read.
  ///   - links: Which symbolic links in folders are followed.
  ///   - isProject: Whether a folder of hosts may be a project's, in which a folder without a dot in its name, such as `public`, is
  ///     no host's; else each folder with files is its name's.
  ///   - takesAppFiles: Whether a file about an app goes to ``appFiles``, and an app to ``appBundles``; else it is
  ///     thrown.
  /// - Throws: What cannot be read.
  package init(
    _ sites: [String], host: String?, passesOverProblems: Bool = false, passesOverEmptySites: Bool = false,
    refusesLargeFiles: Bool = false, links: LinkPolicy = .named, isProject: Bool = false,
    takesAppFiles: Bool = false
  ) throws(LinkspanError) {
    self.isProject = isProject
    self.passesOverProblems = passesOverProblems
    self.passesOverEmptySites = passesOverEmptySites
    self.refusesLargeFiles = refusesLargeFiles
    self.links = links
    for site in sites {
      if site != "-", let words = try BundleInput.words(atSite: site) {
        guard takesAppFiles else {
          throw LinkspanError(
            "\(words); expected an association file", at: site, help: Self.appHelp)
        }
        appBundles.append(site)
        continue
      }
      switch site == "-" ? .file : try FileReader.kind(of: site) {
      case .file, .special:
        let source = try readBare(site)
        guard takesAppFiles || !AppFile.isOne(source.bytes) else {
          throw LinkspanError(
            "describes an app; expected an association file", at: site, help: Self.appHelp)
        }
        take(source, host: host, place: { SiteFolder.host(ofFile: site) })
      case .folder: try readFolder(site, host: host)
      case .missing:
        if let error = LinkspanError.secretForFile(site) { throw error }
        do throws(SiteName.Problem) {
          guard let name = try SiteName.read(site) else {
            throw SiteName.Problem(message: "there is no file or folder '\(site)'.", help: nil)
          }
          names.append(name)
        } catch {
          throw LinkspanError(error.message, help: error.help)
        }
      }
    }
  }

  /// Not every command that reads sites has the flag.
  private static let appHelp = "'linkspan check' and 'linkspan explain' take an app with '--app'."

  /// One text that somebody writes, as if it were a file that is named itself.
  init(text: SourceText) {
    passesOverProblems = true
    passesOverEmptySites = false
    refusesLargeFiles = false
    isProject = false
    links = .named
    take(text, host: nil, place: { nil })
  }

  /// A file that was named itself: about an app, for Android, or else an association file.
  ///
  /// - Parameter place: The host in whose folder it lies.
  private mutating func take(_ source: SourceText, host: String?, place: () -> String?) {
    if AppFile.isOne(source.bytes) {
      appFiles.append(source)
      return
    }
    hasBareFiles = true
    if StatementSource.isStatementList(source) {
      assetLinks.append(SiteFile(host: host, source: source))
    } else {
      files.append(SiteFile(host: host ?? place(), source: source))
    }
  }

  /// Refuses `--host` where every SITE says its host itself.
  ///
  /// - Parameter isGiven: Whether the flag is there.
  package func refuseIdleHost(isGiven: Bool) throws(LinkspanError) {
    guard isGiven, !hasBareFiles, emptySites.isEmpty else { return }
    throw .usage("'--host' is for files named one by one, and every SITE here has a host already")
  }

  /// The same site, where other bytes stand for those of some files, by their names.
  package func replacing(_ bytes: [String: [UInt8]]) -> SiteReader {
    var copy = self
    for index in copy.files.indices {
      let name = copy.files[index].source.name
      if let other = bytes[name] { copy.files[index].source = SourceText(name: name, bytes: other) }
    }
    for index in copy.assetLinks.indices {
      let name = copy.assetLinks[index].source.name
      if let other = bytes[name] { copy.assetLinks[index].source = SourceText(name: name, bytes: other) }
    }
    for index in copy.appFiles.indices {
      let name = copy.appFiles[index].name
      if let other = bytes[name] { copy.appFiles[index] = SourceText(name: name, bytes: other) }
    }
    return copy
  }

  private mutating func readFolder(_ folder: String, host: String?) throws(LinkspanError) {
    let folder = try SiteFolder(folder, links)
    if let home = folder.home {
      if folder.host == nil { hasBareFiles = true }
      if try readHost(home, host: folder.host ?? host) { return }
    }
    guard let sites = try folder.sites() else {
      if let home = folder.home { try addEmpty(home, host: folder.host ?? host) }
      return
    }
    var found = false
    var hasHosts = false
    for name in try sites.names() where !name.hasPrefix(".") {
      let before = (files.count, assetLinks.count)
      do throws(LinkspanError) {
        guard try readMember(of: sites, named: name, host: host) else { continue }
      } catch {
        guard passesOverProblems else { throw error }
        // Half of a host is not published.
        files.removeSubrange(before.0...)
        assetLinks.removeSubrange(before.1...)
        problems.append(HostProblem(host: SiteFolder.host(named: name), error: error))
      }
      found = true
      hasHosts = hasHosts || isHost(name)
    }
    guard found else {
      let error = try noHosts(in: folder, sites)
      guard passesOverEmptySites else { throw error }
      emptySites.append(error)
      return
    }
    isWholeSite = isWholeSite || hasHosts
  }

  /// Whether a folder with files is taken for the one of a host of its name. A name such as `a.example:8080` is meant to be one.
  private func isHost(_ name: String) -> Bool {
    !isProject || name == "localhost"
      || !name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }

  private func noHosts(in folder: SiteFolder, _ sites: ConfinedFolder) throws(LinkspanError) -> LinkspanError
  {
    if folder.home == nil, try sites.directory(SiteFolder.wellKnown) != nil {
      return LinkspanError(
        "the folder '\(folder.path)' contains no hosts, and its own name is not that of a host.",
        help: "Name it like the host, or give '\(folder.path)/\(SiteFolder.wellKnown)' instead.")
    }
    let skipped = skippedFolders.isEmpty ? "" : " These are not hosts: \(skippedFolders.joinedForReading)."
    return LinkspanError(
      "the folder '\(folder.path)' contains no hosts.\(skipped)",
      help: "Lay it out as HOST/.well-known/apple-app-site-association, or name the file itself.")
  }

  /// - Parameter host: That of files whose folder names none.
  /// - Returns: Whether this is a host's folder.
  private mutating func readMember(
    of sites: ConfinedFolder, named name: String, host: String?
  ) throws(LinkspanError) -> Bool {
    let home: ConfinedFolder
    do throws(LinkspanError) {
      switch try sites.member(name) {
      case .folder(let folder): home = folder
      case .linkToNothing where passesOverProblems && SiteFolder.isHost(name):
        throw LinkspanError(
          "is a link to a folder that is not there", at: sites.folder.path(of: name),
          help: "Fix the link, or remove it.")
      case .linkToNothing, .other:
        if let error = FileReader.misnamed(sites.folder.path(of: name)) { throw error }
        return false
      }
    } catch {
      guard !SiteFolder.isHost(name) else { throw error }
      // Nobody knows whether a host is meant.
      refusedLinks.append(error)
      skippedFolders.append(name)
      return false
    }
    let count = files.count
    let isHost = isHost(name)
    if try readHost(home, host: isHost ? name : host) {
      if !isHost { hasBareFiles = true }
      if files.count == count, isHost { emptyHosts.append(SiteFolder.host(named: name)) }
      return true
    }
    guard SiteFolder.isHost(name) else {
      skippedFolders.append(name)
      return false
    }
    try addEmpty(home, host: name)
    return true
  }

  /// - Returns: Whether there was a file, for iOS or for Android.
  private mutating func readHost(_ home: ConfinedFolder, host: String?) throws(LinkspanError) -> Bool {
    let host = host.map(SiteFolder.host(named:))
    var found = false
    for location in AssociationLocation.allCases {
      guard
        let source = try read(
          String(location.rawValue.dropFirst()), in: home,
          limitBytes: AssociationLocation.maximumFileBytes)
      else { continue }
      files.append(SiteFile(host: host, location: location, source: source))
      found = true
    }
    let statements = "\(SiteFolder.wellKnown)/assetlinks.json"
    if let source = try read(
      statements, in: home, limitBytes: StatementSource.sizeLimitBytes)
    {
      assetLinks.append(SiteFile(host: host, source: source))
      found = true
    }
    return found
  }

  /// A file in a host's folder; nil when it isn't there.
  private func read(
    _ relative: String, in home: ConfinedFolder, limitBytes: Int
  ) throws(LinkspanError) -> SourceText? {
    let path = home.folder.path(of: relative)
    guard let file = try home.file(relative) else { return nil }
    if refusesLargeFiles, file.sizeBytes > limitBytes {
      throw LinkspanError(AssociationLocation.excess(of: path, bytes: file.sizeBytes, limit: limitBytes))
    }
    return SourceText(
      name: path, bytes: try file.bytes(limitBytes: FileReader.sizeLimitBytes, as: path))
  }

  /// A file that was named itself. A server holds it to the directory that it lies in, as it would a host's folder.
  private func readBare(_ site: String) throws(LinkspanError) -> SourceText {
    guard case .serving = links, site != "-" else { return try FileReader.read(site) }
    let (folder, name) = FileReader.place(of: site)
    let home = try ConfinedFolder(folder, .named, .files)
    guard let source = try read(name, in: home, limitBytes: StatementSource.sizeLimitBytes) else {
      throw LinkspanError("cannot be read", at: site, why: "it is gone")
    }
    return SourceText(name: site, bytes: source.bytes)
  }

  private mutating func addEmpty(_ home: ConfinedFolder, host: String?) throws(LinkspanError) {
    if let host { emptyHosts.append(SiteFolder.host(named: host)) }
    emptyFolders.append(EmptyFolder(path: home.path, nearMiss: try nearMiss(in: home)))
  }

  /// A file that somebody may have meant to be the association file.
  private func nearMiss(in home: ConfinedFolder) throws(LinkspanError) -> String? {
    // Ours: more slips make another name.
    let slipLimit = 3
    let wanted = "apple-app-site-association"
    let folders = [try home.directory(SiteFolder.wellKnown), try home.directory("well-known"), home.folder]
    for folder in folders.compactMap({ $0 }) {
      for name in try folder.names() {
        let plain = ASCII.lowercased(name)
        let isNear =
          plain.contains(wanted) || plain == "aasa" || plain.hasPrefix("aasa.")
          || Spelling.distance(plain, wanted) <= slipLimit
        if isNear { return folder.path(of: name) }
      }
    }
    return nil
  }

  /// Whether only files about apps were named.
  package var isAboutAppsOnly: Bool {
    !(appFiles.isEmpty && appBundles.isEmpty) && files.isEmpty && assetLinks.isEmpty && names.isEmpty
      && emptyHosts.isEmpty
      && !isWholeSite
  }
}

extension [String] {
  /// The first few, and how many more there are.
  package var joinedForReading: String {
    let shown = prefix(8).joined(separator: ", ")
    return count > 8 ? "\(shown) and \(count - 8) more" : shown
  }
}
