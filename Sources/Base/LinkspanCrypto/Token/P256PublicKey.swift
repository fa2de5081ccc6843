internal import CGnuTLS

/// A public key on P-256 that verifies tokens signed with ES256 (RFC 7518, 3.4).
///
/// `@unchecked Sendable`: the library's object is made in `init`, only read afterwards (GnuTLS allows that from any
/// thread), and freed in `deinit`.
package final class P256PublicKey: @unchecked Sendable {
  /// Of r, of s and of a coordinate.
  static let scalarBytes = 32

  private let key: gnutls_pubkey_t

  /// Reads a SubjectPublicKeyInfo (RFC 5480), as PEM or DER.
  ///
  /// - Throws: ``IdentityError``; `unsupportedKey` for a key of another kind or curve.
  package convenience init(_ bytes: [UInt8]) throws(IdentityError) {
    var key: gnutls_pubkey_t?
    guard gnutls_pubkey_init(&key) >= 0, let key else { throw .library("no memory") }
    let format = bytes.first == 0x30 ? GNUTLS_X509_FMT_DER : GNUTLS_X509_FMT_PEM
    guard Datum.with(bytes, { gnutls_pubkey_import(key, $0, format) }) >= 0 else {
      gnutls_pubkey_deinit(key)
      throw .noKey
    }
    try self.init(taking: key)
  }

  init(taking key: gnutls_pubkey_t) throws(IdentityError) {
    var bits: UInt32 = 0
    let algorithm = gnutls_pubkey_get_pk_algorithm(key, &bits)
    guard algorithm == CInt(GNUTLS_PK_ECDSA.rawValue), bits == 256 else {
      let name = gnutls_pk_algorithm_get_name(gnutls_pk_algorithm_t(rawValue: UInt32(max(0, algorithm))))
      gnutls_pubkey_deinit(key)
      throw .unsupportedKey("\(name.map { String(cString: $0) } ?? "unknown") \(bits)")
    }
    self.key = key
  }

  deinit { gnutls_pubkey_deinit(key) }

  /// The key as SubjectPublicKeyInfo in DER form, or nil when the library has no memory for it.
  package var der: [UInt8]? {
    var der = gnutls_datum_t()
    guard gnutls_pubkey_export2(key, GNUTLS_X509_FMT_DER, &der) >= 0 else { return nil }
    return Datum.take(der)
  }

  /// Whether the other half made a signature over the SHA-256 digest of bytes.
  ///
  /// - Parameter signature: r and s of 32 bytes each; of any other length it is refused.
  package func verifies(_ signature: [UInt8], over bytes: [UInt8]) -> Bool {
    guard signature.count == 2 * Self.scalarBytes else { return false }
    var encoded = gnutls_datum_t()
    let code = Datum.with(Array(signature[..<Self.scalarBytes])) { r in
      Datum.with(Array(signature[Self.scalarBytes...])) { s in gnutls_encode_rs_value(&encoded, r, s) }
    }
    guard code >= 0 else { return false }
    let der = Datum.take(encoded)
    return Datum.with(bytes) { data in
      Datum.with(der) { gnutls_pubkey_verify_data2(key, GNUTLS_SIGN_ECDSA_SHA256, 0, data, $0) >= 0 }
    }
  }
}
