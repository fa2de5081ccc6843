package import LinkspanCore

/// Why a CMS signature (RFC 5652) is not accepted.
package enum SignatureProblem: Error, Hashable, Sendable {
  case tooLarge(Int)
  /// PEM or S/MIME, by name.
  case textForm(String)
  case notSignedData
  /// A structure that cannot be read to its end; what is wrong with it.
  case broken(String)
  /// How many bytes are behind the structure.
  case trailingBytes(Int)
  case detached
  /// The content's type, as an object identifier.
  case otherContent(String)
  case noSigner
  case severalSigners
  case weakDigest(String)
  case unsupportedAlgorithm(String)
  case signerCertificateMissing
  case unusableCertificate
  /// Seen where the signed attributes hold a digest of the content.
  case contentChanged
  case signatureMismatch
  case notYetValid(String, WallTime)
  case expired(String, WallTime)
  case incompleteChain(certificate: String, issuer: String)
  case unknownAuthority(String)
  case weakCertificate
  case wrongPurpose(String)
  /// The subject of a certificate that nobody vouches for.
  case strayCertificate(String)

  /// A name for programs, which never changes its meaning.
  package var name: String {
    switch self {
    case .tooLarge: "too-large"
    case .textForm: "text-form"
    case .notSignedData: "not-signed-data"
    case .broken: "broken"
    case .trailingBytes: "trailing-bytes"
    case .detached: "detached"
    case .otherContent: "other-content"
    case .noSigner: "no-signer"
    case .severalSigners: "several-signers"
    case .weakDigest: "weak-digest"
    case .unsupportedAlgorithm: "unsupported-algorithm"
    case .signerCertificateMissing: "signer-certificate-missing"
    case .unusableCertificate: "unusable-certificate"
    case .contentChanged: "content-changed"
    case .signatureMismatch: "signature-mismatch"
    case .notYetValid: "not-yet-valid"
    case .expired: "expired"
    case .incompleteChain: "incomplete-chain"
    case .unknownAuthority: "unknown-authority"
    case .weakCertificate: "weak-certificate"
    case .wrongPurpose: "wrong-purpose"
    case .strayCertificate: "stray-certificate"
    }
  }

  /// What is wrong, as a sentence.
  package var message: String {
    switch self {
    case .tooLarge(let limit): "The file has more than \(limit >> 20) MB, and no more is read."
    case .textForm(let form): "The file is a signature in \(form) form, and DER is expected."
    case .notSignedData: "The file is not a CMS signature in DER form."
    case .broken(let reason): "The signature's structure is broken: \(reason)."
    case .trailingBytes(let count):
      "There \(count == 1 ? "is 1 byte" : "are \(count) bytes") behind the signature's end."
    case .detached: "The signature is detached: the content it is for is not in the file."
    case .otherContent(let type): "What was signed is no plain data but of type \(type)."
    case .noSigner: "Nobody has signed: the structure has certificates at most."
    case .severalSigners: "Several have signed, and one signer is expected."
    case .weakDigest(let name): "The signature is over a digest of \(name), which can be forged."
    case .unsupportedAlgorithm(let name): "The signature uses an algorithm that is not known here: \(name)."
    case .signerCertificateMissing: "The signer's certificate is not in the file."
    case .unusableCertificate: "The signer's certificate, or one of its chain, cannot be read."
    case .contentChanged: "The content was changed after it was signed."
    case .signatureMismatch:
      "The signature does not fit: the content, the signature or the signer was changed."
    case .notYetValid(let subject, let begins): "The certificate of '\(subject)' begins only at \(begins)."
    case .expired(let subject, let ends): "The certificate of '\(subject)' has expired at \(ends)."
    case .incompleteChain(let certificate, let issuer):
      "The chain ends at '\(certificate)': the certificate of its issuer '\(issuer)' is neither in the file nor "
        + "among the trusted."
    case .unknownAuthority(let subject): "The chain leads to '\(subject)', which is not among the trusted."
    case .weakCertificate: "A certificate of the chain is itself signed with a weak algorithm."
    case .wrongPurpose(let subject): "The certificate of '\(subject)' is not for this purpose."
    case .strayCertificate(let subject):
      "The certificate of '\(subject)' is not on the signer's way to an authority, and nobody in the file or among "
        + "the trusted has issued it as it is."
    }
  }
}
