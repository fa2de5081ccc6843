import AccessLogs
import Testing

/// URLs in the lines of lists and logs.
@Suite struct LogLineTests {
  private static func read(_ line: String) -> LogLine.Reading { LogLine.read(Array(line.utf8)[...]) }

  @Test(
    arguments: [
      ("", .blank), (" \t", .blank), ("# a comment", .blank), ("\t# a comment", .blank),
      ("https://x.example/a b \r", .url("https://x.example/a b")),
      (" HTTPS://x.example", .url("HTTPS://x.example")),
      ("http:x", .url("http:x")), ("https", .unreadable), ("ftp://x.example", .unreadable),
      ("https://x.example/\u{1F}a", .unreadable), ("https://x.example/\u{7F}", .unreadable),
      ("//x.example/a ", .url("https://x.example/a")), ("//x.example:80", .url("https://x.example:80")),
      ("//a/b", .url("//a/b")), ("//-.x/b", .url("//-.x/b")), ("///a.b", .url("///a.b")),
      ("/a", .url("/a")), ("/a \t\r", .url("/a")), ("/a b", .unreadable), ("/!~", .url("/!~")),
      ("/\u{7F}", .unreadable), ("a", .unreadable), ("\"GET /a HTTP/1.1", .unreadable),
    ] as [(String, LogLine.Reading)])
  func readsALineOfAList(line: String, reading: LogLine.Reading) { #expect(Self.read(line) == reading) }

  @Test(
    arguments: [
      ("GET /a HTTP/1.1", .url("/a")), ("GET //x.example/a HTTP/1.1", .url("//x.example/a")),
      ("AZ /a HTTP/2", .url("/a")),
      ("GET https://x.example/ HTTP/1.1", .url("https://x.example/")),
      ("G@T /a HTTP/1.1", .unreadable), ("G[T /a HTTP/1.1", .unreadable), ("get /a HTTP/1.1", .unreadable),
      (" /a HTTP/1.1", .unreadable), ("GET /a", .unreadable), ("GET  HTTP/1.1", .unreadable),
      ("GET /a b HTTP/1.1", .unreadable), ("GET /a SPDY/1", .unreadable), ("GET a HTTP/1.1", .unreadable),
      ("", .unreadable), ("GET HTTP/1.1", .unreadable), ("OPTIONS * HTTP/1.1", .server),
      ("GET * HTTP/1.1", .unreadable), ("OPTIONS ** HTTP/1.1", .unreadable),
    ] as [(String, LogLine.Reading)])
  func readsARequestLine(request: String, reading: LogLine.Reading) {
    #expect(Self.read(#"192.0.2.1 - - [x] "\#(request)" 200"#) == reading)
  }

  /// nginx, Apache and `serve` escape bytes that they do not print; devices percent-encode them, in capitals (K3).
  @Test(
    arguments: [
      (#"/caf\xC3\xA9"#, "/caf%C3%A9"), (#"/caf\xc3\xa9?q=\x22"#, "/caf%C3%A9?q=%22"),
      (#"/a\"b\"?c=\\"#, "/a%22b%22?c=%5C"), (#"/\xE9"#, "/%E9"), (#"/a\x20b"#, "/a%20b"),
      (#"/\xC"#, #"/\xC"#), (#"/\xzz"#, #"/\xzz"#), (#"/a\b"#, #"/a\b"#), (#"/\\x41"#, "/%5Cx41"),
      ("/%5C", "/%5C"),
    ])
  func readsTheEscapesOfARequest(target: String, url: String) {
    let line = #"192.0.2.1 - - [01/Dec/2026:00:00:00 +0000] "GET \#(target) HTTP/1.1" 200 5 "-" "x""#
    #expect(Self.read(line) == .url(url))
    #expect(LogEntry(Array(line.utf8)[...])?.target == url)
  }

  @Test(arguments: [#"\x16\x03\x01"#, #"GET /a\"#, #"GET /a \"HTTP/1.1"#])
  func escapesMakeNoRequest(request: String) {
    #expect(Self.read(#"192.0.2.1 - - [x] "\#(request)" 400 0"#) == .unreadable)
  }

  /// Apache's `vhost_combined` has the host in front of the address, with its port or without.
  @Test(
    arguments: [
      ("x-1_y.example:443 192.0.2.1 - -", "x-1_y.example"), ("x.example 2001:db8::1 - -", "x.example"),
      ("X.example:0 192.0.2.1 - bob", "X.example"), ("x.example: 192.0.2.1 - -", nil),
      ("x.example:https 192.0.2.1 - -", nil), ("192.0.2.9 192.0.2.1 - -", nil),
      ("192.0.2.1 - 192.0.2.2 -", nil),
      ("192.0.2.1 - - -", nil), ("x.example 192.0.2.1 -", nil), ("x.example localhost - -", nil),
      ("x!.example 192.0.2.1 - -", nil), ("x.example", nil), ("", nil),
    ] as [(String, String?)])
  func readsAVirtualHost(start: String, host: String?) {
    let line = "\(start) [01/Dec/2026:00:00:00 +0000] \"GET /a HTTP/1.1\" 200"
    #expect(Self.read(line) == .url((host.map { "https://\($0)" } ?? "") + "/a"), "\(start)")
  }

  @Test(
    arguments: [
      (#"{"url":"/a"}"#, "/a"), (#"{"uri":"/a"}"#, "/a"), (#"{"request_uri":"/a"}"#, "/a"),
      (#"{"path":"/a"}"#, "/a"),
      (#"{"requestPath":"/a"}"#, "/a"), (#"{"RequestPath":"/a"}"#, "/a"), (#"{"requestUrl":"/a"}"#, "/a"),
      (#"{"path":"/b","url":"/a"}"#, "/a"),
      (#"{"request":"GET /a HTTP/1.1","host":"x.example"}"#, "https://x.example/a"),
      (#"{"requestLine":"GET /a HTTP/1.1"}"#, "/a"),
      (#"{"request":{"url":"/a","host":"x.example"},"host":"y.example"}"#, "https://x.example/a"),
      (#"{"request":{"url":"/a"},"host":"y.example"}"#, "https://y.example/a"),
      (#"{"httpRequest":{"requestUrl":"/a"},"http_host":"z.example"}"#, "https://z.example/a"),
      (#"{"url":"https://x.example/a","host":"y.example"}"#, "https://x.example/a"),
      (#"{"path":"/a","query":"b=c d"}"#, "/a?b=c%20d"), (#"{"path":"/a","args":"?b"}"#, "/a?b"),
      (#"{"path":"/a","query_string":"b"}"#, "/a?b"), (#"{"path":"/a","queryString":"b"}"#, "/a?b"),
      (#"{"path":"/a","querystring":"b"}"#, "/a?b"), (#"{"path":"/a","uri_query":"b"}"#, "/a?b"),
      (#"{"path":"/a","cs-uri-query":"b"}"#, "/a?b"), (#"{"path":"/a?b","query":"c"}"#, "/a?b"),
      (#"{"path":"/a","query":"-","args":"","uri_query":"b"}"#, "/a?b"),
      (#"{"path":"/a","query":"-"}"#, "/a"),
    ] as [(String, String)])
  func readsAnObject(line: String, url: String) { #expect(Self.read(line) == .url(url)) }

  @Test(arguments: [
    "{", "{}", #"{"url":5}"#, #"{"url":"a"}"#, #"{"request":"/a"}"#, #"{"path":"/a"} x"#, #"{"path":"/a b"}"#,
  ])
  func refusesOtherObjects(line: String) { #expect(Self.read(line) == .unreadable) }
}
