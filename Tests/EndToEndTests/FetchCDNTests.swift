import Foundation
import HTTPEngine
import LinkspanCore
import TestSupport
import Testing

/// `linkspan check HOST --fetch cdn|both` against a stand-in for Apple's CDN whose answers are written here by hand,
/// as published transcripts have them (spec associated-domains section 4).
@Suite struct FetchCDNTests {
  typealias Report = FetchTests.Report

  static let from = "https://example.com/.well-known/apple-app-site-association"

  static func copy(_ body: String = FetchTests.file, age_s: Int = 600, _ more: HTTPFields = [:])
    -> HTTPResponse
  {
    var fields: HTTPFields = [
      "Content-Type": "application/json", "Apple-From": from, "Apple-Origin-Format": "json",
      "Cache-Control": "max-age=21600,public", "Age": "\(age_s)",
    ]
    for field in more.list { fields[field.name] = field.value }
    return HTTPResponse(status: 200, fields: fields, body: Array(body.utf8))
  }

  static func no(_ reason: String, _ details: String? = nil, direct: String = "false", age_s: Int = 0)
    -> HTTPResponse
  {
    var response = HTTPResponse.text(404, reason)
    response.fields["Apple-From"] = from
    response.fields["Apple-Failure-Reason"] = reason
    response.fields["Apple-Failure-Details"] = details
    response.fields["Apple-Try-Direct"] = direct
    response.fields["Cache-Control"] = "max-age=3600,public"
    response.fields["Age"] = "\(age_s)"
    return response
  }

  /// - Parameter origin: nil asks the CDN alone.
  func check(
    origin: HTTPHandler?, cdn: @escaping HTTPHandler, _ more: String...
  ) throws -> Report {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let stand = try LocalServer(nil, cdn)
    let host = try LocalServer(certificate, origin ?? { _ in .text(500, "was asked") })
    let outcome = try tool.run(
      [
        "check", "example.com", "--json", "--allow-private", "--timeout", "30", "--ca", "ca.pem", "--resolve",
        "example.com:443:127.0.0.1:\(host.port)", "--cdn", "http://127.0.0.1:\(stand.port)",
        "--fetch", origin == nil ? "cdn" : "both",
      ] + more)
    #expect(stand.requests.map(\.target) == ["/a/v1/example.com"])
    if origin == nil { #expect(host.requests.isEmpty) }
    return Report(outcome: outcome, json: outcome.output.isEmpty ? [:] : try outcome.json())
  }

  static let refusals: [(answer: HTTPResponse, finding: String, help: String, causes: [String])] = [
    (
      no("SWCERR00101 Bad HTTP Response: 403 Forbidden", "{\"status\":\"403 Forbidden\"}", age_s: 600),
      "cdn.bad-http-response error Apple's CDN has no file of 'example.com': SWCERR00101 Bad HTTP Response: 403 Forbidden.",
      """
      The crawler is turned away. Exempt the path from logins, bot rules, rate limits and filters by address or \
      country; the user agent is 'AASA-Bot' (T7).
      The CDN remembers this answer for 50 min more (C6); then ask again.
      """, ["cdn-blocked", "other-validators-green"]
    ),
    (
      no("SWCERR00101 Bad HTTP Response: 404 Not Found", "{\"status\":\"404 Not Found\"}"),
      "cdn.bad-http-response error Apple's CDN has no file of 'example.com': SWCERR00101 Bad HTTP Response: 404 Not Found.",
      """
      The crawler found no file. Publish it at \(from).
      The CDN remembers this answer for 1 h more (C6); then ask again.
      """, ["not-published"]
    ),
    (
      no("SWCERR00101 Bad HTTP Response: 301 Moved Permanently", "{\"status\":\"301 Moved Permanently\"}"),
      "cdn.bad-http-response error Apple's CDN has no file of 'example.com': SWCERR00101 Bad HTTP Response: "
        + "301 Moved Permanently.",
      """
      The crawler was redirected. No redirect may stand before the file (T2).
      The CDN remembers this answer for 1 h more (C6); then ask again.
      """, ["something-else-served"]
    ),
    (
      no("SWCERR00202 Connections to private/reserved IP addresses are not allowed"),
      "cdn.private-address error Apple's CDN has no file of 'example.com': SWCERR00202 Connections to private/reserved "
        + "IP addresses are not allowed.",
      """
      The crawler saw a private or reserved address. Publish a public one for 'example.com', also where names are \
      answered by place (split DNS).
      The CDN remembers this answer for 1 h more (C6); then ask again.
      """, ["host-unreachable"]
    ),
    (
      no("SWCERR00301 Timeout", "{\"cause\":\"context deadline exceeded\"}", direct: "true"),
      "cdn.timeout error Apple's CDN has no file of 'example.com': SWCERR00301 Timeout.",
      """
      The host was too slow for the crawler, or dropped its packets. Answer within one second, also from a cold \
      start, and let everybody reach port 443: Apple does not publish the crawler's addresses.
      The CDN says: context deadline exceeded.
      Devices may ask the host itself meanwhile (inferred).
      The CDN remembers this answer for 1 h more (C6); then ask again.
      """, ["host-unreachable"]
    ),
    (
      no("SWCERR00401 Bad JSON content"),
      "cdn.bad-json error Apple's CDN has no file of 'example.com': SWCERR00401 Bad JSON content.",
      """
      What the crawler got is no JSON: a page, a login, or a mistake in the file. 'linkspan check' shows the place.
      The CDN remembers this answer for 1 h more (C6); then ask again.
      """, ["something-else-served"]
    ),
    (
      no("SWCERR00217 TLS handshake went wrong", "not JSON"),
      "cdn.unknown-code error Apple's CDN has no file of 'example.com': SWCERR00217 TLS handshake went wrong.",
      """
      The code is new to us; its hundreds speak of the connection. Look at DNS, port 443 and the certificate.
      The CDN says: not JSON.
      The CDN remembers this answer for 1 h more (C6); then ask again.
      """, ["host-unreachable"]
    ),
    (
      HTTPResponse.text(404, "none"),
      "cdn.no-reason error Apple's CDN has no file of 'example.com': it answers 404.",
      """
      It does not say why. Look at the host with '--fetch direct'.
      The CDN remembers a failure for up to an hour (C6).
      """, []
    ),
    (
      HTTPResponse.text(405, "Method Not Allowed"),
      "cdn.unknown-host error Apple's CDN does not know 'example.com'.",
      """
      It answers 405 where it cannot resolve the host (one report). Look whether the name is spelled as in the public \
      DNS and has an address there.
      The CDN remembers a failure for up to an hour (C6).
      """, ["host-unreachable"]
    ),
  ]

  @Test(arguments: refusals.indices) func eachRefusalHasItsFinding(_ index: Int) throws {
    let row = Self.refusals[index]
    let report = try check(origin: nil) { _ in row.answer }
    #expect(report.lines == [row.finding])
    #expect(report.firstHelp == row.help)
    #expect(report.causes == row.causes)
    #expect(report.outcome.status == 1)
  }

  @Test func aCDNThatCannotBeAskedIsNoAnswer() throws {
    let report = try check(origin: nil) { _ in .text(503, "busy") }
    #expect(report.lines == ["cdn.status warning Apple's CDN answers 503."])
    #expect(report.outcome.status == 2)
  }

  @Test func theCopyAloneIsCheckedLikeAFile() throws {
    let report = try check(origin: nil) { _ in Self.copy("{\"applinks\":{\"details\":[{}]}}") }
    #expect(report.lines.contains { $0.hasPrefix("aasa.no-application error") })
    #expect(report.findings.allSatisfy { ($0["file"] as? String ?? "").hasSuffix("/a/v1/example.com") })
    #expect(report.asked == ["cdn 200"])
    #expect(report.notChecked.contains("the direct answers of example.com: '--fetch both' compares"))
  }

  @Test func theSameMeaningIsTheSameCopy() throws {
    let other = """
      { "applinks": { "details": [ { "components": [ { "/": "\\u002fa" } ],
        "appIDs": [ "ABCDE12345.com.example.app" ] } ] } }
      """
    let report = try check(origin: { _ in FetchTests.json() }, cdn: { _ in Self.copy(other) })
    #expect(report.lines == [])
    #expect(report.causes == ["nothing-wrong"])
    #expect(report.outcome.status == 0)
  }

  @Test func aStaleCopySaysWhatChangedAndHowLongItLives() throws {
    let fresh = """
      {"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app","ABCDE12345.com.example.two"],
      "components":[{"/":"/b"}]}]},"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}
      """
    let report = try check(
      origin: { _ in FetchTests.json(fresh) }, cdn: { _ in Self.copy(age_s: 9_600) })
    #expect(
      report.lines == [
        "cdn.stale-copy warning Apple's CDN has another file than 'example.com' serves: the CDN's copy of "
          + "2 h 40 min ago is the stale one."
      ])
    #expect(
      report.firstHelp == """
        In the host's file, 'applinks' newly names ABCDE12345.com.example.two.
        In the host's file, ABCDE12345.com.example.app has the new rule {"/":"/b"}.
        In the host's file, ABCDE12345.com.example.app no longer has the rule {"/":"/a"}.
        In the host's file, 'webcredentials' is new.
        It may keep the copy 3 h 20 min more (C5). Apple promises to ask the host within 24 hours (C2), and developers \
        saw minutes to days (C8).
        Nobody can purge it (C4). A junk query on the CDN's URL at most changes what you see (C7). Devices look again \
        about weekly, or when the app is installed anew (V2, V3).
        """)
    #expect(report.causes == ["stale-copy"])
    #expect(
      report.next("stale-copy").first
        == "Wait: the copy may live 3 h 20 min more, and nothing can purge it (C4).")
  }

  @Test func aCopyWhoseHostServesNothingAnyMoreIsTold() throws {
    let report = try check(origin: { _ in .text(404, "gone") }, cdn: { _ in Self.copy() })
    #expect(
      report.lines.contains(
        "cdn.only-copy warning Apple's CDN still has a file of 'example.com', and the host itself gives the crawler 404."
      ))
    #expect(report.lines.contains { $0.hasPrefix("fetch.missing error") })
    #expect(report.causes == ["stale-copy", "not-published"])
  }

  /// The commonest complaint: curl works, and the CDN says 403.
  @Test func aCrawlerKeptOutByItsAddressIsToldApart() throws {
    let report = try check(
      origin: { _ in FetchTests.json() },
      cdn: { _ in
        Self.no(
          "SWCERR00101 Bad HTTP Response: 403 Forbidden", "{\"status\":\"403 Forbidden\"}", age_s: 3_000)
      })
    #expect(report.lines.count == 1)
    #expect(report.firstHelp.contains("the crawler is kept out by its address or country"))
    #expect(report.causes == ["cdn-blocked", "other-validators-green"])
    #expect(report.next("cdn-blocked").last?.contains("10 min more (C6)") == true)
    #expect(report.asked == ["crawler 200", "device 200", "cdn 404"])
  }

  @Test func whatTheCDNDidOnItsWayIsTold() throws {
    let two: HTTPFields = [
      "Apple-From": "\(Self.from),https://www.example.com/.well-known/apple-app-site-association",
      "Apple-Origin-Format": "pkcs7",
    ]
    let report = try check(origin: nil) { _ in Self.copy(FetchTests.file, two) }
    #expect(
      report.lines == [
        "cdn.redirected warning Apple's CDN followed a redirect: \(Self.from) to "
          + "https://www.example.com/.well-known/apple-app-site-association.",
        "cdn.origin-format note Apple's CDN names the format 'pkcs7'.",
      ])
  }

  @Test func aPrivateStandInIsAskedOnlyWhenAllowed() throws {
    let server = try LocalServer(nil) { _ in Self.copy() }
    let outcome = try Tool().run(
      "check", "example.com", "--json", "--fetch", "cdn", "--cdn", "http://127.0.0.1:\(server.port)")
    #expect(outcome.status == 2)
    let report = Report(outcome: outcome, json: try outcome.json())
    #expect(
      report.lines == [
        "cdn.no-answer warning Apple's CDN cannot be asked from this machine: the private address 127.0.0.1."
      ])
    #expect(server.requests.isEmpty)
  }

  @Test func aReportForPeopleEndsWithWhatWasNotChecked() throws {
    let tool = try Tool()
    let server = try LocalServer(nil) { _ in Self.no("SWCERR00301 Timeout", direct: "true") }
    let outcome = try tool.run(
      "check", "example.com", "--fetch", "cdn", "--allow-private", "--cdn", "http://127.0.0.1:\(server.port)")
    #expect(
      outcome.output.hasSuffix(
        """
        example.com: CDN 404 SWCERR00301
        no file: 1 error
        What this means:
          The host cannot be reached as devices and Apple's CDN reach it. (cdn.timeout)
            - Make example.com answer everybody on port 443 within a second, under a public address and with a certificate \
        from a public authority.
            - Ask from another network as well; Apple's CDN asks from its own.
            - For a host inside the company list 'applinks:HOST?mode=developer' or '?mode=managed' (E13, E14).
        Not checked:
          - what Apple's own CDN has for example.com: a stand-in was asked
          - the direct answers of example.com: '--fetch both' compares
          - what devices have stored already: they look again about weekly, or at installation (V2, V3)
          - whether an app claims the hosts: no app was given

        """))
  }
}
