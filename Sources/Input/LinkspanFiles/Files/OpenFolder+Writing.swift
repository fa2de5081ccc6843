internal import Glibc
package import LinkspanCore

/// Writing into the open directory itself, and nowhere else.
extension OpenFolder {
  /// The same as ``folder(_:)``, made when it isn't there.
  package func madeFolder(_ name: String) throws(LinkspanError) -> OpenFolder {
    guard mkdirat(descriptor, try component(name), 0o755) == 0 || errno == EEXIST else {
      throw failed("cannot be made", name)
    }
    return try folder(name)
  }

  /// Writes a file that is not there yet; when this returns its bytes are on the disk, and its name after ``sync()``.
  ///
  /// - Parameter model: A file here whose mode and owner the new one gets.
  package func writeNew(_ bytes: [UInt8], to name: String, as model: String? = nil) throws(LinkspanError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(descriptor, try component(name), flags, model == nil ? 0o644 : 0o600)
    guard file >= 0 else { throw failed("cannot be written", name) }
    defer { close(file) }
    if let model {
      var status = stat()
      guard fstatat(descriptor, try component(model), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        throw failed("cannot be read", model)
      }
      try imitate(status, file, name)
    }
    try write(bytes, to: file, name)
  }

  /// Gives a new file the mode of another, and its owner where the system allows that: only root may give a file away.
  private func imitate(_ status: stat, _ file: Int32, _ name: String) throws(LinkspanError) {
    _ = fchown(file, uid_t.max, status.st_gid)
    _ = fchown(file, status.st_uid, gid_t.max)
    guard fchmod(file, status.st_mode & 0o777) == 0 else { throw failed("cannot be written", name) }
  }

  /// Puts a file in the place of a regular file or of nothing, so that everybody who opens it sees the old bytes or the
  /// new ones. The mode of the file that was there stays, and its owner and group where the system allows that; a new
  /// file has the given mode, a `mode_t`.
  ///
  /// - Throws: Why it cannot be written, and for anything else in its place; what was there is then as it was.
  package func replace(_ name: String, by bytes: [UInt8], mode: UInt32 = 0o644) throws(LinkspanError) {
    var status = stat()
    let isThere = fstatat(descriptor, try component(name), &status, AT_SYMLINK_NOFOLLOW) == 0
    guard isThere || errno == ENOENT else { throw failed("cannot be written", name) }
    if isThere, OpenEntry.kind(status) != .file {
      throw LinkspanError(
        "'\(path(of: name))' is \(OpenEntry.kind(status) == .link ? "a symbolic link" : "not a regular file")"
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
    if isThere {
      try imitate(status, file, name)
    } else if fchmod(file, mode) != 0 {
      throw failed("cannot be written", name)
    }
    try write(bytes, to: file, name)
    guard renameat(descriptor, temporary, descriptor, name) == 0 else {
      throw failed("cannot be written", name)
    }
    isRenamed = true
    try sync()
  }

  private func write(_ bytes: [UInt8], to file: Int32, _ name: String) throws(LinkspanError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failed("cannot be written", name) }
      rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0 else { throw failed("cannot be written", name) }
  }

  package func rename(_ name: String, to other: String) throws(LinkspanError) {
    guard renameat(descriptor, try component(name), descriptor, try component(other)) == 0 else {
      throw failed("cannot be renamed", name)
    }
  }

  /// Removes a file, a link, or a directory with what lies directly in it; nothing when it isn't there.
  package func remove(_ name: String) throws(LinkspanError) {
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

  /// Refuses a directory in which nothing can be made. Only making something shows that: a directory, gone at once.
  ///
  /// - Throws: Why, as the error's reason.
  package func refuseUnwritable() throws(LinkspanError) {
    let probe = ".linkspan-\(getpid())"
    guard mkdirat(descriptor, probe, 0o700) == 0 || errno == EEXIST else {
      throw failed("cannot be made", probe)
    }
    unlinkat(descriptor, probe, AT_REMOVEDIR)
  }

  /// Returns when the names in it are on the disk.
  package func sync() throws(LinkspanError) {
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw Self.failed("cannot be written", path) }
    defer { close(copy) }
    guard fsync(copy) == 0 else { throw Self.failed("cannot be written", path) }
  }
}
