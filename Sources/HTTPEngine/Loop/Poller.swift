internal import CLinkspanPlatform
internal import Glibc

/// An epoll set, edge-triggered: each descriptor is added once and leaves by being closed.
final class Poller {
  struct Event {
    var descriptor: CInt
    var isReadable: Bool
    var isWritable: Bool
  }

  private static let batchCount = 256
  private let descriptor: CInt
  private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: batchCount)

  init() throws(HTTPServerError) {
    descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw HTTPServerError("no epoll descriptor: \(SystemError.text(errno))") }
  }

  deinit {
    close(descriptor)
    events.deallocate()
  }

  /// - Returns: Nil, or why the descriptor cannot be watched.
  func watch(_ watched: CInt) -> String? {
    linkspan_epoll_watch(descriptor, watched) == 0 ? nil : SystemError.text(errno)
  }

  /// Waits for news and gives each to `body`.
  ///
  /// - Parameter milliseconds: -1 waits without end.
  func wait(milliseconds: Int32, _ body: (Event) -> Void) throws(HTTPServerError) {
    let count = epoll_wait(descriptor, events, CInt(Self.batchCount), milliseconds)
    if count < 0 {
      guard errno == EINTR else { throw HTTPServerError("waiting for sockets: \(SystemError.text(errno))") }
      return
    }
    for index in 0..<Int(count) {
      let event = events[index]
      body(
        Event(
          descriptor: event.data.fd, isReadable: linkspan_event_readable(event.events) != 0,
          isWritable: linkspan_event_writable(event.events) != 0))
    }
  }
}
