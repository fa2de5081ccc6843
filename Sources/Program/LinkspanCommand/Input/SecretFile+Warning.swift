package import LinkspanCore
package import LinkspanFiles

extension SecretFile {
  /// The whole of a file with a secret, after a warning where every user of this machine can read it.
  ///
  /// - Parameter secret: What it holds and is to be replaced, such as `key`.
  /// - Throws: As ``bytes(_:)``.
  package static func bytes(_ path: String, warningOf secret: String) throws(LinkspanError) -> [UInt8] {
    warn(of: path, secret: secret)
    return try bytes(path)
  }

  /// Warns of a file with a secret that every user of this machine can read.
  package static func warn(of path: String, secret: String) {
    if let warning = warning(path, secret: secret) { Console.tell("linkspan: warning: \(warning)") }
  }
}
