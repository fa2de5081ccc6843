internal import LinkspanCore

/// The chunked transfer coding, read from a buffer as far as it goes (RFC 9112, 7.1).
///
/// Chunk extensions are read over and bounded; trailer fields are checked like fields and dropped.
struct ChunkedBody: Sendable {
  enum Progress: Equatable {
    case needMore
    case complete
    case malformed(String)
    /// The data is larger than the limit, or a size no integer holds.
    case tooLarge
    case trailersTooLarge
  }

  /// Longest chunk size line. A guess: sixteen digits and room for an extension.
  static let sizeLineLimitBytes = 256
  /// Chunk extensions in one body, all together. A guess; nothing in use sends any.
  static let extensionsLimitBytes = 1_024

  private enum State {
    case size
    case data(remaining: Int)
    case dataEnd
    case trailers
  }

  private var state = State.size
  private var extensionBytes = 0
  private var trailerBytes = 0
  private var trailerCount = 0

  /// Moves what the buffer has of the body to `body`.
  mutating func read(
    _ buffer: inout ReceiveBuffer, into body: inout [UInt8], bodyLimitBytes: Int, trailerLimitBytes: Int,
    trailerLimitCount: Int
  ) -> Progress {
    while true {
      switch state {
      case .size:
        switch buffer.takeLine(limitBytes: Self.sizeLineLimitBytes) {
        case .incomplete: return .needMore
        case .tooLong: return .malformed("a chunk size line is too long")
        case .bareLineFeed: return .malformed("a chunk size line does not end in CRLF")
        case .found(let line):
          switch buffer.bytes(line, Self.size) {
          case .malformed: return .malformed("a chunk size is not valid")
          case .overflow: return .tooLarge
          case .size(let size, let extensionBytes):
            self.extensionBytes += extensionBytes
            if self.extensionBytes > Self.extensionsLimitBytes {
              return .malformed("chunk extensions are too long")
            }
            if size > bodyLimitBytes - body.count { return .tooLarge }
            state = size == 0 ? .trailers : .data(remaining: size)
          }
        }
      case .data(let remaining):
        let taken = buffer.take(upTo: remaining, into: &body)
        guard taken == remaining else {
          state = .data(remaining: remaining - taken)
          return .needMore
        }
        state = .dataEnd
      case .dataEnd:
        // One byte is enough to refuse wrong data, but two are needed to go on; a line of nothing is both.
        switch buffer.takeLine(limitBytes: 1) {
        case .incomplete: return .needMore
        case .found(let line) where line.isEmpty: state = .size
        default: return .malformed("a chunk's data does not end in CRLF")
        }
      case .trailers:
        switch buffer.takeLine(limitBytes: HTTPSyntax.lineLimit(trailerLimitBytes - trailerBytes)) {
        case .incomplete: return .needMore
        case .tooLong: return .trailersTooLarge
        case .bareLineFeed: return .malformed("a trailer line does not end in CRLF")
        case .found(let line) where line.isEmpty: return .complete
        case .found(let line):
          trailerBytes += line.count + 2
          trailerCount += 1
          if trailerCount > trailerLimitCount { return .trailersTooLarge }
          if buffer.bytes(line, HTTPSyntax.field) == nil { return .malformed("a trailer field is not valid") }
        }
      }
    }
  }

  private enum SizeLine {
    case size(Int, extensionBytes: Int)
    case malformed
    case overflow
  }

  private static func size(_ line: UnsafeBufferPointer<UInt8>) -> SizeLine {
    var size = 0
    var index = 0
    var overflowed = false
    while index < line.count, let digit = ASCII.hexValue(line[index]) {
      if size > Int.max >> 4 { overflowed = true } else { size = size << 4 | Int(digit) }
      index += 1
    }
    guard index > 0 else { return .malformed }
    if index < line.count {
      guard line[index] == UInt8(ascii: ";"), line[index...].allSatisfy(HTTPSyntax.isFieldValue) else {
        return .malformed
      }
    }
    return overflowed ? .overflow : .size(size, extensionBytes: line.count - index)
  }
}
