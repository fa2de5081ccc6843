internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// A file that a process adds to while it runs, such as an access log, in a folder that somebody else may write.
package enum GrowingFile {
  /// Opens a file for writing at its end, or makes it. Nothing waits, for a FIFO without a reader neither.
  ///
  /// A symbolic link in its place is followed when it belongs to root or to the user of this process.
  ///
  /// - Parameters:
  ///   - mode: Of a new file, a `mode_t`.
  ///   - isEmptied: Whether what a regular file holds goes first.
  /// - Returns: The descriptor, which the caller closes.
  /// - Throws: Why it cannot be written, and for a directory, a disk, a stranger's link and a file that somebody else may have
  ///   named here, always with a reason.
  package static func open(
    _ path: String, mode: UInt32, isEmptied: Bool = false
  ) throws(LinkspanError) -> Int32 {
    let (folder, name) = try Place.opened(path, as: path)
    return try open(name, in: folder, mode: mode, isEmptied: isEmptied)
  }

  /// The same for a name in a directory that is open.
  static func open(
    _ name: String, in folder: OpenFolder, mode: mode_t, isEmptied: Bool
  ) throws(LinkspanError) -> Int32 {
    let path = folder.path(of: name)
    let file = try Place(name, in: folder, as: path).opened(mode: mode)
    do throws(LinkspanError) {
      try prepare(file, isEmptied: isEmptied, path)
    } catch {
      close(file)
      throw error
    }
    return file
  }

  /// Refuses what ``open(_:mode:isEmptied:)`` would refuse for what lies in the place; opens and makes nothing.
  package static func refuseForeign(_ path: String) throws(LinkspanError) {
    let (folder, name) = try Place.opened(path, as: path)
    _ = try Place(name, in: folder, as: path)
  }

  private static func prepare(_ file: Int32, isEmptied: Bool, _ path: String) throws(LinkspanError) {
    var status = stat()
    let flags = fcntl(file, F_GETFL)
    // Lines are written whole: whoever writes waits for room.
    guard fstat(file, &status) == 0, flags >= 0, fcntl(file, F_SETFL, flags & ~O_NONBLOCK) == 0 else {
      throw GrowingFile.failed(path)
    }
    guard isEmptied, status.st_mode & S_IFMT == S_IFREG else { return }
    guard ftruncate(file, 0) == 0 else { throw GrowingFile.failed(path) }
  }

  private static func failed(_ path: String, _ reason: String? = nil, help: String? = nil) -> LinkspanError {
    LinkspanError(
      "cannot be written", at: path, why: reason ?? SystemError.text(errno), help: help)
  }

  /// What has the file's name, held and judged.
  private struct Place {
    private let path: String
    private let folder: OpenFolder
    private let name: String
    /// nil where there is nothing.
    private let entry: OpenEntry?

    private static let flags = O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC
    /// Linux follows that many on one path.
    private static let linkLimit = 40

    init(_ name: String, in folder: OpenFolder, as path: String) throws(LinkspanError) {
      var (folder, name) = (folder, name)
      for _ in 0...Self.linkLimit {
        let found = try OpenEntry.held(name, in: folder.descriptor, expectsFolder: false, as: path)
        guard let link = found, link.kind == .link, try !link.isOfKernel(as: path) else {
          (self.path, self.folder, self.name, self.entry) = (path, folder, name, found)
          try refuse()
          return
        }
        try Self.refuse(link: link, in: folder, as: path)
        let target = try link.target(as: path)
        (folder, name) = try Self.opened(
          target.hasPrefix("/") ? target : folder.path(of: target), as: path)
      }
      throw GrowingFile.failed(path, SystemError.text(ELOOP))
    }

    /// The directory that holds what a path names, open, and the name there.
    static func opened(
      _ place: String, as path: String
    ) throws(LinkspanError) -> (folder: OpenFolder, name: String) {
      let (parent, name) = FileReader.place(of: place)
      do throws(LinkspanError) {
        return (try OpenFolder(parent), name)
      } catch {
        throw GrowingFile.failed(
          path, error.reason ?? "'\(error.place ?? parent)' \(error.what)", help: error.help)
      }
    }

    private static func refuse(
      link: OpenEntry, in folder: OpenFolder, as path: String
    ) throws(LinkspanError) {
      let rule = LinkRule(trusted: [0, geteuid()], reach: .anywhere, operators: "")
      guard rule.trusts(link, in: folder.entry) else {
        throw GrowingFile.failed(
          path, "it is a symbolic link of user \(link.owner)",
          help: "Name the file itself, or make the link as root or as the user who runs linkspan.")
      }
    }

    private func refuse() throws(LinkspanError) {
      guard let entry else { return }
      let isForeign = ![0, geteuid(), folder.entry.owner].contains(entry.owner)
      if isForeign, folder.entry.isWritableByAll {
        throw GrowingFile.failed(
          path, "it belongs to user \(entry.owner), in a directory that everybody may write",
          help: "Name a file in a directory of your own.")
      }
      switch entry.kind {
      case .folder: throw GrowingFile.failed(path, SystemError.text(EISDIR))
      case .special where entry.isDisk: throw GrowingFile.failed(path, "it is a disk or a part of one")
      case .file: try refuseNames(of: entry)
      case .special, .link: break
      }
    }

    private func refuseNames(of entry: OpenEntry) throws(LinkspanError) {
      do throws(LinkspanError) {
        try entry.refuseForeignName(in: [folder], as: path)
      } catch {
        throw GrowingFile.failed(path, "it \(error.what)", help: error.help)
      }
    }

    /// What was judged is what is opened.
    func opened(mode: mode_t) throws(LinkspanError) -> Int32 {
      let file: Int32
      switch entry?.kind {
      case nil:
        // A file that came meanwhile has not been judged.
        file = openat(folder.descriptor, name, Place.flags | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
      case .link:
        // To an open file of a process, in /proc.
        file = openat(folder.descriptor, name, Place.flags)
      default: file = Glibc.open("/proc/self/fd/\(entry?.descriptor ?? -1)", Place.flags)
      }
      if file < 0, errno == ENXIO, entry?.isNamedPipe == true {
        let error = LinkspanError.unreadPipe(path)
        throw GrowingFile.failed(path, "it \(error.what)", help: error.help)
      }
      guard file >= 0 else { throw GrowingFile.failed(path) }
      return file
    }
  }
}
