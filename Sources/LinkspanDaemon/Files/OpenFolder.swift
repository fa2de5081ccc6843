internal import CLinkspanPlatform
internal import Glibc

/// A directory that is held open, for reading and writing where somebody else may have put links.
///
/// Names are single path components and are looked up in the open directory: no symbolic link is followed, only regular
/// files are read, and never more than a limit. So nothing that is planted below it leads anywhere else.
final class OpenFolder {
  let descriptor: Int32
  /// As in messages.
  let path: String

  enum Kind {
    case missing, folder, file, link, special
  }

  private init(_ descriptor: Int32, _ path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Opens a directory by the path a person named; links in that path are theirs, and are followed.
  convenience init(_ path: String) throws(DaemonError) {
    try ReadingPlaces.refuseOutside(path)
    let descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failed("cannot be opened", path) }
    self.init(descriptor, path)
  }

  /// The user that owns the directory.
  func owner() throws(DaemonError) -> uid_t {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failed("cannot be read", path) }
    return status.st_uid
  }

  func kind(of name: String) throws(DaemonError) -> Kind {
    var status = stat()
    guard fstatat(descriptor, try component(name), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return .missing }
      throw failed("cannot be read", name)
    }
    return Self.kind(status)
  }

  private static func kind(_ status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: .folder
    case S_IFREG: .file
    case S_IFLNK: .link
    default: .special
    }
  }

  /// A directory in this one, which has to be one itself and no link to one.
  func folder(_ name: String) throws(DaemonError) -> OpenFolder {
    let inner = openat(descriptor, try component(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard inner >= 0 else {
      if errno == ELOOP || errno == ENOTDIR, try kind(of: name) != .folder {
        throw DaemonError(
          "is not a directory; links there are not followed", at: "\(path)/\(name)",
          help: "Put the directory itself in its place.")
      }
      throw failed("cannot be opened", name)
    }
    return OpenFolder(inner, "\(path)/\(name)")
  }

  /// A directory anywhere below this one. Links on the way are followed as long as they stay below it.
  func folder(beneath names: [String]) throws(DaemonError) -> OpenFolder {
    guard !names.isEmpty else {
      let same = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      guard same >= 0 else { throw Self.failed("cannot be opened", path) }
      return OpenFolder(same, path)
    }
    for name in names { _ = try component(name) }
    let relative = names.joined(separator: "/")
    let inner = linkspan_open_folder_beneath(descriptor, relative)
    if inner >= 0 { return OpenFolder(inner, "\(path)/\(relative)") }
    switch errno {
    case EXDEV:
      throw DaemonError(
        "leads out of '\(path)', and no link out of it is followed", at: "\(path)/\(relative)",
        help: "Put the directory itself in its place, or write the file by hand.")
    // An old kernel, or a filter that does not know the call: then no link at all is followed.
    case ENOSYS, EPERM:
      var folder = try self.folder(names[0])
      for name in names.dropFirst() { folder = try folder.folder(name) }
      return folder
    default: throw failed("cannot be opened", relative)
    }
  }

  /// The same as ``folder(_:)``, made when it isn't there.
  func madeFolder(_ name: String) throws(DaemonError) -> OpenFolder {
    guard mkdirat(descriptor, try component(name), 0o755) == 0 || errno == EEXIST else {
      throw failed("cannot be made", name)
    }
    return try folder(name)
  }

  /// The names inside, sorted.
  func names() throws(DaemonError) -> [String] {
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
      if copy >= 0 { close(copy) }
      throw Self.failed("cannot be read", path)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw Self.failed("cannot be read", path) }
        return names.sorted()
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// All bytes of a regular file.
  ///
  /// - Throws: Also for a link, for anything that is no regular file, and for one with more than `limitBytes`.
  func bytes(of name: String, limitBytes: Int) throws(DaemonError) -> [UInt8] {
    // Without O_NONBLOCK, opening a FIFO would wait for its other end.
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let file = openat(descriptor, try component(name), flags)
    guard file >= 0 else {
      if errno == ELOOP { throw irregular(name) }
      throw failed("cannot be read", name)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failed("cannot be read", name) }
    guard Self.kind(status) == .file else { throw irregular(name) }
    var bytes = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 0), limitBytes) + 1)
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress! + filled, $0.count - filled) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failed("cannot be read", name) }
      if count == 0 { break }
      filled += count
      // It grew while it was read.
      if filled == bytes.count, filled <= limitBytes { bytes += [UInt8](repeating: 0, count: 4_096) }
    }
    guard filled <= limitBytes else {
      throw DaemonError("has more than \(limitBytes) bytes, the limit for this file", at: "\(path)/\(name)")
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  private func irregular(_ name: String) -> DaemonError {
    DaemonError("is a link or not a regular file, so it is not read", at: "\(path)/\(name)")
  }

  // MARK: - Writing

  /// Writes a file that is not there yet; when this returns its bytes are on the disk, and its name after ``sync()``.
  func writeNew(_ bytes: [UInt8], to name: String) throws(DaemonError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(descriptor, try component(name), flags, 0o644)
    guard file >= 0 else { throw failed("cannot be written", name) }
    defer { close(file) }
    try write(bytes, to: file, name)
  }

  /// Puts a file in the place of a regular file or of nothing, so that everybody who opens it sees the old bytes or the
  /// new ones. The mode of the file that was there stays, and its group where the system allows that; a new file has
  /// the given mode.
  ///
  /// - Throws: Why it cannot be written, and for anything else in its place; what was there is then as it was.
  func replace(_ name: String, by bytes: [UInt8], mode: mode_t = 0o644) throws(DaemonError) {
    var status = stat()
    let isThere = fstatat(descriptor, try component(name), &status, AT_SYMLINK_NOFOLLOW) == 0
    guard isThere || errno == ENOENT else { throw failed("cannot be written", name) }
    if isThere, Self.kind(status) != .file {
      throw DaemonError(
        "'\(path)/\(name)' is \(Self.kind(status) == .link ? "a symbolic link" : "not a regular file")"
          + "; only a regular file is replaced.",
        help: "Change the link by hand, or replace it with the file itself.")
    }
    let temporary = ".\(name).\(getpid())"
    _ = unlinkat(descriptor, temporary, 0)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(descriptor, temporary, flags, 0o600)
    guard file >= 0 else { throw failed("cannot be written", name) }
    var isRenamed = false
    defer {
      close(file)
      if !isRenamed { unlinkat(descriptor, temporary, 0) }
    }
    if isThere { _ = fchown(file, uid_t.max, status.st_gid) }
    guard fchmod(file, isThere ? status.st_mode & 0o777 : mode) == 0 else {
      throw failed("cannot be written", name)
    }
    try write(bytes, to: file, name)
    guard renameat(descriptor, temporary, descriptor, name) == 0 else {
      throw failed("cannot be written", name)
    }
    isRenamed = true
    try sync()
  }

  private func write(_ bytes: [UInt8], to file: Int32, _ name: String) throws(DaemonError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failed("cannot be written", name) }
      rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0 else { throw failed("cannot be written", name) }
  }

  func rename(_ name: String, to other: String) throws(DaemonError) {
    guard renameat(descriptor, try component(name), descriptor, try component(other)) == 0 else {
      throw failed("cannot be renamed", name)
    }
  }

  /// Removes a file, a link, or a directory with what lies directly in it; nothing when it isn't there.
  func remove(_ name: String) throws(DaemonError) {
    switch try kind(of: name) {
    case .missing: return
    case .folder:
      let inner = try folder(name)
      for name in try inner.names() {
        guard unlinkat(inner.descriptor, name, 0) == 0 else { throw inner.failed("cannot be removed", name) }
      }
      guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else { throw failed("cannot be removed", name) }
    case .file, .link, .special:
      guard unlinkat(descriptor, name, 0) == 0 else { throw failed("cannot be removed", name) }
    }
  }

  /// Returns when the names in it are on the disk.
  func sync() throws(DaemonError) {
    guard fsync(descriptor) == 0 else { throw Self.failed("cannot be written", path) }
  }

  private func component(_ name: String) throws(DaemonError) -> String {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 })
    else { throw DaemonError("is not the name of a file in '\(path)'", at: name) }
    return name
  }

  private func failed(_ what: String, _ name: String) -> DaemonError {
    Self.failed(what, "\(path)/\(name)")
  }

  private static func failed(_ what: String, _ path: String) -> DaemonError {
    DaemonError(what, at: path, why: String(cString: strerror(errno)))
  }
}
