internal import CGnuTLS
internal import Glibc
package import LinkspanCore

/// TLS over TCP, server or client; the only place a GnuTLS session lives.
package final class TLSTransport: Transport {
  /// Records in a row that bring nothing: warnings, padding, new keys. OpenSSL puts up with as many empty ones.
  static let emptyRecordLimitCount = 32
  /// Bytes of a handshake that are read from a peer. A ClientHello of 16 KB in records of one byte each has 96 KB; real
  /// ones have 2 KB.
  static let handshakeLimitBytes = 262_144

  private let session: gnutls_session_t
  private let socket: Socket
  private let readAhead: ReadAhead
  private var remainder: [UInt8] = []
  private var remainderOffset = 0
  private var isReading = false
  /// The socket had nothing when the library last asked, and will have news. The library says "again" in other cases too:
  /// behind a record without content, and when the peer's end comes in the middle of a record.
  private var isStarved = false
  private var emptyRecordCount = 0
  private var handshakeBytes = 0
  private var isJoiningFlight = false
  /// The part of a flight that the socket did not take yet.
  private var unsent: [UInt8] = []
  private var isAgreed = false
  private var isEstablished = false
  private var hasPendingWrite = false
  /// Keeps alive what the session points at.
  private let owned: AnyObject
  package private(set) var applicationProtocol: String?
  package private(set) var hasSentAlert = false
  /// Why a certificate was refused that the library takes.
  private var refusal: String?

  /// The server's side of a new connection.
  package convenience init(server socket: Socket, _ credentials: TLSCredentials, readAhead: ReadAhead)
    throws(TLSError)
  {
    try self.init(socket, flags: GNUTLS_SERVER, owned: credentials, readAhead: readAhead)
    gnutls_session_set_ptr(session, Unmanaged.passUnretained(credentials).toOpaque())
    try TLSError.check(gnutls_priority_set(session, credentials.priorities.cache), "ciphers cannot be set")
    try TLSError.check(
      gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials.handle)),
      "credentials cannot be set")
    if credentials.asksForCertificate {
      gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST)
    }
    // A client that offers other protocols only is told so (RFC 7301, 3.2); one that offers none is let in.
    try offer(
      credentials.applicationProtocols,
      flags: GNUTLS_ALPN_SERVER_PRECEDENCE.rawValue | GNUTLS_ALPN_MANDATORY.rawValue)
  }

  /// The client's side: asks for `host` and, where `trust` says so, refuses a certificate that is not its own.
  package convenience init(
    client socket: Socket, host: String, _ trust: TLSClientTrust,
    applicationProtocols: [String] = ["http/1.1"],
    readAhead: ReadAhead
  ) throws(TLSError) {
    let expectation = TLSExpectation(host, trust)
    try self.init(socket, flags: GNUTLS_CLIENT, owned: expectation, readAhead: readAhead)
    // The expectation, which the session owns, keeps it.
    gnutls_session_set_ptr(session, Unmanaged.passUnretained(trust).toOpaque())
    try TLSError.check(gnutls_priority_set(session, trust.priorities.cache), "ciphers cannot be set")
    try TLSError.check(
      gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(trust.handle)),
      "credentials cannot be set")
    try expectation.prepare(session)
    try offer(applicationProtocols, flags: 0)
  }

  private init(
    _ socket: Socket, flags: gnutls_init_flags_t, owned: AnyObject, readAhead: ReadAhead
  ) throws(TLSError) {
    var session: gnutls_session_t?
    let flags =
      UInt32(flags.rawValue) | UInt32(GNUTLS_NONBLOCK) | UInt32(GNUTLS_NO_SIGNAL) | UInt32(GNUTLS_NO_TICKETS)
    try TLSError.check(gnutls_init(&session, flags), "a TLS session cannot be made")
    self.session = session!
    self.socket = socket
    self.owned = owned
    self.readAhead = readAhead
    // Unretained: the session is freed in `deinit` and calls back only from within our own calls.
    gnutls_transport_set_ptr(session, Unmanaged.passUnretained(self).toOpaque())
    gnutls_transport_set_pull_function(session) { pointer, target, size in
      guard let pointer, let target else { return -1 }
      let transport = Unmanaged<TLSTransport>.fromOpaque(pointer).takeUnretainedValue()
      return transport.pull(UnsafeMutableRawBufferPointer(start: target, count: size))
    }
    gnutls_transport_set_vec_push_function(session) { pointer, vectors, count in
      guard let pointer else { return -1 }
      let transport = Unmanaged<TLSTransport>.fromOpaque(pointer).takeUnretainedValue()
      return transport.push(vectors, count)
    }
  }

  deinit { gnutls_deinit(session) }

  package var isEncrypted: Bool { true }

  package var peerCertificate: [UInt8]? {
    var count: UInt32 = 0
    guard isAgreed, let list = gnutls_certificate_get_peers(session, &count), count > 0 else { return nil }
    return Array(UnsafeBufferPointer(start: list.pointee.data, count: Int(list.pointee.size)))
  }

  package func handshake() -> TransportStep {
    if isEstablished { return .done }
    while !isAgreed {
      isJoiningFlight = true
      isStarved = false
      let code = gnutls_handshake(session)
      isJoiningFlight = false
      if let reason = sendFlight() { return .failed(reason) }
      if code == GNUTLS_E_SUCCESS {
        isAgreed = true
        emptyRecordCount = 0
        if let expectation = owned as? TLSExpectation {
          refusal = expectation.refusalByApple(of: peerCertificate)
          if let refusal { return .failed(fail(GNUTLS_E_CERTIFICATE_ERROR, refusal)) }
        }
        var name = gnutls_datum_t()
        if gnutls_alpn_get_selected_protocol(session, &name) == 0 {
          applicationProtocol = String(
            decoding: UnsafeBufferPointer(start: name.data, count: Int(name.size)), as: UTF8.self)
        }
        break
      }
      if code == GNUTLS_E_AGAIN, isStarved { return .wouldBlock }
      if gnutls_error_is_fatal(code) == 0 {
        // A message in many small records is read on, as long as bytes come and the deadline holds.
        guard handshakeBytes <= Self.handshakeLimitBytes else {
          return .failed(fail(GNUTLS_E_UNEXPECTED_PACKET, Self.handshakeTooLarge))
        }
        continue
      }
      return .failed(fail(code))
    }
    if let reason = sendFlight() { return .failed(reason) }
    guard unsent.isEmpty else { return .wouldBlock }
    isEstablished = true
    return .done
  }

  /// Sends what the handshake has written so far, and keeps what the socket does not take.
  ///
  /// - Returns: Nil, or why nothing can be sent any more.
  private func sendFlight() -> String? {
    if !readAhead.flight.isEmpty {
      if unsent.isEmpty { swap(&unsent, &readAhead.flight) } else { unsent += readAhead.flight }
      readAhead.flight.removeAll(keepingCapacity: true)
    }
    guard !unsent.isEmpty else { return nil }
    switch unsent.withUnsafeBufferPointer(socket.write) {
    case .bytes(let count) where count == unsent.count:
      unsent.removeAll(keepingCapacity: true)
      // Lent for the next connection's flight.
      swap(&unsent, &readAhead.flight)
      unsent = []
    case .bytes(let count): unsent.removeFirst(count)
    case .wouldBlock: break
    case .failed(let reason): return reason
    }
    return nil
  }

  /// What is wrong with the certificate of a server whose handshake failed, or nil when it was something else.
  package var certificateProblem: TLSFailure? {
    if let refusal { return .other(refusal) }
    let status = gnutls_session_get_verify_cert_status(session)
    return status == 0 || status == UInt32.max ? nil : TLSFailure(verificationStatus: status)
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportRead {
    // What comes after an alert is nobody's any more.
    if hasSentAlert { return socket.read(into: buffer) }
    while true {
      isStarved = false
      let count = gnutls_record_recv(session, buffer.baseAddress, buffer.count)
      if count > 0 {
        emptyRecordCount = 0
        return .bytes(count)
      }
      if count == 0 { return .end }
      let code = CInt(count)
      if code == GNUTLS_E_AGAIN, isStarved { return .wouldBlock }
      if code == GNUTLS_E_REHANDSHAKE {
        return .failed(fail(code, "the peer asks for another handshake"))
      }
      guard gnutls_error_is_fatal(code) == 0 else { return .failed(fail(code)) }
      guard toleratesEmptyRecord() else {
        return .failed(fail(GNUTLS_E_UNEXPECTED_PACKET, Self.tooManyEmptyRecords))
      }
    }
  }

  private static let tooManyEmptyRecords =
    "the peer sends more than \(emptyRecordLimitCount) records in a row without content"

  private static let handshakeTooLarge = "the peer's handshake has more than \(handshakeLimitBytes) bytes"

  /// Ends TLS with the alert that an error asks for (RFC 8446, 6.2).
  ///
  /// - Returns: The reason, for people.
  private func fail(_ code: CInt, _ reason: String? = nil) -> String {
    let reason = reason ?? self.reason(code)
    switch code {
    // The peer has gone, or has ended TLS itself, and nobody listens.
    case GNUTLS_E_PULL_ERROR, GNUTLS_E_PUSH_ERROR, GNUTLS_E_PREMATURE_TERMINATION,
      GNUTLS_E_FATAL_ALERT_RECEIVED:
      return reason
    default: break
    }
    hasSentAlert = gnutls_alert_send_appropriate(session, code) == GNUTLS_E_SUCCESS
    readAhead.unread = 0..<0
    (remainder, remainderOffset) = ([], 0)
    return reason
  }

  /// Whether one more may be read over: whoever sends nothing else would have the loop to himself.
  private func toleratesEmptyRecord() -> Bool {
    emptyRecordCount += 1
    return emptyRecordCount <= Self.emptyRecordLimitCount
  }

  package var isDrained: Bool {
    socket.isDrained && readAhead.unread.isEmpty && remainder.isEmpty
      && gnutls_record_check_pending(session) == 0
  }

  package func noteReadable() { socket.noteReadable() }

  package var hasBeenFull: Bool { socket.hasBeenFull }

  package func write(_ bytes: UnsafeBufferPointer<UInt8>) -> TransportWrite {
    while true {
      // After a short write the library holds the bytes itself and wants to be called with none.
      let count =
        hasPendingWrite
        ? gnutls_record_send(session, nil, 0) : gnutls_record_send(session, bytes.baseAddress, bytes.count)
      hasPendingWrite = false
      if count >= 0 { return .bytes(count) }
      let code = CInt(count)
      if code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED {
        hasPendingWrite = true
        if code == GNUTLS_E_AGAIN { return .wouldBlock }
        continue
      }
      return .failed(reason(code))
    }
  }

  package func expectEnd() { socket.expectEnd() }

  package func finishWriting() {
    // Unsent, the notice is missed by nobody: every answer has its length.
    if isEstablished, !hasPendingWrite, !hasSentAlert { _ = gnutls_bye(session, GNUTLS_SHUT_WR) }
    socket.finishWriting()
  }

  package func endTurn() {
    socket.endTurn()
    letGo()
  }

  package func close(reset: Bool) {
    letGo()
    socket.close(reset: reset)
  }

  /// Leaves the memory for reading ahead to the next connection.
  private func letGo() {
    guard isReading else { return }
    isReading = false
    if !readAhead.unread.isEmpty { remainder = Array(readAhead.memory[readAhead.unread]) }
    readAhead.unread = 0..<0
  }

  private func offer(_ protocols: [String], flags: UInt32) throws(TLSError) {
    guard !protocols.isEmpty else { return }
    var bytes = protocols.flatMap { Array($0.utf8) }
    let code = bytes.withUnsafeMutableBufferPointer { buffer in
      var offset = 0
      let names = protocols.map { name in
        defer { offset += name.utf8.count }
        return gnutls_datum_t(data: buffer.baseAddress! + offset, size: UInt32(name.utf8.count))
      }
      return gnutls_alpn_set_protocols(session, names, UInt32(names.count), flags)
    }
    try TLSError.check(code, "application protocols cannot be set")
  }

  /// What the reason of a failure has before the name of the alert that the peer sent.
  package static let refusalWords = "the peer refuses: "

  /// The reason of a connection that closed without the end that TLS has for it (RFC 8446, 6.1).
  package static let unendedWords = TLSError.text(GNUTLS_E_PREMATURE_TERMINATION)

  private func reason(_ code: CInt) -> String {
    if code == GNUTLS_E_PULL_ERROR, let readFailure { return readFailure }
    guard code == GNUTLS_E_FATAL_ALERT_RECEIVED else { return TLSError.text(code) }
    let alert = gnutls_alert_get_name(gnutls_alert_get(session)).map { String(cString: $0) } ?? "unknown"
    return Self.refusalWords + alert
  }

  /// Why the socket could not be read, which the library does not hand on.
  private var readFailure: String?

  private func pull(_ target: UnsafeMutableRawBufferPointer) -> Int {
    if remainderOffset < remainder.count {
      let count = min(target.count, remainder.count - remainderOffset)
      remainder.withUnsafeBytes {
        target.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: $0[remainderOffset..<(remainderOffset + count)]))
      }
      remainderOffset += count
      if remainderOffset == remainder.count { (remainder, remainderOffset) = ([], 0) }
      return count
    }
    if readAhead.unread.isEmpty {
      if !readAhead.flight.isEmpty {
        guard sendFlight() == nil else {
          gnutls_transport_set_errno(session, EIO)
          return -1
        }
        // The peer has to see the flight before it has anything to say, and the socket tells when it has.
        if socket.isDrained { return starve() }
      }
      switch socket.read(into: readAhead.memory) {
      case .bytes(let count):
        if !isAgreed { handshakeBytes += count }
        isReading = true
        readAhead.unread = 0..<count
      case .wouldBlock: return starve()
      case .end: return 0
      case .failed(let reason):
        readFailure = reason
        gnutls_transport_set_errno(session, EIO)
        return -1
      }
    }
    let count = min(target.count, readAhead.unread.count)
    let start = readAhead.unread.lowerBound
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: readAhead.memory[start..<(start + count)]))
    readAhead.unread = (start + count)..<readAhead.unread.upperBound
    return count
  }

  private func starve() -> Int {
    isStarved = true
    gnutls_transport_set_errno(session, EAGAIN)
    return -1
  }

  private func push(_ vectors: UnsafePointer<giovec_t>?, _ count: CInt) -> Int {
    if isJoiningFlight {
      var joined = 0
      for vector in UnsafeBufferPointer(start: vectors, count: Int(count)) {
        readAhead.flight += UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len)
        joined += vector.iov_len
      }
      return joined
    }
    guard unsent.isEmpty || sendFlight() == nil && unsent.isEmpty else {
      gnutls_transport_set_errno(session, EAGAIN)
      return -1
    }
    var message = msghdr()
    message.msg_iov = UnsafeMutablePointer(mutating: vectors)
    message.msg_iovlen = Int(count)
    while true {
      let sent = sendmsg(socket.descriptor, &message, socket.sendFlags)
      if sent >= 0 {
        // The library takes a short write for a full socket, and doesn't ask it once more.
        let whole = UnsafeBufferPointer(start: vectors, count: Int(count)).reduce(0) { $0 + $1.iov_len }
        if sent < whole { socket.noteFull() }
        return sent
      }
      if errno == EINTR { continue }
      if errno == EAGAIN { socket.noteFull() }
      gnutls_transport_set_errno(session, errno)
      return -1
    }
  }
}
