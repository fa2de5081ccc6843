import LinkspanCore
import Testing

/// A request that nobody may read in two ways, or that is larger than agreed, and the status it is refused with.
struct HTTP1Abuse: CustomTestStringConvertible, Sendable {
  var name: String
  var status: Int
  var text: String
  var testDescription: String { name }

  init(_ name: String, _ status: Int, _ text: String) {
    self.name = name
    self.status = status
    self.text = text
  }

  private static let get = "GET / HTTP/1.1\r\n"
  private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"

  static let refusals: [HTTP1Abuse] = [
    // Lines
    HTTP1Abuse("bare line feed after the request line", 400, "GET / HTTP/1.1\nHost: a\r\n\r\n"),
    HTTP1Abuse("bare line feed after a field", 400, "\(get)Host: a\n\r\n"),
    HTTP1Abuse("bare line feed as the empty line", 400, "\(get)Host: a\r\n\n"),
    HTTP1Abuse("bare carriage return in the request line", 400, "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("bare carriage return in a value", 400, "\(get)Host: a\r\nX: a\rb\r\n\r\n"),
    HTTP1Abuse("two carriage returns", 400, "\(get)Host: a\r\r\n\r\n"),
    // Request line
    HTTP1Abuse("no version", 400, "GET /\r\n\r\n"),
    HTTP1Abuse("two spaces", 400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("space in the target", 400, "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("tab for a space", 400, "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("leading space", 400, " GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("method with a colon", 400, "G:T / HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("lower-case protocol", 400, "GET / http/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("version without minor", 400, "GET / HTTP/1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("HTTP/2.0", 505, "PRI * HTTP/2.0\r\n\r\n\r\n"),
    HTTP1Abuse("HTTP/0.9", 505, "GET / HTTP/0.9\r\n\r\n"),
    HTTP1Abuse("fragment", 400, "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("byte above ASCII in the target", 400, "GET /ü HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("zero byte in the target", 400, "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("relative target", 400, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("asterisk for GET", 400, "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("CONNECT", 501, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"),
    HTTP1Abuse(
      "method longer than any", 501, String(repeating: "A", count: 33) + " / HTTP/1.1\r\nHost: a\r\n\r\n"),
    // Fields
    HTTP1Abuse("fold", 400, "\(get)Host: a\r\nX: a\r\n b\r\n\r\n"),
    HTTP1Abuse("fold before the first field", 400, "\(get) Host: a\r\n\r\n"),
    HTTP1Abuse("space before the colon", 400, "\(get)Host : a\r\n\r\n"),
    HTTP1Abuse("no colon", 400, "\(get)Host\r\n\r\n"),
    HTTP1Abuse("empty name", 400, "\(get)Host: a\r\n: b\r\n\r\n"),
    HTTP1Abuse("zero byte in a value", 400, "\(get)Host: a\r\nX: a\0b\r\n\r\n"),
    HTTP1Abuse("delete in a value", 400, "\(get)Host: a\r\nX: a\u{7F}b\r\n\r\n"),
    HTTP1Abuse("parenthesis in a name", 400, "\(get)Host: a\r\nX(: a\r\n\r\n"),
    // Host
    HTTP1Abuse("no Host", 400, "\(get)\r\n"),
    HTTP1Abuse("two Hosts", 400, "\(get)Host: a\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("two Hosts in HTTP/1.0", 400, "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n"),
    HTTP1Abuse("user information in Host", 400, "\(get)Host: me@a\r\n\r\n"),
    HTTP1Abuse("path in Host", 400, "\(get)Host: a/b\r\n\r\n"),
    HTTP1Abuse("list in Host", 400, "\(get)Host: a,b\r\n\r\n"),
    HTTP1Abuse("port that is not a number", 400, "\(get)Host: a:x\r\n\r\n"),
    HTTP1Abuse("port above 65535", 400, "\(get)Host: a:65536\r\n\r\n"),
    HTTP1Abuse("unclosed bracket", 400, "\(get)Host: [::1\r\n\r\n"),
    HTTP1Abuse("absolute target without Host", 400, "GET http://a/ HTTP/1.1\r\n\r\n"),
    HTTP1Abuse("absolute target and a wrong Host", 400, "GET http://a/ HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    HTTP1Abuse("user information in the target", 400, "GET http://me@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("target of another scheme", 400, "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    // Framing
    HTTP1Abuse("length and coding", 400, "\(post)Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
    HTTP1Abuse("coding and length", 400, "\(post)Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"),
    HTTP1Abuse("two equal lengths", 400, "\(post)Content-Length: 1\r\nContent-Length: 1\r\n\r\na"),
    HTTP1Abuse("two different lengths", 400, "\(post)Content-Length: 1\r\nContent-Length: 2\r\n\r\na"),
    HTTP1Abuse("list of lengths", 400, "\(post)Content-Length: 1, 1\r\n\r\na"),
    HTTP1Abuse("signed length", 400, "\(post)Content-Length: +1\r\n\r\na"),
    HTTP1Abuse("negative length", 400, "\(post)Content-Length: -1\r\n\r\na"),
    HTTP1Abuse("hexadecimal length", 400, "\(post)Content-Length: 0x1\r\n\r\na"),
    HTTP1Abuse("empty length", 400, "\(post)Content-Length:\r\n\r\n"),
    HTTP1Abuse("length no integer holds", 413, "\(post)Content-Length: 99999999999999999999\r\n\r\n"),
    HTTP1Abuse("unknown coding", 501, "\(post)Transfer-Encoding: gzip\r\n\r\n"),
    HTTP1Abuse("coding before chunked", 501, "\(post)Transfer-Encoding: gzip, chunked\r\n\r\n"),
    HTTP1Abuse("identity", 501, "\(post)Transfer-Encoding: identity\r\n\r\n"),
    HTTP1Abuse("coding in quotes", 501, "\(post)Transfer-Encoding: \"chunked\"\r\n\r\n"),
    HTTP1Abuse("chunked twice", 400, "\(post)Transfer-Encoding: chunked, chunked\r\n\r\n"),
    HTTP1Abuse(
      "chunked twice in two fields", 400,
      "\(post)Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
    HTTP1Abuse("empty coding", 400, "\(post)Transfer-Encoding:\r\n\r\n"),
    HTTP1Abuse("coding in HTTP/1.0", 400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    HTTP1Abuse("unknown expectation", 417, "\(post)Expect: cake\r\n\r\n"),
    // Chunks
    HTTP1Abuse("chunk size that is not a number", 400, "\(post)Transfer-Encoding: chunked\r\n\r\nx\r\n"),
    HTTP1Abuse("empty chunk size", 400, "\(post)Transfer-Encoding: chunked\r\n\r\n\r\n"),
    HTTP1Abuse("chunk size with a prefix", 400, "\(post)Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n"),
    HTTP1Abuse("negative chunk size", 400, "\(post)Transfer-Encoding: chunked\r\n\r\n-1\r\n"),
    HTTP1Abuse("chunk size before a space", 400, "\(post)Transfer-Encoding: chunked\r\n\r\n1 \r\na\r\n"),
    HTTP1Abuse("chunk size ending in a line feed", 400, "\(post)Transfer-Encoding: chunked\r\n\r\n1\na\r\n"),
    HTTP1Abuse(
      "chunk extension with a carriage return", 400,
      "\(post)Transfer-Encoding: chunked\r\n\r\n1;a\rb\r\na\r\n"),
    HTTP1Abuse("chunk data too long", 400, "\(post)Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"),
    HTTP1Abuse("chunk data ending in a line feed", 400, "\(post)Transfer-Encoding: chunked\r\n\r\n1\r\na\n"),
    HTTP1Abuse(
      "chunk size no integer holds", 413,
      "\(post)Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"),
    HTTP1Abuse("trailer that is no field", 400, "\(post)Transfer-Encoding: chunked\r\n\r\n0\r\nx\r\n\r\n"),
  ]

  private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  /// What takes more than one line to go wrong, under the limits of ``HTTP2AbuseTests/configuration``.
  static let sizes: [HTTP1Abuse] = [
    HTTP1Abuse("target longer than the limit", 414, "GET /\(many("a", 8_192)) HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse("request line without an end", 414, "GET /\(many("a", 9_000))"),
    HTTP1Abuse("field line without an end", 431, "\(get)X: \(many("a", 17_000))"),
    HTTP1Abuse("header section above the limit", 431, "\(get)Host: a\r\nX: \(many("a", 16_384))\r\n\r\n"),
    HTTP1Abuse("fields above the limit", 431, "\(get)Host: a\r\n\(many("X:\r\n", 100))\r\n"),
    HTTP1Abuse("length above the limit", 413, "\(post)Content-Length: 40001\r\n\r\n"),
    HTTP1Abuse(
      "chunks above the limit together", 413,
      "\(post)Transfer-Encoding: chunked\r\n\r\n\(many("1000\r\n\(many("b", 4_096))\r\n", 10))"),
    HTTP1Abuse(
      "chunk size line without an end", 400,
      "\(post)Transfer-Encoding: chunked\r\n\r\n1;\(many("e", 300))"),
    HTTP1Abuse(
      "chunk extensions above the limit together", 400,
      "\(post)Transfer-Encoding: chunked\r\n\r\n\(many("1;\(many("e", 127))\r\na\r\n", 9))"),
    HTTP1Abuse(
      "trailers above the limit", 431,
      "\(post)Transfer-Encoding: chunked\r\n\r\n0\r\nX: \(many("t", 16_384))\r\n\r\n"),
    HTTP1Abuse(
      "request hidden behind two lengths", 400,
      "\(post)Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n"
    ),
    HTTP1Abuse(
      "request hidden behind an unknown coding", 501,
      "\(post)Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n"),
    HTTP1Abuse(
      "request hidden behind a bare carriage return", 400,
      "\(post)X: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n"),
  ]

  static let all = refusals + sizes
}

@Suite("HTTP/1.1 abuse")
struct HTTP1AbuseTests {
  @Test(arguments: HTTP1Abuse.all)
  func isAnsweredAsSpecified(_ abuse: HTTP1Abuse) throws {
    try withServer(HTTP2AbuseTests.configuration(perAddress: 9)) { server in
      try Self.play(abuse, port: server.port)
      try ServerMetricsTests.expectTheStart(server)
    }
  }

  /// The one answer, which is the last, and then the end.
  static func play(_ abuse: HTTP1Abuse, port: UInt16) throws {
    let connection = try RawConnection(port: port)
    connection.send(abuse.text)
    let answer = try connection.read()
    #expect(answer.hasPrefix("HTTP/1.1 \(abuse.status) "))
    #expect(answer.components("\r\nContent-Length: ") == 1)
  }
}
