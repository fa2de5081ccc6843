/// Finds frames in what comes in (RFC 9113, 4.1) that the library reads over without a word: DATA of closed streams, and
/// PRIORITY of a stream that depends on itself.
struct FrameScanner {
  enum Found {
    case data(stream: Int32)
    case dependsOnItself
  }

  private static let headBytes = 9
  /// Types of frames (RFC 9113, 6.1 and 6.3).
  private static let (data, priority): (UInt8, UInt8) = (0, 2)

  /// Bytes that are no frame's head: the preface at first, then payloads.
  private var skipBytes = ServerByPreface.preface.count
  private var headCount = 0
  private var length = 0
  private var type: UInt8 = 0
  private var stream: UInt32 = 0
  /// The stream that a PRIORITY frame names, as far as it was read, and how many bytes of it are to come.
  private var dependency: UInt32 = 0
  private var dependencyBytes = 0

  /// - Parameter start: Where to go on in these bytes.
  /// - Returns: What was found next, and where its head ends or its dependency; nil when there is nothing.
  mutating func next(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> (end: Int, found: Found)? {
    var index = start
    while index < bytes.count {
      guard dependencyBytes == 0 else {
        dependency = dependency << 8 | UInt32(bytes[index])
        (index, skipBytes, dependencyBytes) = (index + 1, skipBytes - 1, dependencyBytes - 1)
        if dependencyBytes == 0, dependency & 0x7FFF_FFFF == stream { return (index, .dependsOnItself) }
        continue
      }
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
      if type == Self.data { return (index, .data(stream: Int32(stream))) }
      if type == Self.priority, length >= 4 { (dependency, dependencyBytes) = (0, 4) }
    }
    return nil
  }
}
