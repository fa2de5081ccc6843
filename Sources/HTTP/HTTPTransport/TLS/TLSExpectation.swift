internal import CGnuTLS
internal import LinkspanCore
internal import LinkspanCrypto

/// Whom one client session asks for, and what it checks of who answers. A session points into it, so it lives as long.
final class TLSExpectation {
  /// Shared by every session that believes the same authorities.
  let trust: TLSClientTrust
  private let elements = UnsafeMutablePointer<gnutls_typed_vdata_st>.allocate(capacity: 2)
  private let name: UnsafeMutableBufferPointer<UInt8>
  private let purpose: UnsafeMutableBufferPointer<UInt8>
  private let isAddress: Bool

  /// - Parameter host: A name or an address; an IPv6 address with or without brackets.
  init(_ host: String, _ trust: TLSClientTrust) {
    self.trust = trust
    let host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    isAddress = SocketAddress(host, port: 0) != nil
    name = Self.copy(host)
    purpose = Self.copy(GNUTLS_KP_TLS_WWW_SERVER)
  }

  deinit {
    elements.deallocate()
    name.deallocate()
    purpose.deallocate()
  }

  /// Asks for the host, and has chain, name and server purpose checked in the handshake.
  func prepare(_ session: gnutls_session_t) throws(TLSError) {
    // An address is not sent as a name (RFC 6066, 3).
    if !isAddress {
      try TLSError.check(
        gnutls_server_name_set(session, GNUTLS_NAME_DNS, name.baseAddress, name.count - 1),
        "the host name cannot be sent")
    }
    guard trust.verifies else { return }
    elements[0] = gnutls_typed_vdata_st(type: GNUTLS_DT_DNS_HOSTNAME, data: name.baseAddress, size: 0)
    elements[1] = gnutls_typed_vdata_st(type: GNUTLS_DT_KEY_PURPOSE_OID, data: purpose.baseAddress, size: 0)
    gnutls_session_set_verify_cert2(session, elements, 2, 0)
  }

  /// Why Apple's systems would refuse a certificate that this session believes; nil when nobody asks.
  func refusalByApple(of certificate: [UInt8]?) -> String? {
    guard trust.demandsAsApple, let certificate, let read = Certificate(der: certificate) else { return nil }
    return read.refusalByApple(isForName: !isAddress)
  }

  /// The text with the zero behind it that C wants.
  private static func copy(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count + 1)
    _ = bytes.initialize(from: Array(text.utf8) + [0])
    return bytes
  }
}
