internal import LinkspanCore

/// What a connection may use while it is its turn: the time, and memory it shares with the others of its loop.
final class ServerTurn {
  static let plainBytes = 65_536

  /// Monotonic, in nanoseconds.
  private(set) var now: Int64
  /// The value of the Date field.
  private(set) var date: String
  let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: plainBytes, alignment: 16)
  private let clock: ServerClock
  private var wall: Int64

  init(_ clock: ServerClock) {
    self.clock = clock
    now = clock.monotonic()
    wall = clock.wall()
    date = WallTime(milliseconds: wall * 1000).httpDate
  }

  deinit { plain.deallocate() }

  func readClock() {
    now = clock.monotonic()
    let seconds = clock.wall()
    guard seconds != wall else { return }
    wall = seconds
    date = WallTime(milliseconds: seconds * 1000).httpDate
  }

  /// The first `count` bytes of the shared memory.
  func bytes(_ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      UnsafeMutableRawBufferPointer(rebasing: plain[..<count]).assumingMemoryBound(to: UInt8.self))
  }
}
