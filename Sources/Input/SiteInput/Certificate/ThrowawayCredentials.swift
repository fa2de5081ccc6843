package import HTTPTransport
package import LinkspanCore
package import LinkspanFiles

/// Certificates that only tests will trust, and the keys to serve with them.
package struct ThrowawayCredentials {
  /// What is written for clients to trust: certificates in PEM form with the subject of throwaway ones.
  package static let outputKind = OutputKind.form("a throwaway certificate of linkspan") { bytes in
    ThrowawayCertificate.isOne(pem: bytes)
  }

  /// The most names of one certificate, which is 6 KB of each handshake then. No client reads a certificate of ten thousand.
  package static let namesLimitCount = 250

  /// All certificates, one after the other.
  package let certificatePEM: [UInt8]
  package let credentials: TLSCredentials

  /// - Parameters:
  ///   - names: Hosts and addresses they are for, at least one; the first are those of the certificate that a client sees
  ///     which asks for no name.
  ///   - begin: When they begin, in seconds since 1970; they live a day.
  ///   - asksForCertificate: Whether clients may show one of their own.
  /// - Throws: That the system gives no chance, or a library's refusal.
  package init(for names: [String], from begin: Int64, asksForCertificate: Bool = false) throws(LinkspanError)
  {
    do throws(TLSError) {
      var (identities, written): ([TLSIdentity], [UInt8]) = ([], [])
      for start in stride(from: 0, to: names.count, by: Self.namesLimitCount) {
        let some = Array(names[start..<min(start + Self.namesLimitCount, names.count)])
        let certificate = try ThrowawayCertificate.make(for: some, from: begin)
        identities.append(try TLSIdentity(certificate))
        written += certificate.certificatePEM
      }
      credentials = try TLSCredentials(identities, asksForCertificate: asksForCertificate)
      certificatePEM = written
    } catch {
      throw LinkspanError("\(error)")
    }
  }
}
