internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// Reads a stream, packed with gzip or not, line by line without holding it whole, after the byte order mark that
/// spreadsheets and PowerShell write.
package struct LineReader: ~Copyable {
  private let descriptor: Int32
  /// For errors.
  private let name: String
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// The first bytes that were read, until they say whether the stream is packed.
  private var head: [UInt8]? = []
  private var inflater: GzipInflater?
  /// Whether no line was read yet.
  private var isAtStart = true
  private let beforeWaiting: () -> Void

  /// Ours: a line of a batch holds one association file, which may have 128 KB, and its URL.
  package static let lineLimitBytes = 8 << 20

  /// - Parameters:
  ///   - path: A path, or `-` for standard input.
  ///   - beforeWaiting: Called when nothing is there to be read, before waiting for more: whoever writes the lines
  ///     may be waiting in turn.
  package init(_ path: String, beforeWaiting: @escaping () -> Void) throws(LinkspanError) {
    self.beforeWaiting = beforeWaiting
    name = path == "-" ? "standard input" : "'\(path)'"
    descriptor = try InputFile.open(path)
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  package enum Line {
    /// Without its line feed.
    case bytes([UInt8])
    /// A line longer than the limit, skipped.
    case tooLong
  }

  /// Whether something of the next line, or the end, can be read without waiting.
  package func isReady() -> Bool {
    if isAtEnd || start < buffer.count { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// The next line, or nil at the end.
  package mutating func next() throws(LinkspanError) -> Line? {
    var isTooLong = false
    var searched = start
    while true {
      let found = buffer.withUnsafeBufferPointer { all -> Int? in
        guard searched < all.count,
          let place = memchr(all.baseAddress! + searched, 0x0A, all.count - searched)
        else { return nil }
        return place - UnsafeMutableRawPointer(mutating: all.baseAddress!)
      }
      if let end = found {
        let line = isTooLong ? Line.tooLong : try line(upTo: end)
        start = end + 1
        return line
      }
      if isAtEnd {
        guard start < buffer.count || isTooLong else { return nil }
        let line = isTooLong ? Line.tooLong : try line(upTo: buffer.count)
        start = buffer.count
        return line
      }
      if buffer.count - start > Self.lineLimitBytes {
        isTooLong = true
        start = buffer.count
      }
      buffer.removeSubrange(..<start)
      start = 0
      searched = buffer.count
      try fill()
    }
  }

  private mutating func line(upTo end: Int) throws(LinkspanError) -> Line {
    let bytes = buffer[start..<end]
    guard isAtStart else { return .bytes(Array(bytes)) }
    isAtStart = false
    guard let text = ByteOrderMark.removed(from: bytes) else { throw .inUTF16(name) }
    return .bytes(Array(text))
  }

  private func unreadable() -> LinkspanError {
    LinkspanError("\(name) cannot be read: \(SystemError.text(errno)).")
  }

  private mutating func fill() throws(LinkspanError) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if poll(&entry, 1, 0) == 0 { beforeWaiting() }
    let old = buffer.count
    buffer += [UInt8](repeating: 0, count: 1 << 16)
    let count = buffer.withUnsafeMutableBytes {
      InputFile.read(descriptor, into: .init(rebasing: $0[old...]))
    }
    guard count >= 0 else { throw unreadable() }
    buffer.removeLast((1 << 16) - count)
    isAtEnd = count == 0
    if inflater != nil || head != nil { try unpack(from: old) }
  }

  /// Replaces what was read from a place on by what is packed in it.
  private mutating func unpack(from place: Int) throws(LinkspanError) {
    var packed = Array(buffer[place...])
    if let head {
      packed = head + packed
      guard packed.count >= 2 || isAtEnd else {
        self.head = packed
        return buffer.removeSubrange(place...)
      }
      self.head = nil
      guard GzipInflater.isPacked(packed) else { return buffer.replaceSubrange(place..., with: packed) }
      inflater = GzipInflater()
    }
    buffer.removeSubrange(place...)
    guard let inflater else { return }
    var unpacked: [UInt8] = []
    guard inflater.feed(packed, { unpacked += $0 }), !isAtEnd || inflater.isAtEnd else {
      throw .brokenGzip(name)
    }
    buffer += unpacked
  }
}
