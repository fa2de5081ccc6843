internal import CLinkspanPlatform
internal import Glibc
internal import HTTPTransport

/// Wakes a loop from another thread.
package final class Wakeup: Sendable {
  package let descriptor: CInt

  package init() throws(HTTPServerError) {
    descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw HTTPServerError("no event descriptor: \(SystemError.text(errno))") }
  }

  deinit { close(descriptor) }

  package func signal() {
    var one: UInt64 = 1
    // Fails only when the counter is full, and then the loop is awake already.
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  package func drain() {
    var count: UInt64 = 0
    // Nothing to read means that nobody signalled.
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
