internal import CGnuTLS

/// How a digest was made.
package enum DigestAlgorithm: String, Sendable {
  case sha256 = "SHA-256"
  case sha384 = "SHA-384"
  case sha512 = "SHA-512"

  // RFC 5754, 2.
  var identifier: ObjectIdentifier {
    let last: UInt8 =
      switch self {
      case .sha256: 1
      case .sha384: 2
      case .sha512: 3
      }
    return ObjectIdentifier([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last])
  }

  /// Collisions of these are made at will (MD5) or were made (SHA-1), so a signature over them proves little.
  private static let weak: [ObjectIdentifier: String] = [
    ObjectIdentifier([0x2B, 0x0E, 0x03, 0x02, 0x1A]): "SHA-1",
    ObjectIdentifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x05]): "MD5",
  ]

  init(_ identifier: ObjectIdentifier) throws(SignatureProblem) {
    if let name = Self.weak[identifier] { throw .weakDigest(name) }
    switch identifier {
    case Self.sha256.identifier: self = .sha256
    case Self.sha384.identifier: self = .sha384
    case Self.sha512.identifier: self = .sha512
    default: throw .unsupportedAlgorithm("the digest \(identifier.text)")
    }
  }

  package func digest(of bytes: [UInt8]) -> [UInt8] {
    let algorithm: gnutls_digest_algorithm_t =
      switch self {
      case .sha256: GNUTLS_DIG_SHA256
      case .sha384: GNUTLS_DIG_SHA384
      case .sha512: GNUTLS_DIG_SHA512
      }
    var digest = [UInt8](repeating: 0, count: 64)
    let code = gnutls_hash_fast(algorithm, bytes, bytes.count, &digest)
    precondition(code >= 0, "the library has no \(rawValue)")
    return Array(digest.prefix(Int(gnutls_hash_get_len(algorithm))))
  }
}

/// What kind of key signs.
enum KeyAlgorithm: String, Sendable {
  case rsa = "RSA"
  case ecdsa = "ECDSA"

  // RFC 5754, 3.2: rsaEncryption or shaNNNWithRSAEncryption, with NULL behind it.
  private static let rsaWithDigest: [ObjectIdentifier: DigestAlgorithm] = [
    .pkcs(1, 11): .sha256, .pkcs(1, 12): .sha384, .pkcs(1, 13): .sha512,
  ]

  // RFC 5754, 3.3: ecdsa-with-SHA256, -SHA384 and -SHA512, with nothing behind it.
  private static let ecdsaWithDigest: [ObjectIdentifier: DigestAlgorithm] = [
    ecdsa(2): .sha256, ecdsa(3): .sha384, ecdsa(4): .sha512,
  ]

  private static func ecdsa(_ last: UInt8) -> ObjectIdentifier {
    ObjectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, last])
  }

  /// - Throws: ``SignatureProblem``, also when the algorithm means another digest than the one declared.
  init(_ identifier: ObjectIdentifier, with digest: DigestAlgorithm) throws(SignatureProblem) {
    if identifier == .rsa || Self.rsaWithDigest[identifier] == digest {
      self = .rsa
    } else if Self.ecdsaWithDigest[identifier] == digest {
      self = .ecdsa
    } else if Self.rsaWithDigest[identifier] != nil || Self.ecdsaWithDigest[identifier] != nil {
      throw .broken("its two algorithms name different digests")
    } else {
      throw .unsupportedAlgorithm("the signature \(identifier.text)")
    }
  }

  /// The AlgorithmIdentifier that `openssl smime` writes for SHA-256.
  var identifierWithSHA256: [UInt8] {
    switch self {
    case .rsa: DER.sequence(DER.identifier(.rsa), DER.null)
    case .ecdsa: DER.sequence(DER.identifier(Self.ecdsa(2)))
    }
  }

  /// The library's number for both together.
  func algorithm(with digest: DigestAlgorithm) -> gnutls_sign_algorithm_t {
    switch (self, digest) {
    case (.rsa, .sha256): GNUTLS_SIGN_RSA_SHA256
    case (.rsa, .sha384): GNUTLS_SIGN_RSA_SHA384
    case (.rsa, .sha512): GNUTLS_SIGN_RSA_SHA512
    case (.ecdsa, .sha256): GNUTLS_SIGN_ECDSA_SHA256
    case (.ecdsa, .sha384): GNUTLS_SIGN_ECDSA_SHA384
    case (.ecdsa, .sha512): GNUTLS_SIGN_ECDSA_SHA512
    }
  }
}
