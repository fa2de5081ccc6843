internal import CLinkspanPlatform
package import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// Something in the file system that is held by a descriptor which cannot read it (O_PATH).
///
/// Holding a FIFO, a device or a symbolic link waits for nothing and has no effect. What was judged is what is read: the
/// same inode is opened again, whatever its name means by then.
package final class OpenEntry {
  package enum Kind {
    case folder, file, link, special
  }

  /// The same for two descriptors when they hold the same thing.
  package struct Identity: Hashable {
    let device: dev_t
    let inode: ino_t
  }

  package let descriptor: Int32
  private var status: stat

  /// - Parameters:
  ///   - name: One path component; "/", "." and ".." included.
  ///   - expectsFolder: Whether a directory that is mounted when it is needed is mounted.
  ///   - path: For errors.
  /// - Returns: nil when nothing has this name.
  /// - Throws: Also when the name is given to one file after the other, again and again.
  package static func held(
    _ name: String, in folder: Int32, expectsFolder: Bool, as path: String
  ) throws(LinkspanError) -> OpenEntry? {
    for _ in 0..<attempts {
      guard let entry = try heldNow(name, in: folder, expectsFolder: expectsFolder, as: path) else {
        return nil
      }
      guard entry.kind == .file else { return entry }
      // A name that went meanwhile would be missing in the count of names, by which the file is judged. So the name is
      // looked at again, and the count is the one that it has then.
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw unreadable(path)
      }
      if entry.identity == Identity(device: status.st_dev, inode: status.st_ino) {
        entry.status = status
        return entry
      }
    }
    throw LinkspanError(
      "is replaced again and again", at: path, help: "Replace it once, by renaming a finished file.")
  }

  /// Ours: a publisher replaces a file once.
  private static let attempts = 20

  private static func heldNow(
    _ name: String, in folder: Int32, expectsFolder: Bool, as path: String
  ) throws(LinkspanError) -> OpenEntry? {
    let descriptor = linkspan_hold(folder, name, expectsFolder ? 1 : 0)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw unreadable(path)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let error = unreadable(path)
      close(descriptor)
      throw error
    }
    return OpenEntry(descriptor, status)
  }

  private init(_ descriptor: Int32, _ status: stat) {
    self.descriptor = descriptor
    self.status = status
  }

  deinit { close(descriptor) }

  package var kind: Kind { Self.kind(status) }
  package var identity: Identity { Identity(device: status.st_dev, inode: status.st_ino) }
  var owner: uid_t { status.st_uid }
  /// Whether it is a disk or a part of one.
  var isDisk: Bool { status.st_mode & S_IFMT == S_IFBLK }
  var isNamedPipe: Bool { status.st_mode & S_IFMT == S_IFIFO }
  package var sizeBytes: Int { Int(status.st_size) }
  /// How many names it has; more than one by hard links.
  package var nameCount: Int { Int(status.st_nlink) }

  package static func kind(_ status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: .folder
    case S_IFREG: .file
    case S_IFLNK: .link
    default: .special
    }
  }

  /// Whether this directory is written by its owner alone, as far as its mode says.
  var isWrittenByOwnerAlone: Bool { status.st_mode & 0o022 == 0 }

  /// Whether everybody may write this directory, as far as its mode says.
  var isWritableByAll: Bool { status.st_mode & 0o002 != 0 }

  /// Whether the users that a directory's mode lets put names into it, besides its owner, may read this file anyway.
  private func isReadable(toOtherWritersOf folder: OpenEntry) -> Bool {
    if folder.isWrittenByOwnerAlone || status.st_mode & 0o004 != 0 { return true }
    return folder.status.st_mode & 0o002 == 0 && isReadable(byGroup: folder.status.st_gid)
  }

  private func isReadable(byGroup group: gid_t) -> Bool {
    status.st_gid == group && status.st_mode & 0o040 != 0
  }

  /// Whether a user may read this file anyway.
  private func isReadable(by user: uid_t) -> Bool {
    if user == owner || status.st_mode & 0o004 != 0 { return true }
    return status.st_mode & 0o040 != 0 && UserEntry(user)?.isMember(of: status.st_gid) == true
  }

  /// Refuses a file that may have got its name here from somebody who may not read it: one with several names (hard
  /// links) that the owner of its directory, or of the host's folder around that, doesn't own. Trees of
  /// `rsync --link-dest` have one owner, and go on.
  ///
  /// - Parameter folders: From the host's folder to the directory that holds the file.
  package func refuseForeignName(in folders: [OpenFolder], as path: String) throws(LinkspanError) {
    guard kind == .file, nameCount > 1, let holder = folders.last else { return }
    let names = "has \(nameCount) names (hard links)"
    let help = "Put a copy in its place, which has one name."
    if let foreign = folders.first(where: { $0.entry.owner != owner }) {
      throw LinkspanError(
        "\(names), and belongs to user \(owner), but '\(foreign.path)' to user \(foreign.entry.owner)",
        at: path,
        help: help)
    }
    guard isReadable(toOtherWritersOf: holder.entry) else {
      throw LinkspanError(
        "\(names), and its directory is writable by users who cannot read the file", at: path, help: help)
    }
  }

  /// Refuses a file that somebody who may put names into its directory cannot read, as far as modes and groups say: the name
  /// may be a hard link whose other names are gone. Whose file it is does not matter, so a private file of root's is refused in
  /// the folder of a tenant.
  ///
  /// - Parameters:
  ///   - holder: The directory that holds the file.
  ///   - trusted: Users who put no stranger's names into their directories.
  ///   - reader: A user who gets to see their own files wherever they lie; nil where the file is published.
  func refusePrivate(
    in holder: OpenFolder, trusted: Set<uid_t>, reader: uid_t?, as path: String
  ) throws(LinkspanError) {
    let folder = holder.entry
    guard kind == .file, owner != reader, owner != folder.owner else { return }
    guard trusted.contains(folder.owner) || isReadable(by: folder.owner) else {
      throw LinkspanError(
        "belongs to user \(owner), and its directory to user \(folder.owner), who cannot read it", at: path,
        help: "Give it to the owner of the directory, or let everybody read it.")
    }
    guard isReadable(toOtherWritersOf: folder) else {
      throw LinkspanError(
        "belongs to user \(owner), and its directory is writable by users who cannot read it", at: path,
        help: "Let everybody read it, or have only the owner write the directory.")
    }
  }

  /// Refuses what lies in /proc, /sys and the like.
  package func refuseKernels(as path: String) throws(LinkspanError) {
    guard linkspan_is_of_kernel(descriptor) == 0 else {
      throw LinkspanError(
        "lies on a file system of the kernel, such as /proc, from which nothing is read", at: path,
        help: "Put the file itself in its place.")
    }
  }

  /// Whether it lies in /proc, /sys and the like.
  func isOfKernel(as path: String) throws(LinkspanError) -> Bool {
    switch linkspan_is_of_kernel(descriptor) {
    case 0: false
    case 1: true
    default: throw Self.unreadable(path)
    }
  }

  /// Where a symbolic link leads.
  package func target(as path: String) throws(LinkspanError) -> String {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { readlinkat(descriptor, "", $0.baseAddress!, $0.count) }
    guard count > 0 else { throw Self.unreadable(path) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// All bytes of a regular file.
  ///
  /// - Throws: Also for one with more than `limitBytes`.
  package func bytes(limitBytes: Int, as path: String) throws(LinkspanError) -> [UInt8] {
    // With O_NONBLOCK a file under a lease is refused; without, its owner could have us wait for a minute.
    let file = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { throw LinkspanError("cannot be read", at: path, why: "/proc is not mounted") }
      throw Self.unreadable(path)
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: min(max(sizeBytes, 0), limitBytes) + 1)
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress! + filled, $0.count - filled) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.unreadable(path) }
      if count == 0 { break }
      filled += count
      // It grew while it was read.
      if filled == bytes.count, filled <= limitBytes { bytes += [UInt8](repeating: 0, count: 4_096) }
    }
    guard filled <= limitBytes else {
      throw LinkspanError("has more than \(limitBytes) bytes, the limit for this file", at: path)
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  private static func unreadable(_ path: String) -> LinkspanError {
    LinkspanError("cannot be read", at: path, errno: errno)
  }
}
