internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

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
    let descriptor = try InputFile.open(path)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let why = SystemError.text(errno)
      if descriptor > 0 { close(descriptor) }
      throw LinkspanError("\(name) cannot be read: \(why).")
    }
    return (name, descriptor, status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil)
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// The next bytes; nil at the end.
  package func next() throws(LinkspanError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
    let count = buffer.withUnsafeMutableBytes { InputFile.read(descriptor, into: $0) }
    guard count >= 0 else {
      throw LinkspanError("\(name) cannot be read: \(SystemError.text(errno)).")
    }
    if count == 0 { return nil }
    buffer.removeLast(Self.pieceBytes - count)
    return buffer
  }
}
