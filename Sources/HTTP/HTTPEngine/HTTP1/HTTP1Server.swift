package import LinkspanCore

/// The server's side of an HTTP/1.1 connection: parses, asks the handler, writes answers in order.
package final class HTTP1Server: ServerProtocol {
  enum State {
    case open
    case stopping
    /// The last answer is written.
    case ended
    /// The last answer is written, and the peer may not have finished sending.
    case refused
  }

  /// What an answer has to know of its request.
  struct Asked {
    var isHTTP10: Bool
    var isHead: Bool
    var keepsAlive: Bool
    /// Its body was not asked for, and may be on its way.
    var bodyFollows: Bool
    /// Its answer, which is being sent, has said that it is the last.
    var mustClose = false

    init(_ version: HTTPVersion, isHead: Bool, keepsAlive: Bool, bodyFollows: Bool = false) {
      isHTTP10 = version == .http10
      self.isHead = isHead
      self.keepsAlive = keepsAlive
      self.bodyFollows = bodyFollows
    }
  }

  let service: LoopService
  private let origin: ConnectionOrigin
  let writer: HTTP1ResponseWriter
  private let scheme: String
  var parser: HTTP1RequestParser
  /// Came before what the parser holds, and is one that the loop remembers.
  private var repeated: KnownRequest?
  /// Whether what the parser holds begins with no request that the loop remembers.
  private var isUnknown = false
  var state = State.open
  private var peerEnded = false
  /// What the responder does with the body that is being read.
  private var continuation: BodyContinuation?
  /// Bytes of a body that are counted as kept: of the request being read, or of the one that waits for its answer.
  private var bodyBytes = 0
  /// The request that waits for its answer; the next one is read when it is answered.
  private var pending: (number: Int, request: Asked)?
  /// The answer's body that is sent as it comes, and the request it answers.
  var outgoing: (body: StreamedBody, framing: HTTP1ResponseWriter.Framing, request: Asked)?
  /// The request's body that goes to the handler as it comes.
  var incoming: StreamedBody?
  package var progress = 0
  var closing: ServerClosing?

  package convenience init(scheme: String, limits: HTTPLimits, handler: @escaping HTTPHandler) {
    self.init(
      scheme: scheme, limits: limits, HTTP1ResponseWriter(), LoopService(HTTPReply.responder(handler)),
      origin: ConnectionOrigin())
  }

  init(
    scheme: String, limits: HTTPLimits, _ writer: HTTP1ResponseWriter, _ service: LoopService,
    origin: ConnectionOrigin
  ) {
    self.writer = writer
    self.scheme = scheme
    parser = HTTP1RequestParser(scheme: scheme, limits: limits)
    self.service = service
    self.origin = origin
  }

  package var waiting: ServerWait {
    switch state {
    case .ended: return .nothing
    case .refused: return peerEnded ? .nothing : .nothingYetSending
    case .open, .stopping:
      if outgoing != nil || incoming?.isFull == true { return .handler(isReading: false) }
      if incoming != nil { return .body }
      if pending != nil { return .handler(isReading: false) }
      // A request that was cut short gets no answer: its sender has gone.
      if peerEnded { return .nothing }
      switch parser.phase {
      case .idle: return state == .stopping ? .lastRequest : .request
      case .header: return .header
      case .body: return .body
      case .failed: return .nothing
      }
    }
  }

  package func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    switch state {
    case .open, .stopping:
      guard repeated == nil, parser.phase == .idle else { return parser.append(bytes) }
      if let (known, count) = service.knownRequests.request(atStartOf: bytes, scheme: scheme) {
        repeated = known
        if count < bytes.count { parser.append(UnsafeBufferPointer(rebasing: bytes[count...])) }
      } else {
        isUnknown = true
        parser.append(bytes)
      }
    case .ended, .refused: break
    }
  }

  package func receiveEnd() {
    peerEnded = true
    if incoming != nil { failIncoming() }
  }

  package func produce(into output: inout OutputQueue, date: String, limitBytes: Int) -> Bool {
    while true {
      switch state {
      case .open, .stopping: break
      case .ended, .refused: return true
      }
      if outgoing != nil {
        switch sendBody(into: &output, limitBytes: limitBytes) {
        case .limit: return false
        case .awaited: return true
        case .done: continue
        }
      }
      if incoming.map(\.isFull) ?? (pending != nil) { return true }
      guard output.count < limitBytes else { return false }
      if let known = repeated ?? (isUnknown ? nil : parser.takeKnown(of: service.knownRequests)) {
        repeated = nil
        answer(
          service.reply(to: known, from: origin),
          to: Asked(known.version, isHead: known.answersHead, keepsAlive: known.keepsAlive), into: &output,
          date: date)
        continue
      }
      isUnknown = false
      switch parser.next() {
      case .needMore where incoming != nil:
        takeIncoming()
        return true
      case .needMore:
        guard parser.bodyBytes > bodyBytes else { return true }
        guard keepBody(parser.bodyBytes, into: &output, date: date) else { continue }
        return true
      case .head(let request, let expectsContinue):
        begin(request, expectsContinue: expectsContinue, into: &output, date: date)
      case .request(let request): answer(request, into: &output, date: date)
      case .rejected(let rejection):
        closing = Self.closing(for: rejection)
        refuse(rejection, into: &output, date: date)
      }
    }
  }

  private static func closing(for rejection: HTTPRejection) -> ServerClosing {
    switch rejection.status {
    case 413: .bodyLimit
    case 414: .targetLimit
    case 431: .headerLimit
    default: .malformed
    }
  }

  /// Answers a request that is whole, or hands the last of its body to the handler that reads it.
  private func answer(_ request: HTTP1Request, into output: inout OutputQueue, date: String) {
    guard incoming == nil else { return finishIncoming(request.request.body) }
    let asked = Asked(
      request.version, isHead: request.request.method == "HEAD", keepsAlive: request.keepsAlive)
    if let continuation {
      self.continuation = nil
      guard keepBody(request.request.body.count, of: request.request, into: &output, date: date) else {
        return
      }
      return answer(
        service.reply(to: request.request, request.version, from: origin, by: continuation), to: asked,
        into: &output, date: date)
    }
    if request.request.body.isEmpty {
      parser.keep(
        KnownRequest(request.request, request.version, keepsAlive: request.keepsAlive),
        in: service.knownRequests)
    }
    answer(
      service.reply(to: request.request, request.version, from: origin), to: asked, into: &output, date: date)
  }

  package func deliver(
    _ response: HTTPResponse, number: Int, stream: Int32, into output: inout OutputQueue, date: String
  ) {
    guard let (expected, request) = pending, expected == number else { return }
    pending = nil
    releaseBody()
    if incoming != nil { dropIncoming() }
    write(response, isCacheable: false, to: request, into: &output, date: date)
  }

  package func abandon() {
    forgetAnswer()
    if incoming != nil { failIncoming() }
    endOutgoing()
    releaseBody()
  }

  private func forgetAnswer() {
    if let (number, _) = pending { _ = service.pending.end(number) }
    pending = nil
  }

  // MARK: - Bodies

  /// Asks for an answer before the body has come: the responder says whether it wants it.
  private func begin(
    _ request: HTTP1Request, expectsContinue: Bool, into output: inout OutputQueue, date: String
  ) {
    let reply = service.reply(to: request.request, request.version, from: origin, bodyFollows: true)
    let isHead = request.request.method == "HEAD"
    let asked = Asked(request.version, isHead: isHead, keepsAlive: request.keepsAlive, bodyFollows: true)
    switch reply {
    case .afterBody(let continuation):
      self.continuation = continuation
      parser.limitBody(toBytes: continuation.limitBytes)
      if expectsContinue { writer.writeContinue(to: &output) }
    case .reading(let body, .later(let number)):
      incoming = body
      pending = (number, asked)
      progress += 1
      if let limitBytes = body.remainingBytes { parser.limitBody(toBytes: limitBytes) }
      if expectsContinue { writer.writeContinue(to: &output) }
    case .reading(let body, let reply):
      // Answered before anything of the body has come.
      service.end(incoming: body, isWhole: false)
      parser.abandon()
      closing = .unwantedBody
      answer(reply, to: asked, into: &output, date: date)
    default:
      parser.abandon()
      closing = .unwantedBody
      answer(reply, to: asked, into: &output, date: date)
    }
  }

  /// The request's body is whole; the connection may go on behind its answer.
  private func finishIncoming(_ rest: [UInt8]) {
    incoming?.write(rest)
    if let incoming { service.end(incoming: incoming, isWhole: true) }
    incoming = nil
    pending?.request.bodyFollows = false
  }

  /// An answer has come before the request's body: the rest is not read.
  private func dropIncoming() {
    failIncoming()
    parser.abandon()
    closing = .unwantedBody
  }

  /// Counts what is kept of the body so far.
  ///
  /// - Parameter request: Where it is whole.
  /// - Returns: False when there is no room for it; then the request is refused.
  private func keepBody(
    _ bytes: Int, of request: HTTPRequest? = nil, into output: inout OutputQueue, date: String
  ) -> Bool {
    guard service.keepBody(bytes - bodyBytes) else {
      closing = .bodiesLimit
      refuse(.tooManyBodies, request, into: &output, date: date)
      return false
    }
    bodyBytes = bytes
    return true
  }

  private func releaseBody() {
    service.releaseBody(bodyBytes)
    bodyBytes = 0
  }

  // MARK: - Answers

  package func expire(into output: inout OutputQueue, date: String) {
    switch waiting {
    case .header, .body:
      refuse(HTTPRejection(408, "the request did not come in time"), into: &output, date: date)
    default: state = .ended
    }
  }

  package func stop() {
    if state == .open { state = .stopping }
  }

  private func answer(
    _ reply: LoopService.Reply, to asked: Asked, into output: inout OutputQueue, date: String
  ) {
    progress += 1
    switch reply {
    case .now(let response, let isCacheable):
      releaseBody()
      write(response, isCacheable: isCacheable, to: asked, into: &output, date: date)
    case .later(let number): pending = (number, asked)
    case .stream(let head, let body):
      releaseBody()
      begin(body, head, to: asked, into: &output, date: date)
    case .disturbed(_, let reply):
      let withheld = LoopService.Reply.now(.text(503, "there is no answer"), isCacheable: false)
      answer(reply ?? withheld, to: asked, into: &output, date: date)
    case .afterBody, .reading: preconditionFailure("a whole request has its body")
    }
  }

  private func write(
    _ response: HTTPResponse, isCacheable: Bool, to request: Asked, into output: inout OutputQueue,
    date: String
  ) {
    let goesOn = goesOn(behind: request)
    service.counters.addResponse(status: response.status)
    writer.write(
      response, answersHead: request.isHead, connection: connection(goesOn, request), date: date,
      isCacheable: isCacheable, to: &output)
    finish(request, goesOn: goesOn)
  }

  /// Whether the connection takes another request behind the answer to this one.
  func goesOn(behind request: Asked) -> Bool {
    let mayGoOn = request.keepsAlive && !request.bodyFollows && state == .open
    guard mayGoOn, service.isCrowded else { return mayGoOn }
    service.counters.add(to: .crowdedCloses)
    closing = .crowded
    return false
  }

  func connection(_ goesOn: Bool, _ request: Asked) -> HTTP1ResponseWriter.Connection {
    !goesOn ? .close : request.isHTTP10 ? .keepAlive : .open
  }

  /// The answer is written to its end.
  func finish(_ request: Asked, goesOn: Bool) {
    // A peer that asked for the end has nothing more to send; one we end may have the next request under way.
    if !goesOn { state = request.keepsAlive || request.bodyFollows ? .refused : .ended }
  }

  private func refuse(
    _ rejection: HTTPRejection, _ request: HTTPRequest? = nil, into output: inout OutputQueue, date: String
  ) {
    let response = service.refusal(
      rejection, of: request?.method ?? parser.method, request?.target ?? parser.target)
    service.counters.addResponse(status: response.status)
    writer.write(
      response, answersHead: parser.answersHead, connection: .close, date: date, to: &output)
    state = .refused
    continuation = nil
    forgetAnswer()
    if incoming != nil { failIncoming() }
    parser.abandon()
    releaseBody()
  }
}
