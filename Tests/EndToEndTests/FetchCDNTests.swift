import Foundation
import LinkspanCore
import TestSupport
import Testing

/// `linkspan check HOST --fetch cdn|both` against a stand-in for Apple's CDN whose answers are written here by hand,
/// as published transcripts have them (section 4).
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
      "cdn.bad-http-response error The stand-in for Apple's CDN has no file for 'example.com': SWCERR00101 Bad HTTP Response: 403 Forbidden.",
      """
      The host rejected the crawler. Exempt the path from logins, bot rules, rate limits and filters by address or country; the user agent is 'AASA-Bot' (T7).
      The CDN caches this answer for another 50 min (C6); check again after that.
      """, ["cdn-blocked", "other-validators-green"]
    ),
    (
      no("SWCERR00101 Bad HTTP Response: 404 Not Found", "{\"status\":\"404 Not Found\"}"),
      "cdn.bad-http-response error The stand-in for Apple's CDN has no file for 'example.com': SWCERR00101 Bad HTTP Response: 404 Not Found.",
      """
      The crawler found no file. Publish it at \(from).
      The CDN caches this answer for another 1 h (C6); check again after that.
      """, ["not-published"]
    ),
    (
      no("SWCERR00101 Bad HTTP Response: 301 Moved Permanently", "{\"status\":\"301 Moved Permanently\"}"),
      "cdn.bad-http-response error The stand-in for Apple's CDN has no file for 'example.com': SWCERR00101 Bad HTTP Response: "
        + "301 Moved Permanently.",
      """
      The crawler was redirected. The file must not be redirected (T2).
      The CDN caches this answer for another 1 h (C6); check again after that.
      """, ["something-else-served"]
    ),
    (
      no("SWCERR00202 Connections to private/reserved IP addresses are not allowed"),
      "cdn.private-address error The stand-in for Apple's CDN has no file for 'example.com': SWCERR00202 Connections to private/reserved "
        + "IP addresses are not allowed.",
      """
      The crawler resolved a private or reserved address. Publish a public address for 'example.com', and check split DNS.
      The CDN caches this answer for another 1 h (C6); check again after that.
      """, ["host-unreachable"]
    ),
    (
      no("SWCERR00301 Timeout", "{\"cause\":\"context deadline exceeded\"}", direct: "true"),
      "cdn.timeout error The stand-in for Apple's CDN has no file for 'example.com': SWCERR00301 Timeout.",
      """
      The host was too slow for the crawler or dropped its packets. Answer within one second, even after a cold start, and make port 443 reachable for everyone: Apple does not publish the crawler's addresses.
      The CDN's details: context deadline exceeded.
      Meanwhile devices may fetch the file from the host (inferred).
      The CDN caches this answer for another 1 h (C6); check again after that.
      """, ["host-unreachable"]
    ),
    (
      no("SWCERR00401 Bad JSON content"),
      "cdn.bad-json error The stand-in for Apple's CDN has no file for 'example.com': SWCERR00401 Bad JSON content.",
      """
      The crawler did not receive JSON but a web page, a login page or a file with a syntax error. 'linkspan check' shows where.
      The CDN caches this answer for another 1 h (C6); check again after that.
      """, ["something-else-served"]
    ),
    (
      no("SWCERR00217 TLS handshake went wrong", "not JSON"),
      "cdn.unknown-code error The stand-in for Apple's CDN has no file for 'example.com': SWCERR00217 TLS handshake went wrong.",
      """
      The code is unknown; its first digits indicate the connection. Check DNS, port 443 and the certificate.
      The CDN's details: not JSON.
      The CDN caches this answer for another 1 h (C6); check again after that.
      """, ["host-unreachable"]
    ),
    (
      HTTPResponse.text(404, "none"),
      "cdn.no-reason error The stand-in for Apple's CDN has no file for 'example.com': it answers 404.",
      """
      The CDN gives no reason. Check the host with '--fetch direct'.
      The CDN caches a failure for up to an hour (C6).
      """, []
    ),
    (
      HTTPResponse.text(405, "Method Not Allowed"),
      "cdn.unknown-host error The stand-in for Apple's CDN does not know 'example.com'.",
      """
      It answers 405 when it cannot resolve the host (one report). Check the spelling of the host, and that it has an address in the public DNS.
      The CDN caches a failure for up to an hour (C6).
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
    #expect(report.lines == ["cdn.status warning The stand-in for Apple's CDN answers 503."])
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
        "cdn.stale-copy warning The stand-in for Apple's CDN has a different file than 'example.com' serves: the CDN's copy, fetched "
          + "2 h 40 min ago, is stale."
      ])
    #expect(
      report.firstHelp == """
        In the host's file, 'applinks' newly names ABCDE12345.com.example.two.
        In the host's file, ABCDE12345.com.example.app has the new rule {"/":"/b"}.
        In the host's file, ABCDE12345.com.example.app no longer has the rule {"/":"/a"}.
        In the host's file, 'webcredentials' is new.
        The CDN may keep the copy for another 3 h 20 min (C5). Apple documents a refresh within 24 hours (C2); developers observed minutes to days (C8).
        The copy cannot be purged (C4). An arbitrary query on the CDN's URL only affects your own request (C7). Devices check again about once a week, or when the app is reinstalled (V2, V3).
        """)
    #expect(report.causes == ["stale-copy"])
    #expect(
      report.next("stale-copy").first
        == "Wait: the CDN may keep the copy for another 3 h 20 min, and it cannot be purged (C4).")
  }

  @Test func aCopyWhoseHostServesNothingAnyMoreIsTold() throws {
    let report = try check(origin: { _ in .text(404, "gone") }, cdn: { _ in Self.copy() })
    #expect(
      report.lines.contains(
        "cdn.only-copy warning The stand-in for Apple's CDN still has a file for 'example.com', but the host gives the crawler 404."
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
    #expect(report.firstHelp.contains("the host blocks the crawler by address or country"))
    #expect(report.causes == ["cdn-blocked", "other-validators-green"])
    #expect(report.next("cdn-blocked").last?.contains("another 10 min (C6)") == true)
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
        "cdn.redirected warning The stand-in for Apple's CDN followed a redirect: \(Self.from) to "
          + "https://www.example.com/.well-known/apple-app-site-association.",
        "cdn.origin-format note The stand-in for Apple's CDN reports the format 'pkcs7'.",
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
        "cdn.no-answer warning The stand-in for Apple's CDN did not respond to this machine: the private address 127.0.0.1."
      ])
    #expect(server.requests.isEmpty)
  }

  @Test func aReportForPeopleEndsWithWhatWasNotChecked() throws {
    let tool = try Tool()
    let server = try LocalServer(nil) { _ in Self.no("SWCERR00301 Timeout", direct: "true") }
    let words = [
      "check", "example.com", "--fetch", "cdn", "--allow-private", "--cdn", "http://127.0.0.1:\(server.port)",
    ]
    let plain = try tool.run(words)
    #expect(
      plain.output.contains(
        """
        1 error; no file retrieved
        Run again with '--explain' for what this means and what to do.
        Not checked:

        """))
    let outcome = try tool.run(words + ["--explain"])
    #expect(
      outcome.output.hasSuffix(
        """
        example.com: CDN: 404 SWCERR00301
        1 error; no file retrieved
        What this means:
          Devices and Apple's CDN cannot reach the host. (cdn.timeout)
            - Make example.com answer on port 443 within one second, at a public address and with a certificate from a public authority.
            - Check from another network too; Apple's CDN uses its own.
            - For an internal host, claim 'applinks:HOST?mode=developer' or '?mode=managed' (E13, E14).
        Not checked:
          - what Apple's own CDN has for example.com: a stand-in was asked
          - the direct answers of example.com: '--fetch both' compares
          - what devices have stored already: they look again about weekly, or at installation (V2, V3)
          - whether an app claims the hosts: no app was given

        """))
  }
}
