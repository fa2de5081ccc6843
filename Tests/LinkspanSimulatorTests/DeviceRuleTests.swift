import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

/// Rules of sections 2, 5 and 8 that need a device of their own kind, by their numbers.
@Suite struct DeviceRuleTests {
  func reasons(_ result: SimulationResult) -> [String] {
    result.events.filter { $0.kind == "check" }.compactMap { event in
      guard case .string(let text)? = event.fields.first(where: { $0.0 == "because" })?.1 else { return nil }
      return text
    }
  }

  /// V1, V2: each fetch says why it happens.
  @Test func everyCheckSaysWhy() throws {
    let result = try Stories.run(
      sites: DeviceTests.site, domains: DeviceTests.domain, devices: "iphone: { os: \"ios:13.7\" }",
      script: """
        { install: "app" }, { update: "app" }, { reboot: "all" }, { wait: "6d" },
        { network: { "e.test": { down: true } } }, { reboot: "all" }, { wait: "4h" }, { reinstall: "app" }
        """)
    #expect(reasons(result) == ["install", "update", "reboot", "weekly", "reboot", "retry", "install"])
  }

  /// V5, V7: without a network nothing is asked, what is stored opens links, and the next try comes in its time.
  @Test(arguments: ["13.7", "17.4"]) func anOfflineDeviceAsksNothing(os: String) throws {
    let result = try Stories.run(
      sites: DeviceTests.site, domains: DeviceTests.domain, devices: "iphone: { os: \"ios:\(os)\" }",
      script: """
        { install: "app" }, { device_state: { online: false } },
        { deploy: { "e.test": { file: \(Stories.file(["/b"])) } } }, { wait: "20d" },
        { tap: "https://e.test/a", expect: "app" }, { update: "app" }, { reboot: "all" },
        { tap: "https://e.test/a", expect: "app" }, { device_state: { online: true } },
        { tap: "https://e.test/a", expect: "app" }, { wait: "6d" },
        { tap: ["https://e.test/a", "https://e.test/b"], expect: [
          { opens: "browser", links: "https://e.test/a" }, { opens: "app", links: "https://e.test/b" }] }
        """)
    #expect(result.failures.map(\.actual) == [])
    #expect(result.violations.map(\.detail) == [])
    let asked = result.exchanges.filter { $0.party == "iphone" }.map(\.started)
    #expect(asked.count == 2 && asked[1] > .seconds(20 * 86_400))
    let offline = result.events.filter { $0.line.contains("the device is offline") }
    #expect(offline.count > 8)
    #expect(Set(offline.map { $0.provenance?.certainty }) == [.inferred])
  }

  /// V5: an app that is installed without a network opens no links until the next try.
  @Test func anInstallationWithoutANetworkFetchesLater() throws {
    let result = try Stories.run(
      sites: DeviceTests.site, domains: DeviceTests.domain, devices: "iphone: { os: \"ios:17.4\" }",
      script: """
        { device_state: { online: false } }, { install: "app" },
        { tap: "https://e.test/a", expect: { opens: "browser", step: "fetch" } },
        { device_state: { online: true } }, { tap: "https://e.test/a", expect: "browser" }, { wait: "4h" },
        { tap: "https://e.test/a", expect: "app" }
        """)
    #expect(result.failures.map(\.actual) == [])
    #expect(reasons(result) == ["install", "retry"])
  }

  /// Entries of other services open no links, so none of them is the reason why a link opens nothing.
  @Test func theEntryForLinksIsNamedAndNoOther() throws {
    let result = try Stories.run(
      sites: DeviceTests.site,
      domains: "\"appclips:*.e.test\", \"webcredentials:e.test?mode=developer\", \"applinks:e.test:8080\"",
      devices: "iphone: { os: \"ios:17.4\" }", script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
    #expect(
      result.rows.map(\.verdict.reason) == [
        "the entry 'applinks:e.test:8080' can't be read: 'applinks:e.test:8080' names a port."
      ])
    let others = try Stories.run(
      sites: DeviceTests.site, domains: "\"appclips:*.e.test\", \"webcredentials:e.test?mode=developer\"",
      devices: "iphone: { os: \"ios:17.4\" }", script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
    #expect(others.rows.map(\.verdict.reason) == ["no installed app claims 'e.test'"])
  }

  /// V4, observed: after a boot the scheduler may hold checks back for a quarter of an hour.
  @Test func checksWaitAfterABootWhenSwitched() throws {
    let result = try Stories.run(
      sites: DeviceTests.site, domains: DeviceTests.domain, devices: "iphone: { os: \"ios:13.7\" }",
      switches: "device_waits_after_boot: true",
      script: """
        { install: "app" }, { deploy: { "e.test": { file: \(Stories.file(["/b"])) } } }, { reboot: "all" },
        { wait: "14m" }, { tap: "https://e.test/b", expect: "browser" },
        { wait: "2m" }, { tap: "https://e.test/b", expect: "app" }
        """)
    #expect(result.failures.map(\.actual) == [])
  }

  /// V9: outside the App Store a Mac fetches after the first launch only.
  @Test func aDeveloperIDAppIsFetchedAfterItsFirstLaunch() throws {
    let script = """
      { install: "app" }, { reboot: "all" }, { wait: "6d" },
      { tap: "https://e.test/a", from: "long-press", choice: "app", expect: { opens: "browser", step: "fetch" } },
      { launch: "app" }, { tap: "https://e.test/a", from: "long-press", choice: "app", expect: "app" },
      { launch: "app" }
      """
    let result = try Stories.run(
      sites: DeviceTests.site, domains: DeviceTests.domain, build: "developer-id",
      devices: "mac: { os: \"macos:14.4\" }", script: script)
    #expect(result.failures.map(\.actual) == [])
    #expect(reasons(result) == ["launch"])
  }

  /// V9: an App Store app of a Mac needs no launch.
  @Test(arguments: [("10.15.7", "direct"), ("11.0", "cdn"), ("26.0", "cdn")])
  func aMacFetchesAtInstallation(os: String, route: String) throws {
    let result = try Stories.run(
      sites: DeviceTests.site, domains: DeviceTests.domain, devices: "mac: { os: \"macos:\(os)\" }",
      script: "{ install: \"app\" }")
    let check = try #require(result.events.first { $0.kind == "check" })
    #expect(check.line.contains("route=\(route)"))
  }

  /// V9: an app on a volume of the network has no universal links; on an iPhone the key means nothing.
  @Test(arguments: [("macos:14.4", false), ("ios:17.4", true)])
  func anAppOnARemoteVolumeHasNoLinks(os: String, opens: Bool) throws {
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z", sites: { \(DeviceTests.site) },
        apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:e.test"], remote_volume: true } },
        devices: { device: { os: "\(os)" } },
        script: [
          { install: "app" }, { tap: "https://e.test/a", from: "long-press", choice: "app" },
        ],
      }
      """)
    let verdict = try Simulation.run(story).rows[0].verdict
    #expect((verdict.app != nil) == opens)
    if !opens { #expect(verdict.rules == ["V9"] && verdict.step == .noAssociation) }
  }

  /// E17: device management adds domains to an app; with a mode they need direct downloads as well (E14).
  @Test(arguments: [
    ("{ domains: { app: \"applinks:e.test\" } }", true),
    ("{ domains: { app: [\"applinks:e.test?mode=managed\"] } }", false),
    ("{ direct_downloads: true, domains: { app: [\"applinks:e.test?mode=managed\"] } }", true),
    ("{ direct_downloads: true, domains: { other: [\"applinks:e.test\"] } }", false), ("true", false),
  ])
  func managementAddsDomains(managed: String, opens: Bool) throws {
    let result = try Stories.run(
      sites: DeviceTests.site, domains: "", devices: "iphone: { os: \"ios:17.4\", managed: \(managed) }",
      script: "{ install: \"app\" }, { tap: \"https://e.test/a\" }")
    #expect((result.rows[0].verdict.app != nil) == opens, "\(result.rows[0].verdict.reason)")
  }

  /// Section 8, 3 and J12: of two apps the one whose entry comes first in the file opens.
  @Test(arguments: [("app", "other"), ("other", "app")])
  func theEarlierEntryWinsAmongApps(first: String, second: String) throws {
    func entry(_ name: String) -> String { "{ appID: \"ABCDE12345.com.example.\(name)\", paths: [\"/a\"] }" }
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z",
        sites: { "e.test": { file: { applinks: { apps: [], details: [\(entry(first)), \(entry(second))] } } } },
        apps: {
          app: { identifier: "\(Stories.app)", domains: ["applinks:e.test"] },
          other: { identifier: "ABCDE12345.com.example.other", domains: ["applinks:e.test"] },
        },
        devices: { iphone: { os: ["ios:9.3", "ios:17.4"] } },
        script: [{ install: ["app", "other"] }, { tap: "https://e.test/a", expect: "\(first)" }],
      }
      """)
    #expect(try Simulation.run(story).failures.map(\.actual) == [])
  }
}
