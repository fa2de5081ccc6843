extension SigningIdentity {
  /// CMS SignedData in DER form with the content inside, SHA-256 and no signed attributes: what
  /// `openssl smime -sign -binary -nodetach -noattr -outform DER` makes.
  ///
  /// - Parameter content: Signed as it is; line ends stay.
  /// - Throws: ``IdentityError/library(_:)`` when the key is too weak to sign.
  package func sign(_ content: [UInt8]) throws(IdentityError) -> [UInt8] {
    guard let issuer = certificate.issuerName, let serial = certificate.serial else { throw .noCertificate }
    return SignedData.encode(
      content: content, issuer: issuer, serial: serial, certificates: (chain + [certificate]).map(\.der),
      key: algorithm, signature: try signature(over: content))
  }
}
