internal import LinkspanCore

extension SignedData {
  /// What `openssl smime -sign -binary -nodetach -noattr -outform DER` writes, byte for byte, around the same
  /// signature: the structure of PKCS #7 1.5 with the chain before the signer's certificate.
  ///
  /// - Parameters:
  ///   - issuer: The name element of the signer's issuer.
  ///   - serial: The content of the serial number of the signer's certificate.
  ///   - certificates: In DER form, in the order they are to have.
  static func encode(
    content: [UInt8], issuer: [UInt8], serial: [UInt8], certificates: [[UInt8]], key: KeyAlgorithm,
    signature: [UInt8]
  ) -> [UInt8] {
    let sha256 = DER.sequence(DER.identifier(DigestAlgorithm.sha256.identifier), DER.null)
    let signer = DER.sequence(
      DER.integer(1), DER.sequence(issuer, DER.element(0x02, serial)), sha256, key.identifierWithSHA256,
      DER.octets(signature))
    let signedData = DER.sequence(
      DER.integer(1), DER.set(of: sha256),
      DER.sequence(DER.identifier(.data), DER.tagged(0, DER.octets(content))),
      DER.tagged(0, Array(certificates.joined())), DER.set(of: signer))
    return DER.sequence(DER.identifier(.signedData), DER.tagged(0, signedData))
  }
}
