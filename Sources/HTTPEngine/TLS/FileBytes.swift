internal import Glibc

/// A small file read whole.
enum FileBytes {
  /// Larger than any certificate bundle in use (Debian's has about 200 KB).
  static let limitBytes = 4 * 1_048_576

  static func read(_ path: String) throws(TLSError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TLSError(.unreadableFile, file: path, SystemError.text(errno)) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw TLSError(.unreadableFile, file: path, SystemError.text(errno))
      }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= limitBytes else {
        throw TLSError(.unreadableFile, file: path, "the file is larger than \(limitBytes) bytes")
      }
    }
  }
}
