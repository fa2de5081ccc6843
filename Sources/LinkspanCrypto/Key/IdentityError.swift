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
    case .unsupportedKey(let name): "a key of kind \(name) is not supported"
    case .library(let reason): "the key cannot sign: \(reason)"
    }
  }
}
