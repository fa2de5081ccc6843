import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// What a parser makes of bytes in pieces, the sender closing after the last.
func outcome(
  _ bytes: [UInt8], method: String = "GET", pieceBytes: Int = .max, limits: HTTPLimits = HTTPLimits()
) -> HTTP1ResponseParser.Outcome {
  var parser = HTTP1ResponseParser(method: method, limits: limits)
  var rest = bytes[...]
  while !rest.isEmpty {
    let outcome = parser.append(Array(rest.prefix(pieceBytes)))
    if outcome != .needMore { return outcome }
    rest = rest.dropFirst(pieceBytes)
  }
  return parser.finish()
}

func outcome(
  _ text: String, method: String = "GET", limits: HTTPLimits = HTTPLimits()
) -> HTTP1ResponseParser.Outcome {
  outcome(Array(text.utf8), method: method, limits: limits)
}

@Suite("HTTP/1.1 response parser")
struct HTTP1ResponseParserTests {
  /// Whatever says how long the body is, and however the bytes come.
  @Test(arguments: [
    "Content-Length: 6\r\n\r\nabcdef", "Content-Length: 99999999999999999999\r\n\r\nabcdef",
    "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n4\r\ncdef\r\n0\r\n\r\n", "\r\nabcdef",
  ])
  func cutsABodyAtTheLimit(_ rest: String) {
    var limits = HTTPLimits()
    limits.bodyBytes = 3
    for pieceBytes in [1, 2, 5, 1_000] {
      var parser = HTTP1ResponseParser(method: "GET", limits: limits, cutsBody: true)
      var bytes = Array("HTTP/1.1 200 OK\r\n\(rest)".utf8)[...]
      var outcome = HTTP1ResponseParser.Outcome.needMore
      while outcome == .needMore, !bytes.isEmpty {
        outcome = parser.append(Array(bytes.prefix(pieceBytes)))
        bytes = bytes.dropFirst(pieceBytes)
      }
      guard case .response(let response) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(response.body == Array("abc".utf8))
    }
  }

  /// What was cut off would come before the next answer.
  @Test(arguments: [(2, true), (3, true), (4, false)])
  func aConnectionIsUsedAgainUnlessABodyWasCut(_ length: Int, _ isReusable: Bool) {
    var limits = HTTPLimits()
    limits.bodyBytes = 3
    var parser = HTTP1ResponseParser(method: "GET", limits: limits, cutsBody: true)
    let body = Array("abcd".utf8.prefix(length))
    let outcome = parser.append(Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8) + body)
    guard case .response(let response) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(response.body == Array(body.prefix(3)))
    #expect(parser.isReusable == isReusable)
  }

  static let good: [(String, String, HTTPResponse)] = [
    (
      "GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc",
      HTTPResponse(status: 200, fields: ["Content-Length": "2"], body: Array("ab".utf8))
    ),
    (
      "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
      HTTPResponse(status: 200, fields: ["Transfer-Encoding": "chunked"], body: Array("abc".utf8))
    ),
    ("GET", "HTTP/1.0 404\r\n\r\nabc", HTTPResponse(status: 404, body: Array("abc".utf8))),
    (
      "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
      HTTPResponse(status: 200, fields: ["Content-Length": "2"])
    ),
    ("GET", "HTTP/1.1 204 No Content\r\n\r\n", HTTPResponse(status: 204)),
    (
      "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
      HTTPResponse(status: 304, fields: ["Content-Length": "9"])
    ),
    (
      "GET",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 \r\nLink: a\r\n\r\nHTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
      HTTPResponse(status: 200, fields: ["Content-Length": "0"])
    ),
  ]

  @Test(arguments: good)
  func readsAResponseInAnyPieces(_ method: String, _ text: String, _ response: HTTPResponse) {
    for pieceBytes in 1...text.utf8.count {
      #expect(outcome(Array(text.utf8), method: method, pieceBytes: pieceBytes) == .response(response))
    }
  }

  /// RFC 9112, 9.8: without TLS's own end, only what has its length is whole.
  @Test(
    arguments: [
      ("", "the connection closed without an answer"),
      ("HTTP/1.1 200 OK\r\nContent-Le", "the connection closed in the middle of the answer"),
      ("HTTP/1.1 200 OK\r\n\r\n{}", "the connection closed in the middle of the answer"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", nil),
    ] as [(String, String?)])
  func aConnectionMayCloseWithoutTheEndOfTLS(_ text: String, _ reason: String?) throws {
    let session = HTTP1ClientSession()
    session.submit(HTTPRequest(authority: "example.com", target: "/"), as: 1)
    let bytes = Array(text.utf8)
    bytes.withUnsafeBufferPointer { session.receive($0) }
    session.receiveEnd(TLSTransport.unendedWords)
    let outcomes = session.takeOutcomes()
    #expect(outcomes.count == 1)
    switch try #require(outcomes.first).result {
    case .success(let response): #expect(reason == nil && response.body == Array("{}".utf8))
    case .failure(let failure): #expect(failure.reason == reason && failure.kind == .malformedAnswer)
    }
  }

  /// LinkedIn answers robots with 999.
  @Test(arguments: [600, 999]) func takesEveryStatusOfThreeDigits(_ status: Int) {
    guard case .response(let response) = outcome("HTTP/1.1 \(status) no\r\nContent-Length: 0\r\n\r\n") else {
      Issue.record("\(status) is refused")
      return
    }
    #expect(response.status == status)
  }

  @Test(arguments: [
    ("", "the connection closed without an answer"),
    ("HTTP/1.1 200 OK\r\n", "the connection closed in the middle of the answer"),
    ("HTTP/1.1 100 Continue\r\n\r\n", "the connection closed in the middle of the answer"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na", "the connection closed in the middle of the answer"),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
      "the connection closed in the middle of the answer"
    ),
    ("HTTP/2 200 OK\r\n\r\n", "the answer does not begin with 'HTTP/1.1' and a status"),
    ("HTTP/1.1 20 OK\r\n\r\n", "the answer does not begin with 'HTTP/1.1' and a status"),
    ("HTTP/1.1 2000 OK\r\n\r\n", "the answer does not begin with 'HTTP/1.1' and a status"),
    ("HTTP/1.1 099 OK\r\n\r\n", "the answer does not begin with 'HTTP/1.1' and a status"),
    ("SSH-2.0-x\r\n", "the answer does not begin with 'HTTP/1.1' and a status"),
    ("HTTP/1.1 200 OK\n\n", "the status line does not end in CRLF"),
    ("HTTP/1.1 101 Switching\r\n\r\n", "the answer changes to another protocol"),
    ("HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "a header field is not valid"),
    ("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "a header field is not valid"),
    (
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "there is more than one Content-Length field"
    ),
    ("HTTP/1.1 200 OK\r\nContent-Length: a\r\n\r\n", "Content-Length is not a number"),
    (
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "Content-Length and Transfer-Encoding exclude each other"
    ),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "the transfer coding is not chunked"),
  ])
  func refuses(_ text: String, _ reason: String) {
    #expect(outcome(text) == .failed(.malformed(reason)))
  }

  @Test(arguments: [(9, false), (10, false), (11, true)])
  func boundsTheBody(_ count: Int, _ isTooLarge: Bool) {
    var limits = HTTPLimits()
    limits.bodyBytes = 10
    let body = String(repeating: "b", count: count)
    for text in [
      "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n\(body)",
      "HTTP/1.1 200 OK\r\n\r\n\(body)",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(count, radix: 16)
        + "\r\n\(body)\r\n0\r\n\r\n",
    ] {
      let tooLarge = HTTP1ResponseParser.Outcome.failed(
        .tooLarge("the body is larger than 10 bytes", isHeader: false))
      #expect((outcome(text, limits: limits) == tooLarge) == isTooLarge)
    }
  }

  @Test(arguments: [(19, false), (20, false), (21, true)])
  func boundsTheHeaderSection(_ count: Int, _ isTooLarge: Bool) {
    var limits = HTTPLimits()
    limits.headerBytes = 20
    let text = "HTTP/1.1 204 \r\nX:" + String(repeating: "a", count: count - 4) + "\r\n\r\n"
    let tooLarge = HTTP1ResponseParser.Outcome.failed(
      .tooLarge("the header section is larger than 20 bytes", isHeader: true))
    #expect((outcome(text, limits: limits) == tooLarge) == isTooLarge)
  }

  @Test(arguments: [(7, false), (8, false), (9, true)])
  func boundsInterimAnswers(_ count: Int, _ isTooMany: Bool) {
    let text = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: count) + "HTTP/1.1 204 \r\n\r\n"
    #expect((outcome(text) == .failed(.malformed("too many interim answers"))) == isTooMany)
  }
}
