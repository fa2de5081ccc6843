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
    let bytes = try FileReader.bytes(file)
    let trust = TLSTrust.authoritiesPEM(bytes)
    do throws(TLSError) {
      try trust.check()
    } catch {
      throw LinkspanError.noCertificate(in: file, bytes)
    }
    return trust
  }
}

extension LinkspanError {
  /// - Parameter bytes: Of the file.
  package static func noCertificate(in file: String, _ bytes: [UInt8]) -> LinkspanError {
    LinkspanError("'\(file)' contains no readable certificate.", help: PEMHelp.certificate(bytes))
  }
}
