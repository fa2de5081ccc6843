/// Why the given files cannot be used for signing. It never contains a key or a passphrase.
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
    case .notPKCS12: "it is not a PKCS#12 file"
    case .noCertificate: "it contains no readable certificate"
    case .unreadableChain: "the chain is empty or contains an unreadable certificate"
    case .noKey: "it contains no readable private key"
    case .severalKeys(let count):
      "it contains \(count) private keys; expected one"
    case .passphraseNeeded: "it is encrypted and needs a passphrase"
    case .wrongPassphrase: "the passphrase is wrong"
    case .keyOfAnotherCertificate: "the private key does not belong to the certificate"
    case .unsupportedKey(let name): "\(name) keys are not supported"
    case .library(let reason): "the key cannot sign: \(reason)"
    }
  }
}
