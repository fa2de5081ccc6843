package import LinkspanCrypto

extension SignedSite {
  /// What a certificate that signs a site's file has to be for: servers, as Apple had it (G1s), or mail, which is what
  /// `openssl smime` wants to see (ours; no purpose is written down anywhere).
  package static let purposes: [Certificate.Purpose] = [.server, .mail]
}
