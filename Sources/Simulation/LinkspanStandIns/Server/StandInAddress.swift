internal import Glibc
internal import HTTPTransport
package import LinkspanCore
package import LinkspanFiles
internal import SiteInput

/// Where a stand-in listens and which certificate it shows there.
package struct StandInAddress {
  package let listen: SocketAddress
  package let admin: SocketAddress?
  package let isPlain: Bool
  private let writeCertificate: OutputFile?

  /// - Parameters:
  ///   - listen: `ADDRESS:PORT`; nil for port 8080 on loopback.
  ///   - admin: `ADDRESS:PORT` of the admin listener; nil without one.
  ///   - writeCertificate: The file that the throwaway certificate goes to; nil for none.
  /// - Throws: That an address is none, that the admin listener would be reachable from other machines, or that a
  ///   plain listener has no certificate to write.
  package init(
    listen: String?, admin: String?, isPlain: Bool, writeCertificate: OutputFile?
  ) throws(LinkspanError) {
    self.listen = try SocketAddress.read(listen ?? "127.0.0.1:8080", of: "--listen")
    self.isPlain = isPlain
    self.writeCertificate = writeCertificate
    if isPlain, writeCertificate != nil {
      throw .usage("'--write-certificate' does not go with '--plain', which serves without TLS")
    }
    guard let admin else {
      self.admin = nil
      return
    }
    let address = try SocketAddress.read(admin, of: "--admin")
    guard address.isLoopback else {
      throw .usage("'--admin' needs a loopback address; '\(admin)' can be reached from elsewhere")
    }
    self.admin = address
  }

  /// A throwaway certificate; nil for plain HTTP.
  ///
  /// - Parameters:
  ///   - names: Hosts it is for, besides this machine's own names.
  ///   - age: How long ago it began; it lives a day.
  ///   - asksForCertificate: Whether clients may show one of their own.
  func credentials(
    for names: [String], age: Duration = .zero, asksForCertificate: Bool = false
  ) throws(LinkspanError) -> TLSCredentials? {
    guard !isPlain else { return nil }
    let throwaway = try ThrowawayCredentials(
      for: names, from: Int64(time(nil)) - age.components.seconds, asksForCertificate: asksForCertificate)
    try writeCertificate?.write(throwaway.certificatePEM)
    return throwaway.credentials
  }

  static let ownNames = ["localhost", "127.0.0.1", "::1"]
}
