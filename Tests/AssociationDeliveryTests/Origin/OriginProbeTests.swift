import AppSiteAssociation
import AssociationDelivery
import LinkspanCore
import Testing

/// What is asked, in which order, and what one client's answer means beside another's; no sockets.
@Suite struct OriginProbeTests {
  static let json = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"]}]}}"#

  static func answer(_ status: Int = 200, _ body: String = "", _ fields: HTTPFields = [:]) -> FetchResult {
    var fields = fields
    if fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
    return FetchResult(HTTPResponse(status: status, fields: fields, body: Array(body.utf8)))
  }

  static var file: FetchResult { answer(200, json) }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// What is answered at `.well-known` to crawler, device and browser, and to the crawler at the root.
    var answers: [FetchResult?]
    /// Who was asked, in order.
    var asked: [String]
    /// `rule severity`
    var findings: [String]
  }

  static func all(_ result: FetchResult, root: FetchResult? = nil) -> [FetchResult?] {
    [result, result, result, root ?? answer(404)]
  }

  static let both = ["crawler", "device"]
  static let three = ["crawler", "device", "browser"]

  static let rows: [Row] = [
    Row(testDescription: "good", answers: all(file), asked: both, findings: []),
    Row(
      testDescription: "no address", answers: all(.failed(.unresolvable)), asked: ["crawler"],
      findings: ["fetch.unresolvable error"]),
    Row(
      testDescription: "no resolver",
      answers: all(.failed(.lookupFailed("Temporary failure in name resolution"))), asked: ["crawler"],
      findings: ["fetch.lookup-failed warning"]),
    Row(
      testDescription: "private", answers: all(.failed(.privateAddress("10.0.0.1"))), asked: ["crawler"],
      findings: ["fetch.private-address error"]),
    Row(
      testDescription: "expired", answers: all(.failed(.certificate(.expired))), asked: ["crawler"],
      findings: ["fetch.certificate-expired error"]),
    Row(
      testDescription: "other certificate", answers: all(.failed(.certificate(.other("not valid yet")))),
      asked: ["crawler"], findings: ["fetch.certificate error"]),
    Row(
      testDescription: "no TLS", answers: all(.failed(.handshake("x"))), asked: ["crawler"],
      findings: ["fetch.tls error"]),
    Row(
      testDescription: "silent", answers: all(.failed(.timedOut)), asked: three,
      findings: ["fetch.too-slow error"]),
    Row(
      testDescription: "silent to the crawler", answers: [.failed(.timedOut), file, nil, nil], asked: both,
      findings: ["fetch.user-agent-blocked error"]),
    Row(
      testDescription: "unfinished", answers: all(.failed(.unfinished(receivedBytes: 9))), asked: both,
      findings: ["fetch.unfinished error"]),
    Row(
      testDescription: "no HTTP", answers: all(.failed(.malformed("x"))), asked: both,
      findings: ["fetch.malformed error"]),
    Row(
      testDescription: "a browser only", answers: [answer(429), answer(403), file, nil], asked: three,
      findings: ["fetch.user-agent-blocked error"]),
    Row(
      testDescription: "a device only", answers: [answer(403), file, nil, nil], asked: both,
      findings: ["fetch.user-agent-blocked error"]),
    Row(
      testDescription: "the crawler only", answers: [file, .failed(.timedOut), nil, nil], asked: both,
      findings: ["fetch.device-blocked warning"]),
    Row(
      testDescription: "other files",
      answers: [file, answer(200, "{\"webcredentials\":{\"apps\":[]}}"), nil, nil], asked: both,
      findings: ["fetch.different-answers warning"]),
    Row(
      testDescription: "other blanks", answers: [file, answer(200, " " + json), nil, nil], asked: both,
      findings: []),
    Row(
      testDescription: "redirect", answers: all(answer(308, "", ["Location": "/x"])), asked: both,
      findings: ["fetch.redirect error"]),
    Row(
      testDescription: "redirect to nowhere", answers: all(answer(304)), asked: both,
      findings: ["fetch.status error"]),
    Row(
      testDescription: "page", answers: all(answer(200, "\u{FEFF} <html>")), asked: three,
      findings: ["fetch.page error"]),
    Row(
      testDescription: "page without a sign of it",
      answers: all(answer(200, "Sign in", ["Content-Type": "text/html; charset=utf-8"])), asked: three,
      findings: ["fetch.page error"]),
    Row(
      testDescription: "JSON as a page", answers: all(answer(200, json, ["Content-Type": "text/html"])),
      asked: both, findings: ["fetch.content-type error"]),
    Row(
      testDescription: "missing", answers: all(answer(404)), asked: both + ["crawler root"],
      findings: ["fetch.missing error"]),
    Row(
      testDescription: "at the root", answers: all(answer(410), root: file), asked: both + ["crawler root"],
      findings: ["fetch.root-only error"]),
    Row(
      testDescription: "a page at the root", answers: all(answer(404), root: answer(200, "<html>")),
      asked: both + ["crawler root"], findings: ["fetch.missing error"]),
    Row(
      testDescription: "broken", answers: all(answer(200, "{,}")), asked: three, findings: []),
    Row(
      testDescription: "one byte too many", answers: all(answer(200, padded(131_073))), asked: both,
      findings: ["fetch.too-large error"]),
    Row(
      testDescription: "as large as may be", answers: all(answer(200, padded(131_072))), asked: both,
      findings: []),
    Row(
      testDescription: "compressed", answers: all(answer(200, "x", ["Content-Encoding": "br"])), asked: both,
      findings: ["fetch.content-encoding warning"]),
    Row(
      testDescription: "said to be compressed", answers: all(answer(200, json, ["Content-Encoding": "gzip"])),
      asked: both, findings: ["fetch.content-encoding warning"]),
    Row(
      testDescription: "another charset",
      answers: all(answer(200, json, ["Content-Type": "application/json; Charset=\"UTF-16\""])), asked: both,
      findings: ["fetch.charset warning"]),
    Row(
      testDescription: "another type and charset",
      answers: all(answer(200, json, ["Content-Type": "text/plain;charset=iso-8859-1"])), asked: both,
      findings: ["fetch.charset warning", "fetch.content-type note"]),
    Row(
      testDescription: "the charset that it has",
      answers: all(answer(200, json, ["Content-Type": "application/json; charset=UTF-8"])), asked: both,
      findings: []),
    Row(
      testDescription: "identity", answers: all(answer(200, json, ["Content-Encoding": "identity"])),
      asked: both, findings: []),
  ]

  static func padded(_ count: Int) -> String {
    json + String(repeating: " ", count: count - json.utf8.count)
  }

  static func probe(_ answers: [FetchResult?], modesOnly: Bool = false) -> (OriginCheck, [String]) {
    var asked: [String] = []
    let check = OriginProbe.ask("example.com", isForModesOnly: modesOnly) { question in
      asked.append(question.client.rawValue + (question.location == .root ? " root" : ""))
      let index =
        question.location == .root ? 3 : OriginQuestion.Client.allCases.firstIndex(of: question.client)!
      return answers[index] ?? .failed(.malformed("nobody should have asked this"))
    }
    return (check, asked)
  }

  @Test(arguments: rows) func isAskedAndJudgedSo(_ row: Row) {
    let (check, asked) = Self.probe(row.answers)
    #expect(asked == row.asked)
    #expect(check.servingFindings.map { "\($0.rule) \($0.severity.rawValue)" } == row.findings)
    #expect(
      check.answers.map { $0.question.client.rawValue + ($0.question.location == .root ? " root" : "") }
        == asked)
  }

  @Test(arguments: [
    ("connecting to 192.0.2.1:443: Connection refused", "does not accept connections", "no connection"),
    ("there is no address to connect to", "does not accept connections", "no connection"),
    (
      "the connection broke before the answer was whole: Connection reset by peer",
      "breaks the connection off",
      "a broken connection"
    ),
    ("the connection ended before a request was sent", "breaks the connection off", "a broken connection"),
  ])
  func aConnectionThatBreaksWasAccepted(reason: String, does: String, words: String) {
    let result = FetchResult.failed(.unreachable(reason))
    let (check, _) = Self.probe(Self.all(result))
    #expect(
      check.servingFindings.map { "\($0.rule) \($0.message)" } == [
        "fetch.unreachable 'example.com' \(does): \(reason)."
      ])
    #expect(result.words == words)
  }

  @Test func eachQuestionNamesItsClientAndWantsNoCompression() {
    for (client, agent) in [
      (OriginQuestion.Client.crawler, "AASA-Bot/1.0.0"),
      (.device, "com.apple.swcd (unknown version) CFNetwork/"),
      (.browser, "Mozilla/5.0 "),
    ] {
      let request = OriginQuestion(host: "example.com", location: .wellKnown, client: client).request
      #expect(request.fields["User-Agent"]?.hasPrefix(agent) == true)
      #expect(request.fields["Accept-Encoding"] == "identity")
      #expect(request.method == "GET" && request.scheme == "https" && request.authority == "example.com")
      #expect(request.target == "/.well-known/apple-app-site-association")
    }
  }

  @Test func whatCannotBeAskedIsPassedOn() {
    struct Stop: Error, Equatable {}
    #expect(throws: Stop()) {
      _ = try OriginProbe.ask("example.com") { (_: OriginQuestion) throws(Stop) -> FetchResult in
        throw Stop()
      }
    }
  }

  /// In developer mode any certificate and any address will do.
  @Test(arguments: [
    FetchFailure.privateAddress("10.0.0.1"), .certificate(.expired), .certificate(.untrusted),
    .certificate(.wrongName),
  ])
  func forModesOnlyItIsANote(_ failure: FetchFailure) {
    let (check, _) = Self.probe(Self.all(.failed(failure)), modesOnly: true)
    #expect(check.servingFindings.map(\.severity) == [.note])
  }

  @Test func theFileThatCountsIsTheReadableOne() {
    let broken = Self.answer(200, "{,}")
    #expect(Self.probe([broken, Self.file, nil, nil]).0.served?.response.body == Array(Self.json.utf8))
    #expect(Self.probe(Self.all(broken)).0.served?.response.body == Array("{,}".utf8))
    #expect(Self.probe(Self.all(Self.answer(404), root: Self.file)).0.served?.location == .root)
    for none in [Self.answer(404), Self.answer(200, "<html>"), .failed(.timedOut)] {
      #expect(Self.probe(Self.all(none)).0.served == nil)
    }
    #expect(Self.probe(Self.all(Self.answer(404))).0.hasNoFile)
    #expect(!Self.probe(Self.all(.failed(.timedOut))).0.hasNoFile)
  }

  @Test func aWholeFindingIsReadLikeThis() throws {
    let (check, _) = Self.probe([Self.answer(403), Self.answer(403), Self.file, nil])
    #expect(
      check.servingFindings.first?.text() == """
        https://example.com/.well-known/apple-app-site-association: error[fetch.user-agent-blocked]: The crawler gets \
        403, a browser gets the file.
          A bot rule or firewall blocks the user agent 'AASA-Bot'. Exempt this path (T7).

        """)
  }

  @Test(arguments: [
    ("https://www.example.com/x", true, false, false), ("/en/x", true, false, false),
    ("https://example.org/x", false, false, false), ("http://example.com/x", true, true, false),
    ("https://example.com/SignIn", true, false, true), ("//example.com/", true, false, false),
    ("https://example.org/users/sign_in?next=x", false, false, true),
    ("https://login.example.org/", false, false, true), ("/author/1", true, false, false),
    ("https://www.example.com/apple-app-site-association", true, false, false),
    ("/start?next=/.well-known/apple-app-site-association", true, false, false),
  ])
  func remarksOnARedirect(target: String, isInside: Bool, isPlain: Bool, isLogin: Bool) {
    let (check, _) = Self.probe(Self.all(Self.answer(302, "", ["Location": target])))
    let help = check.servingFindings.first?.help ?? ""
    #expect(help.contains("(T3)") == isInside)
    #expect(help.contains("(T4)") == isPlain)
    #expect(help.contains("login page: the file") == isLogin)
  }

  @Test(arguments: [
    ("max-age=3600", false), ("max-age=3601", true), ("immutable", true), ("public, MAX-AGE=\"7200\"", true),
    ("no-store", false), ("max-age=x", false), ("s-maxage=99999", false), ("max-age=-1", false),
  ])
  func longLivesAreNoted(value: String, isNoted: Bool) {
    let (check, _) = Self.probe(Self.all(Self.answer(200, Self.json, ["Cache-Control": value])))
    #expect(check.servingFindings.map(\.rule) == (isNoted ? ["fetch.cache-control"] : []))
  }

  @Test(arguments: [
    (0, "0 s"), (59, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (3_599, "59 min 59 s"), (3_600, "1 h"),
    (12_000, "3 h 20 min"), (86_400, "1 d"), (90_061, "1 d 1 h"),
  ])
  func secondsAreReadByPeople(seconds: Int, words: String) {
    #expect(CacheControl.words(seconds) == words)
  }

  /// A body that is a file as it stands is not called compressed.
  @Test(arguments: [
    ("x", "The response is compressed ('gzip'), although the client did not accept it."),
    (json, "The response says that it is compressed ('gzip'), but its body is not."),
  ])
  func saysWhetherTheBodyIsCompressed(body: String, message: String) {
    let (check, _) = Self.probe(Self.all(Self.answer(200, body, ["Content-Encoding": "gzip"])))
    #expect(check.findings.map(\.message) == [message])
  }
}
