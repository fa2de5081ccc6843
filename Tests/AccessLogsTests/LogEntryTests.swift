import AccessLogs
import Testing

@Suite struct LogEntryTests {
  @Test(
    arguments: [
      // 2026-11-22T10:45:18Z
      (
        #"1.2.3.4 - - [22/Nov/2026:10:45:18 +0000] "GET /a HTTP/1.1" 200 2 "-" "swcd/1""#, 1_795_344_318, 0,
        "/a"
      ),
      (
        #"::1 - bob [22/Nov/2026:11:45:18 +0100] "GET /a?b=c HTTP/2.0" 200 2"#, 1_795_344_318, 3_600, "/a?b=c"
      ),
      (#"{"time":"2026-11-22T10:45:18.25Z","path":"/a","user_agent":"swcd/1"}"#, 1_795_344_318, 0, "/a"),
      (
        #"{"ts":1795344318.5,"request":{"uri":"/a","headers":{"User-Agent":["swcd/1"]}}}"#, 1_795_344_318,
        nil, "/a"
      ),
      (#"{"msec":"1795344318.500","request":"GET /a HTTP/1.1"}"#, 1_795_344_318, nil, "/a"),
      (
        #"{"timestamp":"2026-11-22 05:15:18-05:30","url":"https://x.example/a"}"#, 1_795_344_318, -19_800,
        "https://x.example/a"
      ),
      (#"{"@timestamp":1795344318250,"uri":"/a"}"#, 1_795_344_318, nil, "/a"),
      (#"{"@timestamp":1795344318250999,"uri":"/a"}"#, 1_795_344_318, nil, "/a"),
      // A request about the server is load, too.
      (#"::1 - - [22/Nov/2026:10:45:18 +0000] "OPTIONS * HTTP/1.1" 204 0"#, 1_795_344_318, 0, "*"),
      (#"{"time":"2026-11-22T10:45:18Z","method":"OPTIONS","path":"*"}"#, 1_795_344_318, 0, "*"),
    ] as [(String, Int64, Int?, String)])
  func readsEveryForm(line: String, time: Int64, offset: Int?, target: String) {
    let entry = LogEntry(Array(line.utf8)[...])
    #expect(entry?.time == time)
    #expect(entry?.offset == offset)
    #expect(entry?.target == target)
    if line.contains("swcd") { #expect(entry?.userAgent == "swcd/1") }
  }

  @Test(arguments: [
    "", "garbage", "[22/Nov/2026:10:45:18 +0000]", #"[22/Nov/2026:10:45:18 +0000] "nothing""#,
    #"[32/Nov/2026:10:45:18 +0000] "GET /a HTTP/1.1" 200"#,
    #"[22/Foo/2026:10:45:18 +0000] "GET /a HTTP/1.1" 200"#,
    #"[22/Nov/2026:25:45:18 +0000] "GET /a HTTP/1.1" 200"#,
    #"[22/Nov/2026:10:45:18 +9900] "GET /a HTTP/1.1" 200"#,
    #"{"path":"/a"}"#, #"{"time":"yesterday","path":"/a"}"#, #"{"ts":-5,"path":"/a"}"#,
    #"{"ts":1e999,"path":"/a"}"#,
    "{", "\u{0}[\"", "[\"\\",
  ])
  func refusesTheRest(line: String) { #expect(LogEntry(Array(line.utf8)[...]) == nil) }

  @Test(arguments: [
    ("/.well-known/apple-app-site-association", true), ("/apple-app-site-association?x=1", true),
    ("https://x.example/.well-known/apple-app-site-association", true),
    ("/apple-app-site-association/x", false),
    ("/", false),
  ])
  func knowsTheAssociationFile(target: String, isIt: Bool) {
    let line = #"- - - [22/Nov/2026:10:45:18 +0000] "GET \#(target) HTTP/1.1" 200 1"#
    #expect(LogEntry(Array(line.utf8)[...])?.isForAssociationFile == isIt)
  }

  @Test func streamsWhateverTheCut() throws {
    let line = #"- - - [22/Nov/2026:10:45:18 +0000] "GET /a HTTP/1.1" 200 1"#
    let text = Array((line + "\ngarbage\n\n\r\n" + line).utf8)
    for cut in 0...text.count {
      var (entries, unread) = (0, 0)
      let stream = LogStream { item in
        if case .entry = item { entries += 1 } else { unread += 1 }
      }
      try stream.feed(Array(text[..<cut]))
      try stream.feed(Array(text[cut...]))
      try stream.finish()
      #expect((entries, unread) == (2, 1), "cut at \(cut)")
    }
  }

  @Test func brokenGzipIsSaid() throws {
    let stream = LogStream { _ in }
    #expect(throws: LogStream.BrokenGzip.self) {
      try stream.feed([0x1F, 0x8B, 0x08, 0xFF, 0x00])
      try stream.finish()
    }
  }
}
