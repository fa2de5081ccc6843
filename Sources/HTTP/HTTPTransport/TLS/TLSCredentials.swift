internal import CGnuTLS
internal import Glibc
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
  /// The identities for each name, in their order.
  private let names: [String: [TLSIdentity]]

  /// - Parameter identities: The first is shown to a client that asks for a name nobody has, or for none. Of several for
  ///   one name the first that is valid at that moment is shown, or the first where none is; so it is with names nobody has.
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
    var names: [String: [TLSIdentity]] = [:]
    for identity in identities {
      for host in Set(identity.hosts) { names[host, default: []].append(identity) }
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

  /// The identity for a name: its own, else that of the wildcard one label up, else the first; of these the first that is
  /// valid.
  ///
  /// - Parameter now: Asked for where there is a choice.
  func identity(
    for name: String?, at now: @autoclosure () -> WallTime = WallTime(milliseconds: Int64(time(nil)) * 1000)
  ) -> TLSIdentity {
    let candidates = candidates(for: name)
    guard candidates.count > 1 else { return candidates[0] }
    let now = now()
    return candidates.first { $0.begins <= now && now <= $0.ends } ?? candidates[0]
  }

  private func candidates(for name: String?) -> [TLSIdentity] {
    guard var name = name.map({ ASCII.lowercased($0) }) else { return identities }
    if name.hasSuffix(".") { name.removeLast() }
    var found = names[name] ?? []
    if let dot = name.firstIndex(of: "."), dot != name.startIndex { found += names["*" + name[dot...]] ?? [] }
    return found.isEmpty ? identities : found
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
