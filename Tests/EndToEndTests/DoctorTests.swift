import Foundation
import LinkspanCore
import TestSupport
import Testing

/// `linkspan doctor` against forty faults: each is a real server on this machine, a stand-in for Apple's CDN whose answer
/// is written here, and an app's files.
@Suite struct DoctorTests {
  static let link = "https://example.com/shop/1"
  static let app = "ABCDE12345.com.example.app"

  static func file(_ app: String = app, _ rules: String = #"{"/":"/shop/*"}"#) -> String {
    #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[\#(rules)]}]}}"#
  }

  static func entitlements(_ entries: String...) -> String {
    let list = entries.map { "<string>\($0)</string>" }.joined()
    let domains =
      entries.isEmpty
      ? "" : "<key>com.apple.developer.associated-domains</key><array>\(list)</array>"
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>application-identifier</key><string>\(app)</string>\(domains)</dict></plist>
      """
  }

  static let page = "<!doctype html><title>Shop</title>"
  static let login = "<!doctype html><form><input name=p type=\"password\"></form>"

  /// One thing that is wrong, in a world where all else is right.
  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The identifiers that may be the answer; nil for "opens".
    var cause: String?
    var verdict = "browser"
    var origin: HTTPHandler = { _ in FetchTests.json(DoctorTests.file()) }
    /// nil copies what the host serves.
    var cdn: HTTPHandler?
    var entitlements = DoctorTests.entitlements("applinks:example.com")
    var flags: [String] = []
    var link = DoctorTests.link
    /// Causes that are to be named besides, in order.
    var also: [String] = []

    init(_ text: String, _ cause: String?, _ change: (inout Fault) -> Void = { _ in }) {
      testDescription = text
      self.cause = cause
      if cause == nil { verdict = "opens" }
      change(&self)
    }
  }

  static func serves(_ response: HTTPResponse) -> HTTPHandler { { _ in response } }

  static func serves(_ text: String) -> HTTPHandler { serves(FetchTests.json(text)) }

  static let notFound = FetchCDNTests.no(
    "SWCERR00101 Bad HTTP Response: 404 Not Found", "{\"status\":\"404 Not Found\"}")

  static let faults: [Fault] =
    serving + files + rules + apps + copies + ways + twoAtOnce + others + lookalikes

  static let serving: [Fault] = [
    Fault("nothing wrong", nil),
    Fault("404", "status") { $0.origin = serves(.text(404, "no")) },
    Fault("500", "status") { $0.origin = serves(.text(500, "no")) },
    Fault("403 for everybody", "status") { $0.origin = serves(.text(403, "no")) },
    Fault("only at the root", "status") {
      $0.origin = { $0.target.hasPrefix("/.well") ? .text(404, "no") : FetchTests.json(file()) }
    },
    Fault("redirect to www", "redirect") {
      $0.origin = serves(HTTPResponse(status: 301, fields: ["Location": "https://www.example.com/x"]))
    },
    Fault("redirect to a login", "login-page") {
      $0.origin = serves(HTTPResponse(status: 302, fields: ["Location": "https://sso.example.com/login"]))
    },
    Fault("a login page with 200", "login-page") {
      $0.origin = serves(FetchTests.json(login, ["Content-Type": "text/html"]))
    },
    Fault("too large", "too-large") {
      let rules = (0..<4_000).map { #"{"/":"/page-with-a-long-name/\#($0)"}"# }.joined(separator: ",")
      $0.origin = serves(file(app, rules))
    },
    Fault("403 for the crawler", "cdn-blocked") {
      $0.origin = { FetchTests.isCrawler($0) ? .text(403, "no") : FetchTests.json(file()) }
      $0.cdn = serves(FetchCDNTests.no("SWCERR00101 Bad HTTP Response: 403 Forbidden"))
    },
    Fault("a filter by address that the CDN alone meets", "cdn-blocked") {
      $0.cdn = serves(FetchCDNTests.no("SWCERR00301 Timeout"))
    },
  ]

  static let files: [Fault] = [
    Fault("a comma too many", "not-json") { $0.origin = serves(#"{"applinks":{"details":[{},]}}"#) },
    Fault("a page of the web application", "not-json") {
      $0.origin = serves(FetchTests.json(page, ["Content-Type": "text/html"]))
    },
    Fault("an empty file", "not-json") { $0.origin = serves("") },
    Fault("no applinks", "no-apps") { $0.origin = serves(#"{"webcredentials":{"apps":["\#(app)"]}}"#) },
    Fault("no entries", "no-apps") { $0.origin = serves(#"{"applinks":{"details":[]}}"#) },
  ]

  static let rules: [Fault] = [
    Fault("another app", "app-not-listed") { $0.origin = serves(file("ABCDE12345.com.example.other")) },
    Fault("another prefix", "app-not-listed") { $0.origin = serves(file("ZZZZZ99999.com.example.app")) },
    Fault("no rule for the page", "no-rule") { $0.link = "https://example.com/help/1" },
    Fault("other letters in upper case", "no-rule") { $0.link = "https://example.com/SHOP/1" },
    Fault("an exclusion before the rule", "rule-excludes") {
      $0.origin = serves(file(app, #"{"/":"/shop/1*","exclude":true},{"/":"/shop/*"}"#))
    },
    Fault("a rule in letters that no URL has", "rule-never-matches") {
      $0.link = "https://example.com/caf%C3%A9/1"
      $0.origin = serves(file(app, #"{"/":"/caf\u00e9/*"}"#))
    },
    Fault("a rule with a blank", "rule-never-matches") {
      $0.link = "https://example.com/my%20shop/1"
      $0.origin = serves(file(app, #"{"/":"/my shop/*"}"#))
    },
    Fault("a rule that is a whole URL", "rule-never-matches") {
      $0.origin = serves(file(app, #"{"/":"https://example.com/shop/*"}"#))
    },
    Fault("a query written into the path", "rule-never-matches") {
      $0.link = "https://example.com/item?id=7"
      $0.origin = serves(file(app, #"{"/":"/item?id=*"}"#))
    },
    Fault("components on iOS 12", "file-format-of-release") { $0.flags = ["--os", "ios:12.4"] },
    Fault("a variable on iOS 13.0", "file-format-of-release") {
      $0.flags = ["--os", "ios:13.0"]
      $0.origin = serves(
        #"{"applinks":{"substitutionVariables":{"s":["shop"]},"details":[{"appIDs":["\#(app)"],"#
          + #""components":[{"/":"/$(s)/*"}]}]}}"#)
    },
  ]

  static let apps: [Fault] = [
    Fault("no associated domains", "entitlement-missing") { $0.entitlements = entitlements() },
    Fault("another host", "entitlement-host") { $0.entitlements = entitlements("applinks:example.org") },
    Fault("a wildcard that leaves the host out", "entitlement-host") {
      $0.entitlements = entitlements("applinks:*.example.com")
    },
    Fault("another service", "entitlement-host") {
      $0.entitlements = entitlements("webcredentials:example.com")
    },
  ]

  static let copies: [Fault] = [
    Fault("the CDN has the rules of before", "cdn-stale") {
      $0.cdn = serves(FetchCDNTests.copy(file(app, #"{"/":"/old/*"}"#)))
    },
    Fault("the CDN remembers a 404", "cdn-stale") { $0.cdn = serves(notFound) },
    Fault("developer mode in an App Store build", "developer-mode") {
      $0.entitlements = entitlements("applinks:example.com?mode=developer")
    },
  ]

  static let ways: [Fault] = [
    Fault("typed", "typed") { $0.flags = ["--from", "typed"] },
    Fault("a page of the same host", "same-host") {
      $0.flags = ["--from", "safari", "--page", "https://example.com/"]
    },
    Fault("a page of another host", nil) {
      $0.flags = ["--from", "safari", "--page", "https://other.example/"]
    },
    Fault("a view of SafariServices", "web-view") { $0.flags = ["--from", "safari-view-controller"] },
    Fault("the browser of a messenger", "web-view") { $0.flags = ["--from", "in-app-browser"] },
    Fault("the app's own link", "own-app") { $0.flags = ["--from", "own-app", "--in", app] },
    Fault("a web view of the app itself", "web-view") { $0.flags = ["--from", "webview", "--in", app] },
    Fault("a script", "script") { $0.flags = ["--from", "script"] },
    Fault("another browser", "other-browser") { $0.flags = ["--from", "other-browser"] },
    Fault("behind a click tracker", "redirect-chain") {
      $0.flags = ["--from", "redirect", "--through", "https://click.example.net/x"]
      $0.verdict = "unknown"
    },
    Fault("not installed", "app-not-installed") { $0.flags = ["--not-installed"] },
    Fault("iOS 8", "release-too-old") { $0.flags = ["--os", "ios:8.4"] },
    Fault("the browser from the menu", "user-chose-browser") {
      $0.flags = ["--from", "long-press", "--choice", "browser"]
    },
  ]

  /// The one to mend first is named, the other besides.
  static let twoAtOnce: [Fault] = [
    Fault("404, and the app claims another host", "status") {
      $0.origin = serves(.text(404, "no"))
      $0.entitlements = entitlements("applinks:example.org")
      $0.also = ["entitlement-host"]
    },
    Fault("no rule, and typed", "no-rule") {
      $0.link = "https://example.com/help/1"
      $0.flags = ["--from", "typed"]
      $0.also = ["typed"]
    },
    Fault("another app, no entitlement, not installed", "app-not-listed") {
      $0.origin = serves(file("ABCDE12345.com.example.other"))
      $0.entitlements = entitlements()
      $0.flags = ["--not-installed"]
      $0.also = ["entitlement-missing", "app-not-installed"]
    },
    // Behind an exact host without a rule devices ask the wildcard's parent (E9).
    Fault("the exact host lists another app, and the parent has no rule", "app-not-listed") {
      $0.link = "https://www.example.com/shop/1"
      $0.entitlements = entitlements("applinks:*.example.com", "applinks:www.example.com")
      $0.origin = { request in
        let isExact = request.host == "www.example.com"
        return FetchTests.json(
          isExact ? file("ABCDE12345.com.example.other") : file(app, #"{"/":"/help/*"}"#))
      }
      $0.also = ["no-rule"]
    },
    Fault("an exclusion of the exact host, which ends the search", "rule-excludes") {
      $0.link = "https://www.example.com/shop/1"
      $0.entitlements = entitlements("applinks:*.example.com", "applinks:www.example.com")
      $0.origin = { request in
        let isExact = request.host == "www.example.com"
        return FetchTests.json(
          file(app, isExact ? #"{"/":"/shop/*","exclude":true},{"/":"*"}"# : #"{"/":"/help/*"}"#))
      }
    },
    Fault("the host is broken, and the CDN's copy hides it", nil) {
      $0.origin = serves(.text(500, "no"))
      $0.cdn = serves(FetchCDNTests.copy(file()))
      $0.also = ["status"]
    },
  ]

  struct Answer {
    var outcome: Tool.Outcome
    var json: [String: Any]
    var cause: [String: Any]? { json["cause"] as? [String: Any] }
    var id: String? { cause?["id"] as? String }
    var also: [String] { (json["also"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String } }
    var notChecked: [String] { json["not_checked"] as? [String] ?? [] }
  }

  /// Asks a host at a port of this machine.
  static func ask(
    _ tool: Tool, port: UInt16, cdn: UInt16?, _ words: [String], json: Bool = true
  ) throws -> Answer {
    let outcome = try tool.run(
      ["doctor"] + words + (json ? ["--json"] : [])
        + [
          "--allow-private", "--timeout", "30", "--ca", "ca.pem", "--resolve",
          "example.com:443:127.0.0.1:\(port)",
          // Nothing listens there, as where Apple's CDN cannot be asked.
          "--cdn", "http://127.0.0.1:\(cdn ?? 9)",
        ])
    return Answer(outcome: outcome, json: json && !outcome.output.isEmpty ? try outcome.json() : [:])
  }

  @Test(arguments: faults) func theFaultIsTheCause(_ fault: Fault) throws {
    let tool = try Tool()
    let certificate = try LocalCertificate(["example.com", "www.example.com"])
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate, fault.origin)
    let origin = fault.origin
    // A CDN that has just asked: it has what the host serves, or says that it has not.
    let cdn = try LocalServer(
      nil,
      fault.cdn ?? { asked in
        let request = HTTPRequest(
          authority: String(asked.target.split(separator: "/").last ?? ""), target: FetchTests.path,
          fields: ["User-Agent": "AASA-Bot/1.0.0"])
        let response = origin(request)
        let text = String(decoding: response.body, as: UTF8.self)
        guard response.status == 200, text.hasPrefix("{"), response.body.count <= 131_072 else {
          return FetchCDNTests.no("SWCERR00101 Bad HTTP Response: \(response.status)")
        }
        return FetchCDNTests.copy(text)
      })
    try tool.write(fault.entitlements, to: "App.entitlements")
    let www =
      fault.link.contains("//www.") ? ["--resolve", "www.example.com:443:127.0.0.1:\(host.port)"] : []
    let words = [fault.link, "--app", "App.entitlements"] + fault.flags + www
    let answer = try Self.ask(tool, port: host.port, cdn: cdn.port, words)
    #expect(answer.outcome.errors == "")
    #expect(answer.id == fault.cause, "\(answer.outcome.output)")
    #expect(answer.json["verdict"] as? String == fault.verdict)
    #expect(answer.outcome.status == ["opens": 0, "browser": 1, "unknown": 2][fault.verdict])
    #expect(answer.also == fault.also)
    if let cause = answer.cause {
      for member in ["title", "owner", "remedy", "certainty"] {
        #expect((cause[member] as? String)?.isEmpty == false)
      }
      #expect((cause["evidence"] as? [String])?.isEmpty == false)
    }
    // One screen, without a line that a terminal breaks, but for markup that is to be copied and so is whole.
    let text = try Self.ask(tool, port: host.port, cdn: cdn.port, words, json: false).outcome.output
    #expect(Self.answer(in: text) == Self.told[fault.testDescription])
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(
      lines.count <= 24 && lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("    <") && $0.hasSuffix(">") },
      "\(text)")
  }

  /// What is printed of each fault, by its name, without what is not known: `=== NAME` and the text.
  private static let told: [String: String] = {
    let file = Fixtures.root.appending(path: "Tests/Fixtures/doctor/faults.txt")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let parts = ("\n" + text).split(separator: "\n=== ").map { part in
      part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
    return Dictionary(uniqueKeysWithValues: parts.map { ($0[0], answer(in: $0[1])) })
  }()

  private static func answer(in text: String) -> String {
    var answer = text.split(separator: "\nUnknown  ").first ?? ""
    while answer.last == "\n" { answer.removeLast() }
    return String(answer)
  }

  @Test func theDocumentHasTheCauses() throws {
    let table = try Tool().run("doctor", "--causes").output
    let text = try String(
      contentsOf: Fixtures.root.appending(path: "Documentation/doctor.md"), encoding: .utf8)
    #expect(text.hasSuffix(table))
    let known = Set(table.matches(of: /`([a-z-]+)`/).map { String($0.1) })
    #expect(known.isSuperset(of: Self.faults.compactMap(\.cause)))
  }

  // MARK: - What cannot be reached

  @Test func silenceIsUnknown() throws {
    let tool = try Tool()
    try LocalCertificate().writeAuthority(to: tool)
    try tool.write(Self.entitlements("applinks:example.com"), to: "App.entitlements")
    let words = [Self.link, "--app", "App.entitlements"]
    // A port of this machine on which nothing listens, and no CDN.
    let answer = try Self.ask(tool, port: 9, cdn: nil, words)
    #expect(answer.id == "connect" && answer.json["verdict"] as? String == "unknown")
    #expect(answer.outcome.status == 2)
    // The CDN has a copy, and devices get that.
    let cdn = try LocalServer(nil) { _ in FetchCDNTests.copy(Self.file()) }
    let copied = try Self.ask(tool, port: 9, cdn: cdn.port, words)
    #expect(copied.json["verdict"] as? String == "opens" && copied.id == nil && copied.also == ["connect"])
    // The CDN has none either.
    let none = try LocalServer(nil) { _ in FetchCDNTests.no("SWCERR00301 Timeout") }
    let refused = try Self.ask(tool, port: 9, cdn: none.port, words)
    #expect(refused.json["verdict"] as? String == "browser" && refused.id == "connect")
  }

  @Test func aHostWithoutAnAddressIsUnknown() throws {
    let outcome = try Tool().run(
      "doctor", "https://nobody.invalid/a", "--json", "--cdn", "http://127.0.0.1:9")
    let cause = try outcome.json()["cause"] as? [String: Any]
    #expect(cause?["id"] as? String == "dns" && outcome.status == 2)
    // Whatever its server does, a link with a port opens no app.
    let port = try Tool().run(
      "doctor", "https://nobody.invalid:8443/a", "--json", "--cdn", "http://127.0.0.1:9")
    let first = try port.json()["cause"] as? [String: Any]
    #expect(first?["id"] as? String == "unusable-link" && port.status == 1, "\(port.output)")
    // A link as people say it.
    let spoken = try Tool().run("doctor", "nobody.invalid/a", "--json", "--cdn", "http://127.0.0.1:9")
    #expect(try spoken.json()["target"] as? String == "https://nobody.invalid/a")
  }

  @Test func aCertificateIsJudged() throws {
    let tool = try Tool()
    let expired = try LocalCertificate(isExpired: true)
    try expired.writeAuthority(to: tool)
    let host = try LocalServer(expired) { _ in FetchTests.json(Self.file()) }
    let cdn = try LocalServer(nil) { _ in FetchCDNTests.no("SWCERR00201 x509: certificate has expired") }
    let answer = try Self.ask(tool, port: host.port, cdn: cdn.port, [Self.link])
    #expect(answer.id == "tls" && answer.outcome.status == 1)
    #expect((answer.cause?["title"] as? String)?.contains("expired") == true)
    #expect(answer.notChecked.contains("entitlement"))
  }

  /// Asks about the link of an app for which everything is right.
  private static func askOfAGoodSite(_ flags: [String]) throws -> Answer {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in FetchTests.json(file()) }
    let cdn = try LocalServer(nil) { _ in FetchCDNTests.copy(file()) }
    try tool.write(entitlements("applinks:example.com"), to: "App.entitlements")
    return try ask(tool, port: host.port, cdn: cdn.port, [link, "--app", "App.entitlements"] + flags)
  }

  /// R6: what the CDN and devices make of it is documented nowhere, so without the CDN's answer it decides nothing.
  @Test func aCompressedAnswerAloneDecidesNothing() throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in
      FetchTests.json("\u{1F}x", ["Content-Encoding": "gzip"])
    }
    let answer = try Self.ask(tool, port: host.port, cdn: nil, [Self.link, "--app", Self.app])
    #expect(answer.json["verdict"] as? String == "unknown", "\(answer.outcome.output)")
    #expect(answer.id == "compressed" && answer.outcome.status == 2)
    let check = try tool.run(
      "check", "example.com", "--allow-private", "--ca", "ca.pem", "--resolve",
      "example.com:443:127.0.0.1:\(host.port)")
    #expect(check.output.contains("crawler: a compressed file; device: a compressed file"), "\(check.output)")
  }

  /// R2: `check` calls it an error, and `doctor` said "opens" without a word.
  @Test func aFileThatIsCalledAPageIsToldByBoth() throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in FetchTests.json(Self.file(), ["Content-Type": "text/html"])
    }
    let answer = try Self.ask(tool, port: host.port, cdn: nil, [Self.link, "--app", Self.app])
    #expect(answer.json["verdict"] as? String == "unknown", "\(answer.outcome.output)")
    #expect(answer.id == "content-type" && answer.outcome.status == 2)
    let check = try tool.run(
      "check", "example.com", "--allow-private", "--ca", "ca.pem", "--resolve",
      "example.com:443:127.0.0.1:\(host.port)")
    #expect(check.status == 1)
    #expect(check.output.contains("The content type is text/html."), "\(check.output)")
  }

  /// What is said of a way is as sure as its rule: only documented ones say nothing of it.
  @Test(arguments: [
    (["--from", "typed"], "documented"), (["--from", "in-app-browser"], "observed"),
    (["--from", "script"], "inferred"), (["--from", "webview", "--in", app], "inferred"),
  ])
  func aWayIsAsSureAsItsRule(flags: [String], certainty: String) throws {
    let answer = try Self.askOfAGoodSite(flags)
    #expect(answer.cause?["certainty"] as? String == certainty, "\(answer.outcome.output)")
  }

  /// On a Mac the browser is what a link opens until the user chooses; on an iPhone the user has chosen it.
  @Test(arguments: [
    (["--os", "macos:15.0"], "A Mac opens the browser until the user chooses the app."),
    (["--os", "macos:15.0", "--from", "long-press", "--choice", "browser"], "The user chose the browser"),
    (["--from", "long-press", "--choice", "browser"], "The user chose the browser"),
  ])
  func whoChoseTheBrowserIsTold(flags: [String], title: String) throws {
    let answer = try Self.askOfAGoodSite(flags)
    #expect(answer.id == "user-chose-browser")
    #expect((answer.cause?["title"] as? String)?.hasPrefix(title) == true, "\(answer.outcome.output)")
  }

  /// Without `--app` the apps of the file are asked about, and no app has one of these names (J5).
  @Test(arguments: ["com.example.shop", "ABCDE12345.*"])
  func aLinkToAFileThatNamesNoAppOpensNothing(name: String) throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in FetchTests.json(Self.file(name)) }
    let cdn = try LocalServer(nil) { _ in FetchCDNTests.copy(Self.file(name)) }
    let answer = try Self.ask(tool, port: host.port, cdn: cdn.port, [Self.link])
    #expect(answer.id == "no-apps" && answer.outcome.status == 1, "\(answer.outcome.output)")
  }

  // MARK: - Without a link

  @Test func aFileIsJudgedAsAWhole() throws {
    let tool = try Tool()
    let rows: [(text: String, cause: String?)] = [
      (Self.file(), nil), ("{", "not-json"), ("{}", "no-apps"),
      (Self.file(Self.app, #"{"/":"/my shop/*"}"#), "rule-never-matches"),
      (Self.file(Self.app, #"{"/":"/shop/*","exclude":true}"#), "rule-excludes"),
      (Self.file(Self.app, #"{"/":"*","exclude":true},{"/":"/shop/*"}"#), "rule-never-matches"),
    ]
    for (index, row) in rows.enumerated() {
      let name = try tool.write(row.text, to: "example.com/.well-known/apple-app-site-association")
      for target in [name, "example.com"] {
        let outcome = try tool.run("doctor", target, "--json")
        let json = try outcome.json()
        #expect(
          (json["cause"] as? [String: Any])?["id"] as? String == row.cause, "\(index) \(outcome.output)")
        #expect(outcome.status == (row.cause == nil ? 0 : 1))
        #expect((json["not_checked"] as? [String])?.contains("entitlement") == true)
      }
    }
  }

  @Test func theWorstOfSeveralComesFirst() throws {
    let tool = try Tool()
    try tool.write(Self.file(), to: "good")
    try tool.write("{", to: "bad")
    let outcome = try tool.run("doctor", "good", "bad", "--json")
    #expect(outcome.status == 1 && outcome.lines.count == 2)
    #expect(try outcome.json(line: 0)["target"] as? String == "bad")
    #expect(try outcome.json(line: 1)["verdict"] as? String == "opens")
    let text = try tool.run("doctor", "good", "bad").output
    #expect(text.hasPrefix("bad\n") && text.hasSuffix("opens    good\n"))
  }

  @Test func aProjectsFolderIsAnApp() throws {
    let tool = try Tool()
    try tool.write(Self.file(), to: "example.com/.well-known/apple-app-site-association")
    try tool.write(Self.entitlements("applinks:example.org"), to: "Project/App/App.entitlements")
    try tool.write(Self.entitlements("applinks:example.com"), to: "Project/Pods/Other/Other.entitlements")
    let outcome = try tool.run("doctor", "example.com", "--app", "Project", "--json")
    #expect((try outcome.json()["cause"] as? [String: Any])?["id"] as? String == "entitlement-host")
    try tool.write("", to: "Empty/readme.txt")
    let empty = try tool.run("doctor", "example.com", "--app", "Empty")
    #expect(empty.status == 2 && empty.errors.contains("the folder 'Empty' is no app"))
  }

  @Test func aPushHasOneCause() throws {
    let tool = try Tool()
    try tool.write(#"{"aps":{"content-available":1}}"#, to: "silent.apns")
    try tool.write(Self.entitlements(), to: "App.entitlements")
    let outcome = try tool.run("doctor", "silent.apns", "--app", "App.entitlements", "--json")
    #expect((try outcome.json()["cause"] as? [String: Any])?["id"] as? String == "no-aps-environment")
    #expect(outcome.status == 1)
  }

  @Test func aSignatureThatLostItsDomainsIsTheCause() throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in FetchTests.json(Self.file()) }
    let cdn = try LocalServer(nil) { _ in FetchCDNTests.copy(Self.file()) }
    let star = Self.entitlements("*")
    let program = SignedProgram.bytes("com.example.app", team: "ABCDE12345", entitlements: star)
    let folder = tool.folder.appending(path: "App.app")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(program).write(to: folder.appending(path: "App"))
    let plist =
      #"<?xml version="1.0"?><plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.app</string>"#
      + "<key>CFBundleExecutable</key><string>App</string></dict></plist>"
    try tool.write(plist, to: "App.app/Info.plist")
    let answer = try Self.ask(tool, port: host.port, cdn: cdn.port, [Self.link, "--app", "App.app"])
    #expect(answer.id == "domains-lost-in-signing", "\(answer.outcome.output)\(answer.outcome.errors)")
    #expect(answer.outcome.status == 1)
    // A domain of another host that was lost is not why this link fails.
    let other = Self.entitlements("applinks:a.example")
    try Data(SignedProgram.bytes("com.example.app", team: "ABCDE12345", entitlements: other))
      .write(to: folder.appending(path: "App"))
    try tool.write(Self.entitlements("applinks:a.example", "applinks:b.example"), to: "App.entitlements")
    let elsewhere = try Self.ask(
      tool, port: host.port, cdn: cdn.port, [Self.link, "--app", "App.app", "--app", "App.entitlements"])
    #expect(elsewhere.id == "entitlement-host", "\(elsewhere.outcome.output)\(elsewhere.outcome.errors)")
  }

  @Test(arguments: [
    (["ftp://example.com/a"], "is not an https URL"), (["https:///a"], "has no host"),
    (["nothing-here"], "is no link and no host"), (["-"], "reads no standard input"),
    (["./example.com/a"], "'./example.com/a' is no link and no host"),
    (["/example.com/a"], "is no link and no host"),
    ([".example.com/a"], "is no link and no host"), (["example/a"], "'example/a' is no link and no host"),
    (["example.com/a", "--os", "ios:99"], "newest"),
  ])
  func aWrongTargetIsToldSo(_ words: [String], _ message: String) throws {
    let outcome = try Tool().run(["doctor"] + words)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }
}
