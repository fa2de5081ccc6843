internal import CLinkspanPlatform
internal import Glibc

/// Where an SQLite registry lies, with every symbolic link on the way resolved and judged.
///
/// A path may lead through folders that somebody else can write. So links are resolved step by step over open directories,
/// and each has to belong to root, to the user that runs this, or to the owner of the folder it leads to: somebody else's
/// link would choose the database. SQLite then opens the resolved path with `SQLITE_OPEN_NOFOLLOW`, and follows none that
/// was planted meanwhile.
package struct RegistryPlace: Sendable {
  /// The file as the operator named it, for messages.
  let name: String
  /// The file's absolute path, in which no directory is a link.
  let path: String
  /// The folder's absolute path.
  package let folder: String
  /// The user that owns the folder.
  package let owner: UInt32
  /// Whether this process has a connection to it, and so knows whose it is. Looking again, past SQLite's locks, would end
  /// the locks of that connection.
  var isKnown = false
  /// Whether others than its owner may write the folder, as far as its mode says.
  private let isShared: Bool
  /// Who opens it. Root then acts as the folder's owner.
  private let user: UInt32

  /// Of the file, and of what SQLite makes beside it.
  private static let suffixes = ["", "-wal", "-shm", "-journal"]
  /// Linux follows that many on one path.
  private static let linkLimit = 40

  /// - Parameter name: The file, which need not be there; its folder has to be.
  /// - Throws: That the path names no file, that its folder is missing, or that a link on the way is somebody else's.
  package init(_ name: String) throws(RegistryError) { try self.init(name, user: geteuid()) }

  /// - Parameter user: Who opens it.
  init(_ name: String, user: UInt32) throws(RegistryError) {
    self.name = name
    self.user = user
    var steps = name.split(separator: "/").map(String.init)
    guard let file = steps.popLast(), file != ".", file != "..", !name.hasSuffix("/") else {
      throw RegistryError(
        .unusableAddress, "'\(name)' names a folder; expected a file.",
        help: "For example: --registry sqlite:registry.db")
    }
    var walk = try Walk(from: name.hasPrefix("/") ? "/" : ".", name)
    var links: [(path: String, owner: uid_t)] = []
    steps.reverse()
    while let step = steps.popLast() {
      guard let link = try walk.take(step, name) else { continue }
      links.append((walk.path(step), link.owner))
      guard links.count <= Self.linkLimit else { throw Self.failed(name, ELOOP) }
      if link.target.hasPrefix("/") { walk = try Walk(from: "/", name) }
      steps += link.target.split(separator: "/").reversed().map(String.init)
    }
    let status = try walk.status(name)
    for link in links where ![0, user, status.st_uid].contains(link.owner) {
      throw RegistryError(
        .cannotOpen,
        "The path of the registry '\(name)' leads through the symbolic link '\(link.path)' of user \(link.owner), to a"
          + " folder of user \(status.st_uid).",
        help: "Name the folder itself, or have root or the folder's owner make the link.")
    }
    folder = walk.path(nil)
    path = walk.path(file)
    owner = status.st_uid
    isShared = status.st_mode & (S_IWGRP | S_IWOTH) != 0
  }

  /// Checks what lies at the path and beside it, by what it is and whose it is. To be called with the rights that the
  /// files are going to be opened with.
  ///
  /// - Returns: Whether the file is there.
  /// - Throws: For a symbolic link, a file with several names, anything but a regular file, and a stranger's file.
  func check() throws(RegistryError) -> Bool {
    var isThere = false
    for suffix in Self.suffixes {
      var status = stat()
      guard lstat(path + suffix, &status) == 0 else {
        guard errno == ENOENT else { throw Self.failed(name + suffix, errno) }
        continue
      }
      if suffix.isEmpty { isThere = true }
      try check(status, name + suffix)
    }
    return isThere
  }

  private func check(_ status: stat, _ name: String) throws(RegistryError) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK:
      throw RegistryError(
        .cannotOpen, "'\(name)' is a symbolic link, and a registry's files are not opened through links.",
        help: "Name the file itself with --registry sqlite:PATH; its folder may be a link of your own.")
    default:
      throw RegistryError(
        .cannotOpen, "'\(name)' is not a regular file; expected an SQLite registry.",
        help: "Name another file with --registry sqlite:PATH; a new one is made where there is none.")
    }
    guard status.st_nlink == 1 else {
      throw RegistryError(
        .cannotOpen,
        "'\(name)' has \(status.st_nlink) names (hard links), and SQLite's log belongs to one of them only.",
        help: "Remove the other names, or copy the registry with 'linkspan registry backup'.")
    }
    let owners = user == 0 && owner != 0 ? [owner] : [owner, user, 0]
    guard user == 0 || isShared, !owners.contains(status.st_uid) else { return }
    throw RegistryError(
      .cannotOpen,
      "'\(name)' belongs to user \(status.st_uid), and its folder to user \(owner): a file of another user is not taken for"
        + " a registry.",
      help: "If it is the registry, give it to the folder's owner: chown \(owner) \(name)")
  }

  static func failed(_ name: String, _ code: CInt) -> RegistryError {
    RegistryError(
      .cannotOpen, "The registry '\(name)' cannot be opened: \(String(cString: strerror(code))).",
      help: "Its folder must exist, and this user must be able to write there.")
  }
}

/// A walk over directories, of which one is open at a time. No step follows a link.
private struct Walk: ~Copyable {
  struct Link {
    var owner: uid_t
    var target: String
  }

  private var descriptor: CInt
  private var names: [Substring]

  init(from start: String, _ name: String) throws(RegistryError) {
    names = []
    descriptor = linkspan_hold(AT_FDCWD, start, 1)
    guard descriptor >= 0 else { throw RegistryPlace.failed(name, errno) }
    if start != "/" {
      guard let current = getcwd(nil, 0) else { throw RegistryPlace.failed(name, errno) }
      defer { free(current) }
      names = String(cString: current).split(separator: "/")
    }
  }

  deinit { close(descriptor) }

  /// The absolute path of a name in the directory that is open, or of that directory.
  func path(_ name: String?) -> String {
    "/" + (names + (name.map { [Substring($0)] } ?? [])).joined(separator: "/")
  }

  /// Goes one directory further.
  ///
  /// - Returns: Where the step leads when it is a link; the walk then stays where it is.
  mutating func take(_ step: String, _ name: String) throws(RegistryError) -> Link? {
    let next = linkspan_hold(descriptor, step, 1)
    guard next >= 0 else { throw RegistryPlace.failed(name, errno) }
    var status = stat()
    guard fstat(next, &status) == 0 else {
      defer { close(next) }
      throw RegistryPlace.failed(name, errno)
    }
    guard status.st_mode & S_IFMT != S_IFLNK else {
      defer { close(next) }
      return Link(owner: status.st_uid, target: try Self.target(of: next, name))
    }
    close(descriptor)
    descriptor = next
    guard status.st_mode & S_IFMT == S_IFDIR else { throw RegistryPlace.failed(name, ENOTDIR) }
    switch step {
    case ".": break
    case "..": _ = names.popLast()
    default: names.append(Substring(step))
    }
    return nil
  }

  private static func target(of link: CInt, _ name: String) throws(RegistryError) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    // An empty name is the link that is open.
    let count = readlinkat(link, "", &bytes, bytes.count)
    guard count > 0 else { throw RegistryPlace.failed(name, count == 0 ? ENOENT : errno) }
    return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Of the directory that is open.
  func status(_ name: String) throws(RegistryError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw RegistryPlace.failed(name, errno) }
    return status
  }
}
