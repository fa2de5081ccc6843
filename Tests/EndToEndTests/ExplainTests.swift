import Foundation
import LinkspanCore
import TestSupport
import Testing

/// `linkspan explain`.
@Suite struct ExplainTests {
  static let story = Fixtures.root.appending(path: "Examples/stories/qa-behind-a-filter.json5").path
  static let link = "https://qa.example.com/shop/1"
  static let file =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#

  func steps(_ json: [String: Any]) -> [String] {
    (json["steps"] as? [[String: Any]] ?? []).map { "\($0["step"] ?? "") \($0["verdict"] ?? "")" }
  }

  func changes(_ json: [String: Any]) -> [String] {
    (json["changes"] as? [[[String: Any]]] ?? []).map { set in
      set.map { "\($0["who"] ?? ""): \($0["what"] ?? "")" }.joined(separator: " + ")
    }
  }

  @Test func namesTheFilterAndOffersBothWaysOut() throws {
    let outcome = try Tool().run("explain", Self.link, "--story", Self.story, "--why")
    #expect(outcome.status == 1)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.lines.allSatisfy { $0.count <= 100 || $0.contains(Self.story) })
    let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("device new, after step 4 of 7"))
    #expect(words.contains("because a filter there drops Apple's crawler [C1, C6, observed]"))
    #expect(words.contains("1. network: Let Apple's crawler through the filter of 'qa.example.com'"))
    #expect(words.contains("2. user: Use '?mode=developer'"))
  }

  /// An app that requires a later release is not on the device at all.
  @Test(arguments: [("ios:16.4", true), ("ios:17.0", false), ("macos:13", false)])
  func saysThatTheAppNeedsALaterRelease(os: String, isTooOld: Bool) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    try tool.write(
      "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>com.example.app</string>"
        + "<key>MinimumOSVersion</key><string>17.0</string></dict></plist>", to: "Info.plist")
    let outcome = try tool.run(
      "explain", "https://example.com/a", "--site", "file", "--app", "Info.plist", "--os", os, "--json")
    let words = "linkspan explain: the app requires iOS 17.0, so no device with iOS 16.4 has it.\n"
    #expect(outcome.errors.contains(words) == isTooOld, "\(outcome.errors)")
    #expect(outcome.status == (isTooOld || os.hasPrefix("mac") ? 1 : 0), "\(outcome.output)")
    let advice = "Update the device to iOS 17.0 or later, and install 'ABCDE12345.com.example.app'"
    #expect(outcome.output.contains(advice) == isTooOld, "\(outcome.output)")
  }

  /// The rule that opens a link, and the change that would open another one.
  @Test func theAnswerNamesWhatDecides() throws {
    let site = Fixtures.root.appending(path: "Examples/site").path
    let app = Fixtures.root.appending(path: "Examples/app/App.entitlements").path
    let opened = try Tool().run("explain", "https://example.com/shop/1", "--site", site, "--app", app)
    #expect(opened.output.contains("\n  because  entry 0, rule 1 covers it: "))
    #expect(!opened.output.contains("\n  change   "))
    let other = try Tool().run("explain", "https://other.example.net/", "--site", site, "--app", app)
    #expect(other.output.contains("\n  because  no installed app claims 'other.example.net'"))
    #expect(other.output.contains("\n  change   app: Add 'applinks:other.example.net'"))
  }

  /// Each link of the examples, on an old release and the newest, by ways that open and ways that don't.
  @Test func theAnswerHasTwelveLines() throws {
    let links = try String(
      contentsOf: Fixtures.root.appending(path: "Examples/links.txt"), encoding: .utf8
    ).split(separator: "\n").map(String.init).filter { $0.hasPrefix("https://") }
    #expect(links.count > 3)
    let site = Fixtures.root.appending(path: "Examples/site").path
    let app = Fixtures.root.appending(path: "Examples/app/App.entitlements").path
    for link in links {
      for way in [["--from", "typed"], ["--from", "mail"], ["--from", "mail", "--os", "ios:12.4"]] {
        let outcome = try Tool().run(["explain", link, "--site", site, "--app", app] + way)
        #expect(outcome.lines.count <= 12 && outcome.lines.count > 2, "\(outcome.output)")
        #expect(outcome.output.contains("  because  ") && outcome.output.contains("--why shows all"))
      }
    }
    // In a terminal of 80 columns too, where no line is broken a second time.
    for link in links + ["https://emily.users.example.com/\(String(repeating: "wall/", count: 30))é?p=…"] {
      let outcome = try Tool().run(
        ["explain", link, "--site", site, "--app", app], environment: ["COLUMNS": "80"])
      #expect(outcome.lines.count <= 12 && outcome.lines.count > 2, "\(outcome.output)")
      #expect(outcome.lines.allSatisfy { $0.count <= 80 }, "\(outcome.output)")
    }
  }

  /// Once the filter has gone, and on a release that asks the host itself, the link opens.
  @Test(arguments: [["--at", "end", "--device", "new"], ["--device", "old"]])
  func opensWhereNothingIsInTheWay(more: [String]) throws {
    let outcome = try Tool().run(["explain", Self.link, "--story", Self.story, "--json"] + more)
    #expect(outcome.status == 0)
    let json = try outcome.json()
    #expect(json["type"] as? String == "explanation")
    #expect(json["opens"] as? String == "app")
    #expect(steps(json).allSatisfy { $0.hasSuffix(" yes") })
    #expect(changes(json).isEmpty)
  }

  @Test func oneThingIsNoPlural() throws {
    let outcome = try Tool().run("explain", Self.link, "--story", Self.story, "--device", "old")
    #expect(outcome.output.contains(", 1 thing unknown here."), "\(outcome.output)")
  }

  /// E22, documented: the entitlements that are given say that the app is a browser.
  @Test func aBrowserMayNotRegisterLinks() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "example.com/.well-known/apple-app-site-association")
    try tool.write(
      """
      <plist version="1.0"><dict>
      <key>application-identifier</key><string>ABCDE12345.com.example.app</string>
      <key>com.apple.developer.associated-domains</key><array><string>applinks:example.com</string></array>
      <key>com.apple.developer.web-browser</key><true/>
      </dict></plist>
      """, to: "app.entitlements")
    let json = try tool.run(
      "explain", "https://example.com/a", "--site", "example.com", "--app", "app.entitlements", "--json"
    ).json()
    let step = try #require(
      (json["steps"] as? [[String: Any]])?.first { $0["step"] as? String == "entitlement" })
    #expect(step["verdict"] as? String == "no")
    #expect(step["rules"] as? [String] == ["E22"])
    #expect(step["certainty"] as? String == "documented")
    let change = "app: Sign 'ABCDE12345.com.example.app' without 'com.apple.developer.web-browser'"
    #expect(changes(json).contains(change))
  }

  @Test func aFileAndAnIdentifierAreEnough() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "example.com/.well-known/apple-app-site-association")
    let known = [
      "explain", "https://example.com/A", "--site", "example.com", "--app", "ABCDE12345.com.example.app",
      "--json",
    ]
    let json = try tool.run(known).json()
    #expect(steps(json).contains("pattern no"))
    #expect(
      changes(json).first
        == "site: Add \"caseSensitive\": false to rule 0 of entry 0 in the file of 'example.com'")
    let unclaimed = try tool.run(known + ["--claims", "applinks:www.example.com"])
    #expect(unclaimed.status == 1)
    #expect(steps(try unclaimed.json()).contains("entitlement no"))
  }

  /// Of more apps than are installed together those come first that the file matches the link with.
  @Test(arguments: [20, 21]) func ofManyAppsThoseThatMatchAreInstalled(count: Int) throws {
    let tool = try Tool()
    let details = (1...count).map { number in
      let path = number == count ? "/a" : "/b"
      return
        #"{"appIDs":["ABCDE12345.com.example.app\#(number)"],"components":[{"/":"\#(path)"}]}"#
    }
    try tool.write(#"{"applinks":{"details":[\#(details.joined(separator: ","))]}}"#, to: "f")
    let outcome = try tool.run("explain", "https://example.com/a", "--site", "f", "--json")
    #expect(outcome.status == 0, "\(outcome.output)")
    let json = try outcome.json()
    #expect(json["app"] as? String == "ABCDE12345.com.example.app\(count)")
    let notKnown = try #require(json["not_known"] as? [String])
    let isCut = notKnown.contains { $0.hasPrefix("what changes when more than 20 of the 21 apps") }
    #expect(isCut == (count > 20))
  }

  @Test func expectingTheBrowserTurnsTheQuestionRound() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "f")
    let opens = try tool.run(
      "explain", "https://example.com/a", "--site", "f", "--expect", "browser", "--json")
    #expect(opens.status == 1)
    #expect(!changes(try opens.json()).isEmpty)
    let stays = try tool.run(
      "explain", "https://example.com/b", "--site", "f", "--expect", "browser", "--json")
    #expect(stays.status == 0)
    #expect(changes(try stays.json()).isEmpty)
  }

  /// The real answers decide: of the host, of a filter that only the crawler meets, and of the CDN.
  @Test(arguments: [
    ("open", ["file yes", "screen yes"]), ("filter", ["file no", "screen no"]),
    ("old copy", ["file yes", "pattern no"]),
  ])
  func liveAnswersDecide(world: String, expected: [String]) throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let good = HTTPResponse(
      status: 200, fields: ["Content-Type": "application/json"], body: Array(Self.file.utf8))
    let host = try LocalServer(certificate) { request in
      guard request.path == "/.well-known/apple-app-site-association" else { return .text(404, "Not Found") }
      let isCrawler = request.fields["User-Agent"]?.hasPrefix("AASA-Bot") == true
      return world == "filter" && isCrawler ? .text(403, "Forbidden") : good
    }
    let cdn = try LocalServer(nil) { _ in
      switch world {
      case "filter": return FetchCDNTests.no("SWCERR00101 Bad HTTP Response: 403 Forbidden")
      case "old copy": return FetchCDNTests.copy(Self.file.replacingOccurrences(of: "/a", with: "/old"))
      default: return FetchCDNTests.copy(Self.file)
      }
    }
    let outcome = try tool.run(
      "explain", "https://example.com/a", "--live", "--allow-private", "--ca", "ca.pem", "--timeout", "30",
      "--resolve", "example.com:443:127.0.0.1:\(host.port)", "--cdn", "http://127.0.0.1:\(cdn.port)", "--app",
      "ABCDE12345.com.example.app", "--json")
    let json = try outcome.json()
    for step in expected { #expect(steps(json).contains(step), "\(steps(json))") }
    #expect(outcome.status == (world == "open" ? 0 : 1))
    switch world {
    case "filter":
      #expect(changes(json).contains { $0.hasPrefix("network: Let Apple's crawler through the filter") })
    case "old copy":
      #expect(changes(json).contains { $0.hasPrefix("user: Wait for the device's next check") })
    default: #expect(changes(json).isEmpty)
    }
  }

  /// A stand-in is never called Apple's CDN, whichever command asked it.
  @Test(arguments: ["refuses", "old copy", "silent"])
  func aStandInForTheCDNIsNamedSo(world: String) throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in
      HTTPResponse(status: 200, fields: ["Content-Type": "application/json"], body: Array(Self.file.utf8))
    }
    let cdn = try LocalServer(nil) { _ in
      switch world {
      case "refuses": FetchCDNTests.no("SWCERR00101 Bad HTTP Response: 403 Forbidden")
      case "old copy": FetchCDNTests.copy(Self.file.replacingOccurrences(of: "/a", with: "/old"))
      default: .text(503, "Service Unavailable")
      }
    }
    let live = [
      "--allow-private", "--ca", "ca.pem", "--timeout", "30", "--resolve",
      "example.com:443:127.0.0.1:\(host.port)", "--cdn", "http://127.0.0.1:\(cdn.port)",
    ]
    let app = ["--app", "ABCDE12345.com.example.app"]
    for words in [
      ["explain", "https://example.com/a", "--live", "--why"] + app,
      ["doctor", "https://example.com/a"] + app,
      ["doctor", "example.com"], ["check", "example.com", "--fetch", "both"], ["diff", "example.com"],
    ] {
      let run = try tool.run(words + live)
      let said = (run.output + run.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
      // An old copy has nothing to say of a host without a link, and 'diff' names the addresses.
      let isSilent = world == "old copy" && (words[0] == "diff" || words == ["doctor", "example.com"])
      #expect(said.contains("tand-in for Apple's CDN") || isSilent, "\(words): \(said)")
      // What Apple's own would do with a private address is said of it.
      let rest = said.replacing("tand-in for Apple's CDN", with: "")
        .replacing("which Apple's CDN would refuse", with: "")
      #expect(!rest.contains("Apple's CDN"), "\(words): \(said)")
    }
  }

  /// Where nothing came that says what a device gets, nothing is said of the link: not that no app is there, and not what
  /// Apple's CDN has, which nobody reached.
  @Test(
    arguments: ["no name", "moved", "forbidden", "silence"], [[], ["--app", "ABCDE12345.com.example.app"]])
  func nothingFetchedIsUnknown(world: String, app: [String]) throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in
      world == "moved"
        ? HTTPResponse(status: 301, fields: ["Location": "https://www.example.com/"], body: [])
        : .text(403, "Forbidden")
    }
    // Nobody listens at port 1; a name of this kind is never found (RFC 6761).
    let place = world == "silence" ? "127.0.0.1:1" : "127.0.0.1:\(host.port)"
    let name = world == "no name" ? "nothing.invalid" : "example.com"
    let words =
      [
        "explain", "https://\(name)/a", "--live", "--allow-private", "--ca", "ca.pem", "--timeout", "30",
        "--resolve", "example.com:443:\(place)", "--cdn", "http://127.0.0.1:1",
      ] + app
    let outcome = try tool.run(words)
    #expect(outcome.status == 2, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains(": unknown\n") && outcome.output.contains("  - \(name): crawler: "))
    for claim in ["no app is installed", "No combination", "has no file", "405"] {
      #expect(!outcome.output.contains(claim), "\(outcome.output)")
    }
    let json = try tool.run(words + ["--json"])
    #expect(json.status == 2)
    let object = try json.json()
    #expect(object["opens"] is NSNull && object["certainty"] is NSNull && object["decided"] as? Bool == false)
    let asked = try #require(object["asked"] as? [String])
    #expect(asked.count == 1 && asked[0].hasPrefix("\(name): crawler: ") && asked[0].contains("; CDN: "))
  }

  /// That a host has no file is an answer: no app opens its links.
  @Test func aHostWithoutAFileIsKnown() throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in .text(404, "Not Found") }
    let cdn = try LocalServer(nil) { _ in FetchCDNTests.no("SWCERR00101 Bad HTTP Response: 404 Not Found") }
    let outcome = try tool.run(
      "explain", "https://example.com/a", "--live", "--allow-private", "--ca", "ca.pem", "--timeout", "30",
      "--resolve", "example.com:443:127.0.0.1:\(host.port)", "--cdn", "http://127.0.0.1:\(cdn.port)",
      "--json")
    #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
    let json = try outcome.json()
    #expect(json["opens"] as? String == "browser" && json["decided"] as? Bool == true, "\(outcome.output)")
  }

  /// R1, R8: a release that asks the host itself gets no file by a refusal, a redirect or a page, whatever the CDN has.
  @Test(
    arguments: ["forbidden", "moved", "unchanged", "failing", "page"],
    [[], ["--app", "ABCDE12345.com.example.app"]])
  func aDeviceThatAsksTheHostIsRefused(world: String, app: [String]) throws {
    let tool = try Tool()
    let certificate = try LocalCertificate()
    try certificate.writeAuthority(to: tool)
    let host = try LocalServer(certificate) { _ in
      switch world {
      case "moved": HTTPResponse(status: 301, fields: ["Location": "https://www.example.com/"], body: [])
      case "page":
        HTTPResponse(status: 200, fields: ["Content-Type": "text/html"], body: Array("<html>".utf8))
      case "unchanged": HTTPResponse(status: 304)
      default: .text(world == "failing" ? 503 : 403, "no")
      }
    }
    let outcome = try tool.run(
      [
        "explain", "https://example.com/a", "--live", "--allow-private", "--ca", "ca.pem", "--timeout", "30",
        "--resolve", "example.com:443:127.0.0.1:\(host.port)", "--cdn", "http://127.0.0.1:1", "--os",
        "ios:13.7", "--json",
      ] + app)
    #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
    #expect(try outcome.json()["opens"] as? String == "browser", "\(outcome.output)")
    #expect(!outcome.output.contains("nowhere"))
  }

  /// What decides is the host and its file, whichever app is installed: the file is another host's, broken, or names no app.
  @Test(arguments: [
    (["--site", "f", "--host", "other.com"], "Apple's CDN has no file of 'example.com'"),
    (["--site", "broken"], "SWCERR00401 Bad JSON content"),
    (["--site", "nobody"], "the file does not name ??????????.app"),
    (["--site", "unnamed"], "the file does not name ??????????.com.example.app"),
    (
      ["--site", "misnamed"],
      "the file does not name ??????????.com.example.app; it names TEAM_ID.com.example.app, which has another prefix"
    ),
    (["--site", "f", "--team", "OTHER12345"], "the file does not name OTHER12345.app"),
  ])
  func withoutAnAppTheFileDecides(words: [String], reason: String) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "f")
    try tool.write("{\"applinks\"", to: "broken")
    try tool.write("{\"applinks\":{\"details\":[]}}", to: "nobody")
    try tool.write(Self.file.replacing("ABCDE12345.", with: ""), to: "unnamed")
    try tool.write(Self.file.replacing("ABCDE12345", with: "TEAM_ID"), to: "misnamed")
    let outcome = try tool.run(["explain", "https://example.com/a", "--why"] + words)
    let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(outcome.status == 1)
    #expect(text.contains(reason) && !text.contains("no app is installed"), "\(outcome.output)")
    #expect(text.contains("which app claims 'example.com': no '--app' was given, and the files name no app"))
    let name = words.contains("unnamed") ? "com.example.app" : "TEAM_ID.com.example.app"
    #expect(
      text.contains("which app the file of 'example.com' means by '\(name)': ")
        == words[1].hasSuffix("named"))
  }

  /// To a device `your-domain.com` is a host like any other; `check` says that it was meant to be replaced.
  @Test func explainAndMatchTakeAPlaceholderForAHost() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "f")
    let url = "https://www.your-domain.com/a"
    #expect(try tool.run("match", url, "--file", "f").status == 0)
    for words in [[], ["--app", "ABCDE12345.com.example.app", "--claims", "applinks:www.your-domain.com"]] {
      let outcome = try tool.run(["explain", url, "--site", "f"] + words)
      #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
  }

  static let wrong: [(words: [String], message: String)] = [
    ([link], "'--site', '--live' or '--story' is missing."),
    (["ftp://e.test/", "--site", "x"], "'ftp://e.test/' is not an http or https URL."),
    (
      [link, "--story", story, "--os", "17.4"], "'--os' does not go with '--story', which has its own world."
    ),
    ([link, "--story", story, "--device", "nwe"], "has no device 'nwe'. Did you mean 'new'?"),
    ([link, "--story", story, "--at", "8"], "'8' is not a moment of the story"),
    (
      [link, "--story", story, "--from", "mesages"],
      "got 'mesages'. Did you mean 'messages'?"
    ),
    (
      [link, "--site", "x", "--from", "foo"],
      "'--from': expected messages, mail, notes, "
    ),
    (
      [link, "--story", story, "--from", "safari"],
      "A tap in Safari needs its 'page'.\n  Give it with '--page'."
    ),
    ([link, "--story", story, "--page", "https://e.test/"], "'--page' goes with '--from safari'."),
    (
      [link, "--live", "--expect", "nothing"],
      "'--expect': expected app, browser, wake or show, got 'nothing'"
    ),
    ([link, "--site", "x", "--ca", "y"], "'--ca' goes with '--live'."),
  ]

  @Test(arguments: wrong) func wrongWordsSayWhatAndWhatToDo(words: [String], message: String) throws {
    let outcome = try Tool().run(["explain"] + words)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }
}
