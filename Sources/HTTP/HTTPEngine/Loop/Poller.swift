internal import CLinkspanPlatform
internal import Glibc
internal import HTTPTransport
internal import LinkspanSystem

/// An epoll set, edge-triggered: each descriptor is added once and leaves by being closed.
package final class Poller {
  /// News of one descriptor.
  package struct Event {
    package var descriptor: CInt
    package var isReadable: Bool
    package var isWritable: Bool
    /// The peer sends nothing more, or the socket has failed.
    package var isEnd: Bool
    /// The socket has failed, and nothing can be sent any more.
    package var isGone: Bool
  }

  private static let batchCount = 256
  private let descriptor: CInt
  private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: batchCount)

  package init() throws(HTTPServerError) {
    descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw HTTPServerError("no epoll descriptor: \(SystemError.text(errno))") }
  }

  deinit {
    close(descriptor)
    events.deallocate()
  }

  /// - Returns: Nil, or why the descriptor cannot be watched.
  ///
  /// - Parameter forRoom: Whether it is news that there is room to write, as after connecting.
  package func watch(_ watched: CInt, forRoom: Bool = false) -> String? {
    linkspan_epoll_watch(descriptor, watched, forRoom ? 1 : 0) == 0 ? nil : SystemError.text(errno)
  }

  /// From now on room to write is news as well, that there is already some of it included.
  ///
  /// - Returns: Nil, or why the descriptor cannot be watched.
  func watchForRoom(_ watched: CInt) -> String? {
    linkspan_epoll_watch_room(descriptor, watched) == 0 ? nil : SystemError.text(errno)
  }

  /// Waits for news, which ``event(_:)`` tells.
  ///
  /// - Parameter milliseconds: -1 waits without end.
  /// - Returns: How many there are.
  package func wait(milliseconds: Int32) throws(HTTPServerError) -> Int {
    let count = epoll_wait(descriptor, events, CInt(Self.batchCount), milliseconds)
    if count >= 0 { return Int(count) }
    guard errno == EINTR else { throw HTTPServerError("waiting for sockets: \(SystemError.text(errno))") }
    return 0
  }

  /// One of the news of the last ``wait(milliseconds:)``.
  package func event(_ index: Int) -> Event {
    let event = events[index]
    return Event(
      descriptor: event.data.fd, isReadable: linkspan_event_readable(event.events) != 0,
      isWritable: linkspan_event_writable(event.events) != 0,
      isEnd: linkspan_event_end(event.events) != 0, isGone: linkspan_event_gone(event.events) != 0)
  }
}
