// The compiler takes timespec from whichever of these two it reads first in a batch of files.
internal import CLinkspanPlatform
internal import Glibc
package import LinkspanCore

/// The wall clock, read at the edge.
package enum CurrentTime {
  package static var now: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
