internal import CCrypto

/// What the lean sessions of a load share: libcrypto's objects, one key share, and a hello to copy.
///
/// A load only has to be a client as the server sees it. A handshake costs the server the same whether its client verifies
/// the signature or not, and whether the client's key share is new or not, so a lean session does neither: with GnuTLS it
/// took 350 µs of a core, and with this 120 µs (measured, 2 cores, P-256 certificate). Nothing secret is ever sent.
///
/// It offers TLS 1.3 with X25519 and AES-128-GCM, which RFC 8446, 9.1 makes mandatory but for the group; ``TargetProbe``
/// finds out whether a server takes them.
final class LeanTLSContext {
  /// SHA-256's digests, and the secrets of the key schedule.
  typealias Digest = SIMD32<UInt8>

  /// Plaintext of a record and what protects it, at most (RFC 8446, 5.2).
  static let recordLimit = 16_384 + 256
  static let tagBytes = 16

  /// What a socket has is read here, by one session after the other.
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private let digest: OpaquePointer
  private let hashing: OpaquePointer
  private let cipher: OpaquePointer
  private let sealing: OpaquePointer
  private let key: OpaquePointer
  private let agreement: OpaquePointer
  /// HKDF-Expand-Label(early secret without a key, "derived"): the same for everybody (RFC 8446, 7.1).
  private var derivedEarlySecret = Digest()
  private(set) var hashOfNothing = Digest()
  /// A record with a client hello whose random bytes are still zero, at ``helloRandomPlace``.
  private(set) var hello: [UInt8] = []
  /// Behind the record's head, the message's head and the version.
  static let helloRandomPlace = 5 + 4 + 2

  /// - Parameter host: The server name to ask for; an address is left out (RFC 6066, 3).
  init(host: String) throws(LoadError) {
    var key: OpaquePointer?
    let generator = EVP_PKEY_CTX_new_from_name(nil, "X25519", nil)
    defer { EVP_PKEY_CTX_free(generator) }
    guard let digest = EVP_MD_fetch(nil, "SHA256", nil), let hashing = EVP_MD_CTX_new(),
      let cipher = EVP_CIPHER_fetch(nil, "AES-128-GCM", nil), let sealing = EVP_CIPHER_CTX_new(),
      EVP_DigestInit_ex(hashing, digest, nil) > 0, EVP_PKEY_keygen_init(generator) > 0,
      EVP_PKEY_keygen(generator, &key) > 0, let key, let agreement = EVP_PKEY_CTX_new(key, nil),
      EVP_PKEY_derive_init(agreement) > 0
    else { throw LoadError("TLS cannot be set up") }
    self.digest = digest
    self.hashing = hashing
    self.cipher = cipher
    self.sealing = sealing
    self.key = key
    self.agreement = agreement
    var share = [UInt8](repeating: 0, count: 32)
    var size = share.count
    guard EVP_PKEY_get_raw_public_key(key, &share, &size) > 0, size == 32 else {
      throw LoadError("TLS has no key share")
    }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    hashOfNothing = hash(nothing)
    let earlySecret = withUnsafeBytes(of: Digest()) { authenticate($0, with: Digest()) }
    derivedEarlySecret = expand(earlySecret, "derived", hashOfNothing)
    hello = ClientHello.record(host: host, share: share)
  }

  deinit {
    EVP_PKEY_CTX_free(agreement)
    EVP_PKEY_free(key)
    EVP_CIPHER_CTX_free(sealing)
    EVP_CIPHER_free(cipher)
    EVP_MD_CTX_free(hashing)
    EVP_MD_free(digest)
    memory.deallocate()
  }

  // MARK: - Secrets

  func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
    var result = Digest()
    withUnsafeMutableBytes(of: &result) { result in
      EVP_DigestInit_ex2(hashing, nil, nil)
      EVP_DigestUpdate(hashing, bytes.baseAddress, bytes.count)
      EVP_DigestFinal_ex(hashing, result.baseAddress, nil)
    }
    return result
  }

  /// HMAC with SHA-256 (RFC 2104, 2).
  func authenticate(_ message: UnsafeRawBufferPointer, with key: Digest) -> Digest {
    let padded = SIMD64<UInt8>(lowHalf: key, highHalf: Digest())
    let inner = hash(padded ^ SIMD64(repeating: 0x36), message)
    return withUnsafeBytes(of: inner) { hash(padded ^ SIMD64(repeating: 0x5C), $0) }
  }

  private func hash(_ block: SIMD64<UInt8>, _ bytes: UnsafeRawBufferPointer) -> Digest {
    var result = Digest()
    withUnsafeMutableBytes(of: &result) { result in
      EVP_DigestInit_ex2(hashing, nil, nil)
      withUnsafeBytes(of: block) { _ = EVP_DigestUpdate(hashing, $0.baseAddress, $0.count) }
      EVP_DigestUpdate(hashing, bytes.baseAddress, bytes.count)
      EVP_DigestFinal_ex(hashing, result.baseAddress, nil)
    }
    return result
  }

  /// HKDF-Expand-Label (RFC 8446, 7.1), for results of at most 32 bytes.
  ///
  /// - Parameter context: A digest, or nil for none.
  func expand(_ secret: Digest, _ label: StaticString, _ context: Digest? = nil, length: Int = 32) -> Digest {
    withUnsafeTemporaryAllocation(byteCount: 80, alignment: 1) { info in
      let prefix: StaticString = "tls13 "
      var count = 0
      func put(_ byte: Int) {
        info[count] = UInt8(truncatingIfNeeded: byte)
        count += 1
      }
      func put(_ text: StaticString) {
        for index in 0..<text.utf8CodeUnitCount { put(Int(text.utf8Start[index])) }
      }
      put(0)
      put(length)
      put(prefix.utf8CodeUnitCount + label.utf8CodeUnitCount)
      put(prefix)
      put(label)
      put(context == nil ? 0 : 32)
      if let context { for index in 0..<32 { put(Int(context[index])) } }
      // The one block that is needed.
      put(1)
      return authenticate(UnsafeRawBufferPointer(rebasing: info[..<count]), with: secret)
    }
  }

  /// The handshake secret behind a server's key share; nil when that is no point of the curve.
  func handshakeSecret(with share: UnsafeRawBufferPointer) -> Digest? {
    var shared = Digest()
    var size = 32
    let bytes = share.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard let peer = EVP_PKEY_new_raw_public_key_ex(nil, "X25519", nil, bytes, share.count) else {
      return nil
    }
    defer { EVP_PKEY_free(peer) }
    guard EVP_PKEY_derive_set_peer_ex(agreement, peer, 0) > 0 else { return nil }
    let isDone = withUnsafeMutableBytes(of: &shared) {
      EVP_PKEY_derive(agreement, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), &size) > 0
    }
    guard isDone, size == 32 else { return nil }
    return withUnsafeBytes(of: shared) { authenticate($0, with: derivedEarlySecret) }
  }

  // MARK: - Records

  /// Protects bytes in place, and puts the tag where there is room for it behind them.
  func seal(_ bytes: UnsafeMutableRawBufferPointer, head: UnsafeRawBufferPointer, _ keys: RecordKeys) -> Bool
  {
    crypt(bytes, head: head, keys, tag: bytes.baseAddress! + bytes.count, encrypts: true)
  }

  /// Unprotects bytes in place; the tag stands behind them.
  func open(_ bytes: UnsafeMutableRawBufferPointer, head: UnsafeRawBufferPointer, _ keys: RecordKeys) -> Bool
  {
    crypt(bytes, head: head, keys, tag: bytes.baseAddress! + bytes.count, encrypts: false)
  }

  private func crypt(
    _ bytes: UnsafeMutableRawBufferPointer, head: UnsafeRawBufferPointer, _ keys: RecordKeys,
    tag: UnsafeMutableRawPointer, encrypts: Bool
  ) -> Bool {
    let isReady = withUnsafeBytes(of: keys.key) { key in
      withUnsafeBytes(of: keys.nonce) { nonce in
        EVP_CipherInit_ex2(
          sealing, cipher, key.baseAddress?.assumingMemoryBound(to: UInt8.self),
          nonce.baseAddress?.assumingMemoryBound(to: UInt8.self), encrypts ? 1 : 0, nil) > 0
      }
    }
    guard isReady else { return false }
    let tagBytes = CInt(Self.tagBytes)
    if !encrypts {
      guard EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_SET_TAG, tagBytes, tag) > 0 else { return false }
    }
    var count: CInt = 0
    let place = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let headPlace = head.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard EVP_CipherUpdate(sealing, nil, &count, headPlace, CInt(head.count)) > 0,
      EVP_CipherUpdate(sealing, place, &count, place, CInt(bytes.count)) > 0,
      EVP_CipherFinal_ex(sealing, place.map { $0 + bytes.count }, &count) > 0
    else { return false }
    return !encrypts || EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, tagBytes, tag) > 0
  }
}

/// What protects the records of one direction (RFC 8446, 5.3 and 7.3).
struct RecordKeys {
  fileprivate let key: SIMD16<UInt8>
  private let initialVector: SIMD16<UInt8>
  private var sequence: UInt64 = 0

  init(_ context: LeanTLSContext, _ secret: LeanTLSContext.Digest) {
    key = context.expand(secret, "key", length: 16).lowHalf
    initialVector = context.expand(secret, "iv", length: 12).lowHalf
  }

  /// Its first twelve bytes count.
  fileprivate var nonce: SIMD16<UInt8> {
    var nonce = initialVector
    for index in 0..<8 { nonce[4 + index] ^= UInt8(truncatingIfNeeded: sequence >> (56 - 8 * UInt64(index))) }
    return nonce
  }

  mutating func advance() { sequence += 1 }
}
