internal import CGnuTLS
internal import LinkspanCrypto

/// Which certificate authorities vouch for a server.
package enum TLSTrust: Hashable, Sendable {
  /// Those of the system (Debian: package ca-certificates).
  case system
  /// Those in PEM bytes, and no others.
  case authoritiesPEM([UInt8])
  /// Whoever answers is believed. For `?mode=developer` and for tests.
  case anyone

  /// Loads the authorities and lets them go, so that whoever named them hears of it before a server is asked.
  ///
  /// - Throws: ``TLSError`` as for a client: there is no certificate in the bytes, or the system has none.
  package func check() throws(TLSError) { _ = try TLSClientTrust(self) }
}

/// A trust loaded: once for a client, whose sessions share it on one thread.
package final class TLSClientTrust {
  let handle: gnutls_certificate_credentials_t
  let priorities: TLSPriorities
  let verifies: Bool
  /// Whether it also demands what Apple's systems do (T11).
  let demandsAsApple: Bool
  /// Shown to a server that asks for a certificate.
  private let identity: TLSIdentity?

  /// - Throws: ``TLSError`` when there is no certificate in the bytes, or the system has none.
  package init(
    _ trust: TLSTrust, identity: TLSIdentity? = nil, demandsAsApple: Bool = false
  ) throws(TLSError) {
    priorities = try TLSPriorities(TLSPriorities.client)
    verifies = trust != .anyone
    self.demandsAsApple = demandsAsApple && trust != .anyone
    self.identity = identity
    var handle: gnutls_certificate_credentials_t?
    try TLSError.check(gnutls_certificate_allocate_credentials(&handle), "credentials cannot be made")
    self.handle = handle!
    if identity != nil { showIdentity() }
    switch trust {
    case .anyone: break
    case .system:
      guard gnutls_certificate_set_x509_system_trust(handle) > 0 else {
        throw TLSError(.badCertificate, "the system has no certificate authorities; install ca-certificates")
      }
    case .authoritiesPEM(let bytes):
      let count = Datum.with(bytes) {
        gnutls_certificate_set_x509_trust_mem(handle, $0, GNUTLS_X509_FMT_PEM)
      }
      guard count > 0 else { throw TLSError(.badCertificate, "no usable certificate in PEM form") }
    }
  }

  private func showIdentity() {
    gnutls_certificate_set_retrieve_function3(handle) {
      session, _, certificates, count, ocsp, ocspCount, key, flags in
      guard let session, let pointer = gnutls_session_get_ptr(session) else { return -1 }
      let trust = Unmanaged<TLSClientTrust>.fromOpaque(pointer).takeUnretainedValue()
      guard let identity = trust.identity else { return -1 }
      return identity.shown(certificates, count, ocsp, ocspCount, key, flags)
    }
  }

  deinit { gnutls_certificate_free_credentials(handle) }
}
