internal import HTTPEngine
package import LinkspanCore
package import LinkspanServer
package import PushSending
package import RegistryServer

/// What the listeners of a server in a simulation answer, without sockets: the files of hosts, and the pages for operators.
package final class SteppedPages {
  private let pages: OperatorPages
  private let observe: ServerObserver
  private var handler = AssociationHandler([])

  /// - Parameter proxies: Networks of proxies that are trusted.
  package init(proxies: [AddressBlock]) {
    pages = OperatorPages(
      nil, ForwardedClient(trusted: proxies), connectionLimit: 1_000, isPublic: true, version: "0")
    observe = pages.observer()
    pages.state.change { $0.readiness.phase = .serving }
  }

  /// The address that a request came from, behind proxies.
  package var client: @Sendable (HTTPRequest, RequestOrigin) -> SocketAddress? {
    { [clients = pages.clients] request, origin in clients.client(of: request, peer: origin.peer) }
  }

  /// Takes the parts of the server that have numbers of their own.
  package func show(_ registry: RegistryAPI, _ senders: SenderCounters) {
    pages.registry.withLock { $0 = registry }
    pages.senders.withLock { $0 = senders }
  }

  /// Answers as what is published says now, and tells what became of hosts.
  package func tell(_ publication: SteppedPublication, _ outcomes: [PublicationOutcome]) {
    pages.tell(publication.manager, outcomes)
    handler = publication.manager.newHandler()
  }

  /// The answer of the public listeners to a request without a body.
  package func response(to request: HTTPRequest, from origin: RequestOrigin) -> HTTPResponse {
    let response: HTTPResponse
    switch pages.responder(orElse: handler.handler)(request, origin) {
    case .now(let made), .cacheable(let made): response = made
    default: preconditionFailure("files and pages are answered at once")
    }
    observe(
      ServerExchange(
        request: request, status: response.status, bodyBytes: response.body.count, durationNanoseconds: 0,
        version: .http2, peer: origin.peer))
    return response
  }

  /// The answer of the listener for operators.
  package func operatorResponse(to request: HTTPRequest) -> HTTPResponse { pages.response(to: request) }
}
