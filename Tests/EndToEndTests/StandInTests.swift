import Foundation
import HTTPClientEngine
import LinkspanCore
import TestSupport
import Testing

/// `linkspan stand-in cdn` and `site`: section 4 over real sockets, on a clock that only
/// admin calls move.
@Suite struct StandInTests {
  typealias Report = FetchTests.Report

  static let path = "/.well-known/apple-app-site-association"

  /// A site for example.com and a CDN before it, which knows no other host but one inside a private network.
  struct Pair {
    let tool: Tool
    let site: StandIn
    let cdn: StandIn

    init(_ more: [String] = [], allowsPrivate: Bool = true) throws {
      tool = try Tool()
      try tool.write(FetchTests.file, to: "site/example.com\(StandInTests.path)")
      site = try StandIn(tool, ["site", "site", "--write-certificate", "ca.pem"])
      cdn = try StandIn(
        tool,
        [
          "cdn", "--plain", "--manual-clock", "--only-origins", "--ca", "ca.pem", "--origin",
          "example.com=\(site.place)", "--origin", "inside.example=10.0.0.5:443",
        ] + (allowsPrivate ? ["--allow-private", "example.com"] : []) + more)
    }

    func ask(_ host: String = "example.com", method: String = "GET") throws -> HTTPResponse {
      try HTTPClient(deadline: .seconds(60)).send(
        HTTPRequest(method: method, scheme: "http", authority: cdn.place, target: "/a/v1/\(host)"))
    }

    func advance(_ seconds: Int) throws { _ = try cdn.json("/clock", post: "{\"advance_s\":\(seconds)}") }
  }

  @Test func aFileHasApplesHeadersAndTheOriginsBytes() throws {
    let pair = try Pair()
    let answer = try pair.ask()
    #expect(answer.status == 200)
    #expect(answer.body == Array(FetchTests.file.utf8))
    for (name, value) in FetchCDNTests.copy(age_s: 0).fields.list.map({ ($0.name, $0.value) }) {
      #expect(answer.fields[name] == value, "\(name)")
    }
    let head = try pair.ask(method: "HEAD")
    #expect(head.body.isEmpty)
    #expect(head.fields["Apple-Origin-Format"] == "json")
  }

  /// What cannot be served is said as `serve` says it, with advice that the command takes.
  @Test func onlyAFolderOfThisMachineIsServed() throws {
    let tool = try Tool()
    try tool.write(FetchTests.file, to: "file")
    try tool.write(AppIdentityTests.entitlements, to: "App.entitlements")
    for (operand, message) in [
      (
        "https://example.com",
        "there is no file or folder 'example.com'.\n  'stand-in site' serves files of this machine; 'linkspan check "
      ),
      ("file", "'file' is a file; expected a directory.\n  Lay the folder out as HOST/.well-known/"),
      (
        "App.entitlements",
        "expected an association file.\n  'linkspan check' and 'linkspan explain' take an app with '--app'."
      ),
    ] {
      let run = try tool.run("stand-in", "site", operand, "--plain", "--listen", "127.0.0.1:0")
      #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
    }
    let serve = try tool.run("serve", "App.entitlements", "--plain", "--listen", "127.0.0.1:0")
    #expect(serve.errors.contains("take an app with '--app'."), "\(serve.errors)")
  }

  /// A port that another process has is told in the same words by every server.
  @Test(arguments: [["site", "site"], ["cdn"]]) func aPortInUseIsTold(command: [String]) throws {
    let tool = try Tool()
    try tool.write(FetchTests.file, to: "site/example.com\(Self.path)")
    let other = try LocalServer(nil) { _ in .text(404, "Not Found") }
    let run = try tool.run(["stand-in"] + command + ["--plain", "--listen", "127.0.0.1:\(other.port)"])
    #expect(run.status == 2)
    #expect(
      run.errors.contains("error: cannot bind 127.0.0.1:\(other.port): Address already in use."),
      "\(run.errors)")
    for flag in ["--listen", "--admin"] {
      let wrong = try tool.run(["stand-in"] + command + ["--plain", flag, "8080"])
      #expect(wrong.errors.contains("'\(flag)': '8080' is not an address and port."), "\(wrong.errors)")
    }
  }

  static let refusals: [(faults: String, host: String, answer: HTTPResponse)] = [
    (
      "{\"status\":403,\"for\":\"crawler\"}", "example.com",
      FetchCDNTests.no(
        "SWCERR00101 Bad HTTP Response: 403 Forbidden", "{\"status\":\"403 Forbidden\"}")
    ),
    (
      "{\"redirect\":\"https://login.example.com/\"}", "example.com",
      FetchCDNTests.no("SWCERR00101 Bad HTTP Response: 302 Found", "{\"status\":\"302 Found\"}")
    ),
    (
      "{\"status\":503}", "example.com",
      FetchCDNTests.no(
        "SWCERR00101 Bad HTTP Response: 503 Service Unavailable",
        "{\"status\":\"503 Service Unavailable\"}")
    ),
    ("{\"login\":true}", "example.com", FetchCDNTests.no("SWCERR00401 Bad JSON content")),
    ("{\"cut_bytes\":20}", "example.com", FetchCDNTests.no("SWCERR00401 Bad JSON content")),
    (
      "{}", "inside.example",
      FetchCDNTests.no("SWCERR00202 Connections to private/reserved IP addresses are not allowed")
    ),
  ]

  /// The same answers that the checker is tested with, and the checker's finding for each.
  @Test func everyFailureHasApplesHeadersAndTheCheckerReadsIt() throws {
    let pair = try Pair()
    for row in Self.refusals {
      _ = try pair.site.json("/faults", post: row.faults)
      _ = try pair.cdn.json("/purge", post: "{}")
      let answer = try pair.ask(row.host)
      #expect(answer.status == 404)
      for name in [
        "Apple-Failure-Reason", "Apple-Failure-Details", "Apple-Try-Direct", "Cache-Control", "Age",
      ] {
        #expect(answer.fields[name] == row.answer.fields[name], "\(row.faults) \(name)")
      }
      #expect(answer.fields["Apple-From"] == "https://\(row.host)\(Self.path)")
      let outcome = try pair.tool.run(
        "check", row.host, "--json", "--fetch", "cdn", "--allow-private", "--cdn", pair.cdn.url)
      let report = Report(outcome: outcome, json: try outcome.json())
      #expect(report.lines.count == 1)
      let reason = try #require(answer.fields["Apple-Failure-Reason"])
      #expect(report.lines[0].hasSuffix("Apple's CDN has no file for '\(row.host)': \(reason)."))
      #expect(outcome.status == 1)
    }
  }

  /// T8: the crawler gives up first; the delay is far longer than anybody waits.
  @Test func aHostThatIsTooSlowIsATimeoutThatDevicesMayGoAround() throws {
    let pair = try Pair(["--switch", "cdn_crawl_timeout_s=1"])
    _ = try pair.site.json("/faults", post: "{\"delay_ms\":5000}")
    let answer = try pair.ask()
    #expect(answer.status == 404)
    #expect(answer.fields["Apple-Failure-Reason"] == "SWCERR00301 Timeout")
    #expect(
      answer.fields["Apple-Failure-Details"]
        == "{\"cause\":\"context deadline exceeded (Client.Timeout exceeded while awaiting headers)\"}")
    #expect(answer.fields["Apple-Try-Direct"] == "true")
  }

  /// R4: what Apple's CDN takes at most is unknown, so that only the switch refuses a size.
  @Test func aFileTooLargeForADeviceIsHandedOn() throws {
    let pair = try Pair(["--switch", "cdn_crawl_timeout_s=60"])
    let file = "{\"applinks\":{\"details\":[]},\"filler\":\"\(String(repeating: "x", count: 6_000_000))\"}"
    try pair.tool.write(file, to: "site/example.com\(Self.path)")
    let answer = try HTTPClient(deadline: .seconds(60), bodyBytes: 8_000_000).send(
      HTTPRequest(scheme: "http", authority: pair.cdn.place, target: "/a/v1/example.com"))
    #expect(answer.status == 200, "\(answer.fields.list)")
    // A difference of millions of bytes is nothing to print.
    let isWhole = answer.body == Array(file.utf8)
    #expect(isWhole)
  }

  @Test func aHostWithoutAddressIs405() throws {
    let pair = try Pair()
    let answer = try pair.ask("nowhere.example")
    #expect(answer.status == 405)
    #expect(answer.fields["Apple-Failure-Reason"] == nil)
    let outcome = try pair.tool.run(
      "check", "nowhere.example", "--json", "--fetch", "cdn", "--allow-private", "--cdn", pair.cdn.url)
    #expect(
      Report(outcome: outcome, json: try outcome.json()).lines == [
        "cdn.unknown-host error The stand-in for Apple's CDN does not know 'nowhere.example'."
      ])
  }

  @Test func anOriginAtAPrivateAddressIsAskedOnlyWhenAllowedT9() throws {
    let pair = try Pair(allowsPrivate: false)
    let answer = try pair.ask()
    #expect(answer.fields["Apple-Failure-Reason"]?.hasPrefix("SWCERR00202 ") == true)
  }

  /// C6: one second before the end the failure still stands; at the end the mended origin is asked.
  @Test func aFailureLivesExactlyItsCacheTimeOnTheMovedClock() throws {
    let pair = try Pair()
    _ = try pair.site.json("/faults", post: "{\"status\":403}")
    #expect(try pair.ask().status == 404)
    _ = try pair.site.json("/faults", post: "{}")
    try pair.advance(3_599)
    let late = try pair.ask()
    #expect(late.status == 404)
    #expect(late.fields["Age"] == "3599")
    try pair.advance(1)
    let fresh = try pair.ask()
    #expect(fresh.status == 200)
    #expect(fresh.fields["Age"] == "0")
  }

  /// C5.
  @Test func aFileLivesExactlySixHoursAfterItsOriginIsGone() throws {
    let pair = try Pair()
    #expect(try pair.ask().status == 200)
    try FileManager.default.removeItem(at: pair.tool.folder.appending(path: "site/example.com/.well-known"))
    try pair.tool.write("{}", to: "site/other.example\(Self.path)")
    try pair.advance(21_599)
    #expect(try pair.ask().fields["Age"] == "21599")
    try pair.advance(1)
    #expect(
      try pair.ask().fields["Apple-Failure-Reason"] == "SWCERR00101 Bad HTTP Response: 404 Not Found")
  }

  @Test func theCacheIsShownAndCanBePurged() throws {
    let pair = try Pair()
    _ = try pair.ask()
    try pair.advance(60)
    let answers = try #require(try pair.cdn.json("/cache")["answers"] as? [[String: Any]])
    #expect(answers.map { $0["host"] as? String } == ["example.com"])
    #expect(answers[0]["age_s"] as? Int == 60)
    #expect(answers[0]["expires_in_s"] as? Int == 21_540)
    #expect(try pair.cdn.json("/purge", post: "{\"host\":\"Example.com\"}")["forgotten"] as? Int == 1)
    #expect((try pair.cdn.json("/cache")["answers"] as? [Any])?.isEmpty == true)
  }

  @Test func theAdminListenerKeepsWebPagesAndNonsenseOut() throws {
    let pair = try Pair()
    let page: [(HTTPFields, Int)] = [(["Origin": "https://evil.example"], 403), ([:], 200)]
    for (fields, status) in page {
      #expect(try pair.cdn.call("/purge", post: "{}", fields: fields).status == status)
    }
    for (path, body, status) in [
      ("/clock", "{\"advance_s\":-1}", 400), ("/clock", "{}", 400), ("/clock", "[", 400),
      ("/clock", "{\"advance_s\":9000000000000000000}", 400), ("/purge", "{\"host\":1}", 400),
      ("/purge", "{\"hosts\":\"example.com\"}", 400),
      ("/clock", "{\"advance_s\":1,\"advance_s\":2}", 400),
      ("/nowhere", "{}", 404),
    ] {
      #expect(try pair.cdn.call(path, post: body).status == status, "\(path) \(body)")
    }
    let far = try pair.cdn.call("/clock", post: "{\"advance_s\":9000000000}")
    #expect(
      String(decoding: far.body, as: UTF8.self).contains("the clock moves at most 3155760000 s in all"))
    let authority = String(try #require(pair.cdn.admin).drop { $0 != "/" }.dropFirst(2))
    let port = try #require(UInt16(authority.split(separator: ":")[1]))
    let rebound = try HTTPClient(connectTo: SocketAddress("127.0.0.1", port: port)).send(
      HTTPRequest(scheme: "http", authority: "evil.example", target: "/cache"))
    #expect(rebound.status == 403)
  }

  /// What crawls is one question for all who ask meanwhile.
  @Test func clientsOfOneHostShareACrawl() throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let origin = try LocalServer(certificate) { _ in FetchTests.json() }
    let cdn = try StandIn(
      tool,
      [
        "cdn", "--plain", "--only-origins", "--ca", "ca.pem", "--allow-private", "all", "--origin",
        "example.com=127.0.0.1:\(origin.port)",
      ], hasAdmin: false)
    let place = cdn.place
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let answer = try? HTTPClient(deadline: .seconds(60)).send(
        HTTPRequest(scheme: "http", authority: place, target: "/a/v1/example.com"))
      #expect(answer?.status == 200)
    }
    #expect(origin.requests.map(\.target) == [Self.path])
    #expect(origin.requests.first?.fields["User-Agent"] == "AASA-Bot/1.0.0")
    #expect(cdn.admin == nil)
  }

  /// Hosts are named as people write them, and asked for in Punycode.
  @Test func anOriginMayBeNamedInUnicode() throws {
    let tool = try Tool()
    try tool.write(FetchTests.file, to: "site/xn--bcher-kva.example\(Self.path)")
    let site = try StandIn(tool, ["site", "site", "--write-certificate", "ca.pem"])
    let cdn = try StandIn(
      tool,
      [
        "cdn", "--plain", "--only-origins", "--ca", "ca.pem", "--origin", "Bücher.example=\(site.place)",
        "--allow-private", "bücher.example.",
      ])
    func ask() throws -> HTTPResponse {
      try HTTPClient(deadline: .seconds(60)).send(
        HTTPRequest(scheme: "http", authority: cdn.place, target: "/a/v1/xn--bcher-kva.example"))
    }
    #expect(try ask().status == 200)
    try tool.write("{}", to: "site/xn--bcher-kva.example\(Self.path)")
    _ = try cdn.json("/purge", post: "{\"host\":\"Bücher.example\"}")
    #expect(try ask().body == Array("{}".utf8))
  }

  /// curl over TLS and HTTP/2, the archive at the end, and an end by SIGTERM.
  @Test func speaksHTTP2OverTLSAndWritesAnArchive() throws {
    let tool = try Tool()
    let cdn = try StandIn(
      tool, ["cdn", "--only-origins", "--write-certificate", "own.pem", "--har", "out.har"])
    let printed = try ServeTests().curl(
      tool, "--cacert", "own.pem", "--http2", "-o", "body", "-w", "%{http_code} %{http_version}",
      "\(cdn.url)/a/v1/example.com")
    #expect(printed == "405 2")
    #expect(cdn.end() == 0)
    let har = try JSONSerialization.jsonObject(
      with: Data(contentsOf: tool.folder.appending(path: "out.har")))
    let log = try #require((har as? [String: Any])?["log"] as? [String: Any])
    let entries = try #require(log["entries"] as? [[String: Any]])
    #expect(Set(entries.map { $0["_party"] as? String }) == ["cdn", "client"])
  }

  // MARK: - Site

  @Test func aSiteServesItsFolderAndEachFaultAsAsked() throws {
    let tool = try Tool()
    try tool.write(FetchTests.file, to: "site/example.com\(Self.path)")
    let site = try StandIn(tool, ["site", "site", "--plain", "--fault", "status=503"])
    func ask(_ agent: String = "test") throws -> HTTPResponse {
      let port = try #require(UInt16(site.place.split(separator: ":")[1]))
      return try HTTPClient(connectTo: .loopback(port: port), deadline: .seconds(30)).send(
        HTTPRequest(
          scheme: "http", authority: "example.com", target: Self.path, fields: ["User-Agent": agent])
      )
    }
    #expect(try ask().status == 503)
    _ = try site.json("/faults", post: "{\"status\":403,\"agent\":\"Bot\"}")
    #expect(try ask("AASA-Bot/1.0.0").status == 403)
    #expect(try ask().body == Array(FetchTests.file.utf8))
    _ = try site.json("/faults", post: "{\"gzip\":true}")
    let packed = try ask()
    #expect(packed.fields["Content-Encoding"] == "gzip")
    try Data(packed.body).write(to: tool.folder.appending(path: "file.gz"))
    let unpacked = try Self.shell(tool, "gzip -dc file.gz")
    #expect(unpacked == FetchTests.file)
    #expect(try site.call("/faults", post: "{\"stauts\":1}").status == 400)
    #expect(try site.json("/faults")["gzip"] as? Bool == true)
    // What is told can be sent back.
    _ = try site.json("/faults", post: "{\"content_type\":\"text/plain\",\"delay_ms\":1}")
    let told = try site.call("/faults").body
    _ = try site.json("/faults", post: "{}")
    #expect(try site.json("/faults")["content_type"] is NSNull)
    #expect(try site.call("/faults", post: String(decoding: told, as: UTF8.self)).body == told)
    #expect(site.end() == 0)
  }

  /// RFC 9110, 9.3.2: HEAD is answered with the fields of GET, whose length is that of what a fault has left.
  @Test func headIsAnsweredWithTheFieldsOfGet() throws {
    let tool = try Tool()
    try tool.write(FetchTests.file, to: "site/example.com\(Self.path)")
    let site = try StandIn(tool, ["site", "site", "--plain"])
    let port = try #require(UInt16(site.place.split(separator: ":")[1]))
    for faults in ["{}", "{\"gzip\":true}", "{\"cut_bytes\":7}", "{\"status\":503}", "{\"login\":true}"] {
      _ = try site.json("/faults", post: faults)
      let answers = try ["GET", "HEAD"].map { method in
        try HTTPClient(connectTo: .loopback(port: port), deadline: .seconds(30)).send(
          HTTPRequest(method: method, scheme: "http", authority: "example.com", target: Self.path))
      }
      #expect(answers[1].body.isEmpty && answers[0].status == answers[1].status)
      for name in ["Content-Length", "Content-Type", "Content-Encoding"] {
        #expect(answers[0].fields[name] == answers[1].fields[name], "\(faults): \(name)")
      }
    }
    #expect(site.end() == 0)
  }

  /// What only the network does: each ends the client's wait in its own way.
  @Test func theNetworkBeforeASiteHasFaultsOfItsOwn() throws {
    let tool = try Tool()
    try tool.write(FetchTests.file, to: "site/example.com\(Self.path)")
    let site = try StandIn(tool, ["site", "site", "--plain"])
    let port = try #require(UInt16(site.place.split(separator: ":")[1]))
    func ask(_ deadline: Duration = .seconds(30)) -> HTTPClientError.Kind? {
      do throws(HTTPClientError) {
        let answer = try HTTPClient(connectTo: .loopback(port: port), deadline: deadline).send(
          HTTPRequest(scheme: "http", authority: "example.com", target: Self.path))
        #expect(answer.body == Array(FetchTests.file.utf8))
        return nil
      } catch { return error.kind }
    }
    #expect(ask() == nil)
    _ = try site.json("/faults", post: "{\"network\":\"reset\"}")
    #expect(ask() == .connectionLost)
    _ = try site.json("/faults", post: "{\"break_bytes\":100}")
    #expect([.connectionLost, .malformedAnswer].contains(try #require(ask())))
    _ = try site.json("/faults", post: "{\"network\":\"silent\"}")
    #expect(ask(.milliseconds(300)) == .timeout)
    _ = try site.json("/faults", post: "{\"network\":\"trickle\"}")
    if case .unfinished = ask(.milliseconds(600)) {} else { Issue.record("the trickle was no trickle") }
    _ = try site.json("/faults", post: "{}")
    #expect(ask() == nil)
  }

  @Test(arguments: [("expired", "expired"), ("wrong-name", "wrong-name")])
  func aCertificateFaultIsSeenByTheChecker(fault: String, rule: String) throws {
    let tool = try Tool()
    try tool.write(FetchTests.file, to: "site/example.com\(Self.path)")
    let site = try StandIn(
      tool, ["site", "site", "--certificate-fault", fault, "--write-certificate", "ca.pem"], hasAdmin: false)
    let outcome = try tool.run(
      "check", "example.com", "--json", "--allow-private", "--ca", "ca.pem", "--resolve",
      "example.com:443:\(site.place)")
    let report = Report(outcome: outcome, json: try outcome.json())
    #expect(report.lines.contains { $0.hasPrefix("fetch.certificate-") && $0.contains(" error ") })
  }

  static func shell(_ tool: Tool, _ command: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = tool.folder
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: - Usage

  static let wrongWords: [(words: [String], message: String)] = [
    (["cdn", "--admin", "0.0.0.0:1"], "'--admin' needs a loopback address"),
    (["cdn", "--plain", "--write-certificate", "x"], "'--write-certificate' does not go with '--plain'"),
    (
      ["cdn", "--origin", "example.com"],
      "'example.com' is not a value of '--origin'; expected HOST=ADDRESS:PORT."
    ),
    (["cdn", "--switch", "cdn_ask_root=1"], "Did you mean 'cdn_asks_root'?"),
    (["cdn", "--switch", "cdn_asks_root=1"], "'--switch cdn_asks_root': expected true or false, got '1'."),
    (
      ["cdn", "--switch", "cdn_crawl_timeout_s=0"],
      "'--switch cdn_crawl_timeout_s': expected an integer from 1 to 600, got '0'."
    ),
    (
      ["cdn", "--switch", "cdn_asks_root=true", "--switch", "cdn_asks_root=false"],
      "'--switch cdn_asks_root' is given twice."
    ),
    (
      ["cdn", "--origin", "exa mple.com=127.0.0.1:1"],
      "is not a value of '--origin'; expected HOST=ADDRESS:PORT."
    ),
    (
      ["cdn", "--allow-private", "https://example.com/"],
      "'--allow-private': expected a host such as 'www.example.com', or all, got 'https://example.com/'; "
        + "write 'example.com'."
    ),
    (["cdn", "--har", "-"], "'--har': expected a file, got '-'; '/dev/stdout' is standard output."),
    (["cdn", "--write-certificate", "-"], "'--write-certificate': expected a file, got '-'"),
    (["apns", "--record", "-"], "'--record': expected a file, got '-'"),
    (["apns", "--idle", "86401"], "'--idle': expected an integer from 1 to 86400, got '86401'."),
    (["site", "site", "--fault", "status=99"], "'--fault status=99': expected a status from 200 to 599.\n"),
    (["site", "site", "--fault", "status=403", "--fault", "status=404"], "'--fault status' is given twice."),
    (["cdn", "--ca", "nowhere.pem"], "nowhere.pem"),
    (["cdn", "--ca", "/dev/null"], "'/dev/null' contains no readable certificate."),
    (["cdn", "--har", "nowhere/x"], "'nowhere/x' cannot be written: there is no directory 'nowhere'."),
    (["site", "--plain"], "FOLDER is missing"), (["site", "."], "the folder '.' contains no hosts"),
    (["apns", "--rules", "rules"], "'rules' limits the key 'K1K1K1K1K1', which no '--auth-key-id' gives."),
    (["apns", "--auth-key", "nowhere.p8"], "'--auth-key-id'"), (["cnd"], "Did you mean 'cdn'?"),
    ([], "COMMAND is missing"),
  ]

  @Test(arguments: wrongWords.indices) func wrongWordsAreRefusedBeforeAnythingListens(_ index: Int) throws {
    let row = Self.wrongWords[index]
    let tool = try Tool()
    try tool.write("{keys: [{id: 'K1K1K1K1K1', topics: ['com.example.app']}]}", to: "rules")
    let outcome = try tool.run(["stand-in"] + row.words)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(row.message), "\(outcome.errors)")
  }

  @Test func aStoryIsWrittenAsAnArchive() throws {
    let tool = try Tool()
    let story = Fixtures.root.appending(path: "Examples/stories/qa-behind-a-filter.json5").path
    #expect(try tool.run("simulate", story, "--har", "one.har").status == 0)
    #expect(try tool.run("simulate", story, "--har", "two.har").status == 0)
    let one = try Data(contentsOf: tool.folder.appending(path: "one.har"))
    #expect(try Data(contentsOf: tool.folder.appending(path: "two.har")) == one)
    let several = try tool.run("simulate", story, story, "--har", "x.har")
    #expect(several.errors.contains("'--har' writes the exchanges of one story; name one file"))
  }
}
