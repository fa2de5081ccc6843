internal import Glibc
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSystem
package import RegistryRequests

/// Where an SQLite registry lies, with every symbolic link on the way resolved and judged.
///
/// A path may lead through folders that somebody else can write, so its folder is opened as every folder that a person names
/// (``OpenFolder``): somebody else's link would choose the database. SQLite then opens the resolved path with `SQLITE_OPEN_NOFOLLOW`, and follows none that
/// was planted meanwhile.
package struct RegistryPlace: Sendable {
  /// The file as the operator named it, for messages.
  package let name: String
  /// The file's absolute path, in which no directory is a link.
  package let path: String
  /// The folder's absolute path.
  package let folder: String
  /// The user that owns the folder.
  package let owner: UInt32
  /// Whether this process has a connection to it, and so knows whose it is. Looking again, past SQLite's locks, would end
  /// the locks of that connection.
  package var isKnown = false
  /// Whether others than its owner may write the folder, as far as its mode says.
  private let isShared: Bool
  /// Who opens it. Root then acts as the folder's owner.
  private let user: UInt32

  /// Of the file, and of what SQLite makes beside it.
  private static let suffixes = ["", "-wal", "-shm", "-journal"]

  /// - Parameters:
  ///   - name: The file, which need not be there; its folder has to be.
  ///   - isCopy: Whether it is where a copy is to lie, for messages.
  /// - Throws: That the path names no file, that its folder is missing, or that a link on the way is somebody else's.
  package init(_ name: String, isCopy: Bool = false) throws(RegistryError) {
    try self.init(name, user: geteuid(), isCopy: isCopy)
  }

  /// - Parameter user: Who opens it.
  package init(_ name: String, user: UInt32, isCopy: Bool = false) throws(RegistryError) {
    self.name = name
    self.user = user
    let (folder, file) = FileReader.place(of: name)
    guard !file.isEmpty, file != ".", file != "..", !name.hasSuffix("/") else {
      throw RegistryError(
        .unusableAddress, "'\(name)' names a folder; expected a file.",
        help: "For example: \(isCopy ? "registry-2026-09-14.db" : "--registry sqlite:registry.db")")
    }
    do throws(LinkspanError) {
      let opened = try OpenFolder(folder, for: user)
      self.folder = try opened.absolutePath()
      owner = try opened.owner()
      isShared = !opened.isWrittenByOwnerAlone
    } catch {
      throw RegistryError(
        .cannotOpen,
        (isCopy ? "The copy '\(name)' cannot be written" : "The registry '\(name)' cannot be opened")
          + ": \(error.message)",
        help: error.help ?? Self.remedy(for: name))
    }
    path = self.folder == "/" ? "/" + file : "\(self.folder)/\(file)"
  }

  /// Checks what lies at the path and beside it, by what it is and whose it is. To be called with the rights that the
  /// files are going to be opened with.
  ///
  /// - Returns: Whether the file is there.
  /// - Throws: For a symbolic link, a file with several names, anything but a regular file, and a stranger's file.
  package func check() throws(RegistryError) -> Bool {
    var isThere = false
    for suffix in Self.suffixes {
      var status = stat()
      guard lstat(path + suffix, &status) == 0 else {
        guard errno == ENOENT else {
          throw RegistryError(
            .cannotOpen,
            "The registry '\(name + suffix)' cannot be opened: \(SystemError.text(errno)).",
            help: Self.remedy(for: path))
        }
        continue
      }
      if suffix.isEmpty { isThere = true }
      try check(status, name + suffix)
    }
    return isThere
  }

  /// Checks as ``check()`` does, and that the file can be written, or made where it is missing.
  ///
  /// - Returns: Whether the file is there.
  package func checkIsWritable() throws(RegistryError) -> Bool {
    let isThere = try check()
    // With the rights of this moment, not those that the process began with.
    for (path, mode) in [(folder, W_OK | X_OK)] + (isThere ? [(path, R_OK | W_OK)] : [])
    where faccessat(AT_FDCWD, path, mode, AT_EACCESS) != 0 {
      throw RegistryError(
        .cannotOpen, "The registry '\(name)' cannot be opened: \(SystemError.text(errno)).",
        help: Self.remedy(for: self.path))
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
    case S_IFDIR where name == self.name:
      throw RegistryError(
        .cannotOpen, "'\(name)' is a directory; expected an SQLite registry.",
        help: "Name a file in it: --registry sqlite:\(name)/registry.db")
    default:
      throw RegistryError(
        .cannotOpen, "'\(name)' is not a regular file; expected an SQLite registry.", help: Self.otherFile)
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

  /// What to do where a file is no registry.
  static let otherFile =
    "Name another file with --registry sqlite:PATH. 'linkspan serve', 'token create' and 'registry import' make a new "
    + "registry."

  /// What to do about a registry that SQLite does not open.
  static func remedy(for path: String) -> String {
    FileOwner.remedy(for: suffixes.map { path + $0 } + [FileReader.place(of: path).folder])
      ?? "Its folder must exist, and this user must be able to write there."
  }
}
