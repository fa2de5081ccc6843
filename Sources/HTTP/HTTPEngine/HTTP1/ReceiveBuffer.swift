internal import Glibc

/// Bytes that came in and have not been parsed yet, taken a line or a run at a time.
///
/// Every byte is looked at for a line end once, however small the pieces it came in: what is remembered
/// between two calls is how far the search got. Moving the remainder to the front costs no more than the
/// bytes just appended, so any split of a stream takes linear time.
struct ReceiveBuffer: Sendable {
  enum Line: Equatable {
    /// The line's bytes without its CRLF, as a range to give to ``ReceiveBuffer/bytes(_:)``.
    case found(Range<Int>)
    case incomplete
    /// Longer than allowed, whether or not its end has come.
    case tooLong
    /// Ended by a line feed that no carriage return stands before.
    case bareLineFeed
  }

  private var storage: [UInt8] = []
  private var start = 0
  private var searched = 0
  /// Where the message began that is being taken; nil when some of it came in an earlier piece.
  private var mark: Int?

  var count: Int { storage.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    compact()
    storage.append(contentsOf: bytes)
  }

  /// Notes that a message begins here.
  mutating func markMessage() { mark = start }

  /// Looks at everything taken since the message began, where it came in one piece with what is left.
  func message<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    guard let mark else { return nil }
    return storage.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[mark..<start])) }
  }

  /// Looks at what is left.
  func rest<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    storage.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start...])) }
  }

  /// Drops bytes from the front.
  mutating func skip(_ count: Int) {
    start += count
    searched = start
  }

  /// Takes the next line.
  ///
  /// - Parameter limitBytes: The longest line allowed, with its carriage return and without its line feed. The
  ///   verdict depends on the bytes alone and not on how they were split.
  mutating func takeLine(limitBytes: Int) -> Line {
    let end = storage.withUnsafeBufferPointer { buffer -> Int? in
      guard searched < buffer.count, let base = buffer.baseAddress else { return nil }
      guard let found = memchr(base + searched, 0x0A, buffer.count - searched) else { return nil }
      return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
    guard let end else {
      searched = storage.count
      return count > limitBytes ? .tooLong : .incomplete
    }
    guard end - start <= limitBytes else { return .tooLong }
    guard end > start, storage[end - 1] == 0x0D else { return .bareLineFeed }
    let line = start..<(end - 1)
    start = end + 1
    searched = start
    return .found(line)
  }

  /// Moves up to `limitBytes` bytes to the end of `target`.
  ///
  /// - Returns: How many were moved.
  mutating func take(upTo limitBytes: Int, into target: inout [UInt8]) -> Int {
    let taken = min(limitBytes, count)
    guard taken > 0 else { return 0 }
    target.append(contentsOf: storage[start..<(start + taken)])
    start += taken
    searched = start
    return taken
  }

  /// Looks at a line that was just found; it stays readable until the next `append` or `release`.
  func bytes<Result>(_ line: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    storage.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[line])) }
  }

  /// Gives the memory back when nothing is left unread, so that an idle connection holds none.
  mutating func release() {
    guard isEmpty else { return }
    storage = []
    mark = nil
    start = 0
    searched = 0
  }

  private mutating func compact() {
    mark = nil
    guard start > 0 else { return }
    storage.removeSubrange(..<start)
    searched -= start
    start = 0
  }
}
