import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("HTTP/2 server conversation")
struct HTTP2ServerTests {
  static func statuses(_ frames: [Frames.Frame]) -> [Int?] {
    frames.filter { $0.kind == Frames.Kind.headers }.map(\.status)
  }

  static func body(_ frames: [Frames.Frame], _ stream: UInt32) -> [UInt8] {
    frames.filter { $0.kind == Frames.Kind.data && $0.stream == stream }.flatMap(\.payload)
  }

  @Test func beginsWithItsLimits() {
    let frames = HTTP2Conversation().send(Frames.start)
    #expect(frames.map(\.kind) == [Frames.Kind.settings, Frames.Kind.settings])
    let number = Frames.number
    #expect(
      frames[0].payload == [0, 3] + number(128) + [0, 6] + number(16_384) + [0, 9] + number(1))
    #expect(frames[1].flags == Frames.Flag.ack)
  }

  @Test func handsTheRequestOverAsAValue() {
    let seen = Seen()
    let conversation = HTTP2Conversation { request in
      seen.request = request
      return .text(200, "ok")
    }
    let fields = Frames.request(
      "POST", "/a?b=c", authority: "A.example:8080",
      more: [("x", "y"), ("cookie", "a=1"), ("host", "a.example:8080"), ("cookie", "b=2")])
    _ = conversation.send(
      Frames.start + Frames.headers(1, Frames.fields(fields), end: false) + Frames.data(1, [1, 2])
        + Frames.data(1, [3]) + Frames.headers(1, Frames.field("t", "u")))
    #expect(
      seen.request
        == HTTPRequest(
          method: "POST", scheme: "http", authority: "A.example:8080", target: "/a?b=c",
          fields: ["x": "y", "cookie": "a=1; b=2", "host": "a.example:8080"], body: [1, 2, 3]))
  }

  /// A field in the peer's table is one byte when it comes again (RFC 7541, 6.1). One whose value is another one each time takes
  /// no room there, but for its name.
  @Test func fieldsThatDifferEnterTheTableOnce() {
    func sizes(_ http2: HTTP2Limits) -> [Int] {
      let values = ["first", "second", "second", "second"]
      let conversation = HTTP2Conversation(http2: http2) { request in
        HTTPResponse(status: 200, fields: ["apns-id": request.target])
      }
      _ = conversation.send(Frames.start)
      return values.enumerated().map { number, value in
        let request = Frames.fields(Frames.request("GET", "/" + value))
        let frames = conversation.send(Frames.headers(UInt32(2 * number + 1), request))
        return frames.first { $0.kind == Frames.Kind.headers }?.payload.count ?? 0
      }
    }
    var once = HTTP2Limits()
    once.indexedOnce = ["apns-id"]
    let (usual, own) = (sizes(HTTP2Limits()), sizes(once))
    #expect(own[0] == usual[0] && own[0] > own[1] && own[1] > 0, "\(own) \(usual)")
    #expect(own[2] == own[1] && own[3] == own[1], "\(own)")
    #expect(usual[2] < usual[1] && usual[2] < own[2], "\(usual)")
  }

  /// RFC 9113, 8.2.1 forbids blanks around a value. A server that has an answer for it may take them, and nothing else of
  /// what is forbidden there.
  @Test func takesBlanksAroundValuesWhereItMay() {
    func answer(_ field: (String, String), _ http2: HTTP2Limits) -> [Frames.Frame] {
      let conversation = HTTP2Conversation(http2: http2) { .text(200, "[\($0.fields[field.0] ?? "")]") }
      return conversation.send(
        Frames.start + Frames.headers(1, Frames.fields(Frames.request("GET", "/", more: [field]))))
    }
    var taking = HTTP2Limits()
    taking.takesBlanksAroundValues = true
    for value in ["bearer ", " a", "\ta\t", " "] {
      let frames = answer(("x", value), taking)
      #expect(Self.statuses(frames) == [200])
      #expect(Self.body(frames, 1) == Array("[\(value)]\n".utf8))
      #expect(Self.statuses(answer(("x", value), HTTP2Limits())) == [])
    }
    for field in [("X", "a "), ("x y", "a "), ("x", "a\r\nb "), ("content-length", "0 "), ("host", "a ")] {
      #expect(Self.statuses(answer(field, taking)) == [], "\(field)")
    }
  }

  @Test func takesTheHostWhereThereIsNoAuthority() {
    let conversation = HTTP2Conversation { .text(200, $0.host) }
    let block = Frames.fields(Frames.request(authority: nil, more: [("host", "B.example")]))
    let frames = conversation.send(Frames.start + Frames.headers(1, block))
    #expect(Self.body(frames, 1) == Array("b.example\n".utf8))
  }

  @Test func answersManyStreamsAndIsIdleAfterwards() {
    let conversation = HTTP2Conversation { .text(200, $0.target) }
    let frames = conversation.send(Frames.start + Frames.streams(100) { Frames.get($0, "/\($0)") })
    for stream in (0..<100).map({ UInt32($0 * 2 + 1) }) {
      #expect(Self.body(frames, stream) == Array("/\(stream)\n".utf8))
    }
    #expect(conversation.server.streamCount == 0)
    #expect(conversation.server.waiting == .request)
    #expect(conversation.server.progress == 100)
  }

  /// Each has its own deadline: the rest of a header section, that of a body, and the next request.
  @Test func waitsForWhatTheOldestRequestLacks() {
    let conversation = HTTP2Conversation()
    let head = Frames.fields(Frames.request("POST"))
    _ = conversation.send(Frames.start + Frames.headers(1, head, end: false, endHeaders: false))
    #expect(conversation.server.waiting == .header)
    _ = conversation.send(
      Frames.frame(Frames.Kind.continuation, flags: Frames.Flag.endHeaders, stream: 1, Frames.field("x", "y"))
    )
    #expect(conversation.server.waiting == .body)
    _ = conversation.send(Frames.data(1, [1], end: true))
    #expect(conversation.server.waiting == .request)
  }

  @Test func sendsALargeAnswerAsTheWindowsOpen() {
    let answer = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let conversation = HTTP2Conversation { _ in HTTPResponse(status: 200, body: answer) }
    var frames = conversation.send(Frames.start + Frames.get(1))
    #expect(Self.body(frames, 1).count == 65_535)
    #expect(conversation.server.waiting == .write)
    while frames.last?.endsStream == false {
      let more = conversation.send(Frames.windowUpdate(0, 40_000) + Frames.windowUpdate(1, 40_000))
      #expect(!more.isEmpty)
      frames += more
    }
    #expect(Self.body(frames, 1) == answer)
    #expect(conversation.server.heldBytes == 0)
  }

  @Test func stopsAtTheQueuesLimitAndGoesOnLater() {
    let server = HTTP2Server(scheme: "http", handler: { _ in HTTPResponse(status: 200, body: [1, 2, 3]) })
    var output = OutputQueue()
    (Frames.start + Frames.get(1) + Frames.get(3)).withUnsafeBufferPointer { server.receive($0) }
    #expect(!server.produce(into: &output, date: "D", limitBytes: 1))
    #expect(output.count > 0)
    #expect(server.produce(into: &output, date: "D", limitBytes: .max))
    #expect(server.streamCount == 0)
  }

  /// RFC 9110, 9.3.2; a client takes content in answer to HEAD for a broken connection.
  @Test(arguments: [
    (414, Frames.request("HEAD", "/" + String(repeating: "a", count: 8_192))),
    (431, Frames.request("HEAD", more: (0..<101).map { ("x\($0)", "") })),
    (417, Frames.request("HEAD", more: [("expect", "x")])),
  ])
  func refusesHEADWithoutContent(_ status: Int, _ fields: [(String, String)]) {
    let frames = HTTP2Conversation().send(Frames.start + Frames.headers(1, Frames.fields(fields)))
    #expect(Self.statuses(frames) == [status])
    #expect(frames.last { $0.stream == 1 }?.kind == Frames.Kind.headers)
    #expect(frames.last { $0.stream == 1 }?.endsStream == true)
  }

  @Test func answersHEADWithTheFieldsOfGETAndNoBody() {
    let handler: HTTPHandler = { _ in HTTPResponse(status: 200, body: Array("abc".utf8)) }
    let head = HTTP2Conversation(handler: handler).send(
      Frames.start + Frames.headers(1, Frames.fields(Frames.request("HEAD"))))
    let get = HTTP2Conversation(handler: handler).send(Frames.start + Frames.get(1))
    #expect(head.first { $0.kind == 1 }?.payload == get.first { $0.kind == 1 }?.payload)
    #expect(head.contains { $0.kind == 1 && $0.endsStream })
    #expect(Self.body(get, 1) == Array("abc".utf8))
  }

  @Test(arguments: [204, 304])
  func writesNoBodyWhereNoneMayBe(_ status: Int) {
    let conversation = HTTP2Conversation { _ in HTTPResponse(status: status, body: [1]) }
    let frames = conversation.send(Frames.start + Frames.get(1))
    #expect(Self.statuses(frames) == [status])
    #expect(Self.body(frames, 1) == [])
  }

  @Test func framesItselfWhateverTheHandlerSays() {
    // A field of the connection would make the answer malformed to its reader (RFC 9113, 8.2.2).
    let fields: HTTPFields = [
      "Connection": "close", "Transfer-Encoding": "chunked", "Keep-Alive": "1", "Upgrade": "x",
      "Content-Length": "99",
    ]
    let plain = HTTP2Conversation { _ in HTTPResponse(status: 200, body: [1]) }
    let odd = HTTP2Conversation { _ in HTTPResponse(status: 200, fields: fields, body: [1]) }
    #expect(plain.send(Frames.start + Frames.get(1)) == odd.send(Frames.start + Frames.get(1)))
  }

  @Test(arguments: [
    HTTPResponse(status: 200, fields: ["X": "a\r\nSet-Cookie: b"]), HTTPResponse(status: 199),
  ])
  func writesNoAnswerThatCouldBeReadAsTwo(_ response: HTTPResponse) {
    let frames = HTTP2Conversation { _ in response }.send(Frames.start + Frames.get(1))
    #expect(Self.statuses(frames) == [500])
  }

  @Test func letsAWaitingSenderGoOn() {
    let conversation = HTTP2Conversation()
    let interim = conversation.send(Frames.start + Frames.post(1, [("expect", "100-continue")]))
    #expect(Self.statuses(interim) == [100])
    #expect(conversation.server.waiting == .body)
    let frames = conversation.send(Frames.data(1, [5], end: true))
    #expect(Self.statuses(frames) == [200])
    #expect(Self.body(frames, 1) == [5])
  }

  @Test func tellsThatTheRestOfARefusedBodyNeedNotCome() {
    let conversation = HTTP2Conversation()
    let frames = conversation.send(Frames.start + Frames.post(1, [("content-length", "2000000")]))
    #expect(Self.statuses(frames) == [413])
    #expect(frames.last == Frames.Frame(kind: 3, flags: 0, stream: 1, payload: [0, 0, 0, 0]))
    // What was on its way is read over.
    #expect(conversation.send(Frames.data(1, [1, 2, 3])).allSatisfy { $0.kind != Frames.Kind.goaway })
  }

  @Test func stopsInTwoStepsAndAnswersWhatCameBetween() {
    let conversation = HTTP2Conversation()
    _ = conversation.send(Frames.start + Frames.post(1))
    conversation.server.stop()
    let notice = conversation.send([])
    #expect(notice.filter { $0.kind == Frames.Kind.goaway }.map { $0.number(at: 0) } == [0x7FFF_FFFF])
    #expect(notice.contains { $0.kind == Frames.Kind.ping && $0.flags == 0 })
    let ack = Frames.frame(Frames.Kind.ping, flags: Frames.Flag.ack, [UInt8](repeating: 0, count: 8))
    // Stream 3 was on its way when the notice came; stream 5 comes after it was read.
    let last = conversation.send(Frames.get(3) + ack)
    #expect(Self.statuses(last) == [200])
    let goaway = last.first { $0.kind == Frames.Kind.goaway }
    #expect(goaway?.number(at: 0) == 3)
    #expect(goaway?.number(at: 4) == Frames.Code.none)
    #expect(Self.statuses(conversation.send(Frames.get(5))) == [])
    #expect(conversation.server.waiting == .body)
    #expect(Self.statuses(conversation.send(Frames.data(1, [], end: true))) == [200])
    #expect(conversation.server.waiting == .nothingYetSending)
    conversation.server.receiveEnd()
    #expect(conversation.server.waiting == .nothing)
  }

  @Test func endsWhenThePeerSaysGoodbye() {
    let conversation = HTTP2Conversation()
    _ = conversation.send(Frames.start + Frames.get(1))
    _ = conversation.send(Frames.frame(Frames.Kind.goaway, [UInt8](repeating: 0, count: 8)))
    #expect(conversation.server.waiting == .nothing)
  }

  @Test func endsWhenThePeerEnds() {
    let conversation = HTTP2Conversation()
    _ = conversation.send(Frames.start + Frames.post(1))
    conversation.server.receiveEnd()
    #expect(conversation.server.waiting == .nothing)
  }
}

/// Keeps the last request a handler saw; used by one thread.
private final class Seen: @unchecked Sendable {
  // Safe: the conversation is in memory, on the test's own thread.
  var request: HTTPRequest?
}

@Suite("HTTP/2 deadlines")
struct HTTP2DeadlineTests {
  static let just = Duration.nanoseconds(1)

  let held = Held(http2: true) { _ in HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: 100_000)) }

  func arrive(_ bytes: [UInt8]) -> ServerConnection.Verdict {
    held.transport.incomingBytes += bytes
    held.connection.ready(toRead: true, toWrite: false)
    return held.connection.turn(held.turn)
  }

  /// What was written since the last time.
  func frames() -> [Frames.Frame] {
    defer { held.transport.written = [] }
    var bytes = held.transport.written
    return Frames.take(&bytes)
  }

  func goaway() -> UInt32? { frames().last { $0.kind == Frames.Kind.goaway }?.number(at: 4) }

  @Test func endsAnIdleConnectionHoweverOftenItPings() {
    #expect(arrive(Frames.start) == .waits)
    for _ in 0..<59 {
      #expect(held.pass(.seconds(1)) == .waits)
      #expect(arrive(Frames.ping()) == .waits)
    }
    #expect(goaway() == nil)
    #expect(held.pass(.seconds(1)) == .closed)
    #expect(goaway() == Frames.Code.none)
  }

  @Test func endsAZeroWindowSlowReader() {
    _ = arrive(Frames.preface + Frames.settings([(4, 0)]) + Frames.get(1))
    #expect(held.pass(.seconds(30) - Self.just) == .waits)
    #expect(held.pass(Self.just) == .waits)
    #expect(goaway() == Frames.Code.calm)
    #expect(held.transport.hasFinishedWriting)
    #expect(held.pass(.seconds(2)) == .closed)
  }

  @Test func endsAReaderWhoOpensItsWindowByteByByte() {
    _ = arrive(Frames.preface + Frames.settings([(4, 0)]) + Frames.get(1))
    for _ in 0..<29 {
      #expect(held.pass(.seconds(1)) == .waits)
      #expect(arrive(Frames.windowUpdate(1, 1)) == .waits)
    }
    _ = held.pass(.seconds(1))
    #expect(goaway() == Frames.Code.calm)
  }

  @Test func isNotFooledByOtherStreamsThatGetOn() {
    _ = arrive(Frames.preface + Frames.settings([(4, 0)]) + Frames.get(1))
    for stream in UInt32(1)...29 {
      #expect(held.pass(.seconds(1)) == .waits)
      let next = stream * 2 + 1
      _ = arrive(Frames.headers(next, Frames.fields(Frames.request("HEAD"))))
      #expect(frames().contains { $0.stream == next && $0.endsStream })
    }
    _ = held.pass(.seconds(1))
    #expect(goaway() == Frames.Code.calm)
  }

  @Test func endsAHeaderSectionThatTrickles() {
    _ = arrive(Frames.start + Frames.headers(1, Frames.fields(Frames.request()), endHeaders: false))
    for _ in 0..<9 {
      #expect(held.pass(.seconds(1)) == .waits)
      // One octet of the next frame's header.
      #expect(arrive([0]) == .waits)
    }
    _ = held.pass(.seconds(1))
    #expect(goaway() == Frames.Code.calm)
  }

  @Test func answers408ToABodyThatTrickles() {
    _ = arrive(Frames.start + Frames.post(1))
    for _ in 0..<29 {
      #expect(held.pass(.seconds(1)) == .waits)
      #expect(arrive(Frames.data(1, [1])) == .waits)
    }
    #expect(frames().allSatisfy { $0.kind != Frames.Kind.headers })
    #expect(held.pass(.seconds(1)) == .waits)
    let answer = frames()
    #expect(answer.first { $0.kind == Frames.Kind.headers }?.status == 408)
    #expect(answer.last?.kind == Frames.Kind.reset)
    #expect(arrive(Frames.headers(3, Frames.fields(Frames.request("HEAD")))) == .waits)
    #expect(frames().contains { $0.stream == 3 && $0.status == 200 })
  }

  @Test func waitsForThePeerToReadTheNoticeButNotForever() {
    _ = arrive(Frames.start)
    #expect(held.connection.stop(held.turn) == .waits)
    #expect(frames().contains { $0.kind == Frames.Kind.goaway && $0.number(at: 0) == 0x7FFF_FFFF })
    #expect(held.pass(.seconds(2) - Self.just) == .waits)
    #expect(held.pass(Self.just) == .closed)
    #expect(goaway() == Frames.Code.none)
  }
}

@Suite("HTTP/2 on a socket")
struct HTTP2SocketTests {
  @Test func leavesGracefullyWhenStopped() throws {
    try withServer { server in
      let client = try RawHTTP2(port: server.port)
      client.send(Frames.post(1))
      client.send(Frames.get(3))
      #expect(try client.status(3) == 200)
      server.stop()
      let ping = try client.read { $0.kind == Frames.Kind.ping }
      let notice = try client.read { $0.kind == Frames.Kind.goaway }
      #expect(notice?.number(at: 0) == 0x7FFF_FFFF)
      client.send(Frames.get(5) + Frames.frame(Frames.Kind.ping, flags: Frames.Flag.ack, ping?.payload ?? []))
      let goaway = try client.read { $0.kind == Frames.Kind.goaway }
      #expect(goaway?.number(at: 0) == 5)
      #expect(try client.status(5) == 200)
      client.send(Frames.data(1, [1], end: true))
      #expect(try client.status(1) == 200)
      try client.readToEnd()
    }
  }

  @Test func tellsByThePrefaceHoweverItIsSplit() throws {
    try withServer { server in
      let connection = try RawConnection(port: server.port)
      for byte in Frames.start + Frames.get(1) { connection.send([byte]) }
      var (bytes, frames): ([UInt8], [Frames.Frame]) = ([], [])
      while !frames.contains(where: \.endsStream), case let more = try connection.receive(), !more.isEmpty {
        bytes += more
        frames += Frames.take(&bytes)
      }
      #expect(frames.contains { $0.status == 200 && $0.kind == Frames.Kind.headers })
    }
  }
}
