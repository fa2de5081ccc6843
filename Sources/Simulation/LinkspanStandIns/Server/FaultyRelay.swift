internal import CLinkspanPlatform
internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanSystem
internal import Synchronization

/// What a relay does to the connections that go through it.
enum RelayFault: Hashable, Sendable {
  /// Takes everything and answers nothing.
  case silent
  /// Ends with a reset as soon as the client has said something.
  case reset
  /// Hands the answer on byte by byte, with a pause after each.
  case trickle(pause: Duration)
  /// Ends the connection when so many bytes have gone to the client; those of TLS count.
  case cut(afterBytes: Int)
}

/// Hands connections on to a server, with the faults of a bad network: no handler could make those.
///
/// A connection has a thread of its own while it lives, because a fault may make that wait.
final class FaultyRelay: Sendable {
  /// Where clients connect.
  let address: SocketAddress

  private let listener: CInt
  private let target: SocketAddress
  private let fault: @Sendable () -> RelayFault?
  private let isStopping = Atomic(false)
  /// Threads that have not ended.
  private let threads = Atomic(0)

  /// How often a waiting thread looks whether it should stop, in milliseconds.
  private static let look_ms: CInt = 100

  /// - Parameter fault: Asked whenever bytes come by.
  /// - Throws: ``HTTPServerError`` when the address cannot be listened on.
  init(
    listen: SocketAddress, to target: SocketAddress, fault: @escaping @Sendable () -> RelayFault?
  ) throws(HTTPServerError) {
    func fail(_ what: String) -> HTTPServerError {
      HTTPServerError(what, listen, errno)
    }
    guard let descriptor = listen.beginListening(backlog: 128) else { throw fail("cannot bind") }
    guard let address = SocketAddress.local(of: descriptor) else {
      close(descriptor)
      throw fail("cannot tell the port of")
    }
    listener = descriptor
    self.address = address
    self.target = target
    self.fault = fault
  }

  deinit { close(listener) }

  /// Takes connections from now on.
  func start() { spawn { self.acceptAll() } }

  /// Ends all connections, and returns when they have.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    while threads.load(ordering: .acquiring) > 0 { usleep(10_000) }
  }

  /// Runs work on a new thread.
  ///
  /// - Returns: False when there is none to be had.
  @discardableResult
  private func spawn(_ body: @escaping @Sendable () -> Void) -> Bool {
    threads.add(1, ordering: .acquiringAndReleasing)
    do throws(LinkspanError) {
      try DetachedThread.start { [self] in
        body()
        threads.subtract(1, ordering: .acquiringAndReleasing)
      }
      return true
    } catch {
      threads.subtract(1, ordering: .acquiringAndReleasing)
      return false
    }
  }

  private var isStopped: Bool { isStopping.load(ordering: .acquiring) }

  private func acceptAll() {
    while !isStopped {
      var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Self.look_ms) > 0 else { continue }
      var peer = sockaddr_storage()
      let client = linkspan_accept(listener, &peer)
      // Without a thread for it the connection is lost, and the next one has its chance.
      if client >= 0, !spawn({ self.carry(client) }) { close(client) }
    }
  }

  private func carry(_ client: CInt) {
    defer { close(client) }
    guard let server = target.beginConnecting() else { return }
    defer { close(server) }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    var sentBytes = 0
    while !isStopped {
      var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&entries, 2, Self.look_ms) > 0 else { continue }
      if entries[0].revents != 0 {
        let count = read(client, &buffer, buffer.count)
        guard count > 0 else { return }
        switch fault() {
        case .silent: continue
        case .reset:
          var linger = linger(l_onoff: 1, l_linger: 0)
          setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
          return
        case .trickle, .cut, nil: guard write(buffer[..<count], to: server) else { return }
        }
      }
      if entries[1].revents != 0 {
        let count = read(server, &buffer, buffer.count)
        guard count > 0 else { return }
        guard hand(buffer[..<count], to: client, &sentBytes) else { return }
      }
    }
  }

  /// - Returns: False when the connection is over.
  private func hand(_ bytes: ArraySlice<UInt8>, to client: CInt, _ sentBytes: inout Int) -> Bool {
    switch fault() {
    case .silent: return true
    case .reset: return false
    case nil:
      sentBytes += bytes.count
      return write(bytes, to: client)
    case .cut(let limit):
      let part = bytes.prefix(max(0, limit - sentBytes))
      sentBytes += part.count
      return write(part, to: client) && sentBytes < limit
    case .trickle(let pause):
      for index in bytes.indices {
        guard !isStopped, write(bytes[index...index], to: client) else { return false }
        usleep(UInt32(clamping: pause.components.attoseconds / 1_000_000_000_000))
      }
      sentBytes += bytes.count
      return true
    }
  }

  private func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == ENOTCONN, !isStopped {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, Self.look_ms)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
