internal import CLinkspanPlatform
internal import Glibc
internal import HTTPTransport
internal import LinkspanCore
internal import Synchronization

/// A socket that listens, and what TLS shows there. Any thread may hold it.
final class ListenerSocket: Sendable {
  enum Accepted {
    case connection(CInt, SocketAddress?)
    /// Nobody waits.
    case none
    /// The process or the system has run out of something; trying again at once would spin.
    case exhausted
  }

  let descriptor: CInt
  let address: SocketAddress
  private let current: LockedState<TLSCredentials?>
  /// Others have this socket as well: it is never shut down, only left alone.
  private let isShared: Bool
  private let isLeftAlone = Atomic(false)

  /// - Parameter sharesPort: Another loop of this server listens on the same address already. The first socket is
  ///   bound for itself alone, so that a second server on one port is refused, and shares the port from then on.
  init(
    _ listener: HTTPServerConfiguration.Listener, backlog: Int32, sharesPort: Bool = false
  ) throws(HTTPServerError) {
    let descriptor =
      listener.descriptor.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
      ?? linkspan_tcp_socket(listener.address.family)
    func fail(_ what: String) -> HTTPServerError {
      let error = HTTPServerError(what, listener.address, errno)
      if descriptor >= 0 { close(descriptor) }
      return error
    }
    guard descriptor >= 0 else { throw fail("cannot make a socket for") }
    func set(_ level: CInt, _ option: CInt) -> Bool {
      var on: CInt = 1
      return setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<CInt>.size)) == 0
    }
    guard set(CInt(IPPROTO_TCP), TCP_NODELAY),  // accepted sockets inherit it
      // A connection is worth accepting when it has something to say: one wake-up less for each.
      set(CInt(IPPROTO_TCP), TCP_DEFER_ACCEPT)
    else { throw fail("cannot prepare a socket for") }
    if listener.descriptor != nil {
      let flags = fcntl(descriptor, F_GETFL)
      guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
        throw fail("cannot prepare the socket from the service manager for")
      }
    } else {
      guard set(SOL_SOCKET, SO_REUSEADDR), !sharesPort || set(SOL_SOCKET, SO_REUSEPORT) else {
        throw fail("cannot prepare a socket for")
      }
      guard listener.address.withSocketAddress({ bind(descriptor, $0, $1) }) == 0 else {
        throw fail("cannot bind")
      }
      guard sharesPort || set(SOL_SOCKET, SO_REUSEPORT) else { throw fail("cannot share the port of") }
    }
    // Of a socket that was handed over this only sets the backlog.
    guard listen(descriptor, backlog) == 0 else { throw fail("cannot listen on") }
    guard let address = SocketAddress.local(of: descriptor) else { throw fail("cannot tell the port of") }
    self.descriptor = descriptor
    self.address = address
    isShared = listener.descriptor != nil
    current = LockedState(listener.credentials)
  }

  /// What the next connection is shown; nil for plain HTTP.
  var credentials: TLSCredentials? { current.withLock { $0 } }

  /// Connections that are here already, in a handshake or past it, keep the credentials they began with.
  func replace(_ credentials: TLSCredentials) {
    current.withLock { credentialsNow in
      precondition(credentialsNow != nil, "a plain listener stays one")
      credentialsNow = credentials
    }
  }

  deinit { close(descriptor) }

  /// Refuses connections from now on; those not accepted yet are reset, or wait for whoever else has the socket.
  func refuse() {
    isLeftAlone.store(true, ordering: .relaxed)
    guard !isShared else { return }
    // Fails only for a socket that does not listen.
    _ = shutdown(descriptor, CInt(SHUT_RDWR))
  }

  func accept() -> Accepted {
    guard !isLeftAlone.load(ordering: .relaxed) else { return .none }
    while true {
      var storage = sockaddr_storage()
      let accepted = linkspan_accept(descriptor, &storage)
      if accepted >= 0 { return .connection(accepted, SocketAddress(storage)?.unmapped) }
      switch errno {
      case EAGAIN: return .none
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      case EINVAL, EBADF: return .none  // refused already
      default: continue  // that connection failed before it was accepted (accept(2), "Error handling")
      }
    }
  }
}
