package import HTTPTransport
package import LinkspanCore
package import LinkspanFiles

/// A certificate that only tests will trust, and the key to serve with it.
package struct ThrowawayCredentials {
  /// What is written for clients to trust: a certificate in PEM form with the subject of throwaway ones.
  package static let outputKind = OutputKind.form("a throwaway certificate of linkspan") { bytes in
    ThrowawayCertificate.isOne(pem: bytes)
  }

  package let certificatePEM: [UInt8]
  package let credentials: TLSCredentials

  /// - Parameters:
  ///   - names: Hosts and addresses it is for.
  ///   - begin: When it begins, in seconds since 1970; it lives a day.
  ///   - asksForCertificate: Whether clients may show one of their own.
  /// - Throws: That the system gives no chance, or a library's refusal.
  package init(for names: [String], from begin: Int64, asksForCertificate: Bool = false) throws(LinkspanError)
  {
    do throws(TLSError) {
      let certificate = try ThrowawayCertificate.make(for: names, from: begin)
      credentials = try TLSCredentials([try TLSIdentity(certificate)], asksForCertificate: asksForCertificate)
      certificatePEM = certificate.certificatePEM
    } catch {
      throw LinkspanError("\(error)")
    }
  }
}
