internal import Glibc

/// Writes a file whole.
package enum FileWriter {
  /// - Throws: Why it cannot be written.
  package static func write(_ bytes: [UInt8], to path: String) throws(DaemonError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failed(path) }
    defer { close(descriptor) }
    try write(bytes, to: descriptor, path)
  }

  /// Writes a file that must not be there yet.
  ///
  /// - Throws: Why it cannot be written, or that it is there.
  package static func writeNew(_ bytes: [UInt8], to path: String) throws(DaemonError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw failed(path) }
      throw DaemonError("already exists", at: path, help: "Move it away, or name another file.")
    }
    defer { close(descriptor) }
    try write(bytes, to: descriptor, path)
  }

  /// Puts bytes in the place of a file's, so that everyone who opens it sees the old ones or the new ones:
  /// they are written beside it and take its name when they are on the disk. Its mode stays, and its owner
  /// where the system allows that; a symbolic link stays one.
  ///
  /// - Throws: Why it cannot be written; the file is then as it was.
  package static func replace(_ path: String, by bytes: [UInt8]) throws(DaemonError) {
    guard let resolved = realpath(path, nil) else { throw failed(path) }
    defer { free(resolved) }
    let target = String(cString: resolved)
    var status = stat()
    guard stat(target, &status) == 0 else { throw failed(path) }
    guard access(target, W_OK) == 0 else { throw failed(path) }
    try swap(target, by: bytes, mode: status.st_mode & 0o7777, owner: (status.st_uid, status.st_gid))
  }

  /// Puts a file in a place, where there may be one already, so that everyone who opens it sees all of it: it is
  /// written beside the place and takes its name when it is on the disk. A symbolic link stays one.
  ///
  /// - Throws: Why it cannot be written; what was there is then as it was.
  package static func place(_ bytes: [UInt8], at path: String, mode: UInt32) throws(DaemonError) {
    switch try FileReader.kind(of: path) {
    case .folder: throw DaemonError("is a directory; expected a file", at: path)
    case .special: try write(bytes, to: path)
    case .missing: try swap(path, by: bytes, mode: mode, owner: nil)
    case .file: try swap(FileReader.resolved(path) ?? path, by: bytes, mode: mode, owner: nil)
    }
  }

  private static func swap(
    _ target: String, by bytes: [UInt8], mode: mode_t, owner: (user: uid_t, group: gid_t)?
  ) throws(DaemonError) {
    var template = Array((target + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failed(target) }
    let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var isRenamed = false
    defer {
      close(descriptor)
      if !isRenamed { unlink(temporary) }
    }
    // Only root may give a file away; for anyone else the owner is nearly always the same already.
    if let owner { _ = fchown(descriptor, owner.user, owner.group) }
    guard fchmod(descriptor, mode) == 0 else { throw failed(target) }
    try write(bytes, to: descriptor, target)
    guard fsync(descriptor) == 0, rename(temporary, target) == 0 else { throw failed(target) }
    isRenamed = true
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(DaemonError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw failed(path)
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func failed(_ path: String) -> DaemonError {
    DaemonError("cannot be written", at: path, why: String(cString: strerror(errno)))
  }
}
