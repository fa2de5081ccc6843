internal import CGnuTLS

extension SigningIdentity {
  /// Lends certificate, chain and private key in PEM form, for a library that takes nothing else; the key's text is wiped
  /// behind the call.
  ///
  /// - Throws: ``IdentityError`` when the library cannot write the key.
  package func withPEM<Result>(
    _ body: (_ certificates: [UInt8], _ key: [UInt8]) -> Result
  ) throws(IdentityError) -> Result {
    var certificates: [UInt8] = []
    for certificate in [certificate] + chain {
      var text = gnutls_datum_t()
      guard Datum.with(certificate.der, { gnutls_pem_base64_encode2("CERTIFICATE", $0, &text) }) >= 0 else {
        throw .library("a certificate cannot be written")
      }
      certificates += Datum.take(text)
    }
    var key = try keyPEM()
    defer { Passphrase.wipe(&key) }
    return body(certificates, key)
  }

  private func keyPEM() throws(IdentityError) -> [UInt8] {
    var plain: gnutls_x509_privkey_t?
    var text = gnutls_datum_t()
    guard gnutls_privkey_export_x509(key, &plain) >= 0 else { throw .noKey }
    defer { gnutls_x509_privkey_deinit(plain) }
    let flags = UInt32(GNUTLS_PKCS_PLAIN.rawValue)
    guard gnutls_x509_privkey_export2_pkcs8(plain, GNUTLS_X509_FMT_PEM, nil, flags, &text) >= 0 else {
      throw .noKey
    }
    defer {
      gnutls_memset(text.data, 0, Int(text.size))
      linkspan_gnutls_free(text.data)
    }
    return Array(UnsafeBufferPointer(start: text.data, count: Int(text.size)))
  }
}
