import AppSiteAssociation
import AssociationDelivery
import LinkspanCore
import Testing

@Suite struct CDNCheckTests {
  static let json = OriginProbeTests.json

  static func copy(_ body: String = json, _ fields: HTTPFields = [:]) -> FetchResult {
    .answered(HTTPResponse(status: 200, fields: fields, body: Array(body.utf8)))
  }

  static func origin(_ result: FetchResult) -> OriginCheck {
    OriginProbeTests.probe(OriginProbeTests.all(result)).0
  }

  static func check(_ result: FetchResult, _ origin: OriginCheck? = nil, modesOnly: Bool = false) -> CDNCheck
  {
    CDNCheck(
      host: "example.com", endpoint: .apple, result: result, origin: origin, isForModesOnly: modesOnly)
  }

  static func no(_ reason: String, status: Int = 404) -> FetchResult {
    .answered(HTTPResponse(status: status, fields: ["Apple-Failure-Reason": reason]))
  }

  @Test(arguments: [
    ("SWCERR00101 Bad HTTP Response: 401 Unauthorized", "cdn.bad-http-response", "'AASA-Bot' (T7)"),
    ("SWCERR00101 Bad HTTP Response: 403 Forbidden", "cdn.bad-http-response", "'AASA-Bot' (T7)"),
    ("SWCERR00101 Bad HTTP Response: 429 Too Many", "cdn.bad-http-response", "'AASA-Bot' (T7)"),
    ("SWCERR00101 Bad HTTP Response: 410 Gone", "cdn.bad-http-response", "Publish it at"),
    ("SWCERR00101 Bad HTTP Response: 301 Moved", "cdn.bad-http-response", "(T2)"),
    ("SWCERR00101 Bad HTTP Response: 404 Not Found", "cdn.bad-http-response", "Publish it at"),
    ("SWCERR00101 Bad HTTP Response: 502 Bad Gateway", "cdn.bad-http-response", "retries by itself"),
    ("SWCERR00101 Bad HTTP Response: 204 No Content", "cdn.bad-http-response", "Only 200 is accepted"),
    (
      "SWCERR00202 Connections to private/reserved IP addresses are not allowed", "cdn.private-address",
      "split DNS"
    ),
    ("SWCERR00301 Timeout", "cdn.timeout", "within one second"),
    ("SWCERR00401 Bad JSON content", "cdn.bad-json", "did not receive JSON"),
    ("SWCERR00103 New", "cdn.unknown-code", "HTTP response"),
    ("SWCERR00290 New", "cdn.unknown-code", "connection"),
    ("SWCERR00302 New", "cdn.unknown-code", "a timeout"),
    ("SWCERR00499 New", "cdn.unknown-code", "content"),
    ("SWCERR00501 New", "cdn.unknown-code", "does not document it"),
    ("Nothing known", "cdn.no-reason", "--fetch direct"), ("", "cdn.no-reason", "--fetch direct"),
  ])
  func eachReasonHasItsRuleAndItsNextStep(reason: String, rule: String, help: String) {
    let findings = Self.check(Self.no(reason)).findings
    #expect(findings.map { "\($0.rule) \($0.severity)" } == ["\(rule) error"])
    #expect(findings[0].help?.contains(help) == true)
    #expect(findings[0].message.contains(reason))
    #expect(Self.check(Self.no(reason), modesOnly: true).findings[0].severity == .note)
  }

  @Test(arguments: [
    (405, "cdn.unknown-host error"), (400, "cdn.status error"), (500, "cdn.status warning"),
    (503, "cdn.status warning"),
  ])
  func otherStatusesAreTold(status: Int, finding: String) {
    let check = Self.check(Self.no("", status: status))
    #expect(check.findings.map { "\($0.rule) \($0.severity)" } == [finding])
    #expect(check.isUnknown == (status >= 500))
  }

  @Test func noAnswerIsNoVerdict() {
    let check = Self.check(.failed(.timedOut))
    #expect(check.isUnknown)
    #expect(
      check.findings.map { "\($0.severity) \($0.message)" } == [
        "warning Apple's CDN did not respond to this machine: no response in time."
      ])
  }

  static let changed = json.replacing("com.example.app", with: "com.example.two")

  static let comparisons: [(FetchResult, FetchResult, [String])] = [
    (copy(), OriginProbeTests.file, []), (copy("\n" + json), OriginProbeTests.file, []),
    (copy(changed), OriginProbeTests.file, ["cdn.stale-copy warning"]),
    (copy("{\"note\":1," + json.dropFirst()), OriginProbeTests.file, ["cdn.stale-copy note"]),
    (copy(), OriginProbeTests.answer(404), ["cdn.only-copy warning"]),
    (copy(), .failed(.timedOut), ["cdn.only-copy warning"]),
    (copy(), OriginProbeTests.answer(200, "<html>"), ["cdn.only-copy warning"]),
    (copy(), OriginProbeTests.answer(200, "x", ["Content-Encoding": "gzip"]), []),
    (copy("{,}"), OriginProbeTests.file, []),
  ]

  @Test(arguments: comparisons.indices) func theCopyIsComparedWithTheOrigin(_ index: Int) {
    let (copy, origin, findings) = Self.comparisons[index]
    let check = Self.check(copy, Self.origin(origin))
    #expect(check.findings.map { "\($0.rule) \($0.severity)" } == findings)
  }

  @Test(
    arguments: [
      (["Cache-Control": "max-age=21600", "Age": "21600"], "expires now (C5)"),
      (["Cache-Control": "max-age=21600", "Age": "1"], "keep the copy for another 5 h 59 min (C5)"),
      ([:], "does not say how long"),
    ] as [(HTTPFields, String)])
  func howLongAStaleCopyLives(fields: HTTPFields, words: String) {
    let check = Self.check(Self.copy(Self.changed, fields), Self.origin(OriginProbeTests.file))
    #expect(check.findings[0].help?.contains(words) == true)
  }

  @Test func aFileFromTheRootIsTold() {
    let fields: HTTPFields = ["Apple-From": "https://example.com/apple-app-site-association"]
    #expect(Self.check(Self.copy(Self.json, fields)).findings.map(\.rule) == ["cdn.from-root"])
  }

  /// A refusal beside a good origin says so.
  @Test func aRefusalBesideAGoodOriginPointsAtTheCrawler() {
    let refused = Self.check(
      Self.no("SWCERR00301 Timeout"), Self.origin(OriginProbeTests.file))
    #expect(refused.findings[0].help?.contains("blocks the crawler by address or country") == true)
    // Here the crawler is turned away by its name, not by an address.
    var byName = Self.origin(OriginProbeTests.file)
    byName.wellKnown = OriginProbeTests.answer(403)
    byName.wellKnownForDevice = OriginProbeTests.file
    let named = Self.check(Self.no("SWCERR00101 Bad HTTP Response: 403 Forbidden"), byName)
    #expect(named.findings[0].help?.contains("serves the file to this machine") == false)
    let alike = Self.check(Self.no("SWCERR00301 Timeout"), Self.origin(.failed(.timedOut)))
    #expect(alike.findings[0].help?.contains("blocks the crawler by address or country") == false)
  }
}
