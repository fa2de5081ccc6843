internal import CLinkspanPlatform
internal import Glibc
internal import LinkspanCore
// The compiler takes timespec from whichever of these two it reads first in a batch of files.
internal import LinkspanFiles

/// The clock of a stand-in: real time, or none, and what it was moved by.
final class MovableClock: Sendable {
  /// The moment it began, in the calendar.
  let start: WallTime
  /// Whether time passes only when it is moved.
  let stands: Bool
  private let began_ns: Int64
  private let moved = LockedState(Duration.zero)

  /// Ours: a century from now there is nothing to test.
  static let farthest: Duration = .seconds(3_155_760_000)

  init(stands: Bool) {
    self.stands = stands
    start = CurrentTime.now
    began_ns = Self.monotonic_ns
  }

  /// Since it began.
  var now: Duration {
    let passed: Duration = stands ? .zero : .nanoseconds(Self.monotonic_ns - began_ns)
    return moved.withLock { $0 } + passed
  }

  /// The moment in the calendar.
  var time: WallTime { start.advanced(by: now) }

  /// Moves it on; time never goes back.
  ///
  /// - Returns: False when that is beyond ``farthest``.
  func advance(by duration: Duration) -> Bool {
    moved.withLock { moved in
      guard duration >= .zero, moved + duration <= Self.farthest else { return false }
      moved += duration
      return true
    }
  }

  var json: JSON {
    let now = now
    return .object([
      ("type", .string("clock")), ("elapsed_s", .int(Int(now.components.seconds))),
      ("time", .string(start.advanced(by: now).description)), ("stands", .bool(stands)),
    ])
  }

  private static var monotonic_ns: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
