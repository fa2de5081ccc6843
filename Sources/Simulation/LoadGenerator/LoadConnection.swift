internal import CLinkspanPlatform
internal import Glibc

/// One connection of a load: connects, shakes hands, sends a request when asked, and tells of its answer.
package final class LoadConnection {
  package enum News {
    /// Nothing that the one who drives it has to know.
    case none
    /// Connected, and through the handshake: a request may be sent.
    case ready
    /// An answer with status 200 is whole.
    case answered
    case failed(LoadFailure)
  }

  private enum State {
    case connecting
    case shakingHands
    case ready
    case awaiting
    case ended
  }

  package let descriptor: CInt
  /// When the work under way was due, in monotonic nanoseconds; for whoever measures.
  package var dueAt: Int64 = 0
  /// Which kind of work this one is for; for whoever measures.
  package var role = 0

  private var state = State.connecting
  private let tls: (any LoadTLS)?
  private var answer: any AnswerReader

  /// - Parameter source: The address of 127.0.0.0/24 to come from, from 1.
  init(
    _ target: LoadTarget, _ security: LoadSecurity, source: UInt8, verifies: Bool = false
  ) throws(LoadError) {
    descriptor = linkspan_tcp_socket(target.address.isIPv6 ? AF_INET6 : AF_INET)
    guard descriptor >= 0 else { throw .system("socket") }
    var on: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, size)
    // IP_BIND_ADDRESS_NO_PORT, ip(7): the port is chosen at connect, where one port serves many destinations.
    setsockopt(descriptor, CInt(IPPROTO_IP), 24, &on, size)
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    switch security {
    case .none: tls = nil
    case .lean(let context): tls = LeanTLSClient(descriptor, context)
    case .full(let settings):
      tls = try TLSClient(
        descriptor, settings, host: target.host, http2: target.http2,
        verifiedHost: verifies ? target.host : nil)
    }
    answer = target.http2 ? HTTP2Answer() : HTTP1Answer()
    // All of 127.0.0.0/8 is this machine; IPv6 has one such address.
    if target.isLoopback, !target.address.isIPv6 {
      let addressSize = socklen_t(MemoryLayout<sockaddr_in>.size)
      var from = LoopbackAddress.make(number: source, port: 0)
      guard LoopbackAddress.with(&from, { bind(descriptor, $0, addressSize) }) == 0 else {
        throw .system("bind")
      }
    }
    guard target.address.with(port: target.port, { connect(descriptor, $0, $1) }) == 0 || errno == EINPROGRESS
    else { throw .system("connect") }
  }

  deinit { end() }

  /// How far the connection has come, for a failure.
  private var stage: LoadFailure.Stage {
    switch state {
    case .connecting: .connect
    case .shakingHands: .handshake
    case .awaiting: .answer
    case .ready, .ended: .idle
    }
  }

  /// That it is still waiting, and for what.
  package var timeout: LoadFailure { LoadFailure(stage: stage, cause: .timeout) }

  /// The last answer announced that the server closes behind it (RFC 9112, 9.6): the connection takes no other request.
  package var isClosedByServer: Bool { answer.announcesEnd }

  /// The status of the last answer; nil where there was none, and with HTTP/2.
  var status: Int? { answer.status }

  /// The first certificate that the server sent, in DER; nil before the handshake, and where the session keeps none.
  var certificate: [UInt8]? { (tls as? TLSClient)?.certificate }

  /// Ends the connection by a reset.
  package func end() {
    guard state != .ended else { return }
    state = .ended
    close(descriptor)
  }

  /// Sends a request; ``News/answered`` follows from ``go(_:)``.
  package func send(_ request: [UInt8]) -> News {
    state = .awaiting
    answer.begin()
    guard let cause = write(request) else { return .none }
    return .failed(LoadFailure(stage: .request, cause: cause))
  }

  /// Sends bytes that no answer is expected for.
  package func trickle(_ bytes: [UInt8]) -> Bool { state != .ended && write(bytes) == nil }

  /// Requests are small: one that the socket does not take at once counts as failed.
  ///
  /// - Returns: Nil, or why the bytes could not be sent.
  private func write(_ bytes: [UInt8]) -> LoadFailure.Cause? {
    if let tls { return tls.write(bytes) }
    let count = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    if count == bytes.count { return nil }
    return .system(count < 0 ? errno : EAGAIN)
  }

  /// Does what the socket's news make possible.
  func go(_ memory: UnsafeMutableRawBufferPointer) -> News {
    defer { tls?.endTurn() }
    if state == .connecting {
      var code: CInt = 0
      var size = socklen_t(MemoryLayout<CInt>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
      guard code == 0 else { return .failed(LoadFailure(stage: .connect, cause: .system(code))) }
      state = tls == nil ? .ready : .shakingHands
      if tls == nil { return .ready }
    }
    if state == .shakingHands, let tls {
      switch tls.handshake() {
      case true?:
        state = .ready
        return .ready
      case false?: return .none
      case nil: return .failed(LoadFailure(stage: .handshake, cause: tls.failure))
      }
    }
    guard state == .ready || state == .awaiting else { return .none }
    return read(memory)
  }

  private func read(_ memory: UnsafeMutableRawBufferPointer) -> News {
    var isAnswered = false
    while true {
      let count: Int?
      var cause = LoadFailure.Cause.end
      if let tls {
        count = tls.read(into: memory)
        if count == -1 { cause = tls.failure }
      } else {
        let received = recv(descriptor, memory.baseAddress, memory.count, 0)
        count = received < 0 && errno == EAGAIN ? nil : received
        if received < 0 { cause = .system(errno) }
      }
      guard let count else { return isAnswered ? .answered : .none }
      // An answer that says so is followed by the end, and one without a length by nothing else.
      guard count > 0 else {
        isAnswered = isAnswered || count == 0 && state == .awaiting && answer.endsWithConnection
        return isAnswered ? .answered : .failed(LoadFailure(stage: stage, cause: cause))
      }
      switch answer.receive(UnsafeRawBufferPointer(rebasing: memory[..<count])) {
      case .more: break
      case .whole:
        isAnswered = true
        state = .ready
        // Nothing else is on its way over one of HTTP/1.1: a read for the sake of EAGAIN is saved.
        if tls == nil { return .answered }
      case .other: return .failed(LoadFailure(stage: .answer, cause: .status(answer.status)))
      }
      if !answer.reply.isEmpty {
        _ = write(answer.reply)
        answer.reply = []
      }
    }
  }
}

/// How a connection was lost.
package struct LoadFailure: Hashable {
  package enum Stage: String {
    case connect, handshake, request, answer
    /// Kept, and lost while no answer was owed.
    case idle
  }

  package enum Cause: Hashable {
    /// The system's error: a reset, a refusal, no answer to the SYN.
    case system(CInt)
    /// The peer ended its side, which it may not do before the answer is whole.
    case end
    /// A TLS alert from the peer, by its number (RFC 8446, 6).
    case alert(UInt32)
    /// Anything else the TLS library found wrong, by its code.
    case tls(CInt)
    /// An answer other than 200, by its status; nil where it could not be read.
    case status(Int?)
    /// Still waiting when the driver gave up.
    case timeout
  }

  package var stage: Stage
  package var cause: Cause

  package init(stage: Stage, cause: Cause) {
    self.stage = stage
    self.cause = cause
  }

  /// `handshake-ECONNRESET`, `answer-end`, `connect-timeout`.
  package var name: String {
    let cause =
      switch cause {
      case .system(let code): Self.name(code)
      case .end: "end"
      case .alert(let number): "alert-\(number)"
      case .tls(let code): "tls-\(-code)"
      case .status(let status): status.map(String.init) ?? "status"
      case .timeout: "timeout"
      }
    return "\(stage.rawValue)-\(cause)"
  }

  private static func name(_ code: CInt) -> String {
    switch code {
    case ECONNRESET: "ECONNRESET"
    case ECONNREFUSED: "ECONNREFUSED"
    case ETIMEDOUT: "ETIMEDOUT"
    case EPIPE: "EPIPE"
    case EADDRNOTAVAIL: "EADDRNOTAVAIL"
    case EAGAIN: "EAGAIN"
    default: "errno-\(code)"
    }
  }
}
