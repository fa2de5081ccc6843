internal import CGnuTLS

/// A private key on P-256 that signs tokens with ES256 (RFC 7518, 3.4).
///
/// `@unchecked Sendable`: the library's object is made in `init`, only used for signing afterwards (GnuTLS allows that
/// from any thread), and freed in `deinit`, which wipes the key.
package final class P256PrivateKey: @unchecked Sendable {
  private let key: gnutls_privkey_t
  /// The half that verifies.
  package let publicKey: P256PublicKey

  /// Reads a key that is not encrypted: PKCS #8, as Apple's `.p8` files have it, or the older form of openssl (SEC 1);
  /// both as PEM or DER.
  ///
  /// - Throws: ``IdentityError``; `unsupportedKey` for a key of another kind or curve.
  package convenience init(_ bytes: [UInt8]) throws(IdentityError) {
    let format = bytes.first == 0x30 ? GNUTLS_X509_FMT_DER : GNUTLS_X509_FMT_PEM
    try self.init(
      taking: PrivateKey.read(bytes, nil) { gnutls_x509_privkey_import2($0, $1, format, nil, 0) })
  }

  /// Makes a new key.
  package static func generate() throws(IdentityError) -> P256PrivateKey {
    var key: gnutls_x509_privkey_t?
    guard gnutls_x509_privkey_init(&key) >= 0, let key else { throw .library("no memory") }
    let code = gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, linkspan_gnutls_p256_bits(), 0)
    guard code >= 0 else {
      gnutls_x509_privkey_deinit(key)
      throw .library(gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)")
    }
    return try P256PrivateKey(taking: key)
  }

  private init(taking key: gnutls_x509_privkey_t) throws(IdentityError) {
    let handle = try PrivateKey.signer(taking: key)
    do throws(IdentityError) {
      var publicHandle: gnutls_pubkey_t?
      guard gnutls_pubkey_init(&publicHandle) >= 0, let publicHandle else { throw .library("no memory") }
      guard gnutls_pubkey_import_privkey(publicHandle, handle, 0, 0) >= 0 else {
        gnutls_pubkey_deinit(publicHandle)
        throw .noKey
      }
      publicKey = try P256PublicKey(taking: publicHandle)
    } catch {
      gnutls_privkey_deinit(handle)
      throw error
    }
    self.key = handle
  }

  deinit { gnutls_privkey_deinit(key) }

  /// The signature over the SHA-256 digest of bytes: r and s of 32 bytes each, as a token has it (RFC 7518, 3.4).
  ///
  /// - Throws: ``IdentityError/library(_:)`` when the library has no randomness.
  package func signature(over bytes: [UInt8]) throws(IdentityError) -> [UInt8] {
    var signature = gnutls_datum_t()
    let code = Datum.with(bytes) {
      gnutls_privkey_sign_data2(key, GNUTLS_SIGN_ECDSA_SHA256, 0, $0, &signature)
    }
    guard code >= 0 else {
      throw .library(gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)")
    }
    let der = Datum.take(signature)
    var (r, s) = (gnutls_datum_t(), gnutls_datum_t())
    guard Datum.with(der, { gnutls_decode_rs_value($0, &r, &s) }) >= 0 else {
      throw .library("the signature is not a pair of numbers")
    }
    return Self.fixed(Datum.take(r)) + Self.fixed(Datum.take(s))
  }

  /// A number as 32 bytes, whatever zeros the library has put before it or left out.
  private static func fixed(_ number: [UInt8]) -> [UInt8] {
    let digits = number.drop { $0 == 0 }
    return [UInt8](repeating: 0, count: P256PublicKey.scalarBytes - digits.count) + digits
  }
}
