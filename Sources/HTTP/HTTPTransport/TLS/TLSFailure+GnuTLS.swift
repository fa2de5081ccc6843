internal import CGnuTLS
internal import LinkspanCore

extension TLSFailure {
  /// From the bits of a verification, of which the most telling one is named.
  init(verificationStatus status: UInt32) {
    func has(_ bit: gnutls_certificate_status_t) -> Bool { status & UInt32(bit.rawValue) != 0 }
    if has(GNUTLS_CERT_EXPIRED) {
      self = .expired
    } else if has(GNUTLS_CERT_NOT_ACTIVATED) {
      self = .notYetValid
    } else if has(GNUTLS_CERT_SIGNER_NOT_FOUND) || has(GNUTLS_CERT_SIGNER_NOT_CA) {
      self = .unknownIssuer
    } else if has(GNUTLS_CERT_UNEXPECTED_OWNER) {
      self = .wrongName
    } else if has(GNUTLS_CERT_PURPOSE_MISMATCH) {
      self = .other("the certificate is not for servers")
    } else if has(GNUTLS_CERT_REVOKED) {
      self = .other("the certificate was revoked")
    } else if has(GNUTLS_CERT_INSECURE_ALGORITHM) {
      self = .other("the certificate is signed with an insecure algorithm")
    } else {
      self = .other("the certificate is not valid")
    }
  }
}
