internal import CGnuTLS

/// The trusted certificate authorities.
///
/// `@unchecked Sendable`: the library's list is filled in `init` and only read afterwards, which GnuTLS allows from
/// any thread.
package final class TrustedAuthorities: @unchecked Sendable {
  private let list: gnutls_x509_trust_list_t

  private init() {
    var list: gnutls_x509_trust_list_t?
    let code = gnutls_x509_trust_list_init(&list, 0)
    precondition(code >= 0, "no memory for a list of authorities")
    self.list = list!
  }

  deinit { gnutls_x509_trust_list_deinit(list, 1) }

  /// The authorities of the system (Debian: package ca-certificates); nil when it has none.
  package static func system() -> TrustedAuthorities? {
    let authorities = TrustedAuthorities()
    return gnutls_x509_trust_list_add_system_trust(authorities.list, 0, 0) > 0 ? authorities : nil
  }

  /// Only the authorities of a PEM text.
  ///
  /// - Returns: nil when there is no certificate in it, or one that cannot be read.
  package convenience init?(pem: [UInt8]) {
    self.init()
    let count = Datum.with(pem) {
      gnutls_x509_trust_list_add_trust_mem(list, $0, nil, GNUTLS_X509_FMT_PEM, 0, 0)
    }
    guard count > 0 else { return nil }
  }

  /// Whether a certificate is one of theirs, byte for byte.
  func hold(_ certificate: Certificate) -> Bool {
    var name = gnutls_datum_t()
    guard gnutls_x509_crt_get_raw_dn(certificate.handle, &name) >= 0 else { return false }
    var found: gnutls_x509_crt_t?
    let code = Datum.with(Datum.take(name)) {
      gnutls_x509_trust_list_get_issuer_by_dn(list, $0, &found, UInt32(GNUTLS_TL_GET_COPY.rawValue))
    }
    return code >= 0 && Self.taken(found)?.der == certificate.der
  }

  /// The authority whose name is the certificate's issuer's; the signature is not looked at.
  func issuer(of certificate: Certificate) -> Certificate? {
    var issuer: gnutls_x509_crt_t?
    let code = gnutls_x509_trust_list_get_issuer(
      list, certificate.handle, &issuer, UInt32(GNUTLS_TL_GET_COPY.rawValue))
    return code >= 0 ? Self.taken(issuer) : nil
  }

  /// Frees the library's copy.
  private static func taken(_ handle: gnutls_x509_crt_t?) -> Certificate? {
    guard let handle else { return nil }
    defer { gnutls_x509_crt_deinit(handle) }
    var der = gnutls_datum_t()
    guard gnutls_x509_crt_export2(handle, GNUTLS_X509_FMT_DER, &der) >= 0 else { return nil }
    return Certificate(der: Datum.take(der))
  }

  /// Verifies the signatures of a chain, the signer's certificate first, and what each may do; times are left out.
  func problem(with chain: [Certificate]) -> SignatureProblem? {
    var handles: [gnutls_x509_crt_t?] = chain.map(\.handle)
    var status: UInt32 = 0
    let flags =
      GNUTLS_VERIFY_DISABLE_TIME_CHECKS.rawValue | GNUTLS_VERIFY_DISABLE_TRUSTED_TIME_CHECKS.rawValue
    let code = gnutls_x509_trust_list_verify_crt2(
      list, &handles, UInt32(handles.count), nil, 0, flags, &status, nil)
    withExtendedLifetime(chain) {}
    if code >= 0, status == 0 { return nil }
    if code >= 0, status & UInt32(GNUTLS_CERT_INSECURE_ALGORITHM.rawValue) != 0 { return .weakCertificate }
    return .unknownAuthority(chain.last?.issuer ?? "")
  }
}
