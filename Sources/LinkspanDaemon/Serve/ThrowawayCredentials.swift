internal import HTTPTransport

/// A certificate that only tests will trust, and the key to serve with it.
struct ThrowawayCredentials {
  let certificatePEM: [UInt8]
  let credentials: TLSCredentials

  /// - Parameters:
  ///   - names: Hosts and addresses it is for.
  ///   - begin: When it begins, in seconds since 1970; it lives a day.
  init(for names: [String], from begin: Int64) throws(DaemonError) {
    do throws(TLSError) {
      let certificate = try ThrowawayCertificate.make(for: names, from: begin)
      credentials = try TLSCredentials([try TLSIdentity(certificate)])
      certificatePEM = certificate.certificatePEM
    } catch {
      throw DaemonError("\(error)")
    }
  }
}
