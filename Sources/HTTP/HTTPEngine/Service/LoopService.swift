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
  let streams: StreamedBodies
  private let bodies: BodyBudget
  /// Of HTTP/1.1, and of HTTP/2.
  let knownRequests = KnownRequests()
  let knownHeaders = KnownRequests()
  private let observer: ServerObserver?
  private let refusalForm: RefusalForm?
  private let clock: ServerClock

  /// - Parameters:
  ///   - pending: Nil makes one for a conversation that has no loop.
  ///   - streams: The same.
  init(
    _ responder: @escaping HTTPResponder, _ pending: PendingAnswers? = nil, streams: StreamedBodies? = nil,
    _ counters: LoopCounters = LoopCounters(),
    bodies: BodyBudget = BodyBudget(limitBytes: .max), observer: ServerObserver? = nil,
    refusalForm: RefusalForm? = nil, clock: ServerClock = .system
  ) {
    self.bodies = bodies
    self.responder = responder
    self.pending = pending ?? PendingAnswers(ArrivedAnswers(nil), patience: .max, counters)
    self.streams = streams ?? StreamedBodies(ArrivedAnswers(nil))
    self.counters = counters
    self.observer = observer
    self.refusalForm = refusalForm
    self.clock = clock
  }

  enum Reply {
    /// - Parameter isCacheable: What is written for it may be kept (``HTTPReply/cacheable(_:)``).
    case now(HTTPResponse, isCacheable: Bool)
    /// The answer comes to the connection under this number, sometime.
    case later(Int)
    /// The answer's head; its body comes piece by piece.
    case stream(HTTPResponse, StreamedBody)
    /// The responder decides when the body is there; only where it is still to come.
    case afterBody(BodyContinuation)
    /// The request's body goes to the handler as it comes; only where it is still to come.
    indirect case reading(StreamedBody, Reply)
    /// Something happens to the connection first (``HTTPReply/disturbed(_:_:)``).
    indirect case disturbed(HTTPDisturbance, Reply?)
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

  // MARK: - Refusals

  /// What a request is answered that the server refuses by itself.
  ///
  /// - Parameters:
  ///   - method: Empty where it was not read; the same for the target.
  func refusal(_ rejection: HTTPRejection, of method: String, _ target: String) -> HTTPResponse {
    let request = RefusedRequest(
      method: method, target: target, status: rejection.status, reason: rejection.reason,
      mayBeDone: rejection == .tooSlow)
    var response = refusalForm?(request) ?? .text(rejection.status, rejection.reason)
    if rejection.status == 503 { response.fields["Retry-After"] = "1" }
    return response
  }

  /// What a request is answered whose answer is not waited for any longer.
  func refusal(_ rejection: HTTPRejection, ofPending number: Int) -> HTTPResponse {
    let request = pending.asked(number)?.request
    return refusal(rejection, of: request?.method ?? "", request?.target ?? "")
  }

  // MARK: - Replies

  /// The answer that is kept, or what asking for it brings.
  func reply(to known: KnownRequest, from origin: ConnectionOrigin, on stream: Int32 = 0) -> Reply {
    guard let cached = known.cached, cached.generation == generation else {
      return reply(to: known.request, known.version, from: origin, on: stream, keeping: known)
    }
    counters.add(to: known.version == .http2 ? .requestsHTTP2 : .requestsHTTP1)
    if let observer {
      observer(exchange(known.request, known.version, origin.peer, nanoseconds: 0, cached.response))
    }
    return .now(cached.response, isCacheable: true)
  }

  /// Asks for an answer, and takes on the work for it where there is any.
  ///
  /// - Parameters:
  ///   - stream: Of HTTP/2; 0 in HTTP/1.1.
  ///   - known: Keeps the answer if it is cacheable.
  ///   - bodyFollows: The request is only its head so far.
  func reply(
    to request: HTTPRequest, _ version: HTTPVersion, from origin: ConnectionOrigin,
    on stream: Int32 = 0, keeping known: KnownRequest? = nil, bodyFollows: Bool = false
  ) -> Reply {
    counters.add(to: version == .http2 ? .requestsHTTP2 : .requestsHTTP1)
    let start = observer == nil ? 0 : clock.monotonic()
    let asking = Asking(request: request, version: version, origin: origin, stream: stream, start: start)
    let reply =
      request.body.isEmpty
      ? responder(request, origin.request) : responder(Self.head(of: request), origin.request)
    guard bodyFollows else { return take(withBody(reply, request), asking, known) }
    switch reply {
    case .afterBody(let limitBytes, let next):
      return .afterBody(BodyContinuation(limitBytes: limitBytes, reply: next))
    case .readingBody(let limitBytes, let capacityBytes, let next):
      let body = streams.openIncoming(
        capacityBytes: capacityBytes, limitBytes: limitBytes, at: asking.place)
      return .reading(body, take(withBody(next(request, body.stream), request), asking, nil))
    case let other: return take(other, asking, known)
    }
  }

  private static func head(of request: HTTPRequest) -> HTTPRequest {
    var head = request
    head.body = []
    return head
  }

  /// The reply to a request whose body is there.
  private func withBody(_ reply: HTTPReply, _ request: HTTPRequest) -> HTTPReply {
    var reply = reply
    while true {
      switch reply {
      case .afterBody(let limitBytes, let next):
        reply = request.body.count <= limitBytes ? next(request) : .now(tooLarge(request, limitBytes))
      case .readingBody(let limitBytes, _, let next):
        guard request.body.count <= limitBytes else { return .now(tooLarge(request, limitBytes)) }
        let stream = HTTPBodyStream(capacityBytes: max(1, request.body.count))
        stream.write(request.body)
        stream.finish()
        reply = next(Self.head(of: request), stream)
      default: return reply
      }
    }
  }

  private func tooLarge(_ request: HTTPRequest, _ limitBytes: Int) -> HTTPResponse {
    refusal(.bodyTooLarge(limitBytes), of: request.method, request.target)
  }

  /// Goes on with a request whose body has come.
  func reply(
    to request: HTTPRequest, _ version: HTTPVersion, from origin: ConnectionOrigin,
    on stream: Int32 = 0, by continuation: BodyContinuation
  ) -> Reply {
    let start = observer == nil ? 0 : clock.monotonic()
    let asking = Asking(request: request, version: version, origin: origin, stream: stream, start: start)
    return take(withBody(continuation.reply(request), request), asking, nil)
  }

  /// A request and where its answer has to go.
  private struct Asking {
    var request: HTTPRequest
    var version: HTTPVersion
    var origin: ConnectionOrigin
    var stream: Int32
    var start: Int64

    var place: PendingAnswers.Place { PendingAnswers.Place(descriptor: origin.descriptor, stream: stream) }

    var asked: AskedRequest {
      AskedRequest(request: request, version: version, peer: origin.peer, start: start)
    }
  }

  /// The request that waits, where somebody asks for it at its end.
  private func kept(_ asking: Asking) -> AskedRequest? {
    observer == nil && refusalForm == nil ? nil : asking.asked
  }

  private func take(_ reply: HTTPReply, _ asking: Asking, _ known: KnownRequest?) -> Reply {
    let response: HTTPResponse
    var isCacheable = false
    switch reply {
    case .now(let answer): response = answer
    case .cacheable(let answer):
      response = answer
      isCacheable = true
      known?.cached = (answer, generation)
    case .offload(let work):
      return .later(pending.add(work, for: asking.place, now: clock.monotonic(), asked: kept(asking)))
    case .later(let begin):
      if let (number, completion) = pending.addCompletion(
        for: asking.place, now: clock.monotonic(), asked: kept(asking))
      {
        begin(completion)
        return .later(number)
      }
      counters.add(to: .offloadRefused)
      response = refusal(.tooManyAwaited, of: asking.request.method, asking.request.target)
    case .stream(let head, let stream):
      let body = streams.openOutgoing(stream, of: head, at: asking.place, asked: kept(asking))
      return .stream(head, body)
    case .disturbed(let disturbance, let reply):
      return .disturbed(disturbance, reply.map { take($0, asking, nil) })
    case .afterBody, .readingBody: preconditionFailure("the body is there already")
    }
    if let observer {
      let time = clock.monotonic() - asking.start
      observer(exchange(asking.request, asking.version, asking.origin.peer, nanoseconds: time, response))
    }
    return .now(response, isCacheable: isCacheable)
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

  /// A streamed answer has ended, whole or not; its writer learns it where it has not ended by itself.
  func end(outgoing body: StreamedBody) {
    streams.close(body)
    body.stream.close()
    guard let observer, let asked = body.asked else { return }
    observer(
      ServerExchange(
        request: asked.request, status: body.status, bodyBytes: body.movedBytes,
        durationNanoseconds: clock.monotonic() - asked.start, version: asked.version, peer: asked.peer))
  }

  /// A streamed request has ended.
  ///
  /// - Parameter isWhole: Otherwise the handler is told that it is not.
  func end(incoming body: StreamedBody, isWhole: Bool) {
    streams.close(body)
    if isWhole { body.stream.finish() } else { body.stream.fail() }
  }

  private func exchange(
    _ request: HTTPRequest, _ version: HTTPVersion, _ peer: SocketAddress?, nanoseconds: Int64,
    _ response: HTTPResponse
  ) -> ServerExchange {
    let sendsBody = request.method != "HEAD" && ResponseFraming.hasBody(response.status)
    return ServerExchange(
      request: request, status: response.status, bodyBytes: sendsBody ? response.body.count : 0,
      durationNanoseconds: nanoseconds, version: version, peer: peer)
  }
}
