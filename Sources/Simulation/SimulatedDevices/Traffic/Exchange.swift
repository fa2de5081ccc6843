internal import AppSiteAssociation
package import AssociationDelivery
package import LinkspanCore

/// One request and what came of it.
package struct Exchange: Sendable {
  /// The HTTP version; the raw value is HAR's `httpVersion`.
  package enum Version: String, Hashable, Sendable {
    case http1 = "HTTP/1.1"
    case http2 = "HTTP/2.0"
    /// A handler is not told what its client spoke, nor a caller what the client agreed on.
    case unknown
  }

  /// When the request left, counted from the beginning.
  package var started: Duration
  /// From request to the end of the answer, or to the failure.
  package var time: Duration
  /// Who asked: a device, `cdn`, or a client of a stand-in.
  package var party: String
  /// Tells connections apart: the parties and a number.
  package var connection: String
  package var version: Version
  /// The request with the fields that its client sends.
  package var request: HTTPRequest
  package var result: FetchResult
  package var cause: FetchCause

  package init(
    started: Duration, time: Duration, party: String, connection: String, version: Version,
    request: HTTPRequest, result: FetchResult, cause: FetchCause
  ) {
    self.started = started
    self.time = time
    self.party = party
    self.connection = connection
    self.version = version
    self.request = request
    self.result = result
    self.cause = cause
  }

  /// The full URL of the request.
  package var url: String { "\(request.scheme)://\(request.authority)\(request.target)" }
}
