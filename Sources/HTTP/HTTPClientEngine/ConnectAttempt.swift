internal import CLinkspanPlatform
internal import Glibc
internal import HTTPTransport
internal import LinkspanCore
internal import LinkspanSystem

/// One address that is being connected to.
enum ConnectAttempt {
  enum Begun {
    /// It becomes writable when it is decided.
    case begun(Socket)
    /// An `errno`.
    case failed(CInt)
  }

  static func begin(_ address: SocketAddress) -> Begun {
    let descriptor = linkspan_tcp_socket(address.family)
    guard descriptor >= 0 else { return .failed(errno) }
    let socket = Socket(descriptor)
    socket.setNoDelay()
    if address.withSocketAddress({ connect(descriptor, $0, $1) }) != 0 {
      let code = errno
      guard code == EINPROGRESS || code == EINTR else { return .failed(code) }
    }
    return .begun(socket)
  }

  /// How it was decided: 0, or an `errno`, which is `EINPROGRESS` when it is not decided yet.
  static func outcome(of socket: Socket) -> CInt {
    var code: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
    guard code == 0 else { return code }
    var peer = sockaddr_storage()
    size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isConnected = withUnsafeMutableBytes(of: &peer) {
      getpeername(socket.descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size) == 0
    }
    return isConnected ? 0 : EINPROGRESS
  }

  static func error(_ code: CInt, _ address: SocketAddress, _ place: String) -> HTTPClientError {
    HTTPClientError(
      code == ECONNREFUSED ? .refused : code == ETIMEDOUT ? .timeout : .cannotConnect, place,
      "connecting to \(address): \(SystemError.text(code))")
  }
}
