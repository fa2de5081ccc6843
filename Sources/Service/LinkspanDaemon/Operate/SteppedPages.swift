internal import HTTPEngine
package import LinkspanConsole
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
  ///
  /// - Parameters:
  ///   - pauseAbove: Of a campaign's answers, the percentage of rejections above which it is paused.
  ///   - leastAnswers: Fewer answers say nothing.
  ///   - report: Takes what an operator should know.
  package func show(
    _ registry: RegistryAPI, _ watch: RegistryWatch, _ senders: SenderCounters, pauseAbove: Int,
    leastAnswers: Int, report: @escaping @Sendable (String) -> Void
  ) {
    pages.registry.withLock { $0 = registry }
    pages.registryWatch.withLock { $0 = watch }
    pages.senders.withLock { $0 = senders }
    let campaigns = CampaignWatch(registry, percent: pauseAbove, leastAnswers: leastAnswers, report: report)
    pages.campaigns.withLock { $0 = campaigns }
  }

  /// Looks after the registry, as a server does every second.
  package func lookAtRegistry() { pages.registryWatch.withLock { $0 }?.look() }

  /// Looks at the campaigns that run, as a server does more than once a second.
  package func lookAtCampaigns() { pages.campaigns.withLock { $0 }?.look() }

  /// What the console says beside the hosts.
  package var notices: [ConsoleNotice] { pages.campaigns.withLock { $0 }?.notices ?? [] }

  /// Counts a reload.
  package func noteReload(isGood: Bool) {
    pages.state.change { state in
      if isGood { state.reloadsDone += 1 } else { state.reloadsFailed += 1 }
    }
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
    return response
  }

  /// Counts what the public listeners answered.
  ///
  /// - Parameter hash: What stands for device tokens in the access log.
  /// - Returns: Its line in the access log.
  package func note(
    _ request: HTTPRequest, _ response: HTTPResponse, from origin: RequestOrigin, _ hash: KeyedHash,
    at now: WallTime
  ) -> AccessLogLine {
    let exchange = ServerExchange(
      request: request, status: response.status, bodyBytes: response.body.count, durationNanoseconds: 0,
      version: .http2, peer: origin.peer)
    observe(exchange)
    return AccessRecord(exchange: exchange, time: now.milliseconds).line(pages.clients, hash)
  }

  /// The answer of the listener for operators.
  package func operatorResponse(to request: HTTPRequest) -> HTTPResponse { pages.response(to: request) }
}
