/// Why nobody can sign with the given files. Neither a key nor a passphrase ever appears in it.
package enum IdentityError: Error, Hashable, Sendable {
  case notPKCS12
  /// A PEM text without a certificate that can be read.
  case noCertificate
  /// The chain, in PEM form, cannot be read.
  case unreadableChain
  case noKey
  case severalKeys(Int)
  case passphraseNeeded
  case wrongPassphrase
  /// No certificate is for the key.
  case keyOfAnotherCertificate
  case unsupportedKey(String)
  /// The library says no to signing; its reason.
  case library(String)

  package var message: String {
    switch self {
    case .notPKCS12: "it is no PKCS#12 file"
    case .noCertificate: "there is no certificate in it that can be read"
    case .unreadableChain: "there is a certificate in the chain that cannot be read, or none at all"
    case .noKey: "there is no private key in it that can be read"
    case .severalKeys(let count):
      "there are \(count) private keys in it, and nobody can tell which one is meant"
    case .passphraseNeeded: "it is encrypted, and a passphrase is needed"
    case .wrongPassphrase: "the passphrase is not the right one"
    case .keyOfAnotherCertificate: "the private key does not belong to the certificate"
    case .unsupportedKey(let name): "a key of kind \(name) cannot sign for devices"
    case .library(let reason): "the key cannot sign: \(reason)"
    }
  }

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
