internal import Glibc

/// Writes a file whole.
enum FileWriter {
  /// - Throws: Why it cannot be written.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failed(path) }
    defer { close(descriptor) }
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

  private static func failed(_ path: String) -> CommandError {
    CommandError("'\(path)' cannot be written: \(String(cString: strerror(errno))).")
  }
}
