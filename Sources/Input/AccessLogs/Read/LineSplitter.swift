/// Cuts a stream of bytes into lines.
package struct LineSplitter {
  package enum Line {
    /// Without its line end.
    case bytes(ArraySlice<UInt8>)
    /// Longer than the limit, passed over.
    case tooLong
  }

  /// Our choice: access logs have lines of some hundred bytes; a server takes a URL of at most some kilobytes.
  package static let lineLimitBytes = 1 << 20

  private var rest: [UInt8] = []
  private var isTooLong = false

  package init() {}

  /// Calls with every line that the bytes complete.
  package mutating func feed(_ bytes: [UInt8], _ body: (Line) -> Void) {
    var start = 0
    while let end = Self.lineEnd(in: bytes, from: start) {
      if isTooLong {
        body(.tooLong)
        isTooLong = false
      } else if rest.isEmpty {
        body(.bytes(Self.trimmed(bytes[start..<end])))
      } else {
        rest += bytes[start..<end]
        body(.bytes(Self.trimmed(rest[...])))
      }
      rest.removeAll(keepingCapacity: true)
      start = end + 1
    }
    guard !isTooLong else { return }
    rest += bytes[start...]
    if rest.count > Self.lineLimitBytes {
      isTooLong = true
      rest = []
    }
  }

  /// The line without a line end at the end of the stream.
  package mutating func finish(_ body: (Line) -> Void) {
    if isTooLong { body(.tooLong) } else if !rest.isEmpty { body(.bytes(Self.trimmed(rest[...]))) }
    rest = []
    isTooLong = false
  }

  private static func lineEnd(in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var index = start
      while index < bytes.count {
        if bytes[index] == 0x0A { return index }
        index += 1
      }
      return nil
    }
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == 0x0D ? line.dropLast() : line
  }
}
