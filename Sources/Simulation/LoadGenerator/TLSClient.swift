internal import CGnuTLS
internal import Glibc

/// What all TLS sessions of a load share: one suite, one group, no verification.
///
/// The processor time of a client is paid on the same machine as the server's: offering less makes the handshake
/// cheaper, and every peer gets the same offer. A rehearsal also offers what servers of TLS 1.2 and with RSA certificates need. The
/// library verifies the signature of the handshake in any case.
final class TLSClientSettings {
  private static let narrow =
    "NONE:+VERS-TLS1.3:+AES-128-GCM:+AEAD:+ECDHE-ECDSA:+GROUP-X25519:+SIGN-ECDSA-SECP256R1-SHA256"
    + ":+SIGN-ECDSA-SHA256:+COMP-NULL:+CTYPE-X509"
  private static let wide =
    narrow + ":+VERS-TLS1.2:+ECDHE-RSA:+AES-256-GCM:+CHACHA20-POLY1305:+GROUP-SECP256R1"
    + ":+SIGN-RSA-PSS-RSAE-SHA256:+SIGN-RSA-SHA256"

  fileprivate let priorities: gnutls_priority_t
  fileprivate let credentials: gnutls_certificate_credentials_t
  /// Read into by one session after the other; a session drains what it read before it lets go.
  fileprivate let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  init(verify file: String?, offersMore: Bool) throws(LoadError) {
    var priorities: gnutls_priority_t?
    var credentials: gnutls_certificate_credentials_t?
    guard gnutls_priority_init(&priorities, offersMore ? Self.wide : Self.narrow, nil) == 0,
      gnutls_certificate_allocate_credentials(&credentials) == 0
    else { throw LoadError("TLS cannot be set up") }
    if let file, gnutls_certificate_set_x509_trust_file(credentials, file, GNUTLS_X509_FMT_PEM) < 1 {
      throw LoadError("\(file) holds no certificate")
    }
    self.priorities = priorities!
    self.credentials = credentials!
  }
}

/// The client's side of TLS on one socket, by GnuTLS.
final class TLSClient: LoadTLS {
  private let settings: TLSClientSettings
  private let session: gnutls_session_t
  private let descriptor: CInt
  private(set) var failure = LoadFailure.Cause.end
  /// The system's error behind it, where there was one.
  private var systemError: CInt = 0
  private var unread = 0..<0
  private var remainder: [UInt8] = []

  /// - Parameter verifiedHost: The name that the certificate has to be good for, or nil.
  init(
    _ descriptor: CInt, _ settings: TLSClientSettings, host: String, http2: Bool, verifiedHost: String?
  ) throws(LoadError) {
    var session: gnutls_session_t?
    let flags =
      UInt32(GNUTLS_CLIENT.rawValue) | UInt32(GNUTLS_NONBLOCK) | UInt32(GNUTLS_NO_SIGNAL)
      | UInt32(GNUTLS_NO_TICKETS)
    guard gnutls_init(&session, flags) == 0, let session else { throw LoadError("no TLS session") }
    self.settings = settings
    self.session = session
    self.descriptor = descriptor
    gnutls_priority_set(session, settings.priorities)
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(settings.credentials))
    gnutls_server_name_set(session, GNUTLS_NAME_DNS, host, host.utf8.count)
    if let verifiedHost {
      // The session keeps the pointer. One session does it, so the name may live as long as the process.
      gnutls_session_set_verify_cert(session, strdup(verifiedHost), 0)
    }
    var name = Array((http2 ? "h2" : "http/1.1").utf8)
    name.withUnsafeMutableBufferPointer { name in
      var datum = gnutls_datum_t(data: name.baseAddress, size: UInt32(name.count))
      _ = gnutls_alpn_set_protocols(session, &datum, 1, 0)
    }
    gnutls_transport_set_ptr(session, Unmanaged.passUnretained(self).toOpaque())
    gnutls_transport_set_pull_function(session) { pointer, target, size in
      guard let pointer, let target else { return -1 }
      let client = Unmanaged<TLSClient>.fromOpaque(pointer).takeUnretainedValue()
      return client.pull(UnsafeMutableRawBufferPointer(start: target, count: size))
    }
    gnutls_transport_set_push_function(session) { pointer, bytes, size in
      guard let pointer else { return -1 }
      let client = Unmanaged<TLSClient>.fromOpaque(pointer).takeUnretainedValue()
      let sent = send(client.descriptor, bytes, size, CInt(MSG_NOSIGNAL))
      if sent < 0 { client.note(errno) }
      return sent
    }
  }

  deinit { gnutls_deinit(session) }

  /// The first certificate of the server, in DER; nil before the handshake.
  var certificate: [UInt8]? {
    var count: UInt32 = 0
    guard let chain = gnutls_certificate_get_peers(session, &count), count > 0 else { return nil }
    return Array(UnsafeBufferPointer(start: chain.pointee.data, count: Int(chain.pointee.size)))
  }

  func handshake() -> Bool? {
    while true {
      let code = gnutls_handshake(session)
      if code == 0 { return true }
      if code == GNUTLS_E_AGAIN { return false }
      if gnutls_error_is_fatal(code) != 0 {
        fail(code)
        return nil
      }
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      let count = gnutls_record_recv(session, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if CInt(count) == GNUTLS_E_AGAIN {
        // Also said after a session ticket, with the answer behind it read already.
        if unread.isEmpty, remainder.isEmpty { return nil }
        continue
      }
      if CInt(count) == GNUTLS_E_PREMATURE_TERMINATION, systemError == 0 { return 0 }
      if gnutls_error_is_fatal(CInt(count)) != 0 {
        fail(CInt(count))
        return -1
      }
    }
  }

  func write(_ bytes: [UInt8]) -> LoadFailure.Cause? {
    let count = gnutls_record_send(session, bytes, bytes.count)
    if count == bytes.count { return nil }
    fail(count < 0 ? CInt(count) : GNUTLS_E_AGAIN)
    return failure
  }

  private func note(_ error: CInt) {
    if error != EAGAIN { systemError = error }
    gnutls_transport_set_errno(session, error)
  }

  private func fail(_ code: CInt) {
    if code == GNUTLS_E_FATAL_ALERT_RECEIVED {
      failure = .alert(gnutls_alert_get(session).rawValue)
    } else if systemError != 0 {
      failure = .system(systemError)
    } else {
      failure = code == GNUTLS_E_PREMATURE_TERMINATION ? .end : .tls(code)
    }
  }

  /// Keeps what was read ahead.
  func endTurn() {
    if !unread.isEmpty { remainder += settings.memory[unread] }
    unread = 0..<0
  }

  private func pull(_ target: UnsafeMutableRawBufferPointer) -> Int {
    if !remainder.isEmpty {
      let count = min(target.count, remainder.count)
      target.copyBytes(from: remainder[..<count])
      remainder.removeFirst(count)
      return count
    }
    if unread.isEmpty {
      let count = recv(descriptor, settings.memory.baseAddress, settings.memory.count, 0)
      guard count > 0 else {
        if count < 0 { note(errno) }
        return count
      }
      unread = 0..<count
    }
    let count = min(target.count, unread.count)
    let start = unread.lowerBound
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: settings.memory[start..<(start + count)]))
    unread = (start + count)..<unread.upperBound
    return count
  }
}
