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
  private let bodies: BodyBudget
  /// Of HTTP/1.1, and of HTTP/2.
  let knownRequests = KnownRequests()
  let knownHeaders = KnownRequests()
  private let observer: ServerObserver?
  private let clock: ServerClock

  /// - Parameter pending: Nil makes one for a conversation that has no loop.
  init(
    _ responder: @escaping HTTPResponder, _ pending: PendingAnswers? = nil,
    _ counters: LoopCounters = LoopCounters(),
    bodies: BodyBudget = BodyBudget(limitBytes: .max), observer: ServerObserver? = nil,
    clock: ServerClock = .system
  ) {
    self.bodies = bodies
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
    /// The responder decides when the body is there; only where it is still to come.
    case afterBody(BodyContinuation)
  }

  // MARK: - Bodies

  /// Counts a piece of a body that a connection keeps.
  ///
  /// - Returns: False, with nothing counted, when all connections together would hold more than they may.
  func keepBody(_ bytes: Int) -> Bool {
    guard bodies.reserve(bytes) else {
      counters.add(to: .bodiesRefused)
      return false
    }
    counters.add(bytes, to: .bodyBytesNow)
    return true
  }

  /// Counts bytes of bodies that are not kept any more.
  func releaseBody(_ bytes: Int) {
    guard bytes > 0 else { return }
    bodies.free(bytes)
    counters.add(-bytes, to: .bodyBytesNow)
  }

  /// What a request is answered whose body found no room.
  static let tooManyBodies: HTTPResponse = {
    var response = HTTPResponse.text(503, "too many request bodies are being received")
    response.fields["Retry-After"] = "1"
    return response
  }()

  // MARK: - Replies

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
  ///   - bodyFollows: The request is only its head so far.
  func reply(
    to request: HTTPRequest, _ version: ServerExchange.Version, from origin: RequestOrigin,
    on stream: Int32 = 0, settling known: KnownRequest? = nil, bodyFollows: Bool = false
  ) -> Reply {
    counters.add(to: version == .http2 ? .requestsHTTP2 : .requestsHTTP1)
    let start = observer == nil ? 0 : clock.monotonic()
    var reply = request.body.isEmpty ? responder(request, origin) : responder(Self.head(of: request), origin)
    while case .afterBody(let limitBytes, let next) = reply {
      if bodyFollows { return .afterBody(BodyContinuation(limitBytes: limitBytes, reply: next)) }
      reply = request.body.count <= limitBytes ? next(request) : .now(Self.bodyTooLarge(limitBytes))
    }
    return take(reply, request, version, origin, stream, known, since: start)
  }

  private static func head(of request: HTTPRequest) -> HTTPRequest {
    var head = request
    head.body = []
    return head
  }

  private static func bodyTooLarge(_ limitBytes: Int) -> HTTPResponse {
    .text(413, "the body is larger than \(limitBytes) bytes")
  }

  /// Goes on with a request whose body has come.
  func reply(
    to request: HTTPRequest, _ version: ServerExchange.Version, from origin: RequestOrigin,
    on stream: Int32 = 0, by continuation: BodyContinuation
  ) -> Reply {
    let start = observer == nil ? 0 : clock.monotonic()
    var reply = continuation.reply(request)
    while case .afterBody(_, let next) = reply { reply = next(request) }
    return take(reply, request, version, origin, stream, nil, since: start)
  }

  private func take(
    _ reply: HTTPReply, _ request: HTTPRequest, _ version: ServerExchange.Version, _ origin: RequestOrigin,
    _ stream: Int32, _ known: KnownRequest?, since start: Int64
  ) -> Reply {
    // One copy of it for everything below.
    let observer = observer
    let response: HTTPResponse
    switch reply {
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
    case .afterBody: preconditionFailure("the body is there already")
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
