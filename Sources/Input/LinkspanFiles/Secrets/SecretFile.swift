package import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// A file with a secret in it, which nobody but its owner and its group should read.
package enum SecretFile {
  /// The whole of a file with a secret.
  ///
  /// - Throws: As ``FileReader/bytes(_:)``; to a user without the right to read it also how to get it.
  package static func bytes(_ path: String) throws(LinkspanError) -> [UInt8] {
    try reading(path) { () throws(LinkspanError) in try FileReader.bytes(path) }
  }

  /// Reads a file with a secret; where this user may not, the error says how to get the right.
  package static func reading<Result>(
    _ path: String, _ read: () throws(LinkspanError) -> Result
  ) throws(LinkspanError) -> Result {
    do throws(LinkspanError) {
      return try read()
    } catch {
      guard error.help == nil, error.code == EACCES else { throw error }
      throw LinkspanError(error.what, at: path, errno: EACCES, help: remedy(for: path))
    }
  }

  private static func remedy(for path: String) -> String {
    let user = UserEntry(geteuid())?.name ?? String(geteuid())
    var status = stat()
    if stat(path, &status) != 0, errno == EACCES {
      return
        "This runs as '\(user)', who may not enter a directory on the way; give the file a place elsewhere."
    }
    let file = ShellWord.quoted(path)
    return "This runs as '\(user)'. Give that user the file: chown \(user) \(file) && chmod 600 \(file)"
  }

  /// Refuses a file that every user of this machine can read or change. One that is not there is not open, and what is no
  /// regular file, such as a pipe or `/dev/fd/3`, is not looked at.
  ///
  /// - Parameters:
  ///   - what: What it holds, such as `a private key`.
  ///   - remedy: What to do besides closing it.
  package static func refuseOpen(
    _ path: String, holding what: String, remedy: String = "replace the key"
  ) throws(LinkspanError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    if isOpen(status), !holdsCertificatesOnly(path) {
      throw LinkspanError(
        "every user of this machine can read '\(path)', which holds \(what).",
        help: "Run chmod o-r on it, and \(remedy): others may have read it.")
    }
    guard status.st_mode & S_IWOTH == 0 else {
      throw LinkspanError(
        "every user of this machine can change '\(path)', which holds \(what).",
        help: "Run chmod o-w on it, and \(remedy): others may have changed it.")
    }
  }

  /// A warning about a file that every user of this machine can read, or nil.
  ///
  /// - Parameter secret: What it holds and is to be replaced, such as `key`.
  package static func warning(_ path: String, secret: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, isOpen(status), !holdsCertificatesOnly(path) else { return nil }
    return
      "every user of this machine can read '\(path)': run chmod o-r on it, and change the \(secret),"
      + " since others may have read it"
  }

  /// Whether a certificate was named in a key's place: it is no secret, and who reads it for a key says what it is.
  private static func holdsCertificatesOnly(_ path: String) -> Bool {
    guard let bytes = try? FileReader.bytes(path) else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("-----BEGIN CERTIFICATE-----") && !text.contains("PRIVATE KEY-----")
  }

  package static func isOpen(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_mode & S_IROTH != 0
  }
}
