import LinkspanCore
import Synchronization
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// What a hostile or broken client sends after its preface, and how the connection has to answer.
struct HTTP2Abuse: CustomTestStringConvertible, Sendable {
  enum Answer: Equatable, Sendable {
    /// The connection ends with this code (RFC 9113, 5.4.1).
    case goaway(UInt32)
    /// Stream 1 ends with this code, and the connection goes on (RFC 9113, 5.4.2).
    case reset(UInt32)
    /// Stream 1 is answered with this status, and the connection goes on.
    case status(Int)
  }

  var name: String
  var bytes: [UInt8]
  var answer: Answer
  var testDescription: String { name }

  init(_ name: String, _ answer: Answer, _ bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    self.answer = answer
  }

  /// A request whose fields are not as they should be.
  init(_ name: String, _ answer: Answer, fields: [(String, String)]) {
    self.init(name, answer, Frames.headers(1, Frames.fields(fields)))
  }

  private static func times(_ count: Int, _ frame: [UInt8]) -> [UInt8] {
    Array(repeatElement(frame, count: count).joined())
  }

  static let floods: [HTTP2Abuse] = [
    HTTP2Abuse("rapid-reset", .goaway(11), Frames.streams(400) { Frames.get($0) + Frames.reset($0) }),
    HTTP2Abuse(
      "made-you-reset", .goaway(11),
      Frames.streams(400) { Frames.post($0) + Frames.windowUpdate($0, 0x7FFF_FFFF) }),
    HTTP2Abuse(
      "continuation-flood", .goaway(11),
      Frames.headers(1, Frames.fields(Frames.request()), endHeaders: false)
        + times(20, Frames.frame(Frames.Kind.continuation, stream: 1, Frames.field("x", "y")))),
    HTTP2Abuse(
      "empty-continuation-flood", .goaway(11),
      Frames.headers(1, [], endHeaders: false)
        + times(1_000, Frames.frame(Frames.Kind.continuation, stream: 1))),
    HTTP2Abuse("settings-flood", .goaway(11), times(2_000, Frames.settings())),
    HTTP2Abuse("settings-ack-flood", .goaway(1), times(2_000, Frames.frame(4, flags: 1))),
    HTTP2Abuse("ping-flood", .goaway(11), times(2_000, Frames.ping())),
    HTTP2Abuse("ping-ack-flood", .goaway(11), times(2_000, Frames.ping(ack: true))),
    HTTP2Abuse(
      "priority-flood", .goaway(11),
      Frames.streams(2_000) { Frames.frame(Frames.Kind.priority, stream: $0, [0, 0, 0, 0, 16]) }),
    HTTP2Abuse("window-update-flood", .goaway(11), times(2_000, Frames.windowUpdate(0, 1))),
    HTTP2Abuse(
      "empty-data-flood", .goaway(11), Frames.post(1) + times(2_000, Frames.data(1, []))),
    HTTP2Abuse(
      "refused-stream-flood", .goaway(11), Frames.streams(3_000) { Frames.post($0) }),
    HTTP2Abuse(
      "unknown-frame-flood", .goaway(11),
      times(100, Frames.frame(0xFA, Array(repeating: 0, count: 16_384)))),
    HTTP2Abuse(
      "older-stream-flood", .goaway(1),
      Frames.get(5)
        + times(
          200,
          Frames.headers(
            3, Frames.fields(Frames.request(more: [("x", String(repeating: "a", count: 8_000))])))
        )),
    HTTP2Abuse(
      "padding-flood", .goaway(11),
      Frames.post(1)
        + times(
          5_000,
          Frames.frame(0, flags: Frames.Flag.padded, stream: 1, [255] + [UInt8](repeating: 0, count: 255)))),
  ]

  static let framing: [HTTP2Abuse] = [
    HTTP2Abuse(
      "frame-above-the-maximum-size", .goaway(6), Frames.frame(0xFA, [UInt8](repeating: 0, count: 16_385))),
    HTTP2Abuse("ping-of-seven-bytes", .goaway(6), Frames.frame(6, Array(repeating: 0, count: 7))),
    HTTP2Abuse("ping-on-a-stream", .goaway(1), Frames.frame(6, stream: 1, Array(repeating: 0, count: 8))),
    HTTP2Abuse("settings-of-five-bytes", .goaway(6), Frames.frame(4, [0, 0, 0, 0, 0])),
    HTTP2Abuse("settings-ack-with-content", .goaway(6), Frames.frame(4, flags: 1, [0, 1, 0, 0, 0, 0])),
    HTTP2Abuse("settings-on-a-stream", .goaway(1), Frames.frame(4, stream: 1)),
    HTTP2Abuse("settings-too-many", .goaway(11), Frames.settings((0..<33).map { _ in (3, 1) })),
    HTTP2Abuse("settings-window-above-the-maximum", .goaway(3), Frames.settings([(4, 0x8000_0000)])),
    HTTP2Abuse("settings-frame-size-below-the-minimum", .goaway(1), Frames.settings([(5, 16_383)])),
    HTTP2Abuse("settings-push-neither-0-nor-1", .goaway(1), Frames.settings([(2, 2)])),
    HTTP2Abuse("window-update-of-three-bytes", .goaway(6), Frames.frame(8, [0, 0, 1])),
    HTTP2Abuse("window-update-of-zero", .goaway(1), Frames.windowUpdate(0, 0)),
    HTTP2Abuse("connection-window-overflow", .goaway(3), Frames.windowUpdate(0, 0x7FFF_FFFF)),
    HTTP2Abuse(
      "stream-window-overflow", .reset(3), Frames.post(1) + Frames.windowUpdate(1, 0x7FFF_FFFF)),
    HTTP2Abuse(
      "window-overflow-by-settings", .reset(3),
      Frames.post(1) + Frames.windowUpdate(1, 0x7FFF_0000) + Frames.settings([(4, 0x7FFF_FFFF)])),
    HTTP2Abuse(
      "priority-on-stream-0", .goaway(1), Frames.frame(Frames.Kind.priority, stream: 0, [0, 0, 0, 1, 16])),
    HTTP2Abuse("data-before-headers", .goaway(1), Frames.data(1, [0])),
    HTTP2Abuse("data-on-stream-0", .goaway(1), Frames.data(0, [0])),
    HTTP2Abuse("headers-on-stream-0", .goaway(1), Frames.get(0)),
    HTTP2Abuse("headers-on-an-even-stream", .goaway(1), Frames.get(2)),
    HTTP2Abuse("headers-after-the-end", .goaway(5), Frames.get(1) + Frames.get(1)),
    HTTP2Abuse("data-after-the-end", .goaway(5), Frames.get(1) + Frames.data(1, [0])),
    HTTP2Abuse("reset-of-an-idle-stream", .goaway(1), Frames.reset(9)),
    HTTP2Abuse("window-update-of-an-idle-stream", .goaway(1), Frames.windowUpdate(9, 1)),
    HTTP2Abuse("push-promise-by-a-client", .goaway(1), Frames.frame(5, flags: 4, stream: 1, [0, 0, 0, 2])),
    HTTP2Abuse(
      "continuation-without-headers", .goaway(1), Frames.frame(9, flags: 4, stream: 1, Frames.field("x", "y"))
    ),
    HTTP2Abuse(
      "frame-inside-a-header-section", .goaway(1),
      Frames.headers(1, Frames.fields(Frames.request()), endHeaders: false) + Frames.ping()),
    HTTP2Abuse(
      "padding-longer-than-its-frame", .goaway(1),
      Frames.post(1) + Frames.frame(0, flags: Frames.Flag.padded, stream: 1, [9, 0])),
    HTTP2Abuse("header-index-nobody-set", .goaway(9), Frames.headers(1, [0xFE])),
    HTTP2Abuse("header-table-above-the-maximum", .goaway(9), Frames.headers(1, [0x3F, 0xE1, 0xFF, 0x03])),
    HTTP2Abuse("header-string-longer-than-its-frame", .goaway(9), Frames.headers(1, [0x00, 0x7E, 0x61])),
  ]

  static let fields: [HTTP2Abuse] = [
    HTTP2Abuse("upper-case-name", .reset(1), fields: Frames.request("GET", "/", more: [("X-A", "b")])),
    HTTP2Abuse("no-method", .reset(1), fields: [(":scheme", "http"), (":path", "/"), (":authority", "a")]),
    HTTP2Abuse("no-path", .reset(1), fields: [(":method", "GET"), (":scheme", "http"), (":authority", "a")]),
    HTTP2Abuse("no-scheme", .reset(1), fields: [(":method", "GET"), (":path", "/"), (":authority", "a")]),
    HTTP2Abuse("no-host", .reset(1), fields: Frames.request(authority: nil)),
    HTTP2Abuse("two-paths", .reset(1), fields: Frames.request(more: [(":path", "/b")])),
    HTTP2Abuse("unknown-pseudo-header", .reset(1), fields: Frames.request(more: [(":x", "y")])),
    HTTP2Abuse("pseudo-header-of-answers", .reset(1), fields: Frames.request(more: [(":status", "200")])),
    HTTP2Abuse(
      "pseudo-header-after-a-field", .reset(1),
      fields: [("x", "y"), (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a")]),
    HTTP2Abuse("empty-path", .reset(1), fields: Frames.request("GET", "")),
    HTTP2Abuse("relative-path", .reset(1), fields: Frames.request("GET", "b")),
    HTTP2Abuse("asterisk-with-get", .reset(1), fields: Frames.request("GET", "*")),
    HTTP2Abuse("path-with-a-space", .reset(1), fields: Frames.request("GET", "/a b")),
    HTTP2Abuse(
      "connection-field", .reset(1), fields: Frames.request("GET", "/", more: [("connection", "close")])),
    HTTP2Abuse(
      "keep-alive-field", .reset(1), fields: Frames.request("GET", "/", more: [("keep-alive", "1")])),
    HTTP2Abuse(
      "proxy-connection-field", .reset(1),
      fields: Frames.request("GET", "/", more: [("proxy-connection", "x")])),
    HTTP2Abuse(
      "transfer-encoding", .reset(1),
      fields: Frames.request("GET", "/", more: [("transfer-encoding", "chunked")])),
    HTTP2Abuse("upgrade-field", .reset(1), fields: Frames.request("GET", "/", more: [("upgrade", "h2c")])),
    HTTP2Abuse(
      "te-other-than-trailers", .reset(1), fields: Frames.request("GET", "/", more: [("te", "gzip")])),
    HTTP2Abuse(
      "line-end-in-a-value", .reset(1), fields: Frames.request("GET", "/", more: [("x", "a\r\nb: c")])),
    HTTP2Abuse("nul-in-a-value", .reset(1), fields: Frames.request("GET", "/", more: [("x", "a\u{0}")])),
    HTTP2Abuse("space-before-a-value", .reset(1), fields: Frames.request("GET", "/", more: [("x", " a")])),
    HTTP2Abuse("space-in-a-name", .reset(1), fields: Frames.request("GET", "/", more: [("x y", "a")])),
    HTTP2Abuse(
      "host-other-than-authority", .status(400), fields: Frames.request("GET", "/", more: [("host", "b")])),
    HTTP2Abuse(
      "two-hosts", .reset(1),
      fields: Frames.request("GET", "/", authority: nil, more: [("host", "a"), ("host", "a")])),
    HTTP2Abuse("authority-with-a-user", .status(400), fields: Frames.request(authority: "u@a")),
    HTTP2Abuse("connect", .status(501), fields: [(":method", "CONNECT"), (":authority", "a:443")]),
    HTTP2Abuse("method-too-long", .status(501), fields: Frames.request(String(repeating: "A", count: 33))),
    HTTP2Abuse(
      "unknown-expectation", .status(417), fields: Frames.request("GET", "/", more: [("expect", "x")])),
    HTTP2Abuse(
      "two-content-lengths", .reset(1),
      fields: Frames.request("GET", "/", more: [("content-length", "0"), ("content-length", "0")])),
    HTTP2Abuse(
      "content-length-of-no-number", .reset(1),
      fields: Frames.request("GET", "/", more: [("content-length", "0x1")])),
    HTTP2Abuse(
      "content-length-above-the-body", .reset(1),
      fields: Frames.request("GET", "/", more: [("content-length", "5")])),
    HTTP2Abuse(
      "content-length-below-the-body", .reset(1),
      Frames.post(1, [("content-length", "1")]) + Frames.data(1, [0, 0])),
    HTTP2Abuse(
      "target-too-long", .status(414),
      fields: Frames.request("GET", "/" + String(repeating: "a", count: 8_192))),
    HTTP2Abuse(
      "too-many-fields", .status(431),
      fields: Frames.request("GET", "/", more: (0..<101).map { ("x\($0)", "") })),
  ]

  static let sizes: [HTTP2Abuse] = [
    HTTP2Abuse(
      "header-section-too-large", .status(431),
      Frames.headers(
        1, Frames.fields(Frames.request(more: [("x", String(repeating: "a", count: 9_000))])),
        endHeaders: false)
        + Frames.frame(9, flags: 4, stream: 1, Frames.fields([("y", String(repeating: "a", count: 9_000))]))),
    HTTP2Abuse(
      "header-compression-bomb", .reset(2),
      Frames.headers(
        1,
        Frames.fields(Frames.request()) + Frames.indexed("x", [UInt8](repeating: 0x61, count: 3_900))
          + [UInt8](repeating: 0xBE, count: 10_000))),
    HTTP2Abuse(
      "trailer-section-too-large", .status(431),
      Frames.post(1) + Frames.data(1, [1, 2, 3])
        + Frames.headers(1, Frames.fields((0..<101).map { ("x\($0)", "") }))),
    HTTP2Abuse(
      "body-announced-above-the-limit", .status(413), Frames.post(1, [("content-length", "70000")])),
    HTTP2Abuse(
      "body-above-the-limit", .status(413),
      Frames.post(1) + times(3, Frames.data(1, [UInt8](repeating: 0, count: 16_384)))),
  ]
}

extension HTTP2Abuse {
  static let all = floods + framing + fields + sizes
}

@Suite("HTTP/2 abuse")
struct HTTP2AbuseTests {
  /// Small limits where a case would need megabytes.
  static let configuration = configuration(perAddress: 1)

  static func configuration(perAddress: Int) -> HTTPServerConfiguration {
    var configuration = HTTPServerConfiguration()
    configuration.connections.perAddress = perAddress
    // One loop sees the first connection end before it accepts the next.
    configuration.loops = 1
    configuration.messages.bodyBytes = 40_000
    configuration.http2.resets = 100
    return configuration
  }

  @Test(arguments: HTTP2Abuse.all)
  func isAnsweredAsSpecified(_ abuse: HTTP2Abuse) throws {
    try withServer(Self.configuration) { server in
      try Self.play(abuse, port: server.port)
      // One connection is all that an address gets here: the next one shows that the first is gone.
      #expect(try Self.answerToTheNext(port: server.port) == 200)
    }
  }

  /// The status that the next connection gets. One that comes while the first is being put away is refused with a
  /// reset, which a few attempts outlast; a connection that stays is refused for ever.
  private static func answerToTheNext(port: UInt16) throws -> Int? {
    for _ in 0..<100 {
      let next = try RawHTTP2(port: port)
      next.send(Frames.get(1))
      do { return try next.status(1) } catch is RawConnection.Failure { continue }
    }
    return nil
  }

  static func play(_ abuse: HTTP2Abuse, port: UInt16) throws {
    let client = try RawHTTP2(port: port)
    client.send(abuse.bytes)
    switch abuse.answer {
    case .goaway(let code):
      #expect(try client.goaway() == code)
      client.connection.endSending()
      try client.readToEnd()
      return
    case .reset(let code): #expect(try client.reset(1) == code)
    case .status(let status): #expect(try client.status(1) == status)
    }
    client.send(Frames.get(0x7FFF))
    #expect(try client.status(0x7FFF) == 200)
  }

  @Test(arguments: HTTP2Abuse.all)
  func isBackAtTheStartAfterwards(_ abuse: HTTP2Abuse) throws {
    try withServer(Self.configuration(perAddress: 9)) { server in
      try Self.play(abuse, port: server.port)
      try ServerMetricsTests.expectTheStart(server)
    }
  }

  @Test(arguments: HTTP2Abuse.all)
  func leavesNothingBehind(_ abuse: HTTP2Abuse) {
    var conversation: HTTP2Conversation? = HTTP2Conversation(
      limits: Self.configuration.messages, http2: Self.configuration.http2)
    _ = conversation?.send(Frames.start + abuse.bytes)
    if case .goaway = abuse.answer {
      #expect(conversation?.server.waiting == .nothingYetSending)
    } else {
      #expect(conversation?.server.streamCount == 0)
      #expect(conversation?.server.heldBytes == 0)
      #expect(conversation?.server.waiting == .request)
    }
    weak let server = conversation?.server
    conversation = nil
    #expect(server == nil)
  }

  @Test func costsNoAnswerWhenResetInTheSameBreath() throws {
    let calls = Calls()
    let conversation = HTTP2Conversation { request in
      calls.add()
      return .text(200, request.target)
    }
    _ = conversation.send(
      Frames.start + Frames.streams(100) { Frames.get($0) + Frames.reset($0) })
    #expect(calls.count == 0)
    #expect(conversation.send(Frames.get(999)).contains { $0.status == 200 })
    #expect(calls.count == 1)
  }

  @Test func countsAResetWithoutAnErrorAsAReset() throws {
    var limits = HTTP2Limits()
    limits.resets = 20
    let conversation = HTTP2Conversation(http2: limits) { _ in .text(200, "never taken") }
    // No window at all: the answer begins, and its body waits.
    _ = conversation.send(Frames.preface + Frames.settings([(4, 0)]))
    var frames: [Frames.Frame] = []
    for stream in (0..<21).map({ UInt32($0 * 2 + 1) }) {
      frames += conversation.send(Frames.get(stream))
      frames += conversation.send(Frames.reset(stream, Frames.Code.none))
    }
    #expect(frames.last { $0.kind == Frames.Kind.goaway }?.number(at: 4) == Frames.Code.calm)
  }

  @Test func refusesMoreStreamsThanAgreedAndAnswersTheRest() throws {
    var limits = HTTP2Limits()
    limits.concurrentStreams = 3
    let conversation = HTTP2Conversation(http2: limits)
    let frames = conversation.send(
      Frames.start + Frames.streams(4) { Frames.post($0) })
    let resets = frames.filter { $0.kind == Frames.Kind.reset }
    #expect(resets.map(\.stream) == [7])
    #expect(resets.map { $0.number(at: 0) } == [Frames.Code.refusedStream])
    let rest = conversation.send(Frames.streams(3) { Frames.data($0, [1], end: true) })
    #expect(rest.filter { $0.status == 200 && $0.kind == Frames.Kind.headers }.map(\.stream) == [1, 3, 5])
  }

  @Test func boundsTheBodiesOfAllStreamsTogether() throws {
    var limits = HTTP2Limits()
    limits.bodyBytes = 20_000
    let conversation = HTTP2Conversation(http2: limits)
    let piece = [UInt8](repeating: 1, count: 10_001)
    let frames = conversation.send(
      Frames.start + Frames.post(1) + Frames.data(1, piece) + Frames.post(3)
        + Frames.data(3, piece))
    #expect(frames.filter { $0.kind == Frames.Kind.headers }.map(\.status) == [503])
    #expect(frames.last { $0.kind == Frames.Kind.reset }?.number(at: 0) == Frames.Code.none)
    #expect(conversation.server.heldBytes == 10_001)
    _ = conversation.send(Frames.data(1, [], end: true))
    #expect(conversation.server.streamCount == 0)
    // The echo of a body is taken whole.
    #expect(conversation.server.heldBytes == 0)
  }

  @Test func answersNoFurtherRequestWhileAnswersWait() throws {
    let calls = Calls()
    var limits = HTTP2Limits()
    limits.queuedBytes = 1_000
    let conversation = HTTP2Conversation(http2: limits) { _ in
      calls.add()
      return HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: 600))
    }
    // No window at all.
    let settings = Frames.settings([(4, 0)])
    _ = conversation.send(Frames.preface + settings + Frames.streams(10) { Frames.get($0) })
    #expect(calls.count == 2)
    #expect(conversation.server.waiting == .write)
    #expect(conversation.server.heldBytes == 1_200)
    let frames = conversation.send(Frames.settings([(4, 600)]))
    #expect(calls.count == 10)
    #expect(frames.filter(\.endsStream).count == 10)
    #expect(conversation.server.heldBytes == 0)
  }

  /// Answers that wait and have the limit's size are enough; below it one more request is answered.
  @Test(arguments: [(499, 3), (500, 2), (501, 2)])
  func answersWhileLessThanTheLimitWaits(_ bytes: Int, _ count: Int) {
    let calls = Calls()
    var limits = HTTP2Limits()
    limits.queuedBytes = 1_000
    let conversation = HTTP2Conversation(http2: limits) { _ in
      calls.add()
      return HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: bytes))
    }
    let settings = Frames.settings([(4, 0)])
    _ = conversation.send(Frames.preface + settings + Frames.streams(10) { Frames.get($0) })
    #expect(calls.count == count)
    #expect(conversation.server.heldBytes == count * bytes)
  }

  @Test func acceptsAsManyContinuationsAsTheLimitSays() throws {
    let conversation = HTTP2Conversation()
    let pieces = (1...8).flatMap {
      Frames.frame(9, flags: $0 == 8 ? Frames.Flag.endHeaders : 0, stream: 1, Frames.field("x", "y"))
    }
    let frames = conversation.send(
      Frames.start + Frames.headers(1, Frames.fields(Frames.request()), endHeaders: false) + pieces)
    #expect(frames.contains { $0.status == 200 })
  }

  @Test(arguments: [
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{6}\0\0\0\0\0",
  ])
  func wantsSettingsBehindThePreface(_ text: String) throws {
    try withServer { server in
      let connection = try RawConnection(port: server.port)
      connection.send(text)
      connection.endSending()
      var bytes: [UInt8] = []
      while case let more = try connection.receive(), !more.isEmpty { bytes += more }
      let frames = Frames.take(&bytes)
      #expect(frames.last { $0.kind == Frames.Kind.goaway }.map { $0.number(at: 4) } == Frames.Code.protocol)
    }
  }

  @Test(arguments: ["PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n\r\n\r\n\r\n\r\n"])
  func takesAWrongPrefaceForARequestOfAnotherVersion(_ text: String) throws {
    try withServer { server in
      let connection = try RawConnection(port: server.port)
      connection.send(text)
      #expect(try connection.read(until: "here\n").hasPrefix("HTTP/1.1 505 "))
    }
  }
}

/// Counts calls of a handler.
final class Calls: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .relaxed) }
  func add() { number.add(1, ordering: .relaxed) }
}

/// A conversation in memory: the frames a server writes for the bytes it gets.
final class HTTP2Conversation {
  let server: HTTP2Server
  private var output = OutputQueue()

  init(
    limits: HTTPLimits = HTTPLimits(), http2: HTTP2Limits = HTTP2Limits(),
    handler: @escaping HTTPHandler = Conversation.echo
  ) {
    server = HTTP2Server(scheme: "http", limits: limits, http2: http2, handler: handler)
  }

  init(responder: @escaping HTTPResponder) {
    server = HTTP2Server(
      scheme: "http", HTTP2Settings(messages: HTTPLimits(), limits: HTTP2Limits()), LoopService(responder),
      origin: ConnectionOrigin())
  }

  func send(_ bytes: [UInt8]) -> [Frames.Frame] {
    // In pieces, as a connection reads.
    for start in stride(from: 0, to: bytes.count, by: ServerTurn.plainBytes) {
      bytes[start...].prefix(ServerTurn.plainBytes).withUnsafeBufferPointer { server.receive($0) }
    }
    while !server.produce(into: &output, date: "D", limitBytes: .max) {}
    return taken()
  }

  func taken() -> [Frames.Frame] {
    var bytes = output.takeAll()
    return Frames.take(&bytes)
  }
}
