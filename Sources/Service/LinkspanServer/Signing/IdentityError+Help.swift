package import LinkspanCrypto

extension IdentityError {
  /// What to do, in the words of the flags for signing.
  package var help: String {
    switch self {
    case .notPKCS12: "For PEM files there are --cert and --key."
    case .noCertificate, .unreadableChain: "A PEM file begins a certificate with -----BEGIN CERTIFICATE-----."
    case .noKey: "Export certificate and private key together, or name the key with --key."
    case .severalKeys: "Export one key with its certificate."
    case .passphraseNeeded, .wrongPassphrase:
      "Give it with --passphrase-file or --passphrase-env, or at the prompt of a terminal."
    case .keyOfAnotherCertificate: "Name the key that the certificate was requested with."
    case .unsupportedKey: "Use an RSA key, or an ECDSA key on P-256 or P-384."
    case .library: "Use an RSA key of 2048 bits or more, or an ECDSA key on P-256 or P-384."
    }
  }
}
