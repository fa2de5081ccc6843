import AppSiteAssociation
import AssociationDelivery
import LinkspanCore
import Testing

@Suite struct DiagnosisTests {
  static let json = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"]}]}}"#

  static func finding(_ rule: String, _ severity: Finding.Severity = .error) -> Finding {
    Finding(rule: rule, severity: severity, at: .init(file: "https://example.com/x"), message: "x")
  }

  static let good = OriginCheck(
    host: "example.com",
    wellKnown: .answered(
      HTTPResponse(status: 200, fields: ["Content-Type": "application/json"], body: Array(json.utf8))))
  static let down = OriginCheck(host: "example.com", wellKnown: .failed(.timedOut))

  static func cdn(_ reason: String, _ origin: OriginCheck? = nil) -> CDNCheck {
    CDNCheck(
      host: "example.com", endpoint: .apple,
      result: .answered(HTTPResponse(status: 404, fields: ["Apple-Failure-Reason": reason])), origin: origin)
  }

  static let single: [(String, Finding.Severity, [String])] = [
    ("fetch.user-agent-blocked", .error, ["cdn-blocked", "other-validators-green"]),
    ("cdn.stale-copy", .warning, ["stale-copy"]), ("cdn.only-copy", .warning, ["stale-copy"]),
    ("cdn.stale-copy", .note, []),
    ("entitlement.only-star", .error, ["entitlement-lost", "other-validators-green"]),
    ("joined.claims-nothing", .error, ["entitlement-lost", "other-validators-green"]),
    ("fetch.page", .error, ["something-else-served"]), ("fetch.redirect", .error, ["something-else-served"]),
    ("fetch.denied", .error, ["something-else-served"]), ("fetch.missing", .error, ["not-published"]),
    ("fetch.root-only", .error, ["not-published"]), ("fetch.too-slow", .error, ["host-unreachable"]),
    ("fetch.server-error", .warning, ["host-unreachable"]),
    ("fetch.certificate-expired", .error, ["host-unreachable"]), ("fetch.certificate-expired", .note, []),
    ("json.comment", .error, ["file-dropped"]), ("aasa.size", .error, ["file-dropped"]),
    ("aasa.size", .warning, []),
    ("joined.app-not-named", .error, ["sides-disagree", "other-validators-green"]),
    ("aasa.unreachable", .error, []),
  ]

  @Test(arguments: single.indices) func eachFailureIsKnownByItsFinding(_ index: Int) {
    let (rule, severity, causes) = Self.single[index]
    let all = Diagnosis.all(findings: [Self.finding(rule, severity)])
    #expect(all.map(\.cause.rawValue) == causes)
    for diagnosis in all {
      #expect(diagnosis.because == [rule])
      #expect(!diagnosis.next.isEmpty && diagnosis.next.allSatisfy { !$0.isEmpty })
    }
  }

  static let refusals: [(String, OriginCheck?, [String])] = [
    ("SWCERR00101 Bad HTTP Response: 403 Forbidden", nil, ["cdn-blocked", "other-validators-green"]),
    ("SWCERR00101 Bad HTTP Response: 403 Forbidden", good, ["cdn-blocked", "other-validators-green"]),
    ("SWCERR00101 Bad HTTP Response: 401 Unauthorized", nil, ["cdn-blocked", "other-validators-green"]),
    ("SWCERR00101 Bad HTTP Response: 429 Too Many", nil, ["cdn-blocked", "other-validators-green"]),
    ("SWCERR00101 Bad HTTP Response: 404 Not Found", nil, ["not-published"]),
    ("SWCERR00101 Bad HTTP Response: 302 Found", nil, ["something-else-served"]),
    ("SWCERR00101 Bad HTTP Response: 500 Error", nil, ["host-unreachable"]),
    ("SWCERR00202 x", nil, ["host-unreachable"]), ("SWCERR00301 Timeout", nil, ["host-unreachable"]),
    ("SWCERR00301 Timeout", good, ["cdn-blocked", "other-validators-green"]),
    ("SWCERR00401 Bad JSON content", nil, ["something-else-served"]),
    ("SWCERR00301 Timeout", down, ["host-unreachable"]),
  ]

  @Test(arguments: refusals.indices) func aRefusalIsReadBesideItsOrigin(_ index: Int) {
    let (reason, origin, causes) = Self.refusals[index]
    let cdn = Self.cdn(reason, origin)
    let all = Diagnosis.all(
      findings: (origin?.servingFindings ?? []) + cdn.findings, origins: [origin].compactMap { $0 },
      cdn: [cdn])
    #expect(all.map(\.cause.rawValue) == causes)
  }

  @Test func nothingWrongIsSaidOnlyWhereMoreThanAFileWasLookedAt() {
    #expect(Diagnosis.all(findings: []).isEmpty)
    #expect(Diagnosis.all(findings: [], origins: [Self.good]).map(\.cause) == [.nothingWrong])
    #expect(Diagnosis.all(findings: [], isAppKnown: true).map(\.cause) == [.nothingWrong])
    #expect(Diagnosis.all(findings: [Self.finding("aasa.x")], origins: [Self.good]).isEmpty)
    let unknown = CDNCheck(host: "example.com", endpoint: .apple, result: .failed(.timedOut))
    #expect(Diagnosis.all(findings: unknown.findings, cdn: [unknown]).isEmpty)
  }

  @Test func theCommonestFailureStandsFirst() {
    let rules = [
      "joined.app-not-named", "fetch.page", "fetch.user-agent-blocked", "cdn.only-copy", "json.html",
    ]
    let causes = Diagnosis.all(findings: rules.map { Self.finding($0) }).map(\.cause)
    #expect(causes == [.cdnBlocked, .staleCopy, .somethingElseServed, .fileDropped, .sidesDisagree])
    let order = Diagnosis.Cause.allCases
    #expect(causes.map { order.firstIndex(of: $0)! } == causes.map { order.firstIndex(of: $0)! }.sorted())
  }

  /// Every host that has the failure, and no other whose name only ends alike.
  @Test func theHostsAreNamedInASentence() {
    func page(_ host: String) -> OriginCheck {
      OriginCheck(
        host: host,
        wellKnown: .answered(
          HTTPResponse(status: 200, fields: ["Content-Type": "text/html"], body: Array("<html>".utf8))))
    }
    let origins = [page("www.example.com"), Self.good, page("example.org")]
    let all = Diagnosis.all(findings: origins.flatMap(\.servingFindings), origins: origins)
    #expect(
      all.first { $0.cause == .somethingElseServed }?.next.first
        == "Request /.well-known/apple-app-site-association of www.example.com, example.org with 'curl -i': the response must be 200 with the JSON itself."
    )
  }

  @Test func isReadLikeThis() throws {
    let diagnosis = Diagnosis(cause: .cdnBlocked, because: ["a.b", "c.d"], next: ["Do this.", "Then that."])
    #expect(
      diagnosis.text() == """
          The host blocks Apple's CDN but serves the file to other clients. (a.b, c.d)
            - Do this.
            - Then that.

        """)
    #expect(
      diagnosis.json.text == """
        {"cause":"cdn-blocked","sentence":"The host blocks Apple's CDN but serves the file to other clients.",\
        "because":["a.b","c.d"],"next":["Do this.","Then that."]}
        """)
  }
}
