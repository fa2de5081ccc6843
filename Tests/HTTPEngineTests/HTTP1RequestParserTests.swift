import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Everything a parser says about some bytes, in whatever pieces they come.
func events(
  _ bytes: [UInt8], pieces: [Int]? = nil, limits: HTTPLimits = HTTPLimits(), scheme: String = "http"
) -> [HTTP1RequestParser.Event] {
  var parser = HTTP1RequestParser(scheme: scheme, limits: limits)
  var events: [HTTP1RequestParser.Event] = []
  var rest = bytes[...]
  var sizes = (pieces ?? [bytes.count])[...]
  while !rest.isEmpty {
    let piece = rest.prefix(sizes.popFirst() ?? rest.count)
    rest = rest.dropFirst(piece.count)
    parser.append(Array(piece))
    while true {
      let event = parser.next()
      if event == .needMore { break }
      events.append(event)
      if case .rejected = event { return events }
    }
  }
  return events
}

func events(_ text: String, limits: HTTPLimits = HTTPLimits()) -> [HTTP1RequestParser.Event] {
  events(Array(text.utf8), limits: limits)
}

/// The status a text is refused with; nil when it isn't.
func rejection(_ text: String, limits: HTTPLimits = HTTPLimits()) -> Int? {
  guard case .rejected(let rejection) = events(text, limits: limits).last else { return nil }
  return rejection.status
}

func requests(_ text: String, limits: HTTPLimits = HTTPLimits()) -> [HTTPRequest] {
  events(text, limits: limits).compactMap { event in
    if case .request(let request) = event { request.request } else { nil }
  }
}

@Suite("HTTP/1.1 request parser")
struct HTTP1RequestParserTests {
  @Test func readsARequest() {
    let text = "GET /a?b=c HTTP/1.1\r\nHost: Example.com:8080\r\nX-A:  one \t\r\nx-a: two\r\nE:\r\n\r\n"
    #expect(
      events(text) == [
        .request(
          HTTP1Request(
            request: HTTPRequest(
              scheme: "http", authority: "Example.com:8080", target: "/a?b=c",
              fields: ["Host": "Example.com:8080", "X-A": "one", "x-a": "two", "E": ""])))
      ])
  }

  @Test func readsABodyByLength() {
    let read = requests("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
    #expect(read.map(\.body) == [Array("hello".utf8)])
  }

  @Test func readsAChunkedBodyAndDropsExtensionsAndTrailers() {
    let read = requests(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
        + "3;a=\"b\"\r\nabc\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n")
    #expect(read.map(\.body) == [Array("abc0123456789".utf8)])
    #expect(read.first?.fields["X"] == nil)
  }

  @Test func readsPipelinedRequestsInOrder() {
    let one = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
    let two = "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nGE"
    #expect(requests(one + two + one).map(\.target) == ["/1", "/2", "/1"])
  }

  @Test func forgivesOneEmptyLineBeforeARequestAndNotTwo() {
    #expect(requests("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").count == 1)
    #expect(rejection("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == 400)
  }

  @Test(arguments: HTTP1Abuse.refusals)
  func refuses(_ abuse: HTTP1Abuse) {
    #expect(rejection(abuse.text) == abuse.status)
  }

  @Test func saysTheSameAgainAfterARefusal() {
    var parser = HTTP1RequestParser(scheme: "http")
    parser.append(Array("GET /\r\n\r\n".utf8))
    let first = parser.next()
    parser.append(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    #expect(parser.next() == first)
    #expect(parser.phase == .failed)
  }

  @Test(arguments: [
    ("GET http://a/x?y HTTP/1.1\r\nHost: A\r\n\r\n", "/x?y"),
    ("GET HTTP://A:80?y HTTP/1.1\r\nHost: a\r\n\r\n", "/?y"),
    ("GET https://a:443 HTTP/1.1\r\nHost: a\r\n\r\n", "/"),
    ("OPTIONS http://a HTTP/1.1\r\nHost: a\r\n\r\n", "*"),
    ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "*"),
  ])
  func reducesATargetToOriginForm(_ text: String, _ target: String) {
    #expect(requests(text).map(\.target) == [target])
  }

  @Test func takesTheAuthorityOfAnAbsoluteTargetWhenHTTP10HasNoHost() {
    #expect(requests("GET http://A:81/ HTTP/1.0\r\n\r\n").map(\.authority) == ["a:81"])
    #expect(requests("GET / HTTP/1.0\r\n\r\n").map(\.authority) == [""])
    #expect(requests("GET / HTTP/1.1\r\nHost:\r\n\r\n").map(\.authority) == [""])
    #expect(requests("GET / HTTP/1.1\r\nHost: [::1]:8443\r\n\r\n").map(\.host) == ["[::1]"])
  }

  /// RFC 9112, 3.2.2: an origin server ignores Host there.
  @Test(arguments: [("http://a/", "a"), ("http://A:81/", "a:81"), ("https://a:443/", "a:443")])
  func theAuthorityOfAnAbsoluteTargetGoesBeforeHost(_ target: String, _ authority: String) {
    for host in ["b", "a:82", ""] {
      #expect(requests("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n").map(\.authority) == [authority])
    }
  }

  @Test(arguments: [
    ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
    ("HTTP/1.1", "Connection: x, CLOSE\r\n", false),
    ("HTTP/1.1", "Connection: x\r\nConnection: close\r\n", false),
    ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
    ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
  ])
  func knowsWhetherTheConnectionGoesOn(_ version: String, _ fields: String, _ goesOn: Bool) {
    guard case .request(let request) = events("GET / \(version)\r\nHost: a\r\n\(fields)\r\n").first else {
      Issue.record("no request")
      return
    }
    #expect(request.keepsAlive == goesOn)
  }

  @Test func asksForAnInterimAnswerOnceAndOnlyForABody() {
    let fields = "Host: a\r\nExpect: 100-Continue\r\n"
    func asks(_ text: String) -> [Bool] {
      events(text).compactMap { event in
        if case .head(_, let expectsContinue) = event { expectsContinue } else { nil }
      }
    }
    #expect(asks("POST / HTTP/1.1\r\n\(fields)Content-Length: 1\r\n\r\na") == [true])
    #expect(asks("POST / HTTP/1.1\r\n\(fields)\r\n") == [])
    #expect(asks("POST / HTTP/1.0\r\n\(fields)Content-Length: 1\r\n\r\na") == [false])
    #expect(asks("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na") == [false])
  }

  @Test(arguments: ["HTTP/1.2", "HTTP/1.9"])
  func takesAHigherMinorVersionForTheHighestKnown(_ version: String) {
    guard case .request(let request) = events("GET / \(version)\r\nHost: a\r\n\r\n").first else {
      Issue.record("no request")
      return
    }
    #expect(request.minorVersion == 1)
    #expect(request.keepsAlive)
  }

  @Test func knowsItsPhase() {
    var parser = HTTP1RequestParser(scheme: "http")
    func feed(_ text: String) -> HTTP1RequestParser.Phase {
      parser.append(Array(text.utf8))
      while case .request = parser.next() {}
      return parser.phase
    }
    #expect(parser.phase == .idle)
    #expect(feed("G") == .header)
    #expect(feed("ET / HTTP/1.1\r\nHost: a\r\n") == .header)
    #expect(feed("\r\n") == .idle)
    #expect(feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na") == .body)
    #expect(feed("b") == .idle)
    #expect(feed("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n") == .body)
    #expect(feed("0\r\n\r\n\r\n") == .header)
  }
}

@Suite("HTTP/1.1 request limits")
struct HTTP1RequestLimitTests {
  static let limits = {
    var limits = HTTPLimits()
    limits.targetBytes = 20
    limits.headerBytes = 40
    limits.headerCount = 3
    limits.bodyBytes = 10
    return limits
  }()

  @Test(arguments: [(19, nil), (20, nil), (21, 414), (500, 414)])
  func boundsTheTarget(_ count: Int, _ status: Int?) {
    let target = "/" + String(repeating: "a", count: count - 1)
    #expect(rejection("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", limits: Self.limits) == status)
  }

  @Test func boundsALineThatNeverEnds() {
    #expect(rejection("GET /" + String(repeating: "a", count: 100), limits: Self.limits) == 414)
    #expect(rejection("GET / HTTP/1.1\r\n" + String(repeating: "a", count: 100), limits: Self.limits) == 431)
  }

  @Test(arguments: [(39, nil), (40, nil), (41, 431), (500, 431)])
  func boundsTheHeaderSection(_ count: Int, _ status: Int?) {
    let host = "Host: a\r\n"
    let field = "X: " + String(repeating: "a", count: count - host.utf8.count - 5) + "\r\n"
    #expect(rejection("GET / HTTP/1.1\r\n\(host)\(field)\r\n", limits: Self.limits) == status)
  }

  @Test(arguments: [(2, nil), (3, nil), (4, 431)])
  func boundsTheNumberOfFields(_ count: Int, _ status: Int?) {
    let fields = String(repeating: "X:\r\n", count: count - 1)
    #expect(rejection("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", limits: Self.limits) == status)
  }

  @Test(arguments: [(9, nil), (10, nil), (11, 413)])
  func boundsTheBody(_ count: Int, _ status: Int?) {
    let body = String(repeating: "b", count: count)
    let length = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n\(body)"
    #expect(rejection(length, limits: Self.limits) == status)
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    var limits = Self.limits
    limits.headerBytes = 100
    let one = head + String(count, radix: 16) + "\r\n\(body)\r\n0\r\n\r\n"
    #expect(rejection(one, limits: limits) == status)
    let many = head + String(repeating: "1\r\nb\r\n", count: count) + "0\r\n\r\n"
    #expect(rejection(many, limits: limits) == status)
  }

  @Test(arguments: [(253, nil), (254, nil), (255, 400)])
  func boundsAChunkSizeLine(_ count: Int, _ status: Int?) {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(rejection(head + "1;" + String(repeating: "e", count: count - 1) + "\r\n") == status)
  }

  @Test(arguments: [(7, nil), (8, nil), (9, 400)])
  func boundsChunkExtensionsTogether(_ count: Int, _ status: Int?) {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunk = "1;" + String(repeating: "e", count: 127) + "\r\na\r\n"
    #expect(rejection(head + String(repeating: chunk, count: count)) == status)
  }

  @Test(arguments: [(39, nil), (40, nil), (41, 431)])
  func boundsTrailers(_ count: Int, _ status: Int?) {
    var limits = HTTPLimits()
    limits.headerBytes = 40
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:chunked\r\n\r\n0\r\n"
    let trailer = "X:" + String(repeating: "t", count: count - 4) + "\r\n"
    #expect(rejection(head + trailer + "\r\n", limits: limits) == status)
  }
}

@Suite("HTTP/1.1 request parser laws")
struct HTTP1RequestParserLaws {
  static let streams = [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /c HTTP/1.0\r\n\r\n",
    "\r\nPOST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nab\r\n0\r\nT: u\r\n\r\nGET /",
    "GET / HTTP/1.1\r\nHost: a\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\naXX",
    "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: \rY\r\n\r\nGET / HTTP/1.1\r\n",
  ]

  @Test(arguments: streams)
  func everySplitInTwoGivesTheSame(_ stream: String) {
    let bytes = Array(stream.utf8)
    let whole = events(bytes)
    for split in 1..<bytes.count { #expect(events(bytes, pieces: [split]) == whole, "split at \(split)") }
  }

  @Test(arguments: streams)
  func everySplitInThreeGivesTheSame(_ stream: String) {
    let bytes = Array(stream.utf8)
    let whole = events(bytes)
    var differing = 0
    for first in 1..<bytes.count {
      for second in 1..<(bytes.count - first + 1) where events(bytes, pieces: [first, second]) != whole {
        differing += 1
      }
    }
    #expect(differing == 0)
  }

  @Test(arguments: streams)
  func byteByByteGivesTheSame(_ stream: String) {
    let bytes = Array(stream.utf8)
    #expect(events(bytes, pieces: bytes.map { _ in 1 }) == events(bytes))
  }

  /// Every prefix of a request is either unfinished or refused as the whole is; nothing is answered early.
  @Test func noPrefixOfARequestIsARequest() {
    let bytes = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8)
    for count in 0..<bytes.count {
      let said = events(Array(bytes[..<count])).filter { if case .head = $0 { false } else { true } }
      #expect(said == [])
    }
  }

  /// A seeded walk through damaged requests: whatever one bad byte does, the split does not matter.
  @Test func splitsDoNotMatterWhenABytesIsDamaged() {
    var state: UInt64 = 20_130_918
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for round in 0..<2_000 {
      var bytes = Array(Self.streams[next(Self.streams.count)].utf8)
      bytes[next(bytes.count)] = [0x0D, 0x0A, 0x20, 0x3A, 0x30, 0x00, 0x61, 0xFF][next(8)]
      let pieces = bytes.map { _ in 1 + next(9) }
      #expect(events(bytes, pieces: pieces) == events(bytes), "round \(round)")
    }
  }
}
