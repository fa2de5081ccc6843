import AppSiteAssociation
import AssociatedDomains
import AssociationDelivery
import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

/// Rules R1 to R8 and T1 to T9: what an origin answers, what the checker says about it, and what Apple's CDN
/// makes of it.
@Suite struct OriginTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var number: String
    var wellKnown: FetchResult
    var root: FetchResult?
    var browser: FetchResult?
    var switches = CDNSwitches()
    var isForModesOnly = false
    /// `rule severity`
    var verdict: [String]
    var status: Int
    /// nil: the header is absent.
    var headers: [String: String?]

    var testDescription: String { number }
  }

  static let json = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"]}]}}"#
  static let wellKnown = "https://www.example.com/.well-known/apple-app-site-association"

  static func answer(
    _ status: Int = 200, _ body: String = "", type: String? = "application/json", location: String? = nil
  ) -> FetchResult {
    var response = HTTPResponse(status: status, body: Array(body.utf8))
    response.fields["Content-Type"] = type
    response.fields["Location"] = location
    return .answered(response)
  }

  /// CMS SignedData with nothing but its content.
  static var signed: FetchResult {
    func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      [tag] + (content.count < 128 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]) + content
    }
    let data: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    let signedData: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    let info = der(0x30, data + der(0xA0, der(0x04, Array(json.utf8))))
    let body = der(0x30, signedData + der(0xA0, der(0x30, [0x02, 1, 1, 0x31, 0] + info)))
    return .answered(
      HTTPResponse(status: 200, fields: ["Content-Type": "application/pkcs7-mime"], body: body))
  }

  static let good: [String: String?] = [
    "Apple-Origin-Format": "json", "Cache-Control": "max-age=21600,public", "Apple-From": wellKnown,
    "Apple-Failure-Reason": nil, "Age": "0",
  ]

  static func bad(_ reason: String, details: String? = nil, direct: String = "false") -> [String: String?] {
    [
      "Apple-Failure-Reason": reason, "Apple-Failure-Details": details, "Apple-Try-Direct": direct,
      "Cache-Control": "max-age=3600,public", "Content-Type": "text/plain", "Apple-From": wellKnown,
    ]
  }

  static func status(_ line: String) -> [String: String?] {
    bad("SWCERR00101 Bad HTTP Response: \(line)", details: "{\"status\":\"\(line)\"}")
  }

  static let canonical = "https://example.com/.well-known/apple-app-site-association"
  static let large = json + String(repeating: " ", count: 131_073 - json.utf8.count)

  static let rows: [Row] = {
    var follow = CDNSwitches()
    follow.followsRedirectInsideDomain = true
    var noRoot = CDNSwitches()
    noRoot.asksRootAfterNotFound = false
    var small = CDNSwitches()
    small.largestFileBytes = AssociationLocation.maximumFileBytes
    let moved = answer(301, location: canonical)
    let timeout = "{\"cause\":\"context deadline exceeded (Client.Timeout exceeded while awaiting headers)\"}"
    let private202 = bad("SWCERR00202 Connections to private/reserved IP addresses are not allowed")
    return [
      Row(number: "H1", wellKnown: answer(200, json), verdict: [], status: 200, headers: good),
      Row(
        number: "H2", wellKnown: answer(200, json, type: "application/octet-stream"),
        verdict: ["fetch.content-type note"], status: 200, headers: good),
      Row(
        number: "H3", wellKnown: answer(200, "<!doctype html><title>Shop</title>", type: "text/html"),
        verdict: ["fetch.page error"], status: 404, headers: bad("SWCERR00401 Bad JSON content")),
      Row(
        number: "H4", wellKnown: moved, verdict: ["fetch.redirect error"], status: 404,
        headers: status("301 Moved Permanently")),
      Row(
        number: "H4 followed", wellKnown: moved, switches: follow, verdict: ["fetch.redirect error"],
        status: 200,
        headers: ["Apple-From": "\(wellKnown),\(canonical)", "Apple-Origin-Format": "json"]),
      Row(
        number: "H5", wellKnown: answer(302, location: "https://login.example.org/"), switches: follow,
        verdict: ["fetch.redirect error"], status: 404, headers: status("302 Found")),
      Row(
        number: "H6", wellKnown: answer(403), browser: answer(200, json),
        verdict: ["fetch.user-agent-blocked error"], status: 404, headers: status("403 Forbidden")),
      Row(
        number: "H7", wellKnown: answer(404), root: answer(200, json), verdict: ["fetch.root-only error"],
        status: 200,
        headers: [
          "Apple-From": "https://www.example.com/apple-app-site-association", "Apple-Origin-Format": "json",
        ]),
      Row(
        number: "H7 without root", wellKnown: answer(404), root: answer(200, json), switches: noRoot,
        verdict: ["fetch.root-only error"], status: 404, headers: status("404 Not Found")),
      Row(
        number: "H8 500", wellKnown: answer(500), verdict: ["fetch.server-error warning"], status: 404,
        headers: status("500 Internal Server Error")),
      Row(
        number: "H8 503", wellKnown: answer(503), verdict: ["fetch.server-error warning"], status: 404,
        headers: status("503 Service Unavailable")),
      Row(
        number: "H9", wellKnown: .failed(.timedOut), verdict: ["fetch.too-slow error"], status: 404,
        headers: bad("SWCERR00301 Timeout", details: timeout, direct: "true")),
    ]
      + ["10.0.0.5", "172.16.0.1", "192.168.1.2", "127.0.0.1", "169.254.0.1"].map {
        Row(
          number: "H10 \($0)", wellKnown: .failed(.privateAddress($0)),
          verdict: ["fetch.private-address error"], status: 404, headers: private202)
      }
      + [
        Row(
          number: "H10 modes only", wellKnown: .failed(.privateAddress("10.0.0.5")), isForModesOnly: true,
          verdict: ["fetch.private-address note"], status: 404, headers: private202)
      ]
      + [
        (FetchFailure.CertificateProblem.expired, "expired", "expired"),
        (.wrongName, "for another name", "name"),
        (.untrusted, "not from an authority that is trusted", "untrusted"),
      ].flatMap { problem, words, rule in
        [(false, "error"), (true, "note")].map { modes, severity in
          Row(
            number: "H11 \(words) \(severity)", wellKnown: .failed(.certificate(problem)),
            isForModesOnly: modes, verdict: ["fetch.certificate-\(rule) \(severity)"], status: 404,
            headers: bad(
              "SWCERR00290 Certificate refused (simulated)", details: "{\"cause\":\"it is \(words)\"}"))
        }
      }
      + [
        Row(
          number: "H12", wellKnown: answer(200, large), verdict: ["fetch.too-large error"], status: 200,
          headers: good),
        Row(
          number: "H12 with a limit", wellKnown: answer(200, large), switches: small,
          verdict: ["fetch.too-large error"], status: 404, headers: bad("SWCERR00490 Too large (simulated)")),
        Row(
          number: "H12 one byte less", wellKnown: answer(200, String(large.dropLast())), switches: small,
          verdict: [], status: 200, headers: good),
        Row(
          number: "H13", wellKnown: answer(200, "// our apps\n" + json), verdict: ["fetch.not-json error"],
          status: 404, headers: bad("SWCERR00401 Bad JSON content")),
        Row(
          number: "H14", wellKnown: answer(200, "\u{FEFF}" + json), verdict: ["fetch.not-json error"],
          status: 404, headers: bad("SWCERR00401 Bad JSON content")),
        Row(
          number: "H15", wellKnown: signed, verdict: ["fetch.signed warning"], status: 200,
          headers: ["Apple-Origin-Format": "pkcs7 (simulated)", "Cache-Control": "max-age=21600,public"]),
        Row(
          number: "H16", wellKnown: answer(200, "{\"links\":{}}"), verdict: ["fetch.grants-nothing error"],
          status: 200, headers: good),
        Row(
          number: "unknown host (L2)", wellKnown: .failed(.unresolvable),
          verdict: ["fetch.unresolvable error"], status: 405,
          headers: ["Apple-Failure-Reason": nil, "Cache-Control": "max-age=3600,public"]),
      ]
  }()

  @Test func everyNumberIsThere() {
    let numbers = Set(Self.rows.compactMap { $0.number.split(separator: " ").first.map(String.init) })
    #expect((1...16).allSatisfy { numbers.contains("H\($0)") })
  }

  @Test(arguments: rows) func isCheckedSo(_ row: Row) {
    let check = OriginCheck(
      host: "www.example.com", wellKnown: row.wellKnown, root: row.root, wellKnownForBrowser: row.browser,
      isForModesOnly: row.isForModesOnly)
    #expect(check.findings.map { "\($0.rule) \($0.severity.rawValue)" } == row.verdict)
  }

  @Test(arguments: rows) func isAnsweredSo(_ row: Row) throws {
    let answers: [String: FetchResult] = [
      Self.wellKnown: row.wellKnown,
      "https://www.example.com/apple-app-site-association": row.root
        ?? Self.answer(404),
      Self.canonical: Self.answer(200, Self.json),
    ]
    let response = try CDN.ask("www.example.com", switches: row.switches) { request, client, _ in
      #expect(client == .crawler)
      return answers["https://\(request.host)\(request.path)"] ?? .failed(.unresolvable)
    }
    #expect(response.status == row.status)
    for (name, value) in row.headers { #expect(response.fields[name] == value, "\(name)") }
    if row.status == 200 {
      #expect(response.body.isEmpty == false)
    } else {
      #expect(CDNFailure(response)?.status == row.status)
    }
  }

  /// The stand-in's answers, read as the checker reads those of the CDN.
  @Test(arguments: rows) func isReadByTheCheckerSo(_ row: Row) throws {
    let answers: [String: FetchResult] = [
      Self.wellKnown: row.wellKnown,
      "https://www.example.com/apple-app-site-association": row.root ?? Self.answer(404),
      Self.canonical: Self.answer(200, Self.json),
    ]
    let response = try CDN.ask("www.example.com", switches: row.switches) { request, _, _ in
      answers["https://\(request.host)\(request.path)"] ?? .failed(.unresolvable)
    }
    let check = CDNCheck(host: "www.example.com", endpoint: .apple, result: .answered(response))
    let answer = try #require(check.answer)
    #expect(answer.failure?.code == CDNFailure(response)?.code)
    #expect(answer.failure?.originStatus == CDNFailure(response)?.originStatus)
    #expect(answer.remaining_s == (row.status == 200 ? 21_600 : 3_600))
    #expect((check.copy != nil) == (row.status == 200))
    #expect(check.findings.count { $0.severity == .error } == (row.status == 200 ? 0 : 1))
  }

  @Test func theRedirectRemarkIsThere() {
    let check = OriginCheck(host: "www.example.com", wellKnown: Self.answer(301, location: Self.canonical))
    #expect(check.findings[0].help?.contains("(T3)") == true)
  }
}

/// A CDN alone, before a transport.
enum CDN {
  static func request(_ host: String) -> HTTPRequest {
    HTTPRequest(authority: ContentDeliveryNetwork.host, target: "/a/v1/\(host)")
  }

  static func ask(
    _ host: String, switches: CDNSwitches = CDNSwitches(), transport: @escaping Transport
  ) throws -> HTTPResponse {
    let executor = SeededExecutor(seed: 1)
    let cdn = ContentDeliveryNetwork(
      clock: VirtualClock(executor), transport: transport, switches: switches)
    return try #require(executor.run { await cdn.answer(request(host)) })
  }
}
