import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A conversation in memory: all the bytes a server writes for the bytes it gets.
struct Conversation {
  let server: HTTP1Server
  var output = OutputQueue()

  init(limits: HTTPLimits = HTTPLimits(), handler: @escaping HTTPHandler = Conversation.echo) {
    server = HTTP1Server(scheme: "http", limits: limits, handler: handler)
  }

  init(responder: @escaping HTTPResponder) {
    server = HTTP1Server(
      scheme: "http", limits: HTTPLimits(), HTTP1ResponseWriter(), LoopService(responder),
      origin: ConnectionOrigin())
  }

  static let echo: HTTPHandler = { request in
    HTTPResponse(status: 200, fields: ["X-Target": request.target], body: request.body)
  }

  mutating func send(_ text: String, limitBytes: Int = .max) -> String {
    Array(text.utf8).withUnsafeBufferPointer { server.receive($0) }
    _ = server.produce(into: &output, date: "D", limitBytes: limitBytes)
    return taken()
  }

  mutating func expire() -> String {
    server.expire(into: &output, date: "D")
    return taken()
  }

  mutating func taken() -> String { String(decoding: output.takeAll(), as: UTF8.self) }
}

@Suite("HTTP/1.1 server conversation")
struct HTTP1ServerTests {
  @Test func answersInOrderAndStaysOpen() {
    var conversation = Conversation()
    let answer = conversation.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(
      answer == "HTTP/1.1 200 OK\r\nDate: D\r\nX-Target: /1\r\nContent-Length: 0\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nDate: D\r\nX-Target: /2\r\nContent-Length: 0\r\n\r\n")
    #expect(conversation.server.waiting == .request)
  }

  @Test func closesWhenAsked() {
    var conversation = Conversation()
    let answer = conversation.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(answer.hasSuffix("\r\nConnection: close\r\n\r\n"))
    #expect(conversation.server.waiting == .nothing)
    #expect(conversation.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") == "")
  }

  @Test func tellsHTTP10ThatItGoesOn() {
    var conversation = Conversation()
    let answer = conversation.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(answer.hasSuffix("\r\nConnection: keep-alive\r\n\r\n"))
    #expect(conversation.server.waiting == .request)
    #expect(conversation.send("GET / HTTP/1.0\r\n\r\n").hasSuffix("\r\nConnection: close\r\n\r\n"))
    #expect(conversation.server.waiting == .nothing)
  }

  @Test func letsAWaitingSenderGoOn() {
    var conversation = Conversation()
    let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    #expect(conversation.send(head) == "HTTP/1.1 100 Continue\r\n\r\n")
    #expect(conversation.server.waiting == .body)
    #expect(conversation.send("ab").hasSuffix("\r\nContent-Length: 2\r\n\r\nab"))
  }

  @Test func answersHEADWithTheFieldsOfGETAndNoBody() {
    let handler: HTTPHandler = { _ in HTTPResponse(status: 200, body: Array("abc".utf8)) }
    var get = Conversation(handler: handler)
    var head = Conversation(handler: handler)
    let answer = head.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer + "abc" == get.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
  }

  /// RFC 9110, 9.3.2.
  @Test(arguments: ["Host: b\r\n\r\n", "Expect: x\r\n\r\n", "X\r\n\r\n", "Content-Length: 9999999\r\n\r\n"])
  func refusesHEADWithoutContent(_ rest: String) {
    var conversation = Conversation()
    let answer = conversation.send("HEAD / HTTP/1.1\r\nHost: a\r\n\(rest)")
    #expect(answer.hasPrefix("HTTP/1.1 4"))
    #expect(answer.hasSuffix("\r\nConnection: close\r\n\r\n"))
  }

  @Test func refusesHEADWithoutContentWhenItsTimeIsUp() {
    var conversation = Conversation()
    _ = conversation.send("HEAD / HTTP/1.1\r\n")
    let answer = conversation.expire()
    #expect(answer.hasPrefix("HTTP/1.1 408 "))
    #expect(answer.hasSuffix("\r\nConnection: close\r\n\r\n"))
  }

  @Test func trustsTheLengthOfAnAnswerToHEADThatHasNoBody() {
    var conversation = Conversation { _ in HTTPResponse(status: 200, fields: ["Content-Length": "7"]) }
    #expect(conversation.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").contains("\r\nContent-Length: 7\r\n"))
    #expect(conversation.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").contains("\r\nContent-Length: 0\r\n"))
  }

  @Test(arguments: [204, 304])
  func writesNoBodyWhereNoneMayBe(_ status: Int) {
    var conversation = Conversation { _ in
      HTTPResponse(status: status, fields: ["Content-Length": "3"], body: Array("abc".utf8))
    }
    let answer = conversation.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer == "HTTP/1.1 \(status) \(HTTPStatus.reason(status))\r\nDate: D\r\n\r\n")
  }

  @Test func framesItselfWhateverTheHandlerSays() {
    var conversation = Conversation { _ in
      HTTPResponse(
        status: 200,
        fields: [
          "content-length": "99", "Transfer-Encoding": "chunked", "CONNECTION": "x", "Date": "y",
          "Keep-Alive": "z",
        ], body: [0x61])
    }
    let answer = conversation.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer == "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\n\r\na")
  }

  @Test(arguments: [
    HTTPResponse(status: 200, fields: ["X": "a\r\nSet-Cookie: b"]),
    HTTPResponse(status: 200, fields: ["X: a\r\nY": "b"]), HTTPResponse(status: 199),
    HTTPResponse(status: 600),
  ])
  func writesNoAnswerThatCouldBeReadAsTwo(_ response: HTTPResponse) {
    var conversation = Conversation { _ in response }
    let answer = conversation.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 500 "))
    #expect(!answer.contains("Set-Cookie"))
  }

  @Test func answersWhatCameBeforeARefusalAndNothingAfterIt() {
    var conversation = Conversation()
    let answer = conversation.send(
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.contains("X-Target: /1"))
    #expect(answer.contains("HTTP/1.1 400 Bad Request"))
    #expect(answer.hasSuffix("Connection: close\r\n\r\nthere is no Host field\n"))
    #expect(!answer.contains("/3"))
    #expect(conversation.server.waiting == .nothingYetSending)
  }

  @Test func hidesNoRequestInABody() {
    // The classic shapes of smuggling: what one reader takes for a body, another takes for a request.
    for text in [
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nX: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
      var conversation = Conversation()
      let answer = conversation.send(text)
      #expect(answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 501"))
      #expect(!answer.contains("/x"))
    }
  }

  @Test func answers408ToARequestThatDoesNotEndAndNothingToSilence() {
    for (begun, status) in [("GET / H", "HTTP/1.1 408 "), ("\r\n", "HTTP/1.1 408 "), ("", "")] {
      var conversation = Conversation()
      _ = conversation.send(begun)
      #expect(conversation.expire().hasPrefix(status))
      #expect(conversation.taken() == "")
    }
    var conversation = Conversation()
    _ = conversation.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
    #expect(conversation.expire().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    #expect(conversation.server.waiting == .nothingYetSending)
  }

  @Test func producesNoMoreThanTheQueueHolds() {
    var conversation = Conversation()
    let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    let first = conversation.send(request + request + request, limitBytes: 1)
    #expect(first.components("HTTP/1.1 200") == 1)
    #expect(!conversation.server.produce(into: &conversation.output, date: "D", limitBytes: 1))
    #expect(conversation.taken().components("HTTP/1.1 200") == 1)
    #expect(conversation.server.produce(into: &conversation.output, date: "D", limitBytes: .max))
    #expect(conversation.taken().components("HTTP/1.1 200") == 1)
  }

  @Test func finishesTheRequestInFlightWhenStopped() {
    var conversation = Conversation()
    _ = conversation.send("GET /1 HTTP/1.1\r\n")
    conversation.server.stop()
    #expect(conversation.server.waiting == .header)
    let answer = conversation.send("Host: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.contains("X-Target: /1"))
    #expect(answer.hasSuffix("Connection: close\r\n\r\n"))
    #expect(!answer.contains("/2"))
  }

  @Test func waitsForALastRequestWhenStoppedBetweenRequests() {
    var conversation = Conversation()
    _ = conversation.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
    conversation.server.stop()
    #expect(conversation.server.waiting == .lastRequest)
  }
}

extension String {
  /// How often a text occurs.
  func components(_ part: String) -> Int {
    var (count, rest) = (0, self[...])
    while let range = rest.firstRange(of: part) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}

@Suite("HTTP dates")
struct HTTPDateTests {
  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
    (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
  ])
  func areWrittenAsRFC9110WantsThem(_ seconds: Int64, _ text: String) {
    #expect(WallTime(milliseconds: seconds * 1000).httpDate == text)
  }
}
