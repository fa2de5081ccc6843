internal import Glibc
internal import LinkspanSystem

/// A file of personal data, which no other user of the machine may read.
package enum PrivateFile {
  /// Makes an empty file with mode 0600, unless there is one: SQLite would make it as the umask says, and its other files
  /// have the mode of the first. That it cannot be made, SQLite says.
  package static func make(_ path: String) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether something stands at a path that must not be overwritten: anything but an empty file.
  package static func isTaken(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT != S_IFREG || status.st_size > 0
  }

  /// Waits until a finished file is on its disk, and gives it another name there, under which there must be nothing but an
  /// empty file. Where the file system has links, the first name stays.
  ///
  /// - Returns: Why that failed; nil where it did not.
  package static func publish(_ temporary: String, as path: String) -> String? {
    let descriptor = open(temporary, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return reason }
    let code = fsync(descriptor)
    let problem = code == 0 ? nil : reason
    close(descriptor)
    if let problem { return problem }
    // Writing took a while.
    guard !isTaken(path) else { return "it exists already" }
    guard unlink(path) == 0 || errno == ENOENT else { return reason }
    if link(temporary, path) != 0 {
      // Not on FAT, for example.
      guard errno == EPERM || errno == EOPNOTSUPP, rename(temporary, path) == 0 else { return reason }
    }
    return syncDirectory(of: path)
  }

  /// A power cut may otherwise take the new name away.
  private static func syncDirectory(of path: String) -> String? {
    let end = path.lastIndex(of: "/")
    let directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return reason }
    defer { close(descriptor) }
    // Some file systems cannot do it.
    return fsync(descriptor) == 0 || errno == EINVAL ? nil : reason
  }

  private static var reason: String { SystemError.text(errno) }
}
