internal import AppSiteAssociation
package import LinkspanCore

/// What may keep devices from taking a signed file, though it could be made.
package enum SigningWarning: Hashable, Sendable {
  /// The certificate ends within ``noticeDays``.
  case expiresSoon(WallTime)
  case notForServers
  /// The certificate does not name the host.
  case otherHost(String)
  /// Neither the certificate's issuer is along nor is the certificate its own.
  case noIntermediate
  /// The signed file is larger than devices take, in bytes.
  case tooLarge(Int)

  /// Ours: authorities renew certificates about a month before their end.
  package static let noticeDays: Int64 = 30
  /// Signed or not (R4).
  package static let sizeLimitBytes = AssociationLocation.maximumFileBytes

  package var message: String {
    switch self {
    case .expiresSoon(let ends):
      "the certificate expires at \(ends), and the signature with it; sign again before then"
    case .notForServers: "the certificate is not one for TLS servers, which Apple asked for (G1s)"
    case .otherHost(let host): "the certificate does not name '\(host)'"
    case .noIntermediate:
      "the certificate's issuer is missing; devices do not fetch it. Add it with --chain"
    case .tooLarge(let count):
      "the signed file has \(count) bytes, and devices take \(Self.sizeLimitBytes) (R4)"
    }
  }
}
