import LinkspanCore
import Testing

@testable import LinkspanServer

@Suite("Classes of clients (T6)")
struct ClientClassTests {
  @Test(arguments: [
    ("AASA-Bot/1.0.0", ClientClass.crawler),
    ("com.apple.swcd (unknown version) CFNetwork/1390 Darwin/22.0.0", .device),
    ("swcd (unknown version) CFNetwork/808 Darwin/16", .device),
    ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15", .browser),
    ("Mozilla/5.0 (compatible; Googlebot/2.1)", .other), ("curl/8.5.0", .other), ("", .other),
    ("AASA-Bo", .other), ("xAASA-Bot", .other),
  ])
  func areToldByTheBeginningOfTheUserAgent(text: String, expected: ClientClass) {
    #expect(ClientClass(userAgent: text) == expected)
  }

  @Test func areOtherWithoutOne() { #expect(ClientClass(userAgent: nil) == .other) }
}

@Suite("Metrics page")
struct MetricsPageTests {
  private func text(_ body: (inout MetricsPage) -> Void) -> String {
    var page = MetricsPage()
    body(&page)
    return String(decoding: page.bytes, as: UTF8.self)
  }

  @Test func escapesValuesOfLabels() {
    #expect(text { $0.sample("a", [("b", "x\"y\\z\nw")], 1) } == "a{b=\"x\\\"y\\\\z\\nw\"} 1\n")
  }

  @Test func escapesHelpWithoutQuotationMarks() {
    #expect(text { $0.family("a", .gauge, "x \"y\" \\ \n") } == "# HELP a x \"y\" \\\\ \\n\n# TYPE a gauge\n")
  }

  @Test func countsAHistogramUpwards() {
    let page = text { $0.histogram("h", "Help.", bounds: ["1", "2"], counts: [3, 0, 4], sum: "9.5") }
    #expect(
      page == """
        # HELP h Help.
        # TYPE h histogram
        h_bucket{le="1"} 3
        h_bucket{le="2"} 3
        h_bucket{le="+Inf"} 7
        h_sum 9.5
        h_count 7

        """)
  }
}

@Suite("Access log")
struct AccessLogLineTests {
  private func line(
    _ format: AccessLogLine.Format, target: String = "/a", method: String = "GET", _ fields: HTTPFields = [:],
    peer: String? = "192.0.2.1"
  ) -> String {
    var bytes: [UInt8] = []
    AccessLogLine(
      time: WallTime("2026-09-14T08:00:01.250Z")!,
      request: HTTPRequest(method: method, authority: "Example.com:8443", target: target, fields: fields),
      status: 200, bodyBytes: 95, durationMicroseconds: 12, version: "HTTP/2", peer: peer,
      hash: KeyedHash(key: [1, 2, 3])
    ).write(to: &bytes, format)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func isCombined() {
    #expect(
      line(.combined, ["User-Agent": "AASA-Bot/1.0.0"])
        == "192.0.2.1 - - [14/Sep/2026:08:00:01 +0000] \"GET /a HTTP/2\" 200 95 \"-\" \"AASA-Bot/1.0.0\"\n")
  }

  @Test func hasTheHostInFront() {
    #expect(
      line(.vhostCombined, ["User-Agent": "swcd"])
        == "example.com:8443 192.0.2.1 - - [14/Sep/2026:08:00:01 +0000] \"GET /a HTTP/2\" 200 95 \"-\" \"swcd\"\n"
    )
  }

  @Test func isJSON() {
    #expect(
      line(.json, ["User-Agent": "AASA-Bot/1.0.0"])
        == #"{"type":"access","time":"2026-09-14T08:00:01.250Z","host":"example.com","method":"GET","path":"/a","#
        + #""protocol":"HTTP/2","status":200,"body_bytes":95,"duration_us":12,"peer":"192.0.2.1","#
        + #""user_agent":"AASA-Bot/1.0.0","client":"AASA-Bot"}"# + "\n")
  }

  @Test(arguments: AccessLogLine.Format.allCases)
  func leavesQueriesOut(format: AccessLogLine.Format) {
    let text = line(format, target: "/a?token=secret", ["Referer": "https://a/?token=secret"])
    #expect(text.contains("/a?..."))
    #expect(!text.contains("secret"))
  }

  static let token = String(repeating: "a1", count: 32)
  static let hash = KeyedHash(key: [1, 2, 3]).token(token)

  @Test(
    "Row 4: a device token in a path is hashed",
    arguments: [
      ("/v1/devices/\(token)", "/v1/devices/\(hash)"),
      ("/v1/devices/\(token.uppercased())?topic=a", "/v1/devices/\(hash)?..."),
      ("/devices/%3CA1A1A1A1%20\(token.dropFirst(8))%3e/", "/devices/\(hash)/"),
      ("/push_notification/devices/\(token)/", "/push_notification/devices/\(hash)/"),
      ("/v1/devices//\(token)", "/v1/devices//\(hash)"),
      ("/v1/%64evices/\(token)/rejections", "/v1/%64evices/\(hash)/rejections"),
      ("/wrong/base/\(token)", "/wrong/base/\(hash)"), ("/x-\(token).json", "/x-\(hash).json"),
      ("http://a.example/v1/devices/\(token)", "http://a.example/v1/devices/\(hash)"),
    ])
  func hashesTokens(_ target: String, _ logged: String) {
    #expect(line(.combined, target: target).contains("\"GET \(logged) HTTP/2\""))
    #expect(line(.json, target: target).contains("\"path\":\"\(logged)\""))
    let referer = "https://a.example\(target.hasPrefix("/") ? target : "/")"
    #expect(!line(.combined, ["Referer": referer]).lowercased().contains(Self.token.dropFirst(8)))
  }

  @Test(arguments: [
    "/.well-known/apple-app-site-association", "/v1/devices", "/devices/", "/a/b/c0ffee", "/", "//",
  ])
  func keepsOtherPaths(_ target: String) {
    #expect(line(.combined, target: target).contains("\"GET \(target) HTTP/2\""))
  }

  @Test(arguments: [
    ("https://me:secret@a.example:8443/b/c?token=secret#secret", "https://a.example:8443/b/c"),
    ("HTTP://a.example", "http://a.example"), ("https://a.example#secret", "https://a.example"),
    ("https://secret\\@a.example/", "https://secret\\x5C@a.example/"),
    ("android-app://com.example.secret/", "-"), ("file:///secret", "-"), ("/secret", "-"),
    ("https://", "-"), ("https://secret@/b", "-"),
  ])
  func logsOriginAndPathOfTheReferringPage(_ referer: String, _ logged: String) {
    #expect(line(.combined, target: "/", ["Referer": referer]).contains("\"\(logged)\" "))
  }

  @Test(arguments: AccessLogLine.Format.allCases, ["User-Agent", "Referer"])
  func letsNobodyForgeALine(format: AccessLogLine.Format, field: String) {
    let forged = "x\"\n127.0.0.1 - - [x] \"GET / HTTP/1.1\" 200 1 \"-\" \"y\r\u{1B}[31m\\é"
    let text = line(format, target: "/a b\"\n", [field: forged])
    #expect(text.utf8.filter { $0 == 0x0A }.count == 1)
    #expect(text.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    if format != .json {
      #expect(text.utf8.allSatisfy { $0 < 0x7F })
      #expect(text.utf8.filter { $0 == UInt8(ascii: "\"") }.count == 6)
    }
  }

  @Test(arguments: AccessLogLine.Format.allCases)
  func cutsLongTexts(format: AccessLogLine.Format) {
    let text = line(format, ["User-Agent": String(repeating: "a", count: 100_000)])
    #expect(text.utf8.count < AccessLogLine.textLimitBytes + 400)
  }
}

@Suite("Readiness")
struct ReadinessTests {
  private func status(_ change: (inout Readiness) -> Void) -> (Int, String) {
    var readiness = Readiness()
    change(&readiness)
    return (readiness.response.status, readiness.status)
  }

  @Test func isWithheldWhileStartingAndDraining() {
    #expect(status { $0.phase = .starting } == (503, "starting"))
    #expect(status { $0.phase = .draining } == (503, "draining"))
  }

  @Test func isGivenWhileOldFilesAreServed() {
    #expect(status { $0.phase = .serving } == (200, "ready"))
    #expect(
      status {
        $0.phase = .serving
        $0.refused = [.init(host: "a.example", errors: 1, findings: [])]
      } == (200, "degraded"))
    #expect(
      status {
        $0.phase = .serving
        $0.problem = "gone"
      } == (200, "degraded"))
  }

  private func answer(_ query: Substring, _ change: (inout Readiness) -> Void) -> (Int, String) {
    var readiness = Readiness()
    readiness.phase = .serving
    change(&readiness)
    let response = readiness.response(to: query)
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  /// With files the last good ones are served whatever the registry does; without any there is nothing left to do.
  @Test func theRegistryDecidesWhereThereAreNoFiles() {
    let lost = { (readiness: inout Readiness) in readiness.others[.registry] = "The disk is full." }
    #expect(
      status {
        lost(&$0)
        $0.phase = .serving
      } == (200, "degraded"))
    let (code, body) = answer("") {
      lost(&$0)
      $0.hasFiles = false
    }
    #expect(code == 503)
    #expect(body.contains(#""status":"unavailable","part":"registry""#), "\(body)")
    #expect(body.contains(#""problem":"The disk is full.""#))
    #expect(
      answer("") {
        $0.hasFiles = false
        $0.others[.registry] = .some(nil)
      }.0 == 200)
  }

  /// The previous key works still, and the next start would not have it.
  @Test func aPartThatWorksWithAProblemIsDegraded() {
    let warned = { (readiness: inout Readiness) in
      readiness.others[.push] = .some(nil)
      readiness.warnings[.push] = "Pushes are sent with the previous key."
    }
    let (code, body) = answer("", warned)
    #expect(code == 200)
    #expect(body.contains(#""status":"degraded","part":"push""#), "\(body)")
    #expect(body.contains(#""push":"degraded""#))
    #expect(body.contains(#""problem":"Pushes are sent with the previous key.""#))
    #expect(answer("part=push", warned).0 == 200)
    let withoutFiles = answer("") {
      warned(&$0)
      $0.hasFiles = false
      $0.others[.registry] = .some(nil)
    }
    #expect(withoutFiles.0 == 200 && withoutFiles.1.contains(#""status":"degraded","part":"push""#))
  }

  /// The hosts that have a verdict are served, and one that takes long keeps none of them out of rotation.
  @Test func filesThatAreStillBeingCheckedAreNotReady() {
    let (code, body) = answer("part=files") { $0.warnings[.files] = "2 hosts are checked." }
    #expect(code == 200)
    #expect(body.contains(#""status":"degraded","part":"files","parts":{"files":"degraded"}"#), "\(body)")
    #expect(body.contains(#""problem":"2 hosts are checked.""#))
    #expect(answer("") { $0.warnings[.files] = "2 hosts are checked." }.1.contains(#""status":"degraded""#))
  }

  /// APNs makes no server unready, and the problem has its part all the same.
  @Test func aRefusedKeyHasItsPart() {
    let (code, body) = answer("") {
      $0.others = [.registry: nil, .push: "APNs refuses the key: InvalidProviderToken."]
    }
    #expect(code == 200)
    #expect(body.contains(#""status":"ready","part":"push""#), "\(body)")
    #expect(body.contains(#""problem":"APNs refuses the key: InvalidProviderToken.""#))
  }

  /// What is refused has a list of its own, so the problem is that of the part beside it.
  @Test func theProblemIsOfAPartThatHasOne() {
    let (_, body) = answer("") {
      $0.refused = [.init(host: "a.example", errors: 1, findings: [])]
      $0.others[.registry] = "The disk is full."
    }
    #expect(
      body.contains(#""part":"registry","parts":{"files":"degraded","registry":"unavailable"}"#), "\(body)")
    #expect(body.contains(#""problem":"The disk is full.""#))
  }

  /// Of two parts with a problem neither hides the other, and the one that does not work is named.
  @Test func theProblemIsOfEachPartThatHasOne() {
    let (code, body) = answer("") {
      $0.problem = "Two folders have files of a.example."
      $0.others = [.registry: "The disk is full.", .push: nil]
      $0.warnings[.push] = "Pushes are sent with the previous key."
    }
    #expect(code == 200)
    #expect(body.contains(#""status":"degraded","part":"registry""#), "\(body)")
    #expect(
      body.contains(
        #""problem":"The disk is full. Two folders have files of a.example. Pushes are sent with the previous key.""#
      ), "\(body)")
    let withoutFiles = answer("") {
      $0.hasFiles = false
      $0.problem = "The configuration has errors."
      $0.others[.registry] = "The disk is full."
    }
    #expect(
      withoutFiles.1.contains(#""problem":"The disk is full. The configuration has errors.""#),
      "\(withoutFiles.1)")
  }

  /// Who asks for the registry is not told what is wrong with the files.
  @Test func aPartThatIsAskedForHasItsOwnProblem() {
    let (_, body) = answer("part=registry") {
      $0.problem = "Two folders have files of a.example."
      $0.others[.registry] = .some(nil)
    }
    #expect(body.contains(#""status":"ready","part":"registry""#), "\(body)")
    #expect(body.contains(#""problem":null"#), "\(body)")
  }

  @Test func aProbeAsksForOnePart() {
    func change(_ readiness: inout Readiness) {
      readiness.others = [.registry: "gone", .push: nil]
    }
    #expect(answer("part=files", change).0 == 200)
    #expect(answer("part=registry", change).0 == 503)
    #expect(answer("part=registry", change).1.contains(#""part":"registry""#))
    #expect(answer("part=push", change).0 == 200)
    #expect(answer("", change).0 == 200)
  }

  @Test(arguments: [
    ("part=push", 404, "this server has no part 'push'; it has: files\n"),
    ("part=disk", 400, "unknown query; expected part=NAME once, with NAME one of: files\n"),
    (
      "part=files&part=files", 400,
      "unknown query; expected part=NAME once, with NAME one of: files\n"
    ),
    ("x", 400, "unknown query; expected part=NAME once, with NAME one of: files\n"),
  ])
  func anUnknownPartIsRefused(query: String, status: Int, text: String) {
    #expect(answer(query[...]) { _ in } == (status, text))
  }
}
