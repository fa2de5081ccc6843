internal import Glibc
package import LinkspanCore
internal import Synchronization

/// What a relay does to the connections that go through it.
package enum RelayFault: Hashable, Sendable {
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
package final class FaultyRelay: Sendable {
  /// Where clients connect.
  package var address: SocketAddress { listener.address }

  private let listener: ListenerSocket
  private let target: SocketAddress
  private let fault: @Sendable () -> RelayFault?
  private let isStopping = Atomic(false)
  /// Threads that have not ended.
  private let threads = Atomic(0)

  /// How often a waiting thread looks whether it should stop, in milliseconds.
  private static let look_ms: CInt = 100

  /// - Parameter fault: Asked whenever bytes come by.
  /// - Throws: ``HTTPServerError`` when the address cannot be listened on.
  package init(
    listen: SocketAddress, to target: SocketAddress, fault: @escaping @Sendable () -> RelayFault?
  ) throws(HTTPServerError) {
    listener = try ListenerSocket(.init(listen), backlog: 128)
    self.target = target
    self.fault = fault
  }

  /// Takes connections from now on.
  package func start() { spawn { self.acceptAll() } }

  /// Ends all connections, and returns when they have.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    while threads.load(ordering: .acquiring) > 0 { usleep(10_000) }
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs work on a new thread.
  ///
  /// - Returns: False when there is none to be had.
  @discardableResult
  private func spawn(_ body: @escaping @Sendable () -> Void) -> Bool {
    threads.add(1, ordering: .acquiringAndReleasing)
    let work = Unmanaged.passRetained(
      Work { [self] in
        body()
        threads.subtract(1, ordering: .acquiringAndReleasing)
      })
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      threads.subtract(1, ordering: .acquiringAndReleasing)
      return false
    }
    pthread_detach(thread)
    return true
  }

  private var isStopped: Bool { isStopping.load(ordering: .acquiring) }

  private func acceptAll() {
    while !isStopped {
      var entry = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Self.look_ms) > 0 else { continue }
      if case .connection(let client, _) = listener.accept() {
        // Without a thread for it the connection is lost, and the next one has its chance.
        if !spawn({ self.carry(client) }) { close(client) }
      }
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
