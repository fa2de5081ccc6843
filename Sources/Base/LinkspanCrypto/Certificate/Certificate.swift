internal import CGnuTLS
package import LinkspanCore

/// An X.509 certificate, read.
///
/// `@unchecked Sendable`: the library's object is made in `init`, only read afterwards (GnuTLS allows that from
/// any thread), and freed in `deinit`.
package final class Certificate: @unchecked Sendable {
  /// What a certificate's key may be used for (RFC 5280, 4.2.1.12).
  package enum Purpose: Hashable, Sendable {
    /// TLS servers.
    case server
    /// Mail, which is what `openssl smime` asks for.
    case mail
    case code

    var identifier: String {
      switch self {
      case .server: GNUTLS_KP_TLS_WWW_SERVER
      case .mail: GNUTLS_KP_EMAIL_PROTECTION
      case .code: GNUTLS_KP_CODE_SIGNING
      }
    }
  }

  let handle: gnutls_x509_crt_t
  let der: [UInt8]

  /// The subject's name as RFC 4514 writes it, such as `CN=example.com`.
  package let subject: String
  /// The issuer's, likewise.
  package let issuer: String
  /// Lower-case hexadecimal.
  package let serialNumber: String
  /// The beginning of its validity, inclusive.
  package let begins: WallTime
  /// The end of its validity, inclusive.
  package let ends: WallTime
  /// The key's algorithm and size, such as `RSA 2048` and `EC/ECDSA 256`.
  package let keyText: String

  /// - Returns: nil when the bytes are no certificate that can be read whole.
  package init?(der: [UInt8]) {
    var handle: gnutls_x509_crt_t?
    guard gnutls_x509_crt_init(&handle) >= 0, let handle else { return nil }
    guard Datum.with(der, { gnutls_x509_crt_import(handle, $0, GNUTLS_X509_FMT_DER) }) >= 0,
      let subject = Self.text(handle, gnutls_x509_crt_get_dn3),
      let issuer = Self.text(handle, gnutls_x509_crt_get_issuer_dn3),
      let serial = Self.bytes(limit: 64, { gnutls_x509_crt_get_serial(handle, $0, $1) }),
      let begins = Self.moment(gnutls_x509_crt_get_activation_time(handle)),
      let ends = Self.moment(gnutls_x509_crt_get_expiration_time(handle))
    else {
      gnutls_x509_crt_deinit(handle)
      return nil
    }
    var bits: UInt32 = 0
    let algorithm = gnutls_x509_crt_get_pk_algorithm(handle, &bits)
    let name = gnutls_pk_algorithm_get_name(gnutls_pk_algorithm_t(rawValue: UInt32(max(0, algorithm))))
    keyText = "\(name.map { String(cString: $0) } ?? "unknown") \(bits)"
    self.handle = handle
    self.der = der
    self.subject = subject
    self.issuer = issuer
    self.begins = begins
    self.ends = ends
    serialNumber = ASCII.hexText(serial)
  }

  deinit { gnutls_x509_crt_deinit(handle) }

  /// All certificates of a PEM text, in its order; none when it has none.
  ///
  /// - Returns: nil when one of them cannot be read.
  package static func all(inPEM bytes: [UInt8]) -> [Certificate]? {
    var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
    var count: UInt32 = 0
    let code = Datum.with(bytes) { gnutls_x509_crt_list_import2(&list, &count, $0, GNUTLS_X509_FMT_PEM, 0) }
    if code == GNUTLS_E_NO_CERTIFICATE_FOUND { return [] }
    guard code >= 0, let list else { return nil }
    defer {
      for index in 0..<Int(count) { gnutls_x509_crt_deinit(list[index]) }
      linkspan_gnutls_free(list)
    }
    var all: [Certificate] = []
    for index in 0..<Int(count) {
      var der = gnutls_datum_t()
      guard gnutls_x509_crt_export2(list[index], GNUTLS_X509_FMT_DER, &der) >= 0,
        let certificate = Certificate(der: Datum.take(der))
      else { return nil }
      all.append(certificate)
    }
    return all
  }

  /// The issuer's name, as its element.
  var issuerName: [UInt8]? {
    var name = gnutls_datum_t()
    guard gnutls_x509_crt_get_raw_issuer_dn(handle, &name) >= 0 else { return nil }
    return Datum.take(name)
  }

  /// The content of the serial number.
  var serial: [UInt8]? { Self.bytes(limit: 64) { gnutls_x509_crt_get_serial(handle, $0, $1) } }

  var subjectKeyIdentifier: [UInt8]? {
    Self.bytes(limit: 128) { gnutls_x509_crt_get_subject_key_id(handle, $0, $1, nil) }
  }

  /// What two halves of a key pair have in common.
  var keyIdentifier: [UInt8]? {
    Self.bytes(limit: 64) {
      gnutls_x509_crt_get_key_id(
        handle, UInt32(GNUTLS_KEYID_USE_SHA256.rawValue), $0?.assumingMemoryBound(to: UInt8.self), $1)
    }
  }

  /// Whether another certificate's subject is its issuer; the signature is not verified.
  package func names(asIssuer other: Certificate) -> Bool {
    gnutls_x509_crt_check_issuer(handle, other.handle) != 0
  }

  /// Whether another one's key made the signature on it, however weak the algorithm is.
  func isSigned(by other: Certificate) -> Bool {
    var issuer: gnutls_x509_crt_t? = other.handle
    var status: UInt32 = 0
    let flags =
      GNUTLS_VERIFY_DISABLE_TIME_CHECKS.rawValue | GNUTLS_VERIFY_DISABLE_TRUSTED_TIME_CHECKS.rawValue
      | GNUTLS_VERIFY_DO_NOT_ALLOW_SAME.rawValue | GNUTLS_VERIFY_ALLOW_SIGN_WITH_SHA1.rawValue
      | GNUTLS_VERIFY_DISABLE_CA_SIGN.rawValue
    let code = gnutls_x509_crt_verify(handle, &issuer, 1, flags, &status)
    return code >= 0 && status == 0
  }

  /// Whether its issuer has its own name.
  package var isSelfIssued: Bool { names(asIssuer: self) }

  /// Whether a time lies in its validity period, both ends included.
  package func isGood(at moment: WallTime) -> Bool { moment >= begins && moment <= ends }

  /// Whether it was made for a host's server: names it, wildcards included.
  package func isFor(host: String) -> Bool { gnutls_x509_crt_check_hostname2(handle, host, 0) != 0 }

  /// Whether it may be used for TLS servers, as the certificates of web sites are.
  package var isForServers: Bool { allows(Purpose.server.identifier) }

  /// Whether its key may sign what is neither a certificate nor a revocation.
  var mayBeUsedToSign: Bool {
    var usage: UInt32 = 0
    // Without the extension every use is allowed (RFC 5280, 4.2.1.3).
    guard gnutls_x509_crt_get_key_usage(handle, &usage, nil) >= 0 else { return true }
    return usage & UInt32(GNUTLS_KEY_DIGITAL_SIGNATURE | GNUTLS_KEY_NON_REPUDIATION) != 0
  }

  /// Whether it may be used for at least one of these purposes.
  func allows(anyOf purposes: [Purpose]) -> Bool { purposes.contains { allows($0.identifier) } }

  /// True also without the extension: every purpose is then allowed (RFC 5280, 4.2.1.12).
  private func allows(_ purpose: String) -> Bool {
    gnutls_x509_crt_check_key_purpose(handle, purpose, 0) != 0
  }

  /// Whether this certificate's key made a signature.
  func verifies(
    _ signature: [UInt8], over data: [UInt8], _ key: KeyAlgorithm, _ digest: DigestAlgorithm
  ) -> Bool {
    var publicKey: gnutls_pubkey_t?
    guard gnutls_pubkey_init(&publicKey) >= 0 else { return false }
    defer { gnutls_pubkey_deinit(publicKey) }
    guard gnutls_pubkey_import_x509(publicKey, handle, 0) >= 0 else { return false }
    return Datum.with(data) { data in
      Datum.with(signature) { signature in
        gnutls_pubkey_verify_data2(publicKey, key.algorithm(with: digest), 0, data, signature) >= 0
      }
    }
  }

  private static func text(
    _ handle: gnutls_x509_crt_t,
    _ get: (gnutls_x509_crt_t?, UnsafeMutablePointer<gnutls_datum_t>?, UInt32) -> CInt
  ) -> String? {
    var text = gnutls_datum_t()
    let code = get(handle, &text, 0)
    // A certificate may have an empty subject, and its names elsewhere.
    if code == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { return "" }
    return code >= 0 ? Datum.takeText(text) : nil
  }

  private static func bytes(
    limit: Int, _ get: (UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?) -> CInt
  ) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    var count = limit
    let code = bytes.withUnsafeMutableBytes { get($0.baseAddress, &count) }
    return code >= 0 ? Array(bytes.prefix(count)) : nil
  }

  private static func moment(_ seconds: time_t) -> WallTime? {
    seconds == -1 ? nil : WallTime(milliseconds: Int64(seconds) * 1000)
  }
}
