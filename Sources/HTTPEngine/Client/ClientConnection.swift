internal import CLinkspanPlatform
internal import Glibc
internal import LinkspanCore

/// One connection of ``HTTPClient``: waits for its socket until a deadline, and gives every failure its kind.
final class ClientConnection {
  private let socket: Socket
  private let place: String
  private let deadline: Int64
  private var transport: any Transport

  private init(_ socket: Socket, place: String, deadline: Int64) {
    self.socket = socket
    self.place = place
    self.deadline = deadline
    transport = PlainTransport(socket)
  }

  deinit { transport.close(reset: false) }

  /// Connects to the first address that answers.
  ///
  /// - Parameters:
  ///   - place: The host and port asked for, for errors.
  ///   - deadline: Monotonic nanoseconds.
  static func open(
    _ addresses: [SocketAddress], place: String, deadline: Int64
  ) throws(HTTPClientError) -> ClientConnection {
    var last = HTTPClientError(.cannotConnect, place, "there is no address to connect to")
    for address in addresses {
      do throws(HTTPClientError) {
        return try open(address, place: place, deadline: deadline)
      } catch {
        if error.kind == .timeout { throw error }
        last = error
      }
    }
    throw last
  }

  private static func open(
    _ address: SocketAddress, place: String, deadline: Int64
  ) throws(HTTPClientError) -> ClientConnection {
    func failure(_ code: CInt) -> HTTPClientError {
      HTTPClientError(
        code == ECONNREFUSED ? .refused : code == ETIMEDOUT ? .timeout : .cannotConnect, place,
        "connecting to \(address): \(SystemError.text(code))")
    }
    let descriptor = linkspan_tcp_socket(address.family)
    guard descriptor >= 0 else { throw failure(errno) }
    let socket = Socket(descriptor)
    socket.setNoDelay()
    let connection = ClientConnection(socket, place: place, deadline: deadline)
    if address.withSocketAddress({ connect(descriptor, $0, $1) }) != 0 {
      guard errno == EINPROGRESS || errno == EINTR else { throw failure(errno) }
      try connection.wait(for: POLLOUT)
      var code: CInt = 0
      var size = socklen_t(MemoryLayout<CInt>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { throw failure(errno) }
      guard code == 0 else { throw failure(code) }
    }
    return connection
  }

  /// Puts TLS on the connection.
  func startTLS(host: String, _ trust: TLSTrust) throws(HTTPClientError) {
    let tls: TLSTransport
    do throws(TLSError) {
      tls = try TLSTransport(client: socket, host: host, TLSClientTrust(trust), readAhead: ReadAhead())
    } catch {
      throw HTTPClientError(.unusableTrust, place, error.description)
    }
    transport = tls
    while true {
      switch tls.handshake() {
      case .done: return
      case .wouldBlock: try wait(for: POLLIN)
      case .failed(let reason):
        let problem = tls.certificateProblem
        throw HTTPClientError(
          .tls(problem ?? .other(reason)), place, Self.text(problem, reason))
      }
    }
  }

  func write(_ bytes: [UInt8]) throws(HTTPClientError) {
    var queue = OutputQueue()
    queue.append(bytes)
    while !queue.isEmpty {
      var outcome = TransportWrite.wouldBlock
      queue.write { bytes in
        outcome = transport.write(bytes)
        if case .bytes(let count) = outcome { return count }
        return 0
      }
      switch outcome {
      case .bytes: break
      case .wouldBlock: try wait(for: POLLOUT)
      // A server that refuses early has an answer for us to read.
      case .failed: return
      }
    }
  }

  /// Reads until the parser has what it wants.
  func read(_ parser: HTTP1ResponseParser) throws(HTTPClientError) -> HTTPResponse {
    var parser = parser
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { memory.deallocate() }
    while true {
      let outcome: HTTP1ResponseParser.Outcome
      switch transport.read(into: memory) {
      case .bytes(let count):
        outcome = parser.append(
          UnsafeBufferPointer(
            UnsafeMutableRawBufferPointer(rebasing: memory[..<count]).assumingMemoryBound(to: UInt8.self)))
      case .end: outcome = parser.finish()
      case .wouldBlock:
        try wait(for: POLLIN)
        continue
      case .failed(let reason):
        throw HTTPClientError(
          .connectionLost, place, "the connection broke before the answer was whole: \(reason)")
      }
      switch outcome {
      case .needMore: continue
      case .response(let response): return response
      case .failed(.malformed(let reason)): throw HTTPClientError(.malformedAnswer, place, reason)
      case .failed(.tooLarge(let reason)): throw HTTPClientError(.tooLarge, place, reason)
      }
    }
  }

  private func wait(for events: CInt) throws(HTTPClientError) {
    while true {
      let left = deadline - ServerClock.system.monotonic()
      guard left > 0 else { throw HTTPClientError(.timeout, place, "no answer in time") }
      var descriptor = pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
      let count = poll(&descriptor, 1, CInt(clamping: left / 1_000_000 + 1))
      if count > 0 { return }
      if count < 0, errno != EINTR {
        throw HTTPClientError(.connectionLost, place, "waiting for the socket: \(SystemError.text(errno))")
      }
    }
  }

  private static func text(_ problem: TLSFailure?, _ reason: String) -> String {
    switch problem {
    case .expired: "the certificate has expired"
    case .notYetValid: "the certificate is not valid yet"
    case .unknownIssuer: "the certificate's issuer is not trusted"
    case .wrongName: "the certificate is for other hosts"
    case .other(let text): text
    case nil: "the TLS handshake failed: \(reason)"
    }
  }
}
