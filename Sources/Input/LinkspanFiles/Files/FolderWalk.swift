internal import CLinkspanPlatform
internal import Glibc
internal import LinkspanCore
internal import LinkspanSystem

/// Goes along a path from open directory to open directory. Each is held before the next name is looked up in it, so
/// somebody who renames directories and turns links meanwhile changes which file is found, and never where it lies.
struct FolderWalk {
  /// A symbolic link on the way.
  struct Link {
    let path: String
    let owner: uid_t
    let isTrusted: Bool
  }

  enum Found {
    case missing
    /// The last name is a link that leads to nothing.
    case linkToNothing
    /// The last of ``place``.
    case folder
    /// A regular file in the last directory of ``place``.
    case file(OpenEntry)
    case special
  }

  /// The directories from the root of the file system to where the walk is.
  private(set) var place: [OpenFolder]
  /// Those that were followed.
  private(set) var links: [Link] = []

  private let rule: LinkRule
  /// The directories from the root of the file system to where the walk began.
  private let origin: [OpenFolder]
  /// Whether it began in the folder of a host, in which links of anybody may lead around.
  private let hasHome: Bool
  /// As in messages.
  private let path: String
  /// Called with each directory and name that the path depends on beside directories themselves.
  private let noting: ((OpenFolder, String) -> Void)?

  /// The number that the kernel follows (`MAXSYMLINKS`).
  private static let linkLimit = 40
  /// Ours: few paths have thirty names. Each directory on the way is an open descriptor.
  private static let stepLimit = 255

  /// - Parameters:
  ///   - place: Where it begins, from the root of the file system on.
  ///   - isAtHome: Whether that is a host's folder; else no link of somebody who isn't trusted is followed.
  ///   - path: As in messages.
  init(
    from place: [OpenFolder], isAtHome: Bool, _ rule: LinkRule, as path: String,
    noting: ((OpenFolder, String) -> Void)? = nil
  ) {
    self.place = place
    self.rule = rule
    self.path = path
    self.noting = noting
    origin = place
    hasHome = isAtHome
  }

  /// Goes along a path. Whether it may end where it does is another question, see ``refuseEnd()``.
  ///
  /// - Parameter expectsFolder: Whether a directory is looked for, and no file.
  /// - Throws: What cannot be looked up, or that a link leads out of the host's folder and must not.
  mutating func follow(_ relative: String, expectsFolder: Bool) throws(LinkspanError) -> Found {
    var rest = Self.names(in: relative)
    var steps = 0
    var endsInLink = false
    while let name = rest.popLast() {
      steps += 1
      guard steps <= Self.stepLimit, links.count <= Self.linkLimit else {
        throw LinkspanError("cannot be read", at: path, errno: ELOOP)
      }
      if name == ".." {
        if place.count > 1 { place.removeLast() }
        continue
      }
      let here = place[place.count - 1]
      guard let entry = try entry(name, in: here, expectsFolder: expectsFolder || !rest.isEmpty) else {
        noting?(here, name)
        return endsInLink ? .linkToNothing : .missing
      }
      if rule.trusted != nil, entry.identity.device != here.entry.identity.device {
        try entry.refuseKernels(as: path)
      }
      switch entry.kind {
      case .link:
        noting?(here, name)
        endsInLink = endsInLink || rest.isEmpty
        let isTrusted = rule.trusts(entry, in: here.entry)
        links.append(Link(path: here.path(of: name), owner: entry.owner, isTrusted: isTrusted))
        let target = try entry.target(as: path)
        if target.hasPrefix("/") { place = [try Self.root()] }
        rest += Self.names(in: target)
      case .folder: place.append(OpenFolder(entry, path: here.path(of: name)))
      case .file, .special:
        noting?(here, name)
        guard rest.isEmpty else { return endsInLink ? .linkToNothing : .missing }
        return entry.kind == .file ? .file(entry) : .special
      }
    }
    return .folder
  }

  /// Refuses a path that ended outside the host's folder, unless the rule allows that.
  func refuseEnd() throws(LinkspanError) {
    guard let link = links.first, !isAtHome else { return }
    if let stranger = links.first(where: { !$0.isTrusted }) { throw leaving(over: stranger) }
    switch rule.reach {
    case .anywhere: return
    case .nowhere: throw leaving(over: link)
    case .below(let folders):
      guard folders.contains(where: isBelow) else { throw leaving(over: link) }
    }
  }

  /// Whether the walk is in a folder, at any depth.
  func isBelow(_ folder: OpenFolder) -> Bool { Self.contains(folder.entry, in: place) }

  /// The directories that hold where the walk is, from the host's folder on; outside of it, the last one alone.
  var holders: [OpenFolder] {
    let home = origin[origin.count - 1].entry
    return isAtHome
      ? Array(place.drop { $0.entry.identity != home.identity }) : Array(place.suffix(1))
  }

  private var isAtHome: Bool { hasHome && isBelow(origin[origin.count - 1]) }

  private static func contains(_ entry: OpenEntry, in place: [OpenFolder]) -> Bool {
    place.contains { $0.entry.identity == entry.identity }
  }

  /// Holds what has a name where the walk is.
  ///
  /// Behind a link of somebody who isn't trusted only the way from the root of the file system to the host's folder may be
  /// gone, as by a link that names the folder from there. What is beside that way is refused in the same words whether it
  /// is there or not.
  private func entry(
    _ name: String, in here: OpenFolder, expectsFolder: Bool
  ) throws(LinkspanError) -> OpenEntry? {
    let stranger = isAtHome ? nil : links.first { !$0.isTrusted }
    let entry: OpenEntry?
    do throws(LinkspanError) {
      entry = try OpenEntry.held(
        name, in: here.descriptor, expectsFolder: expectsFolder && stranger == nil, as: path)
    } catch {
      throw stranger.map { leaving(over: $0) } ?? error
    }
    guard let stranger else { return entry }
    guard hasHome, let entry, Self.contains(here.entry, in: origin),
      entry.kind == .link || Self.contains(entry, in: origin)
    else { throw leaving(over: stranger) }
    return entry
  }

  private func leaving(over link: Link) -> LinkspanError {
    // In the place of a host's folder, a stranger's link is refused wherever it leads.
    rule.refusal(of: path, over: link, outOf: hasHome || link.isTrusted ? origin[origin.count - 1].path : nil)
  }

  /// The names of a path, the first one last.
  private static func names(in path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
  }

  // MARK: - Where walks begin

  private static func root() throws(LinkspanError) -> OpenFolder {
    guard let root = try OpenEntry.held("/", in: AT_FDCWD, expectsFolder: true, as: "/") else {
      throw LinkspanError("cannot be read", at: "/", errno: ENOENT)
    }
    return OpenFolder(root, path: "/")
  }

  /// The directories from the root of the file system to the working directory; where one may not be searched, from the
  /// one below it on.
  private static func working() throws(LinkspanError) -> [OpenFolder] {
    guard let here = try OpenEntry.held(".", in: AT_FDCWD, expectsFolder: true, as: ".") else {
      throw LinkspanError("cannot be read", at: ".", errno: ENOENT)
    }
    var place = [OpenFolder(here, path: ".")]
    while place.count <= stepLimit, let above = held(above: place[0]),
      above.identity != place[0].entry.identity
    {
      place.insert(OpenFolder(above, path: place[0].path == "." ? ".." : place[0].path + "/.."), at: 0)
    }
    return place
  }

  private static func held(above folder: OpenFolder) -> OpenEntry? {
    do throws(LinkspanError) {
      return try OpenEntry.held("..", in: folder.descriptor, expectsFolder: true, as: folder.path)
    } catch {
      return nil
    }
  }

  /// The directories to the one that a person named, from the root of the file system on.
  ///
  /// - Parameter user: Who is going to use it.
  /// - Throws: What cannot be opened, and for a link on the way that belongs neither to root, nor to the user, nor to the
  ///   owner of the directory itself.
  static func named(_ path: String, for user: uid_t = geteuid()) throws(LinkspanError) -> [OpenFolder] {
    let place = path.hasPrefix("/") ? [try root()] : try working()
    let all = LinkRule(trusted: nil, reach: .anywhere, operators: "everybody")
    var walk = FolderWalk(from: place, isAtHome: false, all, as: path)
    switch try walk.follow(path, expectsFolder: true) {
    case .folder: break
    case .missing, .linkToNothing:
      throw LinkspanError("cannot be opened", at: path, errno: ENOENT)
    case .file, .special:
      throw LinkspanError("cannot be opened", at: path, errno: ENOTDIR)
    }
    let folder = walk.place[walk.place.count - 1]
    let trusted = [0, user, folder.entry.owner]
    if let link = walk.links.first(where: { !trusted.contains($0.owner) }) {
      throw LinkspanError(
        "leads over the symbolic link '\(link.path)' of user \(link.owner), to a directory of another user",
        at: path,
        help: "Name the directory itself, or make the link as root or as the user who runs linkspan.")
    }
    return walk.place.dropLast() + [OpenFolder(folder.entry, path: trimmed(path))]
  }

  /// Without slashes at the end.
  private static func trimmed(_ path: String) -> String {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path.isEmpty ? "." : String(path)
  }
}
