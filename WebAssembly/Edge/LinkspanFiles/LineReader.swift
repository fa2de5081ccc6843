package import LinkspanCore

/// Hands out the lines of a file.
package struct LineReader: ~Copyable {
  private let bytes: [UInt8]
  /// For errors.
  private let name: String
  private var start = 0
  package static let lineLimitBytes = 8 << 20

  package init(_ path: String, beforeWaiting: @escaping () -> Void) throws(LinkspanError) {
    let content = try FileReader.bytes(path)
    let shown = path == "-" ? "standard input" : "'\(path)'"
    guard !GzipInflater.isPacked(Array(content.prefix(2))) else { throw .brokenGzip(shown) }
    bytes = content
    name = shown
  }

  package enum Line {
    /// Without its line feed.
    case bytes([UInt8])
    /// A line longer than the limit, skipped.
    case tooLong
  }

  package mutating func next() throws(LinkspanError) -> Line? {
    guard start < bytes.count else { return nil }
    let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
    var line = bytes[start..<end]
    if start == 0 {
      guard let text = ByteOrderMark.removed(from: line) else { throw .inUTF16(name) }
      line = text
    }
    start = end + 1
    return line.count > Self.lineLimitBytes ? .tooLong : .bytes(Array(line))
  }
}

/// Hands out a file in one piece.
package final class ByteStream {
  private var bytes: [UInt8]?
  package let sizeBytes: Int?

  package init(_ path: String) throws(LinkspanError) {
    let bytes = try FileReader.bytes(path)
    self.bytes = bytes
    sizeBytes = bytes.count
  }

  package func next() throws(LinkspanError) -> [UInt8]? {
    defer { bytes = nil }
    return bytes.flatMap { $0.isEmpty ? nil : $0 }
  }
}
