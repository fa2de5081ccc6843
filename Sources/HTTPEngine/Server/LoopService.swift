internal import LinkspanCore

/// What the connections of one loop turn to: what answers, the numbers, and who looks on. Confined to the loop's thread.
final class LoopService {
  var answering: RequestAnswering
  /// The accept queue is deep: an HTTP/1.1 connection gives its place away behind its answer.
  var isCrowded = false
  let counters: LoopCounters
  let pending: PendingAnswers
  private let observer: ServerObserver?
  private let clock: ServerClock

  /// - Parameter pending: Nil makes one for a conversation that has no loop.
  init(
    _ answering: RequestAnswering, _ pending: PendingAnswers? = nil,
    _ counters: LoopCounters = LoopCounters(),
    observer: ServerObserver? = nil, clock: ServerClock = .system
  ) {
    self.answering = answering
    self.pending = pending ?? PendingAnswers(ArrivedAnswers(nil), patience: .max, counters)
    self.counters = counters
    self.observer = observer
    self.clock = clock
  }

  /// Asks the handler.
  func response(
    of handler: HTTPHandler, to request: HTTPRequest, _ version: ServerExchange.Version,
    from origin: RequestOrigin
  ) -> HTTPResponse {
    counters.add(to: version == .http2 ? .requestsHTTP2 : .requestsHTTP1)
    guard observer != nil else { return handler(request) }
    let start = clock.monotonic()
    let response = handler(request)
    tell(exchange(request, version, origin, start), response)
    return response
  }

  enum Reply {
    case now(HTTPResponse)
    /// The answer comes to the connection under this number, sometime.
    case later(Int)
  }

  /// Asks the responder, and takes its work on.
  func reply(
    of responder: HTTPResponder, to request: HTTPRequest, _ version: ServerExchange.Version,
    from origin: RequestOrigin, on stream: Int32 = 0
  ) -> Reply {
    counters.add(to: version == .http2 ? .requestsHTTP2 : .requestsHTTP1)
    let start = clock.monotonic()
    let exchange = observer == nil ? nil : exchange(request, version, origin, start)
    let context = RequestContext(peer: origin.peer, isEncrypted: origin.isEncrypted, version: version)
    switch responder(request, context) {
    case .now(let response):
      tell(exchange, response)
      return .now(response)
    case .later(let work):
      let place = PendingAnswers.Place(descriptor: origin.descriptor, stream: stream)
      return .later(pending.add(work, for: place, now: start, exchange: exchange))
    }
  }

  /// A pending answer has come, or something in its place.
  ///
  /// - Returns: Where it has to go; nil when nobody waits for it.
  func end(_ number: Int, with response: HTTPResponse) -> PendingAnswers.Place? {
    guard let (place, exchange) = pending.end(number) else { return nil }
    tell(exchange, response)
    return place
  }

  private func exchange(
    _ request: HTTPRequest, _ version: ServerExchange.Version, _ origin: RequestOrigin, _ start: Int64
  ) -> ServerExchange {
    ServerExchange(
      request: request, status: 0, bodyBytes: 0, durationNanoseconds: start, version: version,
      peer: origin.peer)
  }

  /// - Parameter exchange: With the time of the request as its duration.
  private func tell(_ exchange: ServerExchange?, _ response: HTTPResponse) {
    guard let observer, var exchange else { return }
    let sendsBody = exchange.request.method != "HEAD" && ResponseFraming.hasBody(response.status)
    exchange.status = response.status
    exchange.bodyBytes = sendsBody ? response.body.count : 0
    exchange.durationNanoseconds = clock.monotonic() - exchange.durationNanoseconds
    observer(exchange)
  }
}
