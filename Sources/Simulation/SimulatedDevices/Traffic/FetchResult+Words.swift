import AppSiteAssociation
internal import AssociationDelivery
import LinkspanCore

extension FetchResult {
  /// What came back, in a few words for a trace: `200`, `did not answer in time`.
  var traceWords: String {
    switch self {
    case .answered(let response): "\(response.status)"
    case .failed(let failure): failure.words
    }
  }
}

extension FetchFailure {
  /// The failure as a clause that goes on after "the host".
  var words: String {
    switch self {
    case .unresolvable: "has no address"
    case .lookupFailed(let reason): "could not be looked up: \(reason)"
    case .privateAddress(let address): "has the private address \(address)"
    case .unreachable(let reason): "does not take connections: \(reason)"
    case .timedOut: "did not answer in time"
    case .unfinished(let bytes): "had sent \(bytes) bytes of an answer when time was up"
    case .handshake(let reason): "makes no TLS connection: \(reason)"
    case .certificate(let problem): "has a certificate that is \(problem.words)"
    case .malformed(let reason): "does not answer in HTTP: \(reason)"
    case .tooLarge(let limit): "answers with more than \(limit) bytes"
    }
  }
}
