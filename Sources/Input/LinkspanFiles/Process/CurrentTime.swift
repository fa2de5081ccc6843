// The compiler takes timespec from whichever of these two it reads first in a batch of files.
internal import CLinkspanPlatform
internal import Glibc
package import LinkspanCore

/// The clocks of the system, read at the edge.
package enum CurrentTime {
  package static var now: WallTime {
    let time = read(CLOCK_REALTIME)
    return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Since this process first asked; nobody can set it.
  package static var uptime: Duration { monotonic - start }

  private static let start = monotonic

  private static var monotonic: Duration {
    let time = read(CLOCK_MONOTONIC)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "every Linux has a monotonic and a real-time clock")
    return time
  }
}
