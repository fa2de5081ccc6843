import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A client's session with frames written and read by hand.
private final class Talk {
  let session: HTTP2ClientSession
  private var output = OutputQueue()
  private(set) var outcomes: [Int: Result<HTTPResponse, ClientFailure>] = [:]

  /// Frames the client has sent, without its preface.
  private(set) var frames: [Frames.Frame] = []
  private var unread: [UInt8] = []

  init(
    _ messages: HTTPLimits = HTTPLimits(), _ limits: HTTP2ClientLimits = HTTP2ClientLimits(),
    cutsBody: Bool = false, settings: [(UInt16, UInt32)]? = []
  ) {
    session = HTTP2ClientSession(
      HTTP2ClientSettings(messages: messages, limits: limits, cutsBody: cutsBody))
    if let settings { receive(Frames.settings(settings)) }
  }

  func ask(_ count: Int = 1, _ method: String = "GET", body: [UInt8] = []) {
    for _ in 0..<count {
      asked += 1
      session.submit(
        HTTPRequest(method: method, scheme: "https", authority: "a.example", target: "/x", body: body),
        as: asked)
    }
    produce()
  }
  private var asked = 0

  func receive(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { session.receive($0) }
    produce()
  }

  func end() {
    session.receiveEnd(nil)
    produce()
  }

  func produce() {
    _ = session.produce(into: &output, limitBytes: .max)
    unread += output.takeAll()
    if unread.starts(with: Frames.preface) { unread.removeFirst(Frames.preface.count) }
    frames += Frames.take(&unread)
    for outcome in session.takeOutcomes() { outcomes[outcome.number] = outcome.result }
  }

  func kind(_ number: Int) -> HTTPClientError.Kind? {
    if case .failure(let failure)? = outcomes[number] { return failure.kind }
    return nil
  }

  func body(_ number: Int) -> [UInt8]? { try? outcomes[number]?.get().body }
}

/// The session by itself: bytes in, bytes and outcomes out.
@Suite("HTTP/2 client session")
struct HTTP2ClientSessionTests {
  typealias Code = Frames.Code
  typealias Kind = Frames.Kind

  @Test func forbidsPushInItsFirstFrame() throws {
    let talk = Talk()
    talk.produce()
    let first = try #require(talk.frames.first)
    #expect(first.kind == Kind.settings)
    // SETTINGS_ENABLE_PUSH, 0 (RFC 9113, 6.5.2).
    #expect(first.payload.starts(with: [0, 2, 0, 0, 0, 0]))
  }

  /// SETTINGS_INITIAL_WINDOW_SIZE is 4, and the connection's own window opens by WINDOW_UPDATE only (RFC 9113, 6.9.2).
  @Test func opensItsWindowsAtOnce() throws {
    let talk = Talk(settings: nil)
    talk.produce()
    let payload = try #require(talk.frames.first).payload
    let settings = stride(from: 0, to: payload.count, by: 6).map { Array(payload[$0..<$0 + 6]) }
    #expect(settings.contains([0, 4] + Frames.number(262_144)))
    let update = try #require(talk.frames.first { $0.kind == Kind.windowUpdate })
    #expect(update.stream == 0 && update.number(at: 0) == 4_194_304 - 65_535)
  }

  @Test func readsAnAnswerHoweverItIsSplit() {
    let answer =
      Frames.headers(1, Frames.ok + Frames.field("x-a", "1"), end: false) + Frames.data(1, [1, 2])
      + Frames.data(1, [3], end: true)
    for size in [1, 2, 7, answer.count] {
      let talk = Talk()
      talk.ask()
      var rest = answer[...]
      while !rest.isEmpty {
        talk.receive(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(
        talk.outcomes[1] == .success(HTTPResponse(status: 200, fields: ["x-a": "1"], body: [1, 2, 3])))
    }
  }

  @Test func opensNoMoreStreamsThanTheServerAllows() {
    // SETTINGS_MAX_CONCURRENT_STREAMS is 3.
    let talk = Talk(settings: [(3, 2)])
    #expect(talk.session.room == 2)
    talk.ask(2)
    #expect(talk.session.room == 0)
    talk.receive(Frames.headers(1, Frames.ok))
    #expect(talk.session.room == 1)
    talk.receive(Frames.settings([(3, 0)]))
    #expect(talk.session.room == 0)
    talk.receive(Frames.settings([(3, 9)]))
    #expect(talk.session.room == 8)
  }

  @Test func opensFewStreamsBeforeTheServersSettings() {
    var limits = HTTP2ClientLimits()
    limits.streamsBeforeSettings = 1
    let talk = Talk(HTTPLimits(), limits, settings: nil)
    #expect(talk.session.room == 1)
    talk.receive(Frames.settings())
    #expect(talk.session.room == limits.concurrentStreams)
  }

  @Test func tellsRequestsAboveTheLastStreamFromThoseBelow() {
    let talk = Talk()
    talk.ask(3)
    talk.receive(Frames.goaway(last: 1, Code.none, "{\"reason\":\"Shutdown\"}"))
    #expect(talk.kind(2) == .notProcessed && talk.kind(3) == .notProcessed)
    #expect(talk.outcomes[1] == nil)
    #expect(talk.session.room == 0 && !talk.session.isFinished)
    talk.receive(Frames.headers(1, Frames.ok))
    #expect(talk.body(1) == [])
    #expect(talk.session.isFinished)
    #expect(talk.session.goAway?.debugData == Array("{\"reason\":\"Shutdown\"}".utf8))
  }

  @Test func requestsBelowTheLastStreamMayHaveBeenActedUpon() {
    let talk = Talk()
    talk.ask(2)
    talk.receive(Frames.goaway(last: 1))
    talk.end()
    #expect(talk.kind(1) == .connectionLost && talk.kind(2) == .notProcessed)
  }

  @Test func tellsAStreamThatWasRefusedFromOneThatWasReset() {
    let talk = Talk()
    talk.ask(2)
    talk.receive(Frames.reset(1, Code.refusedStream) + Frames.reset(3, Code.internal))
    #expect(talk.kind(1) == .notProcessed)
    #expect(talk.kind(2) == .streamReset(code: Code.internal))
    #expect(talk.session.room > 0)
  }

  @Test func requestsThatWereNotSentAreNotProcessed() {
    let talk = Talk()
    talk.session.submit(HTTPRequest(authority: "a", target: "/"), as: 1)
    talk.end()
    #expect(talk.kind(1) == .notProcessed)
  }

  @Test func refusesABodyAboveTheLimitAndGoesOn() {
    var messages = HTTPLimits()
    messages.bodyBytes = 3
    let talk = Talk(messages)
    talk.ask(3)
    talk.receive(Frames.headers(1, Frames.ok, end: false) + Frames.data(1, [1, 2, 3, 4]))
    talk.receive(Frames.headers(3, Frames.ok + Frames.field("content-length", "4"), end: false))
    talk.receive(Frames.headers(5, Frames.ok, end: false) + Frames.data(5, [1, 2, 3], end: true))
    #expect(talk.kind(1) == .tooLarge(isHeader: false) && talk.kind(2) == .tooLarge(isHeader: false))
    #expect(talk.body(3) == [1, 2, 3])
    #expect(talk.frames.filter { $0.kind == Kind.reset }.map(\.stream) == [1, 3])
    #expect(talk.session.heldBytes == 0)
  }

  @Test func cutsABodyAtTheLimitWhereItIsTold() {
    var messages = HTTPLimits()
    messages.bodyBytes = 3
    let talk = Talk(messages, cutsBody: true)
    talk.ask()
    talk.receive(Frames.headers(1, Frames.ok + Frames.field("content-length", "5"), end: false))
    talk.receive(Frames.data(1, [1, 2]) + Frames.data(1, [3, 4, 5], end: true))
    #expect(talk.body(1) == [1, 2, 3])
    #expect(talk.session.heldBytes == 0)
  }

  @Test func boundsTheBodiesOfAllAnswersTogether() {
    var limits = HTTP2ClientLimits()
    limits.bodyBytes = 5
    let talk = Talk(HTTPLimits(), limits)
    talk.ask(2)
    for stream: UInt32 in [1, 3] {
      talk.receive(Frames.headers(stream, Frames.ok, end: false) + Frames.data(stream, [1, 2, 3]))
    }
    #expect(talk.kind(2) == .tooLarge(isHeader: false))
    talk.receive(Frames.data(1, [4, 5], end: true))
    #expect(talk.body(1) == [1, 2, 3, 4, 5])
  }

  @Test func refusesAHeaderSectionAboveTheLimits() {
    var messages = HTTPLimits()
    messages.headerBytes = 100
    messages.headerCount = 2
    let talk = Talk(messages)
    talk.ask(2)
    talk.receive(Frames.headers(1, Frames.ok + Frames.field("a", String(repeating: "x", count: 68))))
    talk.receive(Frames.headers(3, Frames.ok + Frames.fields([("a", "1"), ("b", "2"), ("c", "3")])))
    for number in [1, 2] { #expect(talk.kind(number) == .tooLarge(isHeader: true)) }
  }

  @Test func readsOverAFewInterimAnswersAndNotOverMany() {
    let interim = Frames.headers(1, Frames.field(":status", "103"), end: false)
    let few = Talk()
    few.ask()
    for _ in 0..<8 { few.receive(interim) }
    few.receive(Frames.headers(1, Frames.ok))
    #expect(few.body(1) == [])
    let many = Talk()
    many.ask()
    for _ in 0..<9 { many.receive(interim) }
    #expect(many.kind(1) == .malformedAnswer)
  }

  @Test func endsTheConnectionAtAPush() {
    let talk = Talk()
    talk.ask()
    // The client's SETTINGS have been acknowledged.
    talk.receive(Frames.frame(Kind.settings, flags: Frames.Flag.ack))
    talk.receive(
      Frames.frame(
        Kind.push, flags: Frames.Flag.endHeaders, stream: 1,
        Frames.number(2) + Frames.fields(Frames.request())))
    #expect(talk.kind(1) == .malformedAnswer)
    #expect(talk.session.isFinished)
    #expect(talk.frames.last { $0.kind == Kind.goaway }?.number(at: 4) == Code.protocol)
  }

  @Test func endsTheConnectionAtTooManyContinuations() {
    let talk = Talk()
    talk.ask()
    talk.receive(Frames.headers(1, Frames.ok, endHeaders: false))
    for _ in 0..<20 { talk.receive(Frames.frame(Kind.continuation, stream: 1, Frames.field("a", "b"))) }
    #expect(talk.kind(1) == .malformedAnswer)
    #expect(talk.session.isFinished)
  }

  @Test func answersPingsAndEndsTheConnectionAtTooMany() {
    let talk = Talk()
    talk.ask()
    talk.receive(Frames.ping())
    #expect(
      talk.frames.last
        == Frames.Frame(kind: Kind.ping, flags: 1, stream: 0, payload: [7, 7, 7, 7, 7, 7, 7, 7]))
    for _ in 0..<1_001 { talk.receive(Frames.ping()) }
    #expect(talk.kind(1) == .malformedAnswer)
    #expect(talk.frames.last { $0.kind == Kind.goaway }?.number(at: 4) == Code.calm)
  }

  /// So many answers may wait to be sent.
  @Test(arguments: [(256, false), (257, true)]) func endsTheConnectionAtTooManyPingsAtOnce(
    count: Int, isFinished: Bool
  ) {
    let talk = Talk()
    talk.ask()
    talk.receive(Array(repeating: Frames.ping(), count: count).flatMap { $0 })
    #expect(talk.session.isFinished == isFinished)
    #expect(talk.frames.contains { $0.kind == Kind.goaway } == isFinished)
  }

  @Test(arguments: [
    Frames.settings(), Frames.data(1, []), Frames.windowUpdate(0, 1), Frames.windowUpdate(1, 1),
  ])
  func endsTheConnectionAtFramesThatBelongToNoAnswer(_ frame: [UInt8]) {
    let talk = Talk()
    talk.ask()
    talk.receive(Frames.headers(1, Frames.ok, end: false))
    for _ in 0..<1_001 { talk.receive(frame) }
    #expect(talk.kind(1) == .malformedAnswer)
    #expect(talk.session.isFinished)
  }

  @Test func endsTheConnectionAtEndlessDataForAStreamThatHasEnded() {
    var limits = HTTP2ClientLimits()
    limits.idleBytes = 1_000
    let talk = Talk(HTTPLimits(), limits)
    talk.ask(2)
    talk.session.cancel(1)
    for _ in 0..<99 { talk.receive(Frames.data(1, [1])) }
    #expect(talk.kind(2) == nil)
    talk.receive(Frames.data(1, [1]))
    #expect(talk.kind(2) == .malformedAnswer)
  }

  /// What comes for nobody counts from the last piece of an answer on, frames' heads included.
  @Test(arguments: [(1_000, true), (999, false)])
  func takesAsManyBytesForNobodyAsTheLimitSays(_ limit: Int, _ goesOn: Bool) {
    var limits = HTTP2ClientLimits()
    limits.idleBytes = limit
    let talk = Talk(HTTPLimits(), limits, settings: nil)
    talk.receive(Frames.settings())
    talk.ask(2)
    talk.session.cancel(1)
    talk.receive(Frames.data(1, [UInt8](repeating: 1, count: 1_000 - 9 - 9)))
    #expect((talk.kind(2) == nil) == goesOn)
  }

  @Test func refusesAnAnswerThatContradictsItsLength() {
    let talk = Talk()
    talk.ask()
    talk.receive(Frames.headers(1, Frames.ok + Frames.field("content-length", "2"), end: false))
    talk.receive(Frames.data(1, [1], end: true))
    #expect(talk.kind(1) == .malformedAnswer)
  }

  @Test func refusesAnAnswerWithoutAStatus() {
    let talk = Talk()
    talk.ask()
    talk.receive(Frames.headers(1, Frames.field("a", "b")))
    #expect(talk.kind(1) == .malformedAnswer)
  }

  @Test func sendsABodyAsTheWindowsOpen() {
    // SETTINGS_INITIAL_WINDOW_SIZE is 4.
    let talk = Talk(settings: [(4, 0)])
    talk.ask(1, "POST", body: [1, 2, 3])
    #expect(
      talk.frames.contains { $0.kind == Kind.headers } && !talk.frames.contains { $0.kind == Kind.data })
    talk.receive(Frames.windowUpdate(1, 2))
    talk.receive(Frames.windowUpdate(1, 2))
    let data = talk.frames.filter { $0.kind == Kind.data }
    #expect(data.map(\.payload) == [[1, 2], [3]])
    #expect(data.map(\.endsStream) == [false, true])
  }

  @Test func stopsSendingWhenTheAnswerIsThereBeforeTheRequestsEnd() {
    let talk = Talk(settings: [(4, 0)])
    talk.ask(1, "POST", body: [1, 2, 3])
    talk.receive(Frames.headers(1, Frames.field(":status", "413")))
    #expect((try? talk.outcomes[1]?.get().status) == 413)
    #expect(talk.frames.last?.kind == Kind.reset)
    #expect(talk.session.streamCount == 0)
  }

  @Test func cancelsARequestAndHasNoOutcomeForIt() {
    let talk = Talk()
    talk.ask()
    talk.receive(Frames.headers(1, Frames.ok, end: false) + Frames.data(1, [1, 2]))
    #expect(talk.session.receivedBytes(of: 1) == 12)
    talk.session.cancel(1)
    talk.produce()
    #expect(talk.frames.last?.kind == Kind.reset && talk.frames.last?.number(at: 0) == Code.cancel)
    #expect(talk.outcomes.isEmpty && talk.session.heldBytes == 0 && talk.session.streamCount == 0)
  }

  @Test func saysGoodbye() {
    let talk = Talk()
    talk.session.end()
    talk.produce()
    #expect(talk.frames.last?.kind == Kind.goaway && talk.frames.last?.number(at: 4) == Code.none)
    #expect(talk.session.isFinished)
  }

  /// RFC 9113, 8.2.2: such a request would be malformed.
  @Test func sendsNoFieldThatBelongsToTheConnection() throws {
    func section(_ fields: HTTPFields) throws -> [UInt8] {
      let talk = Talk()
      talk.session.submit(HTTPRequest(authority: "a", target: "/", fields: fields), as: 1)
      talk.produce()
      return try #require(talk.frames.first { $0.kind == Kind.headers }).payload
    }
    let plain = try section(["X-A": "1"])
    let more = try section([
      "Connection": "close", "Host": "b", "TE": "x", "Transfer-Encoding": "chunked", "X-A": "1",
    ])
    #expect(more == plain)
  }
}
