/// Finds DATA frames in what comes in (RFC 9113, 4.1): the library reads over those of closed streams without a word.
struct FrameScanner {
  private static let headBytes = 9

  /// Bytes that are no frame's head: the preface at first, then payloads.
  private var skipBytes = ServerByPreface.preface.count
  private var headCount = 0
  private var length = 0
  private var type: UInt8 = 0
  private var stream: UInt32 = 0

  /// - Parameter start: Where to go on in these bytes.
  /// - Returns: Where the head of the next DATA frame ends, and its stream; nil when there is none.
  mutating func nextData(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> (headEnd: Int, stream: Int32)? {
    var index = start
    while index < bytes.count {
      guard skipBytes == 0 else {
        let count = min(skipBytes, bytes.count - index)
        skipBytes -= count
        index += count
        continue
      }
      let byte = bytes[index]
      index += 1
      switch headCount {
      case 0: length = Int(byte)
      case 1, 2: length = length << 8 | Int(byte)
      case 3: type = byte
      case 4: break
      case 5: stream = UInt32(byte & 0x7F)
      default: stream = stream << 8 | UInt32(byte)
      }
      headCount += 1
      guard headCount == Self.headBytes else { continue }
      (headCount, skipBytes) = (0, length)
      if type == 0 { return (index, Int32(stream)) }
    }
    return nil
  }
}
