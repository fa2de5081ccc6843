package import LinkspanCore
package import LinkspanFiles

/// A folder that an operator named as a SITE: the one of a host, or one that holds those of hosts. Every command that takes a
/// SITE asks here which of the two it is, for which host, and what is confined in it.
package struct SiteFolder {
  /// The folder of the host or of the hosts: what the operator named, or the folder around a `.well-known` that was named.
  package let path: String
  /// The host whose name the folder has, as ``host(named:)`` reads it; nil where its name is no host's.
  package let host: String?
  /// The folder as a host's; nil where no name says that it is one.
  package let home: ConfinedFolder?
  private let isAroundWellKnown: Bool
  private let links: LinkPolicy

  package static let wellKnown = ".well-known"
  private static let associationFile = "apple-app-site-association"

  /// - Parameters:
  ///   - site: A folder as a person wrote it. Where its last name is no host's, as in `.`, `..` and in links such as `current`,
  ///     the name counts that the folder has where it lies.
  ///   - links: Which symbolic links in it are followed.
  ///   - expected: A host that a folder may be named after although the name has no dot.
  /// - Throws: What cannot be opened.
  package init(
    _ site: String, _ links: LinkPolicy, expecting expected: String? = nil
  ) throws(LinkspanError) {
    var path = site
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    isAroundWellKnown =
      Self.name(in: path, where: { $0 == Self.wellKnown || Self.isHost($0, expected) }) == Self.wellKnown
    if isAroundWellKnown { path = Self.around(path) }
    let name = Self.name(in: path) { Self.isHost($0, expected) }
    host = name.map(Self.host(named:))
    home = isAroundWellKnown || name != nil ? try ConfinedFolder(path, links, .host) : nil
    self.path = path
    self.links = links
  }

  /// The same folder as one that holds those of hosts; nil where it is a host's and nothing else: it has a `.well-known` or
  /// an association file, or nobody vouches for an owner who empties it (``ConfinedFolder/mayHoldHosts``).
  package func sites() throws(LinkspanError) -> ConfinedFolder? {
    if let home {
      guard !isAroundWellKnown, home.mayHoldHosts, try home.directory(Self.wellKnown) == nil,
        try home.folder.kind(of: Self.associationFile) == .missing
      else { return nil }
    }
    return try ConfinedFolder(path, links, .sites)
  }

  // MARK: - Names

  /// The host that a folder is named after, in lower case and Punycode, as `--host` takes it (E11). A name that no host has, as
  /// one with a port, stays in lower case: ``SiteChecker`` speaks of it.
  static func host(named name: String) -> String { HostName.written(name) ?? ASCII.lowercased(name) }

  /// Whether a folder's name is a host's: those with association files have a dot and end in a domain of letters.
  ///
  /// `v1.2`, `App.xcodeproj` and `en.lproj` beside them are a project's own.
  package static func isHost(_ name: String) -> Bool {
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, let last = labels.last, labels.allSatisfy({ !$0.isEmpty }) else { return false }
    let isDomain =
      last.hasPrefix("xn--") || (last.count > 1 && last.allSatisfy { $0.isLetter })
    let hasHostCharacters = name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    return isDomain && hasHostCharacters && !folderEndings.contains(ASCII.lowercased(last))
  }

  private static func isHost(_ name: String, _ expected: String?) -> Bool {
    isHost(name) || ASCII.lowercased(name) == expected
  }

  /// Endings of folders in projects, none of which is a top-level domain.
  private static let folderEndings: Set<String> = [
    "appex", "bundle", "dsym", "framework", "git", "lproj", "playground", "xcarchive", "xcassets",
    "xcdatamodeld", "xcframework", "xcodeproj", "xcworkspace",
  ]

  /// The host in the place of a file that lies as the layout has it.
  package static func host(ofFile path: String) -> String? {
    let (folder, name) = FileReader.place(of: path)
    guard name == associationFile else { return nil }
    let inner = Self.name(in: folder) { $0 == wellKnown || isHost($0) }
    let host = inner == wellKnown ? Self.name(in: around(folder), where: isHost) : inner
    return host.map(Self.host(named:))
  }

  /// The name of a folder that fits: the last one that a person wrote, else the one that it has where it lies.
  private static func name(in path: String, where fits: (String) -> Bool) -> String? {
    if let written = lastName(in: path), fits(written) { return written }
    guard let resolved = FileReader.resolved(path), let name = lastName(in: resolved), fits(name) else {
      return nil
    }
    return name
  }

  /// nil where a path ends in no name of its own.
  private static func lastName(in path: String) -> String? {
    let last = path.split(separator: "/").last { $0 != "." }
    return last == ".." ? nil : last.map(String.init)
  }

  /// The folder around a `.well-known`.
  private static func around(_ path: String) -> String {
    guard path.hasSuffix(wellKnown) else { return path + "/.." }
    var parent = path.dropLast(wellKnown.count)
    while parent.count > 1, parent.hasSuffix("/") { parent.removeLast() }
    return parent.isEmpty ? "." : String(parent)
  }
}
