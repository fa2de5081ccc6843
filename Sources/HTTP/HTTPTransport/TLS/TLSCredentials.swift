internal import CGnuTLS
internal import LinkspanCore

/// What a TLS server shows: several certificates, one chosen for each connection by the name asked for (SNI).
///
/// `@unchecked Sendable`: everything is made in `init` and only read afterwards, which GnuTLS allows from any
/// thread. A session keeps a reference, so credentials that were replaced live until their last connection ends.
package final class TLSCredentials: @unchecked Sendable {
  /// Offered in ALPN, best first; the server's order wins.
  package let applicationProtocols: [String]
  /// Whether clients are asked for a certificate. One without is let in, and nobody checks whom one is from.
  package let asksForCertificate: Bool

  let handle: gnutls_certificate_credentials_t
  let priorities: TLSPriorities
  private let identities: [TLSIdentity]
  private let names: [String: Int]

  /// - Parameter identities: The first is shown to a client that asks for a name nobody has, or for none. Of two
  ///   identities for one name the earlier one is shown.
  package init(
    _ identities: [TLSIdentity], applicationProtocols: [String] = ["h2", "http/1.1"],
    asksForCertificate: Bool = false
  ) throws(TLSError) {
    precondition(!identities.isEmpty, "a TLS server needs a certificate")
    precondition(
      applicationProtocols.allSatisfy { (1...32).contains($0.utf8.count) }, "an ALPN name is 1...32 bytes")
    self.identities = identities
    self.applicationProtocols = applicationProtocols
    self.asksForCertificate = asksForCertificate
    var names: [String: Int] = [:]
    for (index, identity) in identities.enumerated() {
      for host in identity.hosts where names[host] == nil { names[host] = index }
    }
    self.names = names
    priorities = try TLSPriorities(TLSPriorities.server)
    var handle: gnutls_certificate_credentials_t?
    try TLSError.check(
      gnutls_certificate_allocate_credentials(&handle), "credentials cannot be made")
    self.handle = handle!
    gnutls_certificate_set_retrieve_function3(handle) {
      session, _, certificates, count, ocsp, ocspCount, key, flags in
      guard let session, let pointer = gnutls_session_get_ptr(session) else { return -1 }
      let credentials = Unmanaged<TLSCredentials>.fromOpaque(pointer).takeUnretainedValue()
      let identity = credentials.identity(for: TLSCredentials.serverName(of: session))
      return identity.shown(certificates, count, ocsp, ocspCount, key, flags)
    }
  }

  deinit { gnutls_certificate_free_credentials(handle) }

  /// The identity for a name: its own, else that of the wildcard one label up, else the first.
  func identity(for name: String?) -> TLSIdentity {
    guard var name = name.map({ ASCII.lowercased($0) }) else { return identities[0] }
    if name.hasSuffix(".") { name.removeLast() }
    if let index = names[name] { return identities[index] }
    if let dot = name.firstIndex(of: "."), dot != name.startIndex, let index = names["*" + name[dot...]] {
      return identities[index]
    }
    return identities[0]
  }

  private static func serverName(of session: gnutls_session_t) -> String? {
    // RFC 6066 has names of DNS only, which end at 253 characters.
    var name = [UInt8](repeating: 0, count: 256)
    var size = name.count
    var kind: UInt32 = 0
    guard gnutls_server_name_get(session, &name, &size, &kind, 0) == 0, kind == GNUTLS_NAME_DNS.rawValue
    else {
      return nil
    }
    return String(decoding: name[..<size].prefix { $0 != 0 }, as: UTF8.self)
  }
}
