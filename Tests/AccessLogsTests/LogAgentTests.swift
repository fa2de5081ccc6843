import AccessLogs
import Testing

/// The fields between quotes, and the user agent among them.
@Suite struct LogAgentTests {
  @Test(
    arguments: [
      (#""GET /a HTTP/1.1" 200 2 "-" "swcd/1""#, "swcd/1"),
      (#""GET /a HTTP/1.1" 200 2 "-" "a" "203.0.113.9""#, "a"),
      (#""GET /a HTTP/1.1" 200 2 "-" "a\"b\\" "c""#, #"a\"b\\"#),
      (#""GET /a HTTP/1.1" 200 2 "-" """#, ""),
      (#""GET /a HTTP/1.1" 200 2 "-""#, nil),
      (#""GET /a HTTP/1.1" 200 2 "-" "never ends"#, nil),
      (#""GET /a HTTP/1.1" 200 2 "-" "never ends\"#, nil),
      (#""GET /a HTTP/1.1" 200 2 "-" "never ends\""#, nil),
    ] as [(String, String?)])
  func readsTheThirdQuotedField(fields: String, agent: String?) {
    let entry = LogEntry(Array((" \t192.0.2.1 - - [01/Dec/2026:00:00:00] " + fields).utf8)[...])
    #expect(entry?.target == "/a" && entry?.userAgent == agent)
  }

  @Test(arguments: [
    "user_agent", "http_user_agent", "userAgent", "User-Agent", "agent", "request_user_agent",
  ])
  func knowsTheNamesOfServers(name: String) {
    for line in [
      #"{"ts":1795344318,"path":"/a","\#(name)":"swcd/1"}"#,
      #"{"ts":1795344318,"request":{"path":"/a","\#(name)":"swcd/1"}}"#,
      #"{"ts":1795344318,"httpRequest":{"path":"/a","headers":{"\#(name)":["swcd/1"]}}}"#,
    ] {
      let entry = LogEntry(Array(("  " + line).utf8)[...])
      #expect(entry?.target == "/a" && entry?.userAgent == "swcd/1", "\(line)")
    }
    #expect(LogEntry(Array(#"{"ts":1795344318,"path":"/a","x":"swcd/1"}"#.utf8)[...])?.userAgent == nil)
  }

  @Test(
    arguments: [
      ("/apple-app-site-association#x", true), ("/apple-app-site-association?#", true),
      ("/x?/apple-app-site-association", false), ("/x#/apple-app-site-association", false),
      ("/xapple-app-site-association", false),
    ] as [(String, Bool)])
  func theFileIsNamedByThePathAlone(target: String, isIt: Bool) {
    let line = #"{"ts":1795344318,"path":"\#(target)"}"#
    #expect(LogEntry(Array(line.utf8)[...])?.isForAssociationFile == isIt)
  }
}
