internal import CGnuTLS

/// A certificate with its chain and its private key, as a signer has them.
///
/// `@unchecked Sendable`: the library's objects are made in `init`, only used for signing and reading afterwards
/// (GnuTLS allows that from any thread), and freed in `deinit`, which wipes the key.
package final class SigningIdentity: @unchecked Sendable {
  package let certificate: Certificate
  /// The certificates that go along, in the order they were given.
  package let chain: [Certificate]
  let algorithm: KeyAlgorithm
  let key: gnutls_privkey_t

  /// - Parameters:
  ///   - key: Taken over.
  ///   - certificates: The key's own among others, in any order.
  private init(_ key: gnutls_x509_privkey_t, _ certificates: [Certificate]) throws(IdentityError) {
    let handle = try PrivateKey.signer(taking: key)
    do throws(IdentityError) {
      let identifier = PrivateKey.identifier(key)
      guard let place = certificates.firstIndex(where: { $0.keyIdentifier == identifier }) else {
        throw .keyOfAnotherCertificate
      }
      certificate = certificates[place]
      let own = certificates[place].der
      chain = certificates.filter { $0.der != own }
      algorithm = try Self.algorithm(handle)
    } catch {
      gnutls_privkey_deinit(handle)
      throw error
    }
    self.key = handle
  }

  deinit { gnutls_privkey_deinit(key) }

  /// Reads a PKCS#12 file (`.p12`, `.pfx`), encrypted as today (AES) or as formerly (RC2, 3DES).
  ///
  /// - Throws: ``IdentityError``; `passphraseNeeded` when none was given and none will not do.
  package convenience init(pkcs12: [UInt8], passphrase: Passphrase?) throws(IdentityError) {
    let bundle = try PKCS12(pkcs12, passphrase: passphrase)
    guard let key = bundle.takeKey() else { throw .noKey }
    try self.init(key, bundle.certificates)
  }

  /// Reads PEM texts; the key may be PKCS#8, encrypted or not, or of the older forms.
  ///
  /// - Parameters:
  ///   - certificatePEM: The signer's certificate; others in it join the chain.
  ///   - chainPEM: More of the chain, or nil.
  /// - Throws: ``IdentityError``; `passphraseNeeded` when the key is encrypted and none was given.
  package convenience init(
    certificatePEM: [UInt8], keyPEM: [UInt8], chainPEM: [UInt8]?, passphrase: Passphrase?
  ) throws(IdentityError) {
    guard let certificates = Certificate.all(inPEM: certificatePEM), let first = certificates.first else {
      throw .noCertificate
    }
    var chain: [Certificate] = []
    if let chainPEM {
      guard let read = Certificate.all(inPEM: chainPEM), !read.isEmpty else { throw .unreadableChain }
      chain = read
    }
    let key = try PrivateKey.read(pem: keyPEM, passphrase: passphrase)
    guard PrivateKey.identifier(key) == first.keyIdentifier else {
      gnutls_x509_privkey_deinit(key)
      throw .keyOfAnotherCertificate
    }
    try self.init(key, certificates + chain)
  }

  /// A signature over the SHA-256 digest of bytes.
  func signature(over bytes: [UInt8]) throws(IdentityError) -> [UInt8] {
    var signature = gnutls_datum_t()
    let code = Datum.with(bytes) {
      gnutls_privkey_sign_data2(key, algorithm.algorithm(with: .sha256), 0, $0, &signature)
    }
    guard code >= 0 else {
      throw .library(gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)")
    }
    return Datum.take(signature)
  }

  private static func algorithm(_ key: gnutls_privkey_t) throws(IdentityError) -> KeyAlgorithm {
    let algorithm = gnutls_privkey_get_pk_algorithm(key, nil)
    switch algorithm {
    case CInt(GNUTLS_PK_RSA.rawValue): return .rsa
    case CInt(GNUTLS_PK_ECDSA.rawValue): return .ecdsa
    default:
      let name = gnutls_pk_algorithm_get_name(gnutls_pk_algorithm_t(rawValue: UInt32(max(0, algorithm))))
      throw .unsupportedKey(name.map { String(cString: $0) } ?? "unknown")
    }
  }
}
