import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

/// What `swcd` does over time (sections 5 and 10).
@Suite struct DeviceTests {
  static let site = "\"e.test\": { file: \(Stories.file(["/a"])) }"
  static let both =
    "\"e.test\": [{ file: \(Stories.file(["/a"])) }, { file: \(Stories.file(["/a"])), at: \"root\" }]"
  static let domain = "\"applinks:e.test\""

  func checks(_ result: SimulationResult, _ field: String) -> [String] {
    result.events.filter { $0.kind == "check" }.compactMap { event in
      guard case .string(let text)? = event.fields.first(where: { $0.0 == field })?.1 else { return nil }
      return text
    }
  }

  // MARK: - Where the file is fetched

  @Test(arguments: [
    ("9.0", "direct", "https://e.test/apple-app-site-association"),
    ("9.2", "direct", "https://e.test/apple-app-site-association"),
    ("9.3", "direct", "https://e.test/.well-known/apple-app-site-association"),
    ("12.4", "direct", "https://e.test/.well-known/apple-app-site-association"),
    ("13.7", "direct", "https://e.test/.well-known/apple-app-site-association"),
    ("14.0", "cdn", "https://app-site-association.cdn-apple.com/a/v1/e.test"),
    ("17.4", "cdn", "https://app-site-association.cdn-apple.com/a/v1/e.test"),
    ("26.0", "cdn", "https://app-site-association.cdn-apple.com/a/v1/e.test"),
  ])
  func fetchesByRelease(os: String, route: String, url: String) throws {
    let result = try Stories.run(
      sites: Self.both, domains: Self.domain, devices: "iphone: { os: \"ios:\(os)\" }",
      script: "{ install: \"app\" }, { tap: \"https://e.test/a\", expect: \"app\" }")
    #expect(checks(result, "route") == [route])
    #expect(checks(result, "url") == [url])
    #expect(result.failures.isEmpty)
  }

  @Test(arguments: [
    ("9.0", true), ("9.3", true), ("13.7", true), ("14.0", true),
  ])
  func findsAFileAtTheRootOnly(os: String, opens: Bool) throws {
    let result = try Stories.run(
      sites: "\"e.test\": { file: \(Stories.file(["/a"])), at: \"root\" }", domains: Self.domain,
      devices: "iphone: { os: \"ios:\(os)\" }", script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
    #expect((result.rows[0].verdict.app != nil) == opens)
  }

  /// F4.
  @Test func aModeLooksAtWellKnownOnly() throws {
    let result = try Stories.run(
      sites: "\"e.test\": { file: \(Stories.file(["/a"])), at: \"root\" }",
      domains: "\"applinks:e.test?mode=developer\"", build: "development",
      devices: "iphone: { os: \"ios:17.4\", developer: true }",
      script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
    #expect(result.rows[0].verdict.app == nil)
    #expect(checks(result, "route") == ["direct"])
  }

  @Test func aCrawlerSeesTheFilterAndADeviceTheHost() throws {
    for (network, expected) in [
      ("private_address: \"10.0.0.5\"", "SWCERR00202"), ("forbids: \"crawler\"", "403 Forbidden"),
      ("latency_ms: 6000", "SWCERR00301"), ("drops: \"crawler\"", "SWCERR00301"),
    ] {
      let result = try Stories.run(
        sites: Self.site, domains: Self.domain, network: "\"e.test\": { \(network) }",
        devices: "old: { os: \"ios:13.7\" }, new: { os: \"ios:14.0\" }",
        script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
      #expect(result.rows[0].verdict.app != nil, "\(network)")
      #expect(result.rows[1].verdict.step == .fetch)
      #expect(result.rows[1].verdict.reason.contains(expected), "\(result.rows[1].verdict.reason)")
      #expect(result.rows[1].verdict.change?.isEmpty == false)
    }
  }

  /// T9, E1: no public name stands for a host of one network. A device that asks the host itself reaches it (C1, E13).
  @Test(arguments: ["localhost", "printer", "foo.local", "wiki.internal", "nas.home.arpa"])
  func theCDNReachesNoHostOfOneNetwork(host: String) throws {
    let result = try Stories.run(
      sites: "\"\(host)\": { file: \(Stories.file(["/a"])) }", domains: "\"applinks:\(host)\"",
      devices: "old: { os: \"ios:13.7\" }, new: { os: \"ios:26.0\" }",
      script: "{ install: \"app\" }, { tap: \"https://\(host)/a\" }")
    #expect(result.rows[0].verdict.app != nil)
    #expect(result.rows[1].verdict.step == .fetch)
    #expect(result.rows[1].verdict.change?.contains("'\(host)' can never be (T9)") == true)
    let developing = try Stories.run(
      sites: "\"\(host)\": { file: \(Stories.file(["/a"])) }", domains: "\"applinks:\(host)?mode=developer\"",
      build: "development", devices: "new: { os: \"ios:26.0\", developer: true }",
      script: "{ install: \"app\" }, { tap: \"https://\(host)/a\" }")
    #expect(developing.rows[0].verdict.app != nil)
  }

  @Test(arguments: [
    ("{ status: 301, location: \"https://www.e.test/x\" }", "denied"), ("{ status: 403 }", "denied"),
    ("{ status: 404 }", "denied"), ("{ status: 503 }", "unspecified"),
    ("{ body: \"<html>\" }", "unspecified"),
    ("{ file: { applinks: { apps: [], details: [] } } }", "denied"),
    ("{ file: \(Stories.file(["/a"])), type: \"application/octet-stream\" }", "approved"),
  ])
  func judgesTheAnswer(site: String, approval: String) throws {
    for os in ["13.7", "17.4"] {
      let result = try Stories.run(
        sites: "\"e.test\": \(site)", domains: Self.domain, devices: "iphone: { os: \"ios:\(os)\" }",
        script: "{ install: \"app\" }")
      #expect(checks(result, "site") == [approval], "\(os)")
      #expect(result.states[0].records[0].siteApproval.rawValue == approval)
    }
  }

  // MARK: - When it is fetched again

  @Test func checksAgainAfterNearlyFiveDays() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let result = try Stories.run(
        sites: Self.site, domains: Self.domain, devices: "iphone: { os: \"ios:17.4\" }", seed: seed,
        script: "{ install: \"app\" }, { wait: \"21d\" }")
      let times = result.events.filter { $0.kind == "check" }.map(\.time)
      #expect(times.count == 5)
      for (before, after) in zip(times, times.dropFirst()) {
        let days_ms = (after - before).wholeMilliseconds
        #expect((423_360_000...432_010_000).contains(days_ms), "\(days_ms)")
      }
    }
  }

  @Test func triesEightTimesAndThenWeekly() throws {
    let result = try Stories.run(
      sites: Self.site, domains: Self.domain, network: "\"e.test\": { down: true }",
      devices: "iphone: { os: \"ios:13.7\" }", script: "{ install: \"app\" }, { wait: \"6d\" }")
    let times = result.events.filter { $0.kind == "check" }.map(\.time.wholeMilliseconds)
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(gaps.count == 9)
    for gap in gaps.prefix(8) { #expect((10_800_000...11_110_000).contains(gap)) }
    #expect(gaps[8] > 423_000_000)
  }

  /// R1: 3xx and 4xx deny, and are not retried; the weekly re-check asks again. V2: a file that is not JSON was retried.
  @Test(
    arguments: ["13.7", "17.4"],
    [
      ("{ status: 404 }", false), ("{ status: 403 }", false),
      ("{ status: 301, location: \"https://www.e.test/x\" }", false), ("{ status: 503 }", true),
      ("{ body: \"<html>\", type: \"text/html\" }", true),
    ])
  func aRefusalIsNotRetried(os: String, site: (String, isRetried: Bool)) throws {
    let result = try Stories.run(
      sites: "\"e.test\": \(site.0)", domains: Self.domain, devices: "iphone: { os: \"ios:\(os)\" }",
      script: """
        { install: "app" }, { deploy: { \(Self.site) } }, { wait: "4h" },
        { tap: "https://e.test/a", expect: "\(site.isRetried ? "app" : "browser")" },
        { wait: "5d" }, { tap: "https://e.test/a", expect: "app" }
        """)
    #expect(result.failures.map(\.actual) == [] && result.violations.map(\.detail) == [])
    #expect(checks(result, "because").prefix(2) == ["install", site.isRetried ? "retry" : "weekly"])
  }

  static let broken = [
    "network: { \"e.test\": { down: true } }", "network: { \"e.test\": { drops: \"everybody\" } }",
    "deploy: { \"e.test\": { status: 503 } }", "network: { \"e.test\": { unresolvable: true } }",
  ]

  @Test(arguments: broken) func approvalOutlivesTrouble(step: String) throws {
    let result = try Stories.run(
      sites: Self.site, domains: Self.domain, devices: "iphone: { os: \"ios:13.7\" }",
      script:
        "{ install: \"app\" }, { \(step) }, { wait: \"6d\" }, { tap: \"https://e.test/a\", expect: \"app\" }")
    #expect(result.failures.isEmpty)
    #expect(result.states[0].records[0].problem?.kind == .temporary)
  }

  /// Behind the CDN all but one: its 405 for a name without address reads as a "no".
  @Test(arguments: broken.dropLast()) func approvalOutlivesTroubleBehindTheCDN(step: String) throws {
    let result = try Stories.run(
      sites: Self.site, domains: Self.domain, devices: "iphone: { os: \"ios:17.4\" }",
      script: """
        { install: "app" }, { \(step) }, { wait: "6d" }, { tap: "https://e.test/a", expect: "app" }
        """)
    #expect(result.failures.isEmpty)
  }

  @Test(arguments: [("{ status: 404 }", false), ("{ body: \"<html>\" }", false), ("{ status: 404 }", true)])
  func refusalEndsAnApprovalUnlessSwitched(site: String, keeps: Bool) throws {
    let result = try Stories.run(
      sites: Self.site, domains: Self.domain, devices: "iphone: { os: [\"ios:13.7\", \"ios:17.4\"] }",
      switches: "device_keeps_approval_after_refusal: \(keeps)",
      script: """
        { install: "app" }, { deploy: { "e.test": \(site) } }, { wait: "6d" }, { tap: "https://e.test/a" }
        """)
    #expect(result.rows.map { $0.verdict.app != nil } == [keeps, keeps])
  }

  @Test func asksTheHostWhenToldAndSwitched() throws {
    for (asks, opens) in [("false", false), ("true", true)] {
      let result = try Stories.run(
        sites: Self.site, domains: Self.domain, network: "\"e.test\": { drops: \"crawler\" }",
        devices: "iphone: { os: \"ios:17.4\" }", switches: "device_asks_host_when_told: \(asks)",
        script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
      #expect((result.rows[0].verdict.app != nil) == opens)
    }
  }

  @Test func aRebootChecksAtOnce() throws {
    let result = try Stories.run(
      sites: Self.site, domains: Self.domain, devices: "iphone: { os: \"ios:13.7\" }",
      script: """
        { install: "app" }, { deploy: { "e.test": { file: \(Stories.file(["/b"])) } } },
        { tap: "https://e.test/b", expect: "browser" }, { reboot: "all" },
        { tap: "https://e.test/b", expect: "app" }
        """)
    #expect(result.failures.isEmpty)
  }

  @Test func deletingForgets() throws {
    let result = try Stories.run(
      sites: Self.site, domains: Self.domain, devices: "iphone: { os: \"ios:17.4\" }",
      script: """
        { install: "app" }, { delete: "app" },
        { tap: "https://e.test/a", expect: { opens: "browser", step: "no-association" } }
        """)
    #expect(result.failures.isEmpty)
    #expect(result.rows[0].verdict.reason == "no app is installed")
  }

  // MARK: - The user and the way

  @Test func aChoiceIsRememberedUntilTheOtherIsMade() throws {
    let result = try Stories.run(
      sites: Self.site, domains: Self.domain, devices: "iphone: { os: \"ios:17.4\" }",
      script: """
        { install: "app" }, { choose: "browser", host: "e.test" },
        { tap: "https://e.test/a", expect: { opens: "browser", step: "user-choice" } },
        { update: "app" }, { wait: "6d" },
        { tap: "https://e.test/a", expect: { opens: "browser", step: "user-choice" } },
        { choose: "app", host: "e.test" }, { tap: "https://e.test/a", expect: "app" },
        { choose: "browser", host: "e.test" }, { reinstall: "app" }, { tap: "https://e.test/a", expect: "app" }
        """)
    #expect(result.failures.map(\.actual) == [])
    #expect(result.checks.count == 4)
  }

  @Test(arguments: [
    ("from: \"messages\"", "app"), ("from: \"mail\"", "app"), ("from: \"notes\"", "app"),
    ("from: \"other-app\"", "app"), ("from: \"typed\"", "browser"),
    ("from: \"safari\", page: \"https://e.test/start\"", "browser"),
    ("from: \"safari\", page: \"https://E.TEST/start\"", "browser"),
    ("from: \"safari\", page: \"https://www.e.test/start\"", "app"),
    ("from: \"own-app\", app: \"app\"", "browser"), ("from: \"own-app\", app: \"other\"", "app"),
  ])
  func theWayCounts(way: String, opens: String) throws {
    let result = try Stories.run(
      sites: Self.site, domains: Self.domain, devices: "iphone: { os: \"ios:17.4\" }",
      script: "{ install: \"app\" }, { tap: \"https://e.test/a\", \(way), expect: \"\(opens)\" }")
    #expect(result.failures.map(\.actual) == [])
    if opens == "browser" { #expect(result.rows[0].verdict.step == .wayOfFollowing) }
  }

  /// Since iOS 9.2.
  @Test func sameHostOpenedTheAppAtFirst() throws {
    let result = try Stories.run(
      sites: Self.both, domains: Self.domain, devices: "iphone: { os: [\"ios:9.0\", \"ios:9.2\"] }",
      script: """
        { install: "app" },
        { tap: "https://e.test/a", from: "safari", page: "https://e.test/", expect: [
          { opens: "app", devices: "iphone-9.0" }, { opens: "browser", devices: "iphone-9.2" } ] }
        """)
    #expect(result.failures.isEmpty)
  }

  /// Section 5: a state for each entry. That both entries of one host's file share an answer is inferred.
  @Test(arguments: ["ios:13.7", "ios:17.4", "ios:26.0"], [Self.site, "\"e.test\": { status: 503 }", ""])
  func oneAnswerServesEveryEntryThatReadsTheFile(os: String, site: String) throws {
    let result = try Stories.run(
      sites: site, domains: "\"applinks:e.test\", \"applinks:*.e.test\", \"applinks:www.e.test\"",
      devices: "iphone: { os: \"\(os)\" }",
      script: "{ install: \"app\" }, { wait: \"21d\" }, { reboot: \"all\" }")
    let checks = result.events.filter { $0.kind == "check" }
    func told(_ entry: String) -> [String] {
      checks.filter { $0.text("entry") == entry }.map {
        "\($0.time) \($0.text("site") ?? "") \($0.text("problem") ?? "") \($0.number("next_check_ms") ?? 0)"
      }
    }
    #expect(told("applinks:e.test").count > 4 && told("applinks:e.test") == told("applinks:*.e.test"))
    let asked = result.exchanges.filter {
      $0.party == "iphone" && ($0.request.target.hasSuffix("/e.test") || $0.request.host == "e.test")
    }
    #expect(asked.count == told("applinks:e.test").count)
    #expect(told("applinks:www.e.test") != told("applinks:e.test"))
  }

  /// An entry with a mode is another question: it goes another way.
  @Test func aModeAsksForItself() throws {
    let result = try Stories.run(
      sites: Self.site, domains: "\"applinks:e.test\", \"applinks:e.test?mode=developer\"",
      build: "development",
      devices: "iphone: { os: \"ios:17.4\", developer: true }", script: "{ install: \"app\" }")
    #expect(checks(result, "route").sorted() == ["cdn", "direct"])
  }
}
