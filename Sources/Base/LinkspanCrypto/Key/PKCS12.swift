internal import CGnuTLS

/// The content of a PKCS#12 file (RFC 7292): its only key and its certificates.
final class PKCS12 {
  /// Our choice: a file has two safes, one of keys and one of certificates.
  private static let bagLimitCount = 64

  private(set) var certificates: [Certificate] = []
  private var keys: [gnutls_x509_privkey_t] = []

  init(_ bytes: [UInt8], passphrase: Passphrase?) throws(IdentityError) {
    var handle: gnutls_pkcs12_t?
    guard gnutls_pkcs12_init(&handle) >= 0, let handle else { throw .library("no memory") }
    defer { gnutls_pkcs12_deinit(handle) }
    guard Datum.with(bytes, { gnutls_pkcs12_import(handle, $0, GNUTLS_X509_FMT_DER, 0) }) >= 0 else {
      throw .notPKCS12
    }
    // An empty passphrase and none are two things here, and files are made with either.
    let candidates: [Passphrase?] =
      passphrase.map { [$0] } ?? [Passphrase(copying: .init(start: nil, count: 0)), nil]
    var problem = IdentityError.wrongPassphrase
    for candidate in candidates {
      do throws(IdentityError) {
        try open(handle, candidate)
        guard keys.count < 2 else { throw .severalKeys(keys.count) }
        return
      } catch {
        problem = error
        guard error == .wrongPassphrase else { break }
      }
    }
    throw problem == .wrongPassphrase && passphrase == nil ? .passphraseNeeded : problem
  }

  deinit { for key in keys { gnutls_x509_privkey_deinit(key) } }

  /// The key, which the caller owns from then on.
  func takeKey() -> gnutls_x509_privkey_t? { keys.popLast() }

  private func open(_ handle: gnutls_pkcs12_t, _ passphrase: Passphrase?) throws(IdentityError) {
    // A file without a MAC is not held against its owner; its bags are decrypted or not.
    let verified = Self.with(passphrase) { gnutls_pkcs12_verify_mac(handle, $0) }
    guard verified != GNUTLS_E_MAC_VERIFY_FAILED else { throw .wrongPassphrase }
    certificates = []
    while let key = keys.popLast() { gnutls_x509_privkey_deinit(key) }
    for index in 0..<Self.bagLimitCount {
      var bag: gnutls_pkcs12_bag_t?
      guard gnutls_pkcs12_bag_init(&bag) >= 0, let bag else { throw .library("no memory") }
      defer { gnutls_pkcs12_bag_deinit(bag) }
      let code = gnutls_pkcs12_get_bag(handle, CInt(index), bag)
      if code == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { return }
      guard code >= 0 else { throw .notPKCS12 }
      if gnutls_pkcs12_bag_get_type(bag, 0) == CInt(GNUTLS_BAG_ENCRYPTED.rawValue) {
        let code = Self.with(passphrase) { gnutls_pkcs12_bag_decrypt(bag, $0) }
        guard code >= 0 else { throw .wrongPassphrase }
      }
      try read(bag, passphrase)
    }
  }

  private func read(_ bag: gnutls_pkcs12_bag_t, _ passphrase: Passphrase?) throws(IdentityError) {
    for index in 0..<UInt32(max(0, gnutls_pkcs12_bag_get_count(bag))) {
      var data = gnutls_datum_t()
      guard gnutls_pkcs12_bag_get_data(bag, index, &data) >= 0 else { throw .notPKCS12 }
      switch gnutls_pkcs12_bag_get_type(bag, index) {
      case CInt(GNUTLS_BAG_CERTIFICATE.rawValue):
        let der = Array(UnsafeBufferPointer(start: data.data, count: Int(data.size)))
        guard let certificate = Certificate(der: der) else { throw .noCertificate }
        certificates.append(certificate)
      case CInt(GNUTLS_BAG_PKCS8_KEY.rawValue):
        keys.append(try key(&data, nil, UInt32(GNUTLS_PKCS_PLAIN.rawValue)))
      case CInt(GNUTLS_BAG_PKCS8_ENCRYPTED_KEY.rawValue):
        keys.append(try key(&data, passphrase, 0))
      default: continue
      }
    }
  }

  private func key(
    _ data: inout gnutls_datum_t, _ passphrase: Passphrase?, _ flags: UInt32
  ) throws(IdentityError) -> gnutls_x509_privkey_t {
    var key: gnutls_x509_privkey_t?
    guard gnutls_x509_privkey_init(&key) >= 0, let key else { throw .library("no memory") }
    let code = Self.with(passphrase) {
      gnutls_x509_privkey_import_pkcs8(key, &data, GNUTLS_X509_FMT_DER, $0, flags)
    }
    if code >= 0 { return key }
    gnutls_x509_privkey_deinit(key)
    throw code == GNUTLS_E_DECRYPTION_FAILED ? .wrongPassphrase : .noKey
  }

  private static func with(_ passphrase: Passphrase?, _ body: (UnsafePointer<CChar>?) -> CInt) -> CInt {
    passphrase.map { $0.with(body) } ?? body(nil)
  }
}
