internal import LinkspanCore

/// What the connections of one loop turn to: what answers, the numbers, and who looks on. Confined to the loop's thread.
final class LoopService {
  var responder: HTTPResponder {
    didSet { generation += 1 }
  }
  /// Another one for each responder.
  private(set) var generation = 0
  /// The accept queue is deep: an HTTP/1.1 connection gives its place away behind its answer.
  var isCrowded = false
  let counters: LoopCounters
  let pending: PendingAnswers
  /// Of HTTP/1.1, and of HTTP/2.
  let knownRequests = KnownRequests()
  let knownHeaders = KnownRequests()
  private let observer: ServerObserver?
  private let clock: ServerClock

  /// - Parameter pending: Nil makes one for a conversation that has no loop.
  init(
    _ responder: @escaping HTTPResponder, _ pending: PendingAnswers? = nil,
    _ counters: LoopCounters = LoopCounters(),
    observer: ServerObserver? = nil, clock: ServerClock = .system
  ) {
    self.responder = responder
    self.pending = pending ?? PendingAnswers(ArrivedAnswers(nil), patience: .max, counters)
    self.counters = counters
    self.observer = observer
    self.clock = clock
  }

  enum Reply {
    case now(HTTPResponse)
    /// The answer comes to the connection under this number, sometime.
    case later(Int)
  }

  /// The answer that is settled, or what asking for it brings.
  func reply(to known: KnownRequest, from origin: RequestOrigin, on stream: Int32 = 0) -> Reply {
    guard let settled = known.settled, settled.generation == generation else {
      return reply(to: known.request, known.version, from: origin, on: stream, settling: known)
    }
    counters.add(to: known.version == .http2 ? .requestsHTTP2 : .requestsHTTP1)
    if let observer {
      observer(exchange(known.request, known.version, origin.peer, nanoseconds: 0, settled.response))
    }
    return .now(settled.response)
  }

  /// Asks for an answer, and takes on the work for it where there is any.
  ///
  /// - Parameters:
  ///   - stream: Of HTTP/2; 0 in HTTP/1.1.
  ///   - known: Keeps the answer if it is settled.
  func reply(
    to request: HTTPRequest, _ version: ServerExchange.Version, from origin: RequestOrigin,
    on stream: Int32 = 0, settling known: KnownRequest? = nil
  ) -> Reply {
    counters.add(to: version == .http2 ? .requestsHTTP2 : .requestsHTTP1)
    // One copy of it for everything below.
    let observer = observer
    let start = observer == nil ? 0 : clock.monotonic()
    let response: HTTPResponse
    switch responder(request, origin) {
    case .now(let answer): response = answer
    case .settled(let answer):
      response = answer
      known?.settled = (answer, generation)
    case .later(let work):
      let place = PendingAnswers.Place(descriptor: origin.descriptor, stream: stream)
      let asked = observer.map { _ in
        AskedRequest(request: request, version: version, peer: origin.peer, start: start)
      }
      return .later(pending.add(work, for: place, now: clock.monotonic(), asked: asked))
    }
    if let observer {
      let time = clock.monotonic() - start
      observer(exchange(request, version, origin.peer, nanoseconds: time, response))
    }
    return .now(response)
  }

  /// A pending answer has come, or something in its place.
  ///
  /// - Returns: Where it has to go; nil when nobody waits for it.
  func end(_ number: Int, with response: HTTPResponse) -> PendingAnswers.Place? {
    guard let (place, asked) = pending.end(number) else { return nil }
    if let observer, let asked {
      let time = clock.monotonic() - asked.start
      observer(exchange(asked.request, asked.version, asked.peer, nanoseconds: time, response))
    }
    return place
  }

  private func exchange(
    _ request: HTTPRequest, _ version: ServerExchange.Version, _ peer: SocketAddress?, nanoseconds: Int64,
    _ response: HTTPResponse
  ) -> ServerExchange {
    let sendsBody = request.method != "HEAD" && ResponseFraming.hasBody(response.status)
    return ServerExchange(
      request: request, status: response.status, bodyBytes: sendsBody ? response.body.count : 0,
      durationNanoseconds: nanoseconds, version: version, peer: peer)
  }
}
