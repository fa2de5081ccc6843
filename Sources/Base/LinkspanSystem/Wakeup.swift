internal import CLinkspanPlatform
internal import Glibc
package import LinkspanCore

/// Wakes a thread from another one, which waits until ``descriptor`` is readable.
package final class Wakeup: Sendable {
  package let descriptor: CInt

  /// - Throws: That the system has no event descriptor left.
  package init() throws(LinkspanError) {
    descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw LinkspanError("no event descriptor", errno: errno) }
  }

  deinit { close(descriptor) }

  package func signal() {
    var one: UInt64 = 1
    // Fails only when the counter is full, and then the descriptor is readable already.
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  package func drain() {
    var count: UInt64 = 0
    // Nothing to read means that nobody signalled.
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }

  /// Returns when it is signalled, or after some time.
  ///
  /// - Parameter milliseconds: -1 waits without end.
  package func wait(atMost milliseconds: CInt = -1) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, milliseconds)
  }
}
