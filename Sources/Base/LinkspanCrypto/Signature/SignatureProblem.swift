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

  /// Names for programs, which never change their meaning.
  package enum Name: String, Hashable, Sendable, CaseIterable {
    case tooLarge = "too-large"
    case textForm = "text-form"
    case notSignedData = "not-signed-data"
    case broken
    case trailingBytes = "trailing-bytes"
    case detached
    case otherContent = "other-content"
    case noSigner = "no-signer"
    case severalSigners = "several-signers"
    case weakDigest = "weak-digest"
    case unsupportedAlgorithm = "unsupported-algorithm"
    case signerCertificateMissing = "signer-certificate-missing"
    case unusableCertificate = "unusable-certificate"
    case contentChanged = "content-changed"
    case signatureMismatch = "signature-mismatch"
    case notYetValid = "not-yet-valid"
    case expired
    case incompleteChain = "incomplete-chain"
    case unknownAuthority = "unknown-authority"
    case weakCertificate = "weak-certificate"
    case wrongPurpose = "wrong-purpose"
    case strayCertificate = "stray-certificate"
  }

  package var name: String { kind.rawValue }

  private var kind: Name {
    switch self {
    case .tooLarge: .tooLarge
    case .textForm: .textForm
    case .notSignedData: .notSignedData
    case .broken: .broken
    case .trailingBytes: .trailingBytes
    case .detached: .detached
    case .otherContent: .otherContent
    case .noSigner: .noSigner
    case .severalSigners: .severalSigners
    case .weakDigest: .weakDigest
    case .unsupportedAlgorithm: .unsupportedAlgorithm
    case .signerCertificateMissing: .signerCertificateMissing
    case .unusableCertificate: .unusableCertificate
    case .contentChanged: .contentChanged
    case .signatureMismatch: .signatureMismatch
    case .notYetValid: .notYetValid
    case .expired: .expired
    case .incompleteChain: .incompleteChain
    case .unknownAuthority: .unknownAuthority
    case .weakCertificate: .weakCertificate
    case .wrongPurpose: .wrongPurpose
    case .strayCertificate: .strayCertificate
    }
  }

  /// What is wrong, as a sentence.
  package var message: String {
    switch self {
    case .tooLarge(let limit): "The file is larger than the limit of \(limit >> 20) MB."
    case .textForm(let form): "The file is a signature in \(form) form; expected DER."
    case .notSignedData: "The file is not a CMS signature in DER form."
    case .broken(let reason): "The signature's structure is invalid: \(reason)."
    case .trailingBytes(let count):
      "There \(count == 1 ? "is 1 byte" : "are \(count) bytes") after the end of the signature."
    case .detached: "The signature is detached: the file does not contain the signed content."
    case .otherContent(let type): "The signed content is not plain data; its type is \(type)."
    case .noSigner: "The file has no signer, only certificates."
    case .severalSigners: "The file has several signers; expected one."
    case .weakDigest(let name): "The signature uses a \(name) digest, which can be forged."
    case .unsupportedAlgorithm(let name): "The signature uses an unsupported algorithm: \(name)."
    case .signerCertificateMissing: "The signer's certificate is not in the file."
    case .unusableCertificate: "The signer's certificate or a certificate of its chain cannot be read."
    case .contentChanged: "The content was modified after it was signed."
    case .signatureMismatch:
      "The signature does not match: the content, the signature or the signer was modified."
    case .notYetValid(let subject, let begins):
      "The certificate of '\(subject)' is not valid before "
        + "\(begins)."
    case .expired(let subject, let ends): "The certificate of '\(subject)' expired at \(ends)."
    case .incompleteChain(let certificate, let issuer):
      "The chain ends at '\(certificate)': the certificate of its issuer '\(issuer)' is neither in the file nor "
        + "a trusted authority."
    case .unknownAuthority(let subject): "The chain ends at '\(subject)', which is not a trusted authority."
    case .weakCertificate: "A certificate of the chain is signed with a weak algorithm."
    case .wrongPurpose(let subject): "The certificate of '\(subject)' is not valid for this purpose."
    case .strayCertificate(let subject):
      "The certificate of '\(subject)' is not part of the signer's chain, and neither a certificate of the file nor "
        + "a trusted authority issued it."
    }
  }
}
