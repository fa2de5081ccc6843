internal import CGnuTLS
internal import LinkspanCore
internal import LinkspanCrypto

/// A certificate with its chain and its private key, as a server shows it.
///
/// `@unchecked Sendable`: the library's objects are made in `init`, only read afterwards (GnuTLS allows that from
/// any thread), and freed in `deinit`.
package final class TLSIdentity: @unchecked Sendable {
  /// Certificates in one file; more are an error. A guess; chains in use have two to four.
  static let chainLimitCount = 16

  /// The host names the certificate is for, lower-cased; a wildcard as `*.example.com`.
  package let hosts: [String]
  /// When the certificate is valid, both ends inclusive; its chain may end earlier.
  let begins, ends: WallTime
  /// An RSA key: a handshake costs 2.6 to 4.5 times as much as with ECDSA P-256 (measured, RSA-2048).
  package let usesRSA: Bool

  let certificates: UnsafeMutablePointer<gnutls_pcert_st>
  let certificateCount: UInt32
  let key: gnutls_privkey_t
  /// What signs for ``key``, which points at it: OpenSSL, with an ECDSA P-256 or RSA key that it took. nil where GnuTLS
  /// signs.
  let signer: HandshakeSigner?

  package convenience init(_ certificate: ThrowawayCertificate) throws(TLSError) {
    try self.init(certificatePEM: certificate.certificatePEM, keyPEM: certificate.keyPEM)
  }

  /// - Parameters:
  ///   - certificatePEM: The certificate before its chain.
  ///   - certificateFile: Where the bytes came from, for errors.
  ///   - keyFile: Likewise.
  /// - Throws: ``TLSError`` naming the file and the reason.
  package init(
    certificatePEM: [UInt8], keyPEM: [UInt8], certificateFile: String? = nil, keyFile: String? = nil
  ) throws(TLSError) {
    let certificates = UnsafeMutablePointer<gnutls_pcert_st>.allocate(capacity: Self.chainLimitCount)
    certificates.initialize(repeating: gnutls_pcert_st(), count: Self.chainLimitCount)
    var count = UInt32(Self.chainLimitCount)
    let imported = Datum.with(certificatePEM) {
      gnutls_pcert_list_import_x509_raw(
        certificates, &count, $0, GNUTLS_X509_FMT_PEM,
        UInt32(GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED.rawValue))
    }
    guard imported >= 0, count > 0 else {
      certificates.deallocate()
      throw TLSError(
        .badCertificate, file: certificateFile,
        imported == GNUTLS_E_SHORT_MEMORY_BUFFER
          ? "more than \(Self.chainLimitCount) certificates; a server shows its own and those of its issuers"
          : "no usable certificate in PEM form: \(TLSError.text(imported))")
    }
    var key: gnutls_privkey_t?
    func discard() {
      for index in 0..<Int(count) { gnutls_pcert_deinit(certificates + index) }
      certificates.deallocate()
      gnutls_privkey_deinit(key)
    }
    do throws(TLSError) {
      try Self.refuseUnusableKey(certificates.pointee.pubkey, file: certificateFile)
      try TLSError.check(gnutls_privkey_init(&key), "a private key cannot be made")
      try TLSError.check(
        Datum.with(keyPEM) { gnutls_privkey_import_x509_raw(key, $0, GNUTLS_X509_FMT_PEM, nil, 0) },
        "no usable private key in PEM form", .badKey, file: keyFile)
      guard try Self.keyIdentifier(certificates.pointee.pubkey) == Self.keyIdentifier(of: key) else {
        throw TLSError(
          .keyOfAnotherCertificate, file: keyFile,
          "the private key does not belong to the certificate"
            + (certificateFile.map { " in \($0)" } ?? ""))
      }
      let certificate = try Self.certificate(certificates.pointee.cert, file: certificateFile)
      (hosts, begins, ends) = (certificate.hostNames, certificate.begins, certificate.ends)
    } catch {
      discard()
      throw error
    }
    usesRSA = gnutls_pubkey_get_pk_algorithm(certificates.pointee.pubkey, nil) == CInt(GNUTLS_PK_RSA.rawValue)
    self.certificates = certificates
    certificateCount = count
    if let signer = HandshakeSigner(for: key!),
      let signing = signer.makeKey(verifiedBy: certificates.pointee.pubkey)
    {
      gnutls_privkey_deinit(key)
      self.signer = signer
      self.key = signing
    } else {
      signer = nil
      self.key = key!
    }
  }

  deinit {
    for index in 0..<Int(certificateCount) { gnutls_pcert_deinit(certificates + index) }
    certificates.deallocate()
    gnutls_privkey_deinit(key)
  }

  /// A handshake signs with RSA, P-256 and P-384 (``TLSPriorities``): Apple's systems take no signature of another key. Ed25519 is
  /// not among what they offer either (Apple Developer Forums, thread 674462: iOS 14.2).
  private static func refuseUnusableKey(_ key: gnutls_pubkey_t?, file: String?) throws(TLSError) {
    var bits: UInt32 = 0
    let kind = gnutls_pubkey_get_pk_algorithm(key, &bits)
    let what: String
    switch kind {
    case CInt(GNUTLS_PK_RSA.rawValue): return
    case CInt(GNUTLS_PK_ECDSA.rawValue):
      if bits == 256 || bits == 384 { return }
      what = "on a curve"
    default: what = "of a kind"
    }
    throw TLSError(
      .unusableCertificate, file: file,
      "the certificate's key is \(what) with which no device makes a connection; use one on P-256 or P-384")
  }

  private static func keyIdentifier(_ key: gnutls_pubkey_t?) throws(TLSError) -> [UInt8] {
    var identifier = [UInt8](repeating: 0, count: 64)
    var size = identifier.count
    try TLSError.check(
      gnutls_pubkey_get_key_id(key, UInt32(GNUTLS_KEYID_USE_SHA256.rawValue), &identifier, &size),
      "the key has no identifier", .badKey)
    return Array(identifier[..<size])
  }

  /// Hands certificates and key to the library, which asks for them in a handshake; nothing becomes the library's to free.
  ///
  /// - Returns: What the library's callback returns.
  func shown(
    _ certificates: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?,
    _ count: UnsafeMutablePointer<UInt32>?,
    _ ocsp: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_ocsp_data_st>?>?,
    _ ocspCount: UnsafeMutablePointer<UInt32>?,
    _ key: UnsafeMutablePointer<gnutls_privkey_t?>?, _ flags: UnsafeMutablePointer<UInt32>?
  ) -> CInt {
    certificates?.pointee = self.certificates
    count?.pointee = certificateCount
    ocsp?.pointee = nil
    ocspCount?.pointee = 0
    key?.pointee = self.key
    flags?.pointee = 0
    return 0
  }

  private static func keyIdentifier(of key: gnutls_privkey_t?) throws(TLSError) -> [UInt8] {
    var publicKey: gnutls_pubkey_t?
    try TLSError.check(gnutls_pubkey_init(&publicKey), "a public key cannot be made")
    defer { gnutls_pubkey_deinit(publicKey) }
    try TLSError.check(
      gnutls_pubkey_import_privkey(publicKey, key, 0, 0), "the private key has no public half", .badKey)
    return try keyIdentifier(publicKey)
  }

  private static func certificate(_ der: gnutls_datum_t, file: String?) throws(TLSError) -> Certificate {
    let bytes = Array(UnsafeBufferPointer(start: der.data, count: Int(der.size)))
    guard let certificate = Certificate(der: bytes) else {
      throw TLSError(.badCertificate, file: file, "the certificate cannot be read")
    }
    return certificate
  }
}
