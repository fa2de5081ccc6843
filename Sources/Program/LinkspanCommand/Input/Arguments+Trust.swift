package import HTTPTransport
package import LinkspanCore
internal import LinkspanFiles

extension Arguments {
  /// Whom a command believes when a server shows its certificate: those of `--ca`, else those of the system.
  ///
  /// - Throws: When the file of `--ca` cannot be read or holds no certificate. Without this look beforehand every
  ///   server would seem to have a bad certificate.
  package func trust() throws(LinkspanError) -> TLSTrust {
    guard let file = value("--ca") else { return .system }
    let trust = TLSTrust.authoritiesPEM(try FileReader.bytes(file))
    do throws(TLSError) {
      try trust.check()
    } catch {
      throw LinkspanError.noCertificate(in: file)
    }
    return trust
  }
}

extension LinkspanError {
  package static func noCertificate(in file: String) -> LinkspanError {
    LinkspanError(
      "'\(file)' contains no readable certificate.",
      help: "A PEM file begins a certificate with -----BEGIN CERTIFICATE-----.")
  }
}
