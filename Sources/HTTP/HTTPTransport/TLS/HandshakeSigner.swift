internal import CCrypto
internal import CGnuTLS
internal import Glibc
internal import LinkspanCrypto

/// Signs a server's handshakes with OpenSSL's libcrypto, for the kinds of keys it is faster with than GnuTLS.
///
/// Those are ECDSA on P-256 and RSA; on P-384 it takes seven times as long (measured, decision 0007). GnuTLS still
/// reads, checks and keeps everything else, and calls here with the digest to sign.
///
/// `@unchecked Sendable`: `template` is made in `init` and from then on only copied, through a pointer to `const`,
/// which OpenSSL allows from any thread (openssl-threads(7)); every signature is made in a copy of its own.
final class HandshakeSigner: @unchecked Sendable {
  private let template: OpaquePointer
  private let algorithm: gnutls_pk_algorithm_t
  private let keyBits: UInt32
  private let signatureLimitBytes: Int

  /// - Returns: Nil when the key is of another kind, or cannot be handed over.
  init?(for key: gnutls_privkey_t) {
    var bits: UInt32 = 0
    let algorithm = gnutls_privkey_get_pk_algorithm(key, &bits)
    switch algorithm {
    case CInt(GNUTLS_PK_ECDSA.rawValue) where bits == 256: self.algorithm = GNUTLS_PK_ECDSA
    case CInt(GNUTLS_PK_RSA.rawValue): self.algorithm = GNUTLS_PK_RSA
    default: return nil
    }
    keyBits = bits
    // Without a handler at exit, which would take the library away from threads that still sign; and without the
    // machine's openssl.cnf, which could put other code in the place of what was measured.
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_LOAD_CONFIG), nil)
    // Whatever failed left its reason with the thread, and nobody asks for it.
    defer { ERR_clear_error() }
    guard let handed = Self.handOver(key) else { return nil }
    // The context keeps a reference of its own.
    defer { EVP_PKEY_free(handed) }
    signatureLimitBytes = Int(EVP_PKEY_get_size(handed))
    guard let template = EVP_PKEY_CTX_new(handed, nil) else { return nil }
    self.template = template
    guard EVP_PKEY_sign_init(template) > 0 else { return nil }
  }

  deinit { EVP_PKEY_CTX_free(template) }

  /// The key as GnuTLS uses it in a handshake; it refers to this signer, which has to outlive it.
  ///
  /// - Parameter publicKey: Has to accept a signature made for a trial.
  /// - Returns: Nil when one of the two libraries objects.
  func makeKey(verifiedBy publicKey: gnutls_pubkey_t?) -> gnutls_privkey_t? {
    var key: gnutls_privkey_t?
    guard gnutls_privkey_init(&key) >= 0, let key else { return nil }
    let imported = gnutls_privkey_import_ext4(
      key, Unmanaged.passUnretained(self).toOpaque(), nil,
      { _, algorithm, signer, _, digest, signature in
        guard let signer, let digest, let signature else { return GNUTLS_E_PK_SIGN_FAILED }
        let own = Unmanaged<HandshakeSigner>.fromOpaque(signer).takeUnretainedValue()
        return own.sign(digest.pointee, algorithm, into: signature)
      }, nil, nil,
      { _, question, signer in
        guard let signer else { return -1 }
        return Unmanaged<HandshakeSigner>.fromOpaque(signer).takeUnretainedValue().answer(question)
      }, 0)
    guard imported >= 0, signs(with: key, verifiedBy: publicKey) else {
      gnutls_privkey_deinit(key)
      return nil
    }
    return key
  }

  /// Takes the key through PKCS #8, and wipes the bytes.
  private static func handOver(_ key: gnutls_privkey_t) -> OpaquePointer? {
    var exported: gnutls_x509_privkey_t?
    guard gnutls_privkey_export_x509(key, &exported) >= 0 else { return nil }
    defer { gnutls_x509_privkey_deinit(exported) }
    var der = gnutls_datum_t()
    guard
      gnutls_x509_privkey_export2_pkcs8(
        exported, GNUTLS_X509_FMT_DER, nil, UInt32(GNUTLS_PKCS_PLAIN.rawValue), &der) >= 0
    else { return nil }
    defer {
      gnutls_memset(der.data, 0, Int(der.size))
      linkspan_gnutls_free(der.data)
    }
    var start = UnsafePointer(der.data)
    return d2i_AutoPrivateKey(nil, &start, Int(der.size))
  }

  private func signs(with key: gnutls_privkey_t, verifiedBy publicKey: gnutls_pubkey_t?) -> Bool {
    let trial = algorithm == GNUTLS_PK_RSA ? GNUTLS_SIGN_RSA_SHA256 : GNUTLS_SIGN_ECDSA_SHA256
    return Datum.with([UInt8](repeating: 1, count: 32)) { digest in
      var signature = gnutls_datum_t()
      guard gnutls_privkey_sign_hash2(key, trial, 0, digest, &signature) >= 0 else { return false }
      defer { linkspan_gnutls_free(signature.data) }
      return gnutls_pubkey_verify_hash2(publicKey, trial, 0, digest, &signature) >= 0
    }
  }

  /// What GnuTLS wants to know about a key it does not hold.
  private func answer(_ question: UInt32) -> CInt {
    if question & UInt32(GNUTLS_PRIVKEY_INFO_PK_ALGO) != 0 { return CInt(algorithm.rawValue) }
    if question & UInt32(GNUTLS_PRIVKEY_INFO_PK_ALGO_BITS) != 0 { return CInt(keyBits) }
    if question & UInt32(GNUTLS_PRIVKEY_INFO_HAVE_SIGN_ALGO) != 0 {
      return Scheme(linkspan_gnutls_sign_algorithm(question))?.algorithm == algorithm ? 1 : 0
    }
    return -1
  }

  private func sign(
    _ digest: gnutls_datum_t, _ algorithm: gnutls_sign_algorithm_t,
    into signature: UnsafeMutablePointer<gnutls_datum_t>
  ) -> CInt {
    guard let scheme = Scheme(algorithm), scheme.algorithm == self.algorithm else {
      return GNUTLS_E_UNSUPPORTED_SIGNATURE_ALGORITHM
    }
    // A copy costs a third of what a new context does besides the signature itself.
    guard let context = EVP_PKEY_CTX_dup(template),
      let memory = linkspan_gnutls_malloc(signatureLimitBytes)
    else {
      ERR_clear_error()
      return GNUTLS_E_MEMORY_ERROR
    }
    defer { EVP_PKEY_CTX_free(context) }
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    var size = signatureLimitBytes
    guard scheme.prepare(context), EVP_PKEY_sign(context, bytes, &size, digest.data, Int(digest.size)) > 0
    else {
      linkspan_gnutls_free(memory)
      ERR_clear_error()
      return GNUTLS_E_PK_SIGN_FAILED
    }
    signature.pointee = gnutls_datum_t(data: bytes, size: UInt32(size))
    return GNUTLS_E_SUCCESS
  }

  /// How a digest is signed: one of those that ``TLSPriorities/server`` offers.
  private enum Scheme {
    case ecdsa
    /// RSASSA-PKCS1-v1_5, TLS 1.2 only. Nil where GnuTLS has made the `DigestInfo` around the digest (RFC 8017, 9.2),
    /// as it does for keys that it does not hold.
    case rsa(OpaquePointer?)
    /// RSASSA-PSS with a salt as long as the digest (RFC 8446, 4.2.3).
    case rsaPSS(OpaquePointer?)

    init?(_ algorithm: gnutls_sign_algorithm_t) {
      switch algorithm {
      case GNUTLS_SIGN_ECDSA_SECP256R1_SHA256, GNUTLS_SIGN_ECDSA_SHA256, GNUTLS_SIGN_ECDSA_SHA384:
        self = .ecdsa
      case GNUTLS_SIGN_RSA_RAW: self = .rsa(nil)
      case GNUTLS_SIGN_RSA_SHA256: self = .rsa(EVP_sha256())
      case GNUTLS_SIGN_RSA_SHA384: self = .rsa(EVP_sha384())
      case GNUTLS_SIGN_RSA_SHA512: self = .rsa(EVP_sha512())
      case GNUTLS_SIGN_RSA_PSS_RSAE_SHA256: self = .rsaPSS(EVP_sha256())
      case GNUTLS_SIGN_RSA_PSS_RSAE_SHA384: self = .rsaPSS(EVP_sha384())
      case GNUTLS_SIGN_RSA_PSS_RSAE_SHA512: self = .rsaPSS(EVP_sha512())
      default: return nil
      }
    }

    var algorithm: gnutls_pk_algorithm_t {
      switch self {
      case .ecdsa: GNUTLS_PK_ECDSA
      case .rsa, .rsaPSS: GNUTLS_PK_RSA
      }
    }

    func prepare(_ context: OpaquePointer) -> Bool {
      switch self {
      case .ecdsa: true
      case .rsa(let digest):
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) > 0
          && (digest == nil || EVP_PKEY_CTX_set_signature_md(context, digest) > 0)
      case .rsaPSS(let digest):
        EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0
          && EVP_PKEY_CTX_set_signature_md(context, digest) > 0
          && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) > 0
      }
    }
  }
}
