package import LinkspanCore
package import LinkspanCrypto

/// The signed form of a host's association file, and how long it is good.
package struct SignedSite: Sendable {
  package let host: String?
  /// CMS SignedData in DER form, to be served as `application/pkcs7-mime` (R3).
  package let bytes: [UInt8]
  /// The last moment the signature is good: the first end among the certificates that go along.
  package let ends: WallTime
  private let lasting: [SigningWarning]

  /// Why a file is not signed.
  package enum Refusal: Error, Hashable, Sendable {
    /// A certificate that goes along is not good at the moment.
    case certificate(SignatureProblem)
    case identity(IdentityError)
  }

  /// Signs a file.
  ///
  /// - Parameters:
  ///   - host: The host the file is for, or nil when nobody knows.
  ///   - file: The association file, signed as it is.
  ///   - moment: The wall-clock time of signing.
  package init(
    host: String?, file: [UInt8], identity: SigningIdentity, at moment: WallTime
  ) throws(Refusal) {
    let certificates = [identity.certificate] + identity.chain
    for certificate in certificates where moment < certificate.begins {
      throw .certificate(.notYetValid(certificate.subject, certificate.begins))
    }
    for certificate in certificates where moment > certificate.ends {
      throw .certificate(.expired(certificate.subject, certificate.ends))
    }
    do throws(IdentityError) {
      bytes = try identity.sign(file)
    } catch {
      throw .identity(error)
    }
    self.host = host
    ends = certificates.map(\.ends).min() ?? identity.certificate.ends
    var warnings: [SigningWarning] = []
    if !identity.certificate.isForServers { warnings.append(.notForServers) }
    if let host, !identity.certificate.isFor(host: host) { warnings.append(.otherHost(host)) }
    let hasIssuer = certificates.contains { identity.certificate.names(asIssuer: $0) }
    if !hasIssuer { warnings.append(.noIntermediate) }
    if bytes.count > SigningWarning.sizeLimitBytes { warnings.append(.tooLarge(bytes.count)) }
    lasting = warnings
  }

  /// When ``warnings(at:)`` begins to say that the file has to be signed anew.
  private var renewsFrom: WallTime { ends.advanced(by: .seconds(-SigningWarning.noticeDays * 86_400)) }

  /// What to tell the operator at a moment.
  package func warnings(at moment: WallTime) -> [SigningWarning] {
    (moment >= renewsFrom ? [.expiresSoon(ends)] : []) + lasting
  }
}
