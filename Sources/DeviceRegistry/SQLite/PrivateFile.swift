internal import Glibc

/// A file of personal data, which no other user of the machine may read.
enum PrivateFile {
  /// Makes an empty file with mode 0600, unless there is one: SQLite would make it as the umask says, and its other files
  /// have the mode of the first. That it cannot be made, SQLite says.
  static func make(_ path: String) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether something stands at a path that must not be overwritten: anything but an empty file.
  static func isTaken(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT != S_IFREG || status.st_size > 0
  }

  /// Waits until a finished file is on its disk, and gives it its name.
  ///
  /// - Returns: Why that failed; nil where it did not.
  static func publish(_ temporary: String, as path: String) -> String? {
    let descriptor = open(temporary, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return reason }
    let code = fsync(descriptor)
    let problem = code == 0 ? nil : reason
    close(descriptor)
    if let problem { return problem }
    return rename(temporary, path) == 0 ? nil : reason
  }

  private static var reason: String { String(cString: strerror(errno)) }
}
