import AppSiteAssociation
import LinkspanCore
import Testing

@testable import LinkspanSimulator
@testable import LinkspanStories
@testable import SimulatedDevices

/// A story that is written and read again is the same story: everything a story can say survives.
@Suite struct StoryWriterTests {
  @Test(arguments: ExampleStoryTests.names) func everyExampleSurvives(_ name: String) throws {
    try Self.expectSame(try Stories.example(name))
  }

  @Test(arguments: 1...50) func everyMadeUpStorySurvives(_ seed: Int) throws {
    try Self.expectSame(Swarm.story(seed: UInt64(seed)))
  }

  /// What no example and hardly a seed says.
  @Test func whateverAStoryCanSaySurvives() throws {
    let switches =
      CDNSwitches.Key.allCases.map { key in
        switch CDNSwitches.place(of: key) {
        case .flag(let path): "\(key.rawValue): \(!CDNSwitches()[keyPath: path])"
        case .number: "\(key.rawValue): 17"
        case .size: "\(key.rawValue): 9000"
        case .word: "\(key.rawValue): \"JP\""
        }
      } + DeviceSwitches.keys.map { "\($0.name): true" }
    let faults = FaultOptions.knobs.map { "\($0.name): [1, 7]" } + ["clock_drift_ppm: 20"]
    let ways = WayOfFollowing.names.map { name in
      let details =
        switch name {
        case "safari": ", page: \"https://www.e.test/\""
        case "own-app", "webview": ", app: \"app\""
        case "redirect", "tracker": ", through: [\"https://r.test/1\", \"https://r.test/2\"]"
        case "long-press": ", choice: \"browser\""
        default: ""
        }
      return "{ tap: \"https://e.test/a\", from: \"\(name)\"\(details) },"
    }
    let facts = [
      "unresolvable: true", "private_address: \"10.0.0.5\"", "drops: \"devices\"", "forbids: \"crawler\"",
      "down: true", "certificate: \"expired\"", "latency_ms: [5, 9]",
      "regions: [\"US\", \"JP\"], elsewhere: \"drops\"",
    ].map { "{ network: { \"e.test\": { \($0) } } }," }
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z",
        seed: 9,
        sites: {
          "e.test": { file: \(Stories.file(["/a"])) },
          "r.test": [{ status: 302, location: "https://e.test/a" }, { at: "root", body: "<html>", type: "text/html" }],
        },
        network: { "e.test": { regions: ["US"], elsewhere: "forbids" } },
        switches: { \(switches.joined(separator: ", ")) },
        faults: { \(faults.joined(separator: ", ")) },
        apps: {
          app: { identifier: "\(Stories.app)", domains: ["applinks:e.test", "*"], build: "developer-id",
            push: { environment: "none", modes: ["audio"], notifications: "provisional", handler: { takes: "9s" } } },
          far: { identifier: "ABCDE12345.com.example.far", domains: [], remote_volume: true, browser: true },
        },
        devices: {
          mac: { os: "macos:14.4", region: "DE", developer: true },
          iphone: {
            os: ["ios:13.7", "ios:17.4"], count: 2,
            managed: { direct_downloads: true, domains: { far: ["applinks:r.test"] } },
          },
          watch: { os: "watchos:10.0", managed: true },
          simulator: { os: "ios:26.0", simulator: true },
          "plain-simulator": { os: "ios:26.0", simulator: true, developer: false },
        },
        links: ["https://e.test/a", "https://r.test/x"],
        script: [
          { install: ["app", "far"] },
          { launch: "app", devices: "mac" },
          { tap: "all", devices: "iphone-17.4", expect: { opens: "browser", links: "https://e.test/a" } },
          \(ways.joined(separator: "\n"))
          { wait: "1d 2h 3m 4s" },
          \(facts.joined(separator: "\n"))
          { deploy: { "r.test": { status: 404 } } },
          { choose: "app", host: "e.test", devices: "watch" },
          { update: "app", devices: ["mac", "watch"] },
          { reinstall: "far" },
          { reboot: "mac" },
          { delete: "far", devices: "iphone" },
          { app_state: "app", to: "force-quit", notifications: "denied", background_refresh: false, devices: "mac",
            handler: { takes: "forever", result: "failed", badge: 2, notification: "x" } },
          { device_state: { online: false, power: "low", in_use: true, debugger: true } },
          { push: { aps: { alert: "x", "content-available": 1 }, n: [1] }, app: "app", type: "background", priority: 10,
            expires: "90s", collapse: "c", topic: "com.example.app", server: "sandbox", devices: "watch",
            expect: [{ fate: "refused", reason: "never-launched", shown: false, badge: 0, notification: "x",
              content: { n: [1] } }] },
          { push: { aps: { badge: 1 } }, app: "app", expires: 0 },
          { expect_push: ["refused"] },
          { expect: [{ opens: "app", devices: "watch", by: "e.test", rule: "0/0", step: "pattern" }] },
        ],
      }
      """)
    #expect(story.cdnSwitches != CDNSwitches() && story.devices.count == 8)
    try Self.expectSame(story)
  }

  /// Written and read again, the story is the same and plays the same.
  static func expectSame(_ story: Story) throws {
    let text = StoryWriter.text(of: story, remarks: ["A remark."])
    let again = try Stories.inline(text)
    #expect(again.devices == story.devices)
    #expect(again.apps == story.apps)
    #expect(again.network == story.network)
    #expect(again.cdnSwitches == story.cdnSwitches)
    #expect(again.deviceSwitches == story.deviceSwitches)
    #expect(again.faults == story.faults)
    #expect(StoryWriter.text(of: again, remarks: ["A remark."]) == text)
    #expect(try digest(again) == digest(story))
  }

  /// Over what happened, without the places of expectations in the file.
  private static func digest(_ story: Story) throws -> String {
    var digest = Digest()
    for event in try Simulation.run(story).events {
      let fields = event.fields.filter { $0.0 != "line" }.map { "\($0.0)=\($0.1.text)" }
      digest.update("\(event.wallTime) \(event.party) \(event.kind) \(fields)")
    }
    return digest.text
  }

  private static func continuity(_ script: String) throws -> Story {
    try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z",
        sites: { "e.test": { file: \(Stories.file(["/a"])) } },
        apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:e.test"], activity_types: ["a.b"] } },
        devices: { mac: { os: "macos:14.4" }, phone: { os: "ios:17.4" } },
        script: [{ install: "app" }, \(script)],
      }
      """)
  }

  /// What a handoff does not say is not written; what it says is (HO2, HO5).
  @Test(arguments: [
    ("", "", [] as [String]), (", eligible: true, needs_save: false", ", updates: 0, restores: 0", []),
    (", eligible: false", "", ["eligible"]), (", needs_save: true", "", ["needs_save"]),
    (", stream_bytes: 9", "", ["stream_bytes"]), (", user_info: { a: 1 }", "", ["user_info"]),
    (", webpage_url: \"https://e.test/a\"", "", ["webpage_url"]),
    (", expires: \"2026-09-15T08:00:00Z\"", "", ["expires"]), ("", ", updates: 1", ["updates"]),
    ("", ", restores: 1", ["restores"]), ("", ", trouble: \"failure\"", ["trouble"]),
    ("", ", start: \"cold\"", ["start"]),
    (
      ", eligible: false, needs_save: true", ", updates: 2, restores: 3",
      ["eligible", "needs_save", "updates", "restores"]
    ),
  ])
  func aHandoffIsWrittenAsItWasSaid(activity: String, step: String, names: [String]) throws {
    let story = try Self.continuity(
      "{ handoff: { type: \"a.b\"\(activity) }, app: \"app\", from: \"mac\", to: \"phone\"\(step) }")
    let text = StoryWriter.text(of: story, remarks: [])
    let line = try #require(
      text.split(separator: "\n").first { $0.contains("handoff") && $0.contains("a.b") })
    let all = [
      "eligible", "needs_save", "stream_bytes", "user_info", "webpage_url", "expires", "updates", "restores",
      "trouble", "start",
    ]
    #expect(
      all.filter { line.contains($0) } == all.filter(names.contains)
    )
    try Self.expectSame(story)
  }

  /// HO5: an activity that is not eligible is not advertised, and no device hears of it.
  @Test(arguments: [(true, ["advertise", "hear", "offer"]), (false, ["offer"])])
  func onlyAnEligibleActivityIsAdvertised(isEligible: Bool, kinds: [String]) throws {
    let story = try Self.continuity(
      "{ wait: \"1h\" }, { handoff: { type: \"a.b\", eligible: \(isEligible) }, app: \"app\", from: \"mac\", to: \"phone\" }"
    )
    let found = try Simulation.run(story).events.map(\.kind)
    #expect(found.filter { ["advertise", "hear", "offer"].contains($0) } == kinds)
  }
}
