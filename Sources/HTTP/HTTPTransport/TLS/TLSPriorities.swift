internal import CGnuTLS

/// Which versions, ciphers and groups are spoken, in order of preference.
///
/// TLS 1.3 and 1.2 with forward secrecy and authenticated encryption only; X25519 before P-256 and AES-128-GCM
/// before AES-256, because the other order costs up to a fifth more of a handshake (measured). Ed25519 is not among the
/// signatures, since Apple's systems take none (``TLSIdentity``): a server that signs with it reaches no device.
///
/// `@unchecked Sendable`: the library's object is made once and only read.
final class TLSPriorities: @unchecked Sendable {
  static let server = "\(common):%SERVER_PRECEDENCE"
  static let client = common

  private static let common = [
    "NONE", "+VERS-TLS1.3", "+VERS-TLS1.2", "+AES-128-GCM", "+CHACHA20-POLY1305", "+AES-256-GCM",
    "+ECDHE-ECDSA", "+ECDHE-RSA", "+AEAD", "+GROUP-X25519", "+GROUP-SECP256R1", "+GROUP-SECP384R1",
    "+SIGN-ECDSA-SECP256R1-SHA256", "+SIGN-ECDSA-SECP384R1-SHA384", "+SIGN-ECDSA-SHA256",
    "+SIGN-ECDSA-SHA384", "+SIGN-RSA-PSS-RSAE-SHA256", "+SIGN-RSA-PSS-RSAE-SHA384",
    "+SIGN-RSA-PSS-RSAE-SHA512", "+SIGN-RSA-SHA256", "+SIGN-RSA-SHA384", "+SIGN-RSA-SHA512", "+COMP-NULL",
    "+CTYPE-X509",
  ].joined(separator: ":")

  let cache: gnutls_priority_t

  init(_ text: String) throws(TLSError) {
    var cache: gnutls_priority_t?
    try TLSError.check(gnutls_priority_init(&cache, text, nil), "the list of ciphers is not understood")
    self.cache = cache!
  }

  deinit { gnutls_priority_deinit(cache) }
}
