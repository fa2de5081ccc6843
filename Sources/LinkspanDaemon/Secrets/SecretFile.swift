internal import Glibc

/// A file with a secret in it, which nobody but its owner and its group should read.
package enum SecretFile {
  /// Refuses a file that every user of this machine can read. One that is not there is not open.
  ///
  /// - Parameter what: What it holds, such as `a private key`.
  static func refuseOpen(_ path: String, holding what: String) throws(DaemonError) {
    var status = stat()
    guard stat(path, &status) == 0, isOpen(status) else { return }
    throw DaemonError(
      "every user of this machine can read '\(path)', which holds \(what).",
      help: "Run chmod o-r on it, and replace the key: others may have read it.")
  }

  /// A warning about a file that every user of this machine can read, or nil.
  ///
  /// - Parameter secret: What it holds and is to be replaced, such as `key`.
  package static func warning(_ path: String, secret: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, isOpen(status) else { return nil }
    return
      "every user of this machine can read '\(path)': run chmod o-r on it, and change the \(secret),"
      + " since others may have read it"
  }

  static func isOpen(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_mode & S_IROTH != 0
  }
}
