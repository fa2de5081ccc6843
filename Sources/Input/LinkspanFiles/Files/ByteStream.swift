internal import Glibc
package import LinkspanCore

/// Reads a file piece by piece without holding it whole.
package struct ByteStream: ~Copyable {
  private let descriptor: Int32
  /// For errors.
  private let name: String
  /// nil where it is not known, as of a pipe.
  package let sizeBytes: Int?
  private static let pieceBytes = 1 << 18

  /// - Parameter path: A path, or `-` for standard input.
  package init(_ path: String) throws(LinkspanError) {
    let (name, descriptor, size) = try Self.opened(path)
    self.name = name
    self.descriptor = descriptor
    sizeBytes = size
  }

  private static func opened(_ path: String) throws(LinkspanError) -> (String, Int32, Int?) {
    let name = path == "-" ? "standard input" : "'\(path)'"
    try ReadingPlaces.refuseOutside(path)
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
      throw LinkspanError("\(name) cannot be read: \(String(cString: strerror(errno))).")
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      close(descriptor)
      throw LinkspanError("\(name) is a directory; expected a file.")
    }
    return (name, descriptor, status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil)
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// The next bytes; nil at the end.
  package func next() throws(LinkspanError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, Self.pieceBytes) }
      if count < 0 {
        if errno == EINTR { continue }
        throw LinkspanError("\(name) cannot be read: \(String(cString: strerror(errno))).")
      }
      if count == 0 { return nil }
      buffer.removeLast(Self.pieceBytes - count)
      return buffer
    }
  }
}
