internal import CGnuTLS
internal import LinkspanCore
internal import LinkspanCrypto

/// A self-signed certificate for trying things out; nobody trusts it who is not told to.
package struct ThrowawayCertificate: Hashable, Sendable {
  package var certificatePEM: [UInt8]
  /// The private key. It belongs in no log and no error.
  package var keyPEM: [UInt8]

  private static let subject = "linkspan throw-away"

  /// Whether a file has certificates that were made here, in PEM form, and nothing else.
  package static func isOne(pem: [UInt8]) -> Bool {
    let text = String(decoding: pem, as: UTF8.self)
    // No key beside it.
    let begin = "-----BEGIN CERTIFICATE-----"
    guard text.hasPrefix(begin), text.ranges(of: "-----BEGIN").count == text.ranges(of: begin).count else {
      return false
    }
    return Certificate.all(inPEM: pem)?.allSatisfy { $0.subject == "CN=\(subject)" } ?? false
  }

  /// Makes an ECDSA P-256 key and a certificate for server use.
  ///
  /// - Parameters:
  ///   - names: Host names, wildcards (`*.example.com`) and addresses (`127.0.0.1`, `::1`); at least one.
  ///   - start: Wall-clock time the certificate begins, in seconds since 1970.
  ///   - lifetime: How long it lives, at least one second.
  /// - Throws: ``TLSError`` of kind `library`, when a name does not fit into a certificate or randomness is out.
  package static func make(
    for names: [String], from start: Int64, lifetime: Duration = .seconds(86_400)
  ) throws(TLSError) -> ThrowawayCertificate {
    try make(for: names, from: start, lifetime: lifetime, purpose: GNUTLS_KP_TLS_WWW_SERVER)
  }

  /// - Parameter purpose: The object identifier of what the key may be used for.
  static func make(
    for names: [String], from start: Int64, lifetime: Duration, purpose: String
  ) throws(TLSError) -> ThrowawayCertificate {
    precondition(!names.isEmpty, "a certificate needs a name")
    var key: gnutls_x509_privkey_t?
    try TLSError.check(gnutls_x509_privkey_init(&key), "a key cannot be made")
    defer { gnutls_x509_privkey_deinit(key) }
    try TLSError.check(
      gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, linkspan_gnutls_p256_bits(), 0),
      "a key cannot be made")

    var certificate: gnutls_x509_crt_t?
    try TLSError.check(gnutls_x509_crt_init(&certificate), "a certificate cannot be made")
    defer { gnutls_x509_crt_deinit(certificate) }
    func check(_ code: CInt) throws(TLSError) { try TLSError.check(code, "a certificate cannot be made") }
    try check(gnutls_x509_crt_set_version(certificate, 3))
    // A serial number is positive and has at most 20 octets (RFC 5280, 4.1.2.2).
    var serial = [UInt8](repeating: 0, count: 16)
    try check(gnutls_rnd(GNUTLS_RND_NONCE, &serial, serial.count))
    serial[0] = serial[0] & 0x3F | 0x40
    try check(gnutls_x509_crt_set_serial(certificate, serial, serial.count))
    try check(gnutls_x509_crt_set_activation_time(certificate, Int(start)))
    try check(
      gnutls_x509_crt_set_expiration_time(certificate, Int(start + max(1, lifetime.components.seconds))))
    try check(
      gnutls_x509_crt_set_dn_by_oid(certificate, "2.5.4.3", 0, subject, UInt32(subject.utf8.count)))
    try check(add(names, to: certificate))
    try check(gnutls_x509_crt_set_basic_constraints(certificate, 0, -1))
    try check(gnutls_x509_crt_set_key_usage(certificate, UInt32(GNUTLS_KEY_DIGITAL_SIGNATURE)))
    try check(gnutls_x509_crt_set_key_purpose_oid(certificate, purpose, 0))
    try check(gnutls_x509_crt_set_key(certificate, key))
    try check(gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0))

    var certificatePEM = gnutls_datum_t()
    try check(gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &certificatePEM))
    var keyPEM = gnutls_datum_t()
    let exported = gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &keyPEM)
    let certificateBytes = Datum.take(certificatePEM)
    try check(exported)
    return ThrowawayCertificate(certificatePEM: certificateBytes, keyPEM: Datum.take(keyPEM))
  }

  /// All names at once: added one by one to the certificate, each has the library read and write all before it (RFC 5280,
  /// 4.2.1.6, is what it writes).
  private static func add(_ names: [String], to certificate: gnutls_x509_crt_t?) -> CInt {
    var list: gnutls_subject_alt_names_t?
    var code = gnutls_subject_alt_names_init(&list)
    defer { gnutls_subject_alt_names_deinit(list) }
    for name in names where code >= 0 {
      let address = SocketAddress(name, port: 0)?.octets
      let kind = address == nil ? GNUTLS_SAN_DNSNAME : GNUTLS_SAN_IPADDRESS
      code = Datum.with(address ?? Array(name.utf8)) {
        gnutls_subject_alt_names_set(list, kind.rawValue, $0, nil)
      }
    }
    guard code >= 0 else { return code }
    var written = gnutls_datum_t()
    code = gnutls_x509_ext_export_subject_alt_names(list, &written)
    guard code >= 0 else { return code }
    let bytes = Datum.take(written)
    return gnutls_x509_crt_set_extension_by_oid(certificate, subjectAlternativeNames, bytes, bytes.count, 0)
  }

  /// `id-ce-subjectAltName` of RFC 5280; the library's name for it is a macro.
  private static let subjectAlternativeNames = "2.5.29.17"
}
