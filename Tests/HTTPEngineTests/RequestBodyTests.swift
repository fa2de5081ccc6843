import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Whether a body is kept is decided from the head of its request.
@Suite("Bodies of requests")
struct RequestBodyTests {
  /// `/take` wants its body, `/take-4` one of four bytes at most; everything else is refused from its head.
  static let responder: HTTPResponder = { request, _ in
    switch request.target {
    case "/take": .afterBody { .now(Conversation.echo($0)) }
    case "/take-4": .afterBody(limitBytes: 4) { .now(Conversation.echo($0)) }
    case "/late": .afterBody { request in .offload { Conversation.echo(request) } }
    default: .now(.text(405, "only GET"))
    }
  }

  let counters = LoopCounters()
  let pending: PendingAnswers
  let arrived = ArrivedAnswers(nil)

  init() { pending = PendingAnswers(arrived, patience: .max, counters) }

  func service(_ limitBytes: Int = .max) -> LoopService {
    LoopService(Self.responder, pending, counters, bodies: BodyBudget(limitBytes: limitBytes))
  }

  func http1(_ service: LoopService) -> HTTP1Server {
    HTTP1Server(
      scheme: "http", limits: HTTPLimits(), HTTP1ResponseWriter(), service, origin: ConnectionOrigin())
  }

  func http2(_ service: LoopService) -> HTTP2Server {
    HTTP2Server(
      scheme: "http", HTTP2Settings(messages: HTTPLimits(), limits: HTTP2Limits()), service,
      origin: ConnectionOrigin())
  }

  func send(_ bytes: [UInt8], to server: some ServerProtocol) -> [UInt8] {
    var output = OutputQueue()
    bytes.withUnsafeBufferPointer { server.receive($0) }
    while !server.produce(into: &output, date: "D", limitBytes: .max) {}
    return output.takeAll()
  }

  func send(_ text: String, to server: HTTP1Server) -> String {
    String(decoding: send(Array(text.utf8), to: server), as: UTF8.self)
  }

  func frames(_ bytes: [UInt8], to server: HTTP2Server) -> [Frames.Frame] {
    var answer = send(bytes, to: server)
    return Frames.take(&answer)
  }

  static func post(_ path: String, _ body: String, length: Int? = nil) -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
  }

  static func post(_ stream: UInt32, _ path: String, _ body: [UInt8], end: Bool = true) -> [UInt8] {
    Frames.headers(stream, Frames.fields(Frames.request("POST", path)), end: false)
      + Frames.data(stream, body, end: end)
  }

  @Test func areNotKeptOverHTTP1WhenTheHeadIsAnswered() {
    let server = http1(service())
    let answer = send(Self.post("/", "abc", length: 1_000_000), to: server)
    #expect(answer.hasPrefix("HTTP/1.1 405 "))
    #expect(answer.contains("Connection: close\r\n"))
    #expect(server.waiting == .nothingYetSending)
    #expect(server.closing == .unwantedBody)
    #expect(counters.value(.bodyBytesNow) == 0)
  }

  @Test func areNotKeptOverHTTP2WhenTheHeadIsAnswered() {
    let server = http2(service())
    let answer = frames(Frames.start + Self.post(1, "/", [1, 2, 3], end: false), to: server)
    #expect(answer.first { $0.kind == Frames.Kind.headers }?.status == 405)
    #expect(!answer.contains { $0.kind == Frames.Kind.reset })
    #expect(server.heldBytes == 0)
    #expect(counters.value(.bodyBytesNow) == 0)
    // The rest is read over, trailers among it, and the connection goes on.
    let late = Frames.data(1, [4]) + Frames.headers(1, Frames.field("x", "y"))
    let next = frames(late + Self.post(3, "/take", [5]), to: server)
    #expect(next.filter { $0.kind == Frames.Kind.headers }.map(\.status) == [200])
    #expect(!next.contains { $0.kind == Frames.Kind.goaway })
  }

  /// As many bytes as the responder wants, which came with the head.
  @Test(arguments: [(4, [], 200), (5, [413], 413)] as [(Int, [Int?], Int)])
  func areRefusedAboveTheLimitOfTheirRoute(_ count: Int, _ first: [Int?], _ status: Int) {
    let server = http2(service())
    let body = [UInt8](repeating: 1, count: count)
    var answers = frames(Frames.start + Self.post(1, "/take-4", body, end: false), to: server)
    #expect(answers.filter { $0.kind == Frames.Kind.headers }.map(\.status) == first)
    answers += frames(Frames.data(1, [], end: true), to: server)
    #expect(answers.filter { $0.kind == Frames.Kind.headers }.map(\.status) == [status])
  }

  @Test func areNotAskedForWhenTheHeadIsAnswered() {
    let expect = "Host: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
    let answer = send("POST / HTTP/1.1\r\n\(expect)", to: http1(service()))
    #expect(answer.hasPrefix("HTTP/1.1 405 "))
    let wanted = http1(service())
    #expect(
      send("POST /take HTTP/1.1\r\n\(expect)", to: wanted) == "HTTP/1.1 100 Continue\r\n\r\n")
    #expect(send("abc", to: wanted).hasSuffix("\r\n\r\nabc"))
  }

  @Test func areAskedForOverHTTP2WhenTheyAreWanted() {
    func head(_ path: String) -> [UInt8] {
      Frames.headers(
        1, Frames.fields(Frames.request("POST", path, more: [("expect", "100-continue")])), end: false)
    }
    let refused = frames(Frames.start + head("/"), to: http2(service()))
    #expect(refused.filter { $0.kind == Frames.Kind.headers }.map(\.status) == [405])
    let server = http2(service())
    let wanted = frames(Frames.start + head("/take"), to: server)
    #expect(wanted.filter { $0.kind == Frames.Kind.headers }.map(\.status) == [100])
    let answer = frames(Frames.data(1, [7], end: true), to: server)
    #expect(answer.first { $0.kind == Frames.Kind.data }?.payload == [7])
  }

  @Test(arguments: [("abcd", "HTTP/1.1 200 "), ("abcde", "HTTP/1.1 413 ")])
  func areLimitedByTheResponderOverHTTP1(_ body: String, _ status: String) {
    #expect(send(Self.post("/take-4", body), to: http1(service())).hasPrefix(status))
    let chunk = "POST /take-4 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunked = send(chunk + "\(body.utf8.count)\r\n\(body)\r\n0\r\n\r\n", to: http1(service()))
    #expect(chunked.hasPrefix(status))
  }

  @Test(arguments: [(4, 200), (5, 413)])
  func areLimitedByTheResponderOverHTTP2(_ count: Int, _ status: Int) {
    let body = [UInt8](repeating: 1, count: count)
    let together = frames(Frames.start + Self.post(1, "/take-4", body), to: http2(service()))
    #expect(together.first { $0.kind == Frames.Kind.headers }?.status == status)
    let server = http2(service())
    var answer = frames(Frames.start + Self.post(1, "/take-4", [], end: false), to: server)
    for byte in body { answer += frames(Frames.data(1, [byte]), to: server) }
    answer += frames(Frames.data(1, [], end: true), to: server)
    #expect(answer.first { $0.kind == Frames.Kind.headers }?.status == status)
  }

  @Test func shareOneBoundAmongAllConnections() {
    let service = service(5)
    let (one, two) = (http1(service), http1(service))
    #expect(send(Self.post("/take", "abc", length: 4), to: one) == "")
    #expect(counters.value(.bodyBytesNow) == 3)
    let refusal = send(Self.post("/take", "abc"), to: two)
    #expect(refusal.hasPrefix("HTTP/1.1 503 "))
    #expect(refusal.contains("Retry-After: 1\r\n"))
    #expect(two.closing == .bodiesLimit)
    let third = http2(service)
    let frames = frames(Frames.start + Self.post(1, "/take", [1, 2, 3]), to: third)
    #expect(frames.first { $0.kind == Frames.Kind.headers }?.status == 503)
    #expect(counters.value(.bodiesRefused) == 2)
    #expect(counters.value(.bodyBytesNow) == 3)
    // What fits is taken, and room that is free again is used.
    #expect(send("d", to: one).hasSuffix("abcd"))
    #expect(counters.value(.bodyBytesNow) == 0)
    #expect(send(Self.post("/take", "abcde"), to: http1(service)).hasSuffix("abcde"))
  }

  @Test func areCountedUntilTheirAnswerIsThere() {
    let service = service()
    let (one, two) = (http1(service), http2(service))
    _ = send(Self.post("/late", "abc"), to: one)
    _ = send(Frames.start + Self.post(1, "/late", [1, 2]), to: two)
    #expect(counters.value(.bodyBytesNow) == 5)
    for work in pending.takeFresh() { work.run() }
    for answer in arrived.take().answers {
      let place = service.end(answer.number, with: answer.response)
      var output = OutputQueue()
      let server: any ServerProtocol = place?.stream == 0 ? one : two
      server.deliver(
        answer.response, number: answer.number, stream: place?.stream ?? 0, into: &output, date: "D")
    }
    #expect(counters.value(.bodyBytesNow) == 0)
  }

  @Test func areForgottenWithTheirConnection() {
    let service = service()
    let (one, two) = (http1(service), http2(service))
    _ = send(Self.post("/take", "abc", length: 9), to: one)
    _ = send(Frames.start + Self.post(1, "/take", [1, 2], end: false), to: two)
    #expect(counters.value(.bodyBytesNow) == 5)
    one.abandon()
    two.abandon()
    #expect(counters.value(.bodyBytesNow) == 0)
  }
}

@Suite("Memory given back")
struct MemoryReleaseTests {
  static let second: Int64 = 1_000_000_000

  @Test func comesWhenACrowdHasBeenGoneForASecond() {
    var memory = MemoryRelease()
    func note(_ connections: Int, _ now: Int64) -> Bool {
      memory.isDue(connections: connections, bodyBytes: 0, now: now)
    }
    #expect(!note(64, 0))
    #expect(!note(33, 0))
    #expect(memory.timeoutMilliseconds(now: 0) == nil)
    #expect(!note(32, 0))
    #expect(memory.timeoutMilliseconds(now: 0) == 1_001)
    #expect(!note(32, Self.second - 1))
    #expect(note(32, Self.second))
    #expect(!note(32, Self.second * 9))
    #expect(!note(16, Self.second * 9))
    #expect(note(16, Self.second * 10))
    // What is left is not worth it.
    #expect(!note(0, Self.second * 11))
    #expect(!note(0, Self.second * 99))
  }

  @Test func waitsForACrowdThatComesBack() {
    var memory = MemoryRelease()
    let notes: [(connections: Int, now: Int64)] = [
      (64, 0), (0, 0), (60, Self.second), (0, Self.second), (0, Self.second + 1),
    ]
    let isDue = notes.map { memory.isDue(connections: $0.connections, bodyBytes: 0, now: $0.now) }
    #expect(!isDue.contains(true))
  }

  @Test func comesBehindLargeBodies() {
    var memory = MemoryRelease()
    let notes: [(bodyBytes: Int, now: Int64)] = [(MemoryRelease.bodyBytes, 0), (0, 0), (0, Self.second)]
    let isDue = notes.map { memory.isDue(connections: 1, bodyBytes: $0.bodyBytes, now: $0.now) }
    #expect(isDue == [false, false, true])
  }
}
