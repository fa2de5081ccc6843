internal import AppSiteAssociation
package import AssociationDelivery
internal import HTTPClientEngine
internal import HTTPTransport
package import LinkspanCore

extension FetchFailure {
  /// What a client's error means to whoever wanted the file.
  package init(_ error: HTTPClientError, limit: Int) {
    switch error.kind {
    case .cannotResolve(isAnswered: true): self = .unresolvable
    case .cannotResolve(isAnswered: false):
      self = .lookupFailed(Self.cause(error.reason, behind: HostResolver.unanswered + ": "))
    case .timeout: self = .timedOut
    case .unfinished(let receivedBytes): self = .unfinished(receivedBytes: receivedBytes)
    case .handshake: self = .handshake(Self.cause(error.reason, behind: "the TLS handshake failed: "))
    // In TLS 1.3 a server refuses a client without a certificate when the client holds the handshake for done.
    case .connectionLost where error.reason.contains(TLSTransport.refusalWords):
      self = .handshake(error.reason)
    case .forbiddenAddress(let address): self = .privateAddress(address.host)
    case .refused, .cannotConnect, .connectionLost, .notProcessed, .streamReset, .tooManyWaiting, .shutDown,
      .unusableTrust, .unusableRequest:
      self = .unreachable(error.reason)
    case .malformedAnswer: self = .malformed(error.reason)
    // The file is what follows the header section.
    case .tooLarge(isHeader: true): self = .malformed(error.reason)
    case .tooLarge(isHeader: false): self = .tooLarge(limitBytes: limit)
    case .tls(let failure):
      switch failure {
      case .expired: self = .certificate(.expired)
      case .wrongName: self = .certificate(.wrongName)
      case .unknownIssuer: self = .certificate(.untrusted)
      case .notYetValid: self = .certificate(.other("not valid yet"))
      case .other(let reason): self = .certificate(.other(reason))
      }
    }
  }

  /// Without the words that every sentence about such a failure begins with.
  private static func cause(_ reason: String, behind words: String) -> String {
    reason.hasPrefix(words) ? String(reason.dropFirst(words.count)) : reason
  }
}
