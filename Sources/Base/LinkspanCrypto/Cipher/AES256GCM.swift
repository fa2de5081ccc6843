internal import CCrypto

/// AES-256-GCM (NIST SP 800-38D): bytes sealed with a tag that shows every change.
///
/// OpenSSL's, since GnuTLS takes nonces of twelve bytes only, and Handoff has shorter ones.
package enum AES256GCM {
  package static let keyBytes = 32
  package static let tagBytes = 16
  /// SP 800-38D, 5.2.1.1 allows more; OpenSSL 3.0 takes no more.
  package static let nonceLimitBytes = 128

  /// Encrypts bytes.
  ///
  /// - Parameters:
  ///   - key: ``keyBytes`` bytes.
  ///   - nonce: 1...``nonceLimitBytes`` bytes; never used twice with a key.
  ///   - authenticated: Bytes that are not encrypted and may not change either.
  ///   - tagBytes: 1...16 of the tag's bytes, which are its first ones. SP 800-38D asks for 12 or more; with one, as Handoff
  ///     has it, one of 256 forged messages passes.
  /// - Returns: The sealed bytes, as many as the plain ones, and the tag behind them.
  package static func seal(
    _ plain: [UInt8], key: [UInt8], nonce: [UInt8], authenticated: [UInt8] = [], tagBytes: Int = tagBytes
  ) -> [UInt8] {
    check(key, nonce, tagBytes)
    let context = context(key, nonce, encrypts: 1)
    defer { EVP_CIPHER_CTX_free(context) }
    var sealed = run(context, plain, authenticated)
    var tag = [UInt8](repeating: 0, count: tagBytes)
    var count: CInt = 0
    let done =
      EVP_CipherFinal_ex(context, nil, &count) > 0
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(tagBytes), &tag) > 0
    precondition(done, "libcrypto has AES-256-GCM")
    sealed.append(contentsOf: tag)
    return sealed
  }

  /// Decrypts what ``seal(_:key:nonce:authenticated:tagBytes:)`` made with the same arguments.
  ///
  /// - Returns: The plain bytes, or nil when anything is not as it was sealed.
  package static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticated: [UInt8] = [], tagBytes: Int = tagBytes
  ) -> [UInt8]? {
    check(key, nonce, tagBytes)
    guard sealed.count >= tagBytes else { return nil }
    let context = context(key, nonce, encrypts: 0)
    defer { EVP_CIPHER_CTX_free(context) }
    let plain = run(context, Array(sealed.dropLast(tagBytes)), authenticated)
    var tag = Array(sealed.suffix(tagBytes))
    guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(tagBytes), &tag) > 0 else { return nil }
    var count: CInt = 0
    guard EVP_CipherFinal_ex(context, nil, &count) > 0 else {
      ERR_clear_error()
      return nil
    }
    return plain
  }

  private static func check(_ key: [UInt8], _ nonce: [UInt8], _ tagBytes: Int) {
    precondition(key.count == keyBytes, "a key has \(keyBytes) bytes")
    precondition((1...nonceLimitBytes).contains(nonce.count), "a nonce has 1 to \(nonceLimitBytes) bytes")
    precondition((1...Self.tagBytes).contains(tagBytes), "a tag has 1 to \(Self.tagBytes) bytes")
  }

  /// - Returns: A context that the caller frees.
  private static func context(_ key: [UInt8], _ nonce: [UInt8], encrypts: CInt) -> OpaquePointer? {
    let context = EVP_CIPHER_CTX_new()
    let made =
      EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, nil, nil, encrypts) > 0
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, CInt(nonce.count), nil) > 0
      && EVP_CipherInit_ex(context, nil, nil, key, nonce, encrypts) > 0
    precondition(made, "libcrypto has AES-256-GCM")
    return context
  }

  private static func run(
    _ context: OpaquePointer?, _ bytes: [UInt8], _ authenticated: [UInt8]
  ) -> [UInt8] {
    var count: CInt = 0
    var done = true
    if !authenticated.isEmpty {
      done = EVP_CipherUpdate(context, nil, &count, authenticated, CInt(authenticated.count)) > 0
    }
    var output = [UInt8](repeating: 0, count: bytes.count)
    if !bytes.isEmpty {
      done = done && EVP_CipherUpdate(context, &output, &count, bytes, CInt(bytes.count)) > 0
    }
    precondition(done, "GCM fails for more than 2 GB only")
    return output
  }
}
