internal import Glibc
package import LinkspanCore

/// A folder that somebody else may write, such as a host's, and everything that is reached below it.
///
/// All commands that read or write below such a folder go through here, whoever they run as. Files are reached by a
/// ``FolderWalk``; which links it follows says a ``LinkRule``. FIFOs, sockets, devices and the kernel's own file systems
/// are refused by what they are, without being opened.
package struct ConfinedFolder {
  /// The directories from the root of the file system to this one.
  private let place: [OpenFolder]
  /// Of links in the place of a host's folder.
  private let memberRule: LinkRule
  /// Of links in this folder, when it is a host's.
  private let rule: LinkRule
  private let isWritten: Bool
  /// A user who gets to see their own files wherever they lie; nil where files are published.
  private let reader: uid_t?

  /// What a folder that was named holds.
  package enum Role {
    /// Folders of hosts.
    case sites
    /// The files of one host. The directory above it counts as the sites root, whose owner is trusted.
    case host
    /// Files that are named themselves. Whose they are is not known, so nobody is trusted for owning a directory.
    case files
  }

  /// The directory itself.
  package var folder: OpenFolder { place[place.count - 1] }

  package var path: String { folder.path }

  /// - Parameter path: As a person named it.
  /// - Throws: What cannot be opened, the link roots of the policy among it.
  package init(_ path: String, _ policy: LinkPolicy, _ role: Role) throws(LinkspanError) {
    try ReadingPlaces.refuseOutside(path)
    place = try FolderWalk.named(path)
    let (owners, words) = Self.owners(of: place, role)
    let operators = "root" + words
    switch policy {
    case .named:
      memberRule = LinkRule(
        trusted: Set([0, geteuid()] + owners), reach: .anywhere,
        operators: "root, of the user who runs linkspan" + words)
      rule = memberRule
      isWritten = false
      // A server reads a single file that was named, too, and publishes it.
      let isTenants = ![0, geteuid()].contains(place[place.count - 1].entry.owner)
      reader = role == .files && isTenants ? nil : geteuid()
    case .serving(let linkRoots):
      let folders = [place[place.count - 1]] + (try Self.opened(linkRoots))
      memberRule = LinkRule(trusted: Set([0] + owners), reach: .below(folders), operators: operators)
      rule = memberRule
      isWritten = false
      reader = nil
    case .writing(let linkRoots):
      memberRule = LinkRule(
        trusted: Set([0] + owners), reach: .below(try Self.opened(linkRoots)), operators: operators)
      rule = LinkRule(trusted: [], reach: .nowhere, operators: operators)
      isWritten = true
      reader = nil
    }
  }

  /// The owner of the sites root, if there is one, also in words.
  private static func owners(of place: [OpenFolder], _ role: Role) -> (owners: [uid_t], words: String) {
    let folder = place[place.count - 1]
    switch role {
    case .sites: return ([folder.entry.owner], " and of the owner of '\(folder.path)'")
    case .host where place.count > 1:
      return (
        [place[place.count - 2].entry.owner], " and of the owner of the directory above '\(folder.path)'"
      )
    case .host, .files: return ([], "")
    }
  }

  private init(_ place: [OpenFolder], of sites: ConfinedFolder) {
    self.place = place
    memberRule = sites.memberRule
    rule = sites.rule
    isWritten = sites.isWritten
    reader = sites.reader
  }

  private static func opened(_ linkRoots: [String]) throws(LinkspanError) -> [OpenFolder] {
    var folders: [OpenFolder] = []
    for path in linkRoots {
      do throws(LinkspanError) {
        folders.append(try OpenFolder(path))
      } catch {
        throw LinkspanError(
          "the folder '\(path)' of '--link-root' cannot be opened", why: error.reason ?? error.what,
          help: "Make it, or name the folder that links lead to.")
      }
    }
    return folders
  }

  /// Whether a folder that was opened as a host's may hold those of hosts instead, and its owner be trusted for that: it
  /// belongs to root, to the user of this process or to the owner of the directory above. Anybody else who empties the
  /// folder of a host would become the owner of a sites root.
  package var mayHoldHosts: Bool {
    let above = place.count > 1 ? [place[place.count - 2].entry.owner] : []
    return ([0, geteuid()] + above).contains(folder.entry.owner)
  }

  /// The names inside, sorted.
  package func names() throws(LinkspanError) -> [String] { try folder.names() }

  // MARK: - Folders of hosts

  package enum Member {
    case folder(ConfinedFolder)
    /// A link to a folder that is not there.
    case linkToNothing
    /// Anything that is no directory, or nothing.
    case other
  }

  /// What has a name in this folder, where it holds those of hosts. A link there is the operator's, or is refused.
  package func member(
    _ name: String, noting: ((OpenFolder, String) -> Void)? = nil
  ) throws(LinkspanError) -> Member {
    let path = folder.path(of: name)
    var walk = FolderWalk(from: place, isAtHome: false, memberRule, as: path, noting: noting)
    switch try walk.follow(name, expectsFolder: true) {
    case .folder: break
    case .linkToNothing: return .linkToNothing
    case .missing, .file, .special: return .other
    }
    if isWritten, !walk.links.isEmpty, walk.isBelow(folder) {
      throw LinkspanError(
        "is a symbolic link to a folder in '\(folder.path)' that is not the host's own, and nothing is written there",
        at: path, help: "Name the host whose folder it is, or switch the link instead.")
    }
    try walk.refuseEnd()
    return .folder(ConfinedFolder(try checked(walk, as: path), of: self))
  }

  // MARK: - In the folder of a host

  /// A directory in this folder; nil for anything else, or nothing.
  package func directory(
    _ relative: String, noting: ((OpenFolder, String) -> Void)? = nil
  ) throws(LinkspanError) -> OpenFolder? {
    let path = folder.path(of: relative)
    var walk = FolderWalk(from: place, isAtHome: true, rule, as: path, noting: noting)
    guard case .folder = try walk.follow(relative, expectsFolder: true) else { return nil }
    try walk.refuseEnd()
    let place = try checked(walk, as: path)
    return OpenFolder(
      place[place.count - 1].entry, path: path, home: walk.isBelow(folder) ? folder : nil)
  }

  /// A regular file in this folder, held but not read yet; nil when nothing is there.
  ///
  /// - Throws: For anything else in its place, and for a link that leads where it must not.
  package func file(
    _ relative: String, noting: ((OpenFolder, String) -> Void)? = nil
  ) throws(LinkspanError) -> OpenEntry? {
    let path = folder.path(of: relative)
    let remedy = "Put the file itself in its place, or remove it."
    var walk = FolderWalk(from: place, isAtHome: true, rule, as: path, noting: noting)
    switch try walk.follow(relative, expectsFolder: false) {
    case .missing: return nil
    case .linkToNothing:
      throw LinkspanError(
        "is a link to a file that is not there", at: path, help: "Fix the link, or remove it.")
    case .folder:
      try walk.refuseEnd()
      throw LinkspanError("is a directory; expected a file", at: path, help: remedy)
    case .special:
      try walk.refuseEnd()
      throw LinkspanError("is not a regular file", at: path, help: remedy)
    case .file(let file):
      try walk.refuseEnd()
      try file.refuseForeignName(in: walk.holders, as: path)
      if let trusted = memberRule.trusted, walk.isBelow(folder) {
        try file.refusePrivate(
          in: walk.place[walk.place.count - 1], trusted: trusted, reader: reader, as: path)
      }
      if !walk.links.isEmpty { try ReadingPlaces.refuseOutside(file, as: path) }
      return file
    }
  }

  /// Where a walk ended, under the path that it was asked for.
  private func checked(_ walk: FolderWalk, as path: String) throws(LinkspanError) -> [OpenFolder] {
    let end = walk.place[walk.place.count - 1].entry
    if !walk.links.isEmpty { try ReadingPlaces.refuseOutside(end, as: path) }
    return walk.place.dropLast() + [OpenFolder(end, path: path)]
  }
}
