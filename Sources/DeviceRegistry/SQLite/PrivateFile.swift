internal import Glibc

/// A file of personal data, which no other user of the machine may read.
enum PrivateFile {
  /// Makes an empty file with mode 0600, unless there is one: SQLite would make it as the umask says, and its other files
  /// have the mode of the first. That it cannot be made, SQLite says.
  static func make(_ path: String) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}
