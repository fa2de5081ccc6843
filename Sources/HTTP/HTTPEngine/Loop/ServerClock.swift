// The compiler takes timespec from whichever of these two it reads first in a batch of files.
internal import CLinkspanPlatform
internal import Glibc

/// The two times a server needs, replaced together in tests.
package struct ServerClock: Sendable {
  /// Nanoseconds from an arbitrary start; never goes back.
  package var monotonic: @Sendable () -> Int64
  /// Seconds since 1970.
  package var wall: @Sendable () -> Int64

  package init(monotonic: @escaping @Sendable () -> Int64, wall: @escaping @Sendable () -> Int64) {
    self.monotonic = monotonic
    self.wall = wall
  }

  package static let system = ServerClock(
    monotonic: {
      let time = read(CLOCK_MONOTONIC)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }, wall: { Int64(read(CLOCK_REALTIME).tv_sec) })

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "every Linux has a monotonic and a real-time clock")
    return time
  }
}

extension Duration {
  /// Whole nanoseconds; saturates at 292 years.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000
  }
}
