package import LinkspanCrypto

extension SignatureProblem {
  /// What to do about a signed association file.
  package var help: String {
    switch self {
    case .tooLarge: "An association file has at most 128 KB (R4). Is this the right file?"
    case .textForm("PEM"):
      "Make it DER: openssl cms -cmsout -inform PEM -in FILE -outform DER -out SIGNED, or begin with -outform DER."
    case .textForm:
      "Make it DER: openssl cms -cmsout -inform SMIME -in FILE -outform DER -out SIGNED, or begin with -outform DER."
    case .notSignedData: "'linkspan sign' makes one; a plain association file is for 'linkspan check'."
    case .broken, .trailingBytes, .contentChanged, .signatureMismatch:
      "Fetch or copy the file again as it is, byte for byte, or sign it again."
    case .detached: "Sign with the content inside: 'linkspan sign', or openssl smime with -nodetach."
    case .otherContent, .noSigner, .severalSigners, .weakDigest, .unsupportedAlgorithm:
      "Sign the file again: 'linkspan sign', or openssl smime with one -signer and -md sha256."
    case .signerCertificateMissing: "Sign without -nocerts, or with 'linkspan sign'."
    case .unusableCertificate: "Sign again with the certificate exactly as its authority issued it."
    case .notYetValid: "Check the clock; 'linkspan verify --at TIME' verifies for another time."
    case .expired:
      "Sign again with a renewed certificate; 'linkspan verify --at TIME' shows whether it was valid before."
    case .incompleteChain:
      "Sign with the intermediate certificates: --chain, or openssl smime with -certfile. For an authority of your "
        + "own there is --ca."
    case .unknownAuthority:
      "Name the authority's certificate with --ca, or sign with a certificate of a public one."
    case .weakCertificate: "Have a new certificate issued."
    case .strayCertificate:
      "Fetch or copy the file again as it is, byte for byte, or sign it again with only the chain."
    case .wrongPurpose: "Sign with the certificate of the site's TLS server, as G1s has it."
    }
  }
}
