internal import CGnuTLS

/// Reads private keys.
enum PrivateKey {
  /// - Returns: A key that the caller owns.
  static func read(pem: [UInt8], passphrase: Passphrase?) throws(IdentityError) -> gnutls_x509_privkey_t {
    do throws(IdentityError) {
      return try read(pem, nil) { key, data in
        gnutls_x509_privkey_import2(key, data, GNUTLS_X509_FMT_PEM, nil, 0)
      }
    } catch .passphraseNeeded {
      guard let passphrase else { throw .passphraseNeeded }
      return try passphrase.with { text in
        Result { () throws(IdentityError) in
          try read(pem, passphrase) { gnutls_x509_privkey_import2($0, $1, GNUTLS_X509_FMT_PEM, text, 0) }
        }
      }.get()
    }
  }

  /// - Parameter load: Fills a key from the bytes and says the library's code.
  /// - Returns: A key that the caller owns.
  static func read(
    _ bytes: [UInt8], _ passphrase: Passphrase?,
    load: (gnutls_x509_privkey_t, UnsafePointer<gnutls_datum_t>) -> CInt
  ) throws(IdentityError) -> gnutls_x509_privkey_t {
    var key: gnutls_x509_privkey_t?
    guard gnutls_x509_privkey_init(&key) >= 0, let key else { throw .library("no memory") }
    let code = Datum.with(bytes) { load(key, $0) }
    if code >= 0 { return key }
    gnutls_x509_privkey_deinit(key)
    guard code == GNUTLS_E_DECRYPTION_FAILED else { throw .noKey }
    throw passphrase == nil ? .passphraseNeeded : .wrongPassphrase
  }

  /// The key as the library signs with it; the caller owns it.
  ///
  /// - Parameter key: Taken over, also where this throws.
  static func signer(taking key: gnutls_x509_privkey_t) throws(IdentityError) -> gnutls_privkey_t {
    var handle: gnutls_privkey_t?
    guard gnutls_privkey_init(&handle) >= 0, let handle else {
      gnutls_x509_privkey_deinit(key)
      throw .library("no memory")
    }
    let flags = UInt32(GNUTLS_PRIVKEY_IMPORT_AUTO_RELEASE.rawValue)
    guard gnutls_privkey_import_x509(handle, key, flags) >= 0 else {
      gnutls_x509_privkey_deinit(key)
      gnutls_privkey_deinit(handle)
      throw .noKey
    }
    return handle
  }

  /// What two halves of a key pair have in common.
  static func identifier(_ key: gnutls_x509_privkey_t) -> [UInt8]? {
    var identifier = [UInt8](repeating: 0, count: 64)
    var count = identifier.count
    let flags = UInt32(GNUTLS_KEYID_USE_SHA256.rawValue)
    guard gnutls_x509_privkey_get_key_id(key, flags, &identifier, &count) >= 0 else { return nil }
    return Array(identifier.prefix(count))
  }
}
