import AppSiteAssociation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

/// Apps that are browsers (E22), and devices that are Simulators (V8).
@Suite struct BrowserAndSimulatorTests {
  private static func run(
    app: String, device: String, script: String = "{ install: \"app\" }, { tap: \"https://e.test/a\" }"
  ) throws -> SimulationResult {
    try Simulation.run(
      Stories.inline(
        """
        {
          start: "2026-09-14T08:00:00Z", sites: { \(DeviceTests.site) },
          apps: { app: { identifier: "\(Stories.app)", \(app) } },
          devices: { device: { os: "ios:17.4", \(device) } }, script: [\(script)],
        }
        """))
  }

  /// E22, documented: the entry is not registered, and nothing is asked for it.
  @Test func aBrowserRegistersNoLinks() throws {
    let result = try Self.run(app: "domains: [\"applinks:e.test\"], browser: true", device: "")
    let verdict = result.rows[0].verdict
    #expect(verdict.app == nil && verdict.step == .noAssociation && verdict.rules == ["E22"])
    #expect(verdict.certainty == .documented)
    #expect(!result.events.contains { $0.kind == "check" })
  }

  /// E22: the trace says which entry, and why.
  @Test func theTraceSaysWhyABrowsersEntryIsSkipped() throws {
    let result = try Self.run(app: "domains: [\"applinks:e.test\"], browser: true", device: "")
    let skip = try #require(result.events.first { $0.kind == "skip" })
    #expect(skip.text("entry") == "applinks:e.test")
    #expect(skip.text("why")?.contains("com.apple.developer.web-browser") == true)
    #expect(skip.provenance == Provenance(["E22"], .documented))
  }

  /// E22 is about `applinks` alone.
  @Test func aBrowserKeepsItsOtherServices() throws {
    let result = try Self.run(app: "domains: [\"webcredentials:e.test\"], browser: true", device: "")
    #expect(!result.events.contains { $0.kind == "skip" })
  }

  /// E22: what the file of entitlements holds counts, unless the story says otherwise.
  @Test(arguments: [("", true), ("browser: false", false)])
  func theEntitlementsSayWhetherItIsABrowser(key: String, isBrowser: Bool) throws {
    let text = """
      {
        start: "2026-09-14T08:00:00Z",
        apps: { app: { entitlements: "app.entitlements", \(key) } }, devices: {}, script: [],
      }
      """
    let reader = StoryReader(
      file: { _ throws(StoryReaderError) in nil },
      claims: { _, _ throws(StoryReaderError) in
        .init(identifier: Stories.partial(Stories.app), domains: ["applinks:e.test"], isBrowser: true)
      })
    guard case .story(let story) = StoryParser.parse(SourceText(name: "story.json5", text), reader: reader)
    else {
      Issue.record("the story can't be read")
      return
    }
    #expect(story.apps[0].build.isBrowser == isBrowser)
  }

  /// V8: a Simulator has developer mode on unless the story switches it off (E13).
  @Test(arguments: [("simulator: true", true), ("simulator: true, developer: false", false), ("", false)])
  func aSimulatorHasDeveloperMode(device: String, opens: Bool) throws {
    let result = try Self.run(
      app: "domains: [\"applinks:e.test?mode=developer\"], build: \"development\"", device: device)
    #expect((result.rows[0].verdict.app != nil) == opens)
  }

  /// V8, observed: without a mode a Simulator asks the CDN as a device does.
  @Test func aSimulatorAsksTheCDN() throws {
    let result = try Self.run(app: "domains: [\"applinks:e.test\"]", device: "simulator: true")
    let check = try #require(result.events.first { $0.kind == "check" })
    #expect(check.text("route") == "cdn")
    #expect(check.provenance == Provenance(["V1", "C1", "V8"], .observed))
  }
}
