package import LinkspanCore

/// The result of verifying a CMS signature.
package struct SignatureReport: Sendable {
  /// The signed content; nil when the structure could not be read. Trust it only if ``isGood``.
  package var content: [UInt8]?
  /// The signer's certificate; nil when the file does not contain it.
  package var signer: Certificate?
  /// The other certificates, in the order of the file.
  package var others: [Certificate] = []
  /// Such as `SHA-256`; nil when the structure could not be read.
  package var digest: String?
  /// `RSA` or `ECDSA`; nil when the structure could not be read.
  package var key: String?
  /// Whether the signature is over attributes that hold a digest of the content, as openssl makes it without
  /// `-noattr`; nil when the structure could not be read.
  package var hasSignedAttributes: Bool?
  /// All problems, in the order of the checks.
  package var problems: [SignatureProblem] = []

  /// Whether signature, chain, validity periods and purpose are all correct.
  package var isGood: Bool { problems.isEmpty }

  /// Verifies CMS SignedData with its content inside.
  ///
  /// - Parameters:
  ///   - bytes: DER, or BER with indefinite lengths.
  ///   - authorities: nil verifies the signature over the content with the certificate inside, and no chain.
  ///   - moment: The time at which the certificates must be valid.
  ///   - purposes: The signer's certificate must allow at least one of these; nil allows any.
  package init(
    _ bytes: [UInt8], trusting authorities: TrustedAuthorities?, at moment: WallTime,
    purposes: [Certificate.Purpose]?
  ) {
    do throws(SignatureProblem) {
      try read(SignedData(bytes), authorities, moment, purposes)
    } catch {
      problems = [error]
    }
  }

  private mutating func read(
    _ data: SignedData, _ authorities: TrustedAuthorities?, _ moment: WallTime,
    _ purposes: [Certificate.Purpose]?
  ) throws(SignatureProblem) {
    content = data.content
    digest = data.signer.digest.rawValue
    key = data.signer.key.rawValue
    hasSignedAttributes = data.signer.attributes != nil
    var certificates: [Certificate] = []
    for der in data.certificates {
      guard let certificate = Certificate(der: der) else { throw .unusableCertificate }
      certificates.append(certificate)
    }
    let place = certificates.firstIndex { data.signer.identifier.names($0) }
    others = certificates.enumerated().filter { $0.offset != place }.map(\.element)
    if let attributes = data.signer.attributes,
      attributes.messageDigest != data.signer.digest.digest(of: data.content)
    {
      problems.append(.contentChanged)
    }
    guard let place else { throw .signerCertificateMissing }
    let signer = certificates[place]
    self.signer = signer
    let isSigned = signer.verifies(
      data.signer.signature, over: data.signer.attributes?.signedBytes ?? data.content, data.signer.key,
      data.signer.digest)
    if !isSigned { problems.append(.signatureMismatch) }
    guard let authorities else { return }
    problems += CertificateChain.problems(of: signer, others: others, trusting: authorities, at: moment)
    // Where the way itself is broken, what lies beside it says nothing new.
    for other in others
    where problems.isEmpty && !CertificateChain.isVouchedFor(other, among: certificates, authorities) {
      problems.append(.strayCertificate(other.subject))
    }
    if !signer.mayBeUsedToSign || purposes.map(signer.allows(anyOf:)) == false {
      problems.append(.wrongPurpose(signer.subject))
    }
  }
}

extension SignedData.Signer.Identifier {
  fileprivate func names(_ certificate: Certificate) -> Bool {
    switch self {
    case .issuerAndSerial(let issuer, let serial):
      certificate.serial == serial && certificate.issuerName == issuer
    case .subjectKey(let key): certificate.subjectKeyIdentifier == key
    }
  }
}
