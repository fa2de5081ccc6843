internal import LinkspanCore

/// The way from a certificate to an authority that is believed.
enum CertificateChain {
  /// Our choice, like everyone's: chains in use have two to four certificates.
  private static let lengthLimit = 10

  /// What keeps a certificate from being believed at a moment; empty when nothing does.
  ///
  /// Each certificate on the way must be good at that moment, the authority's too. Revocation is not looked at.
  ///
  /// - Parameter others: Certificates that may be on the way, in any order.
  static func problems(
    of certificate: Certificate, others: [Certificate], trusting authorities: TrustedAuthorities,
    at moment: WallTime
  ) -> [SignatureProblem] {
    var chain: [Certificate] = []
    var problems: [SignatureProblem] = []
    var current = certificate
    while chain.count < lengthLimit {
      chain.append(current)
      problems += problem(of: current, at: moment)
      if let authority = authorities.issuer(of: current) {
        if authority.der != current.der { problems += problem(of: authority, at: moment) }
        return problems + [authorities.problem(with: chain)].compactMap(\.self)
      }
      if current.isSelfIssued { return problems + [.unknownAuthority(current.subject)] }
      let issuers = others.filter { other in
        current.names(asIssuer: other) && !chain.contains { $0.der == other.der }
      }
      guard let next = issuers.first(where: { $0.isGood(at: moment) }) ?? issuers.first else {
        // Roots stay out of files, so behind an intermediate it is the root that is missing.
        return problems + [
          chain.count > 1
            ? .unknownAuthority(current.issuer)
            : .incompleteChain(certificate: current.subject, issuer: current.issuer)
        ]
      }
      current = next
    }
    return problems + [.broken("its chain is longer than \(lengthLimit) certificates")]
  }

  /// Whether a certificate is as its issuer made it: one that is in the file, itself when it is a root, or one that is
  /// trusted. A certificate that is on nobody's way proves nothing; but one that was changed shows that the file was.
  static func isVouchedFor(
    _ certificate: Certificate, among others: [Certificate], _ authorities: TrustedAuthorities
  ) -> Bool {
    if authorities.hold(certificate) { return true }
    let issuers = others.filter { certificate.names(asIssuer: $0) }
    return (issuers + [authorities.issuer(of: certificate)].compactMap(\.self)).contains {
      certificate.isSigned(by: $0)
    }
  }

  private static func problem(of certificate: Certificate, at moment: WallTime) -> [SignatureProblem] {
    if moment < certificate.begins { return [.notYetValid(certificate.subject, certificate.begins)] }
    if moment > certificate.ends { return [.expired(certificate.subject, certificate.ends)] }
    return []
  }
}
