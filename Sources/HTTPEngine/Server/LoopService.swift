internal import LinkspanCore

/// What the connections of one loop turn to: the handler, the numbers, and who looks on. Confined to the loop's thread.
final class LoopService {
  var handler: HTTPHandler
  /// The accept queue is deep: an HTTP/1.1 connection gives its place away behind its answer.
  var isCrowded = false
  let counters: LoopCounters
  let lastRequest = LastRequest()
  let lastHeader = LastHeader()
  private let observer: ServerObserver?
  private let directHandler: (@Sendable (HTTPRequest, SocketAddress?) -> HTTPResponse?)?
  private let clock: ServerClock

  init(
    _ handler: @escaping HTTPHandler, counters: LoopCounters = LoopCounters(),
    observer: ServerObserver? = nil,
    directHandler: (@Sendable (HTTPRequest, SocketAddress?) -> HTTPResponse?)? = nil,
    clock: ServerClock = .system
  ) {
    self.handler = handler
    self.counters = counters
    self.observer = observer
    self.directHandler = directHandler
    self.clock = clock
  }

  /// Asks the handler.
  func response(
    to request: HTTPRequest, _ version: ServerExchange.Version, from peer: SocketAddress?
  ) -> HTTPResponse {
    counters.add(to: version == .http2 ? .requestsHTTP2 : .requestsHTTP1)
    guard let observer else { return directHandler?(request, peer) ?? handler(request) }
    let start = clock.monotonic()
    let response = directHandler?(request, peer) ?? handler(request)
    let sendsBody = request.method != "HEAD" && ResponseFraming.hasBody(response.status)
    observer(
      ServerExchange(
        request: request, status: response.status, bodyBytes: sendsBody ? response.body.count : 0,
        durationNanoseconds: clock.monotonic() - start, version: version, peer: peer))
    return response
  }
}
