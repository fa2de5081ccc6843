internal import CGnuTLS
internal import LinkspanCore

/// Which certificate authorities vouch for a server.
package enum TLSTrust: Hashable, Sendable {
  /// Those of the system (Debian: package ca-certificates).
  case system
  /// Those in a PEM file, and no others.
  case authorities(file: String)
  /// Those in PEM bytes, and no others.
  case authoritiesPEM([UInt8])
  /// Whoever answers is believed. For `?mode=developer` and for tests.
  case anyone
}

/// A trust loaded, with what one client session needs of it; used by one session.
final class TLSClientTrust {
  let handle: gnutls_certificate_credentials_t
  let priorities: TLSPriorities
  private let verifies: Bool
  private var elements: UnsafeMutablePointer<gnutls_typed_vdata_st>?
  private var texts: [UnsafeMutableBufferPointer<UInt8>] = []

  /// - Throws: ``TLSError`` when the file cannot be read or holds no certificate, or the system has none.
  init(_ trust: TLSTrust) throws(TLSError) {
    priorities = try TLSPriorities(TLSPriorities.client)
    verifies = trust != .anyone
    var handle: gnutls_certificate_credentials_t?
    try TLSError.check(gnutls_certificate_allocate_credentials(&handle), "credentials cannot be made")
    self.handle = handle!
    switch trust {
    case .anyone: break
    case .system:
      guard gnutls_certificate_set_x509_system_trust(handle) > 0 else {
        throw TLSError(.badCertificate, "the system has no certificate authorities; install ca-certificates")
      }
    case .authorities(let file): try add(FileBytes.read(file), file: file)
    case .authoritiesPEM(let bytes): try add(bytes, file: nil)
    }
  }

  deinit {
    gnutls_certificate_free_credentials(handle)
    elements?.deallocate()
    for text in texts { text.deallocate() }
  }

  /// Asks for `host`, and has chain, name and server purpose checked in the handshake.
  func prepare(_ session: gnutls_session_t, host: String) throws(TLSError) {
    // An address is not sent as a name (RFC 6066, 3).
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if SocketAddress(name, port: 0) == nil {
      try TLSError.check(
        gnutls_server_name_set(session, GNUTLS_NAME_DNS, name, name.utf8.count),
        "the host name cannot be sent")
    }
    guard verifies else { return }
    let elements = UnsafeMutablePointer<gnutls_typed_vdata_st>.allocate(capacity: 2)
    elements[0] = gnutls_typed_vdata_st(type: GNUTLS_DT_DNS_HOSTNAME, data: copy(name), size: 0)
    elements[1] = gnutls_typed_vdata_st(
      type: GNUTLS_DT_KEY_PURPOSE_OID, data: copy(GNUTLS_KP_TLS_WWW_SERVER), size: 0)
    self.elements = elements
    gnutls_session_set_verify_cert2(session, elements, 2, 0)
  }

  private func add(_ pem: [UInt8], file: String?) throws(TLSError) {
    let count = Datum.with(pem) { gnutls_certificate_set_x509_trust_mem(handle, $0, GNUTLS_X509_FMT_PEM) }
    guard count > 0 else {
      throw TLSError(.badCertificate, file: file, "no usable certificate in PEM form")
    }
  }

  /// A text ending in zero that lives as long as this object.
  private func copy(_ text: String) -> UnsafeMutablePointer<UInt8> {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count + 1)
    _ = bytes.initialize(from: Array(text.utf8) + [0])
    texts.append(bytes)
    return bytes.baseAddress!
  }
}
