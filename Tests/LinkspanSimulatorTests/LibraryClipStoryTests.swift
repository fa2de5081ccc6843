import LinkspanCore
import Testing

@testable import LinkspanSimulator
@testable import LinkspanStories
@testable import SimulatedDevices

/// Invocations of App Clips, where the library is the code of the clip and of its app (AC22, AC23, LC1).
struct LibraryClipStoryTests {
  private static func result(
    clip: String = "", app: String = "routes: { order: \"/shop/{number:int}\" },", code: String = "",
    seed: UInt64 = 1, _ script: String
  ) throws -> SimulationResult {
    try Simulation.run(
      try Stories.inline(
        """
        {
          start: "2026-09-14T08:00:00Z",
          sites: {
            "example.com": {
              file: {
                applinks: { details: [{ appIDs: ["ABCDE12345.com.example.shop"], components: [{ "/": "*" }] }] },
                appclips: { apps: ["ABCDE12345.com.example.shop.Clip"] },
              },
            },
          },
          apps: {
            shop: {
              identifier: "ABCDE12345.com.example.shop", \(app) code: { \(code) },
              domains: ["applinks:example.com", "appclips:example.com"],
            },
          },
          clips: {
            order: {
              app: "shop", domains: "appclips:example.com", \(clip)
              experiences: {
                clip: { bundle_id: "com.example.shop.Clip" },
                advanced: [{ url: "https://example.com/shop", title: "Shop" }],
              },
            },
          },
          devices: { phone: { os: "ios:17.4" } },
          script: [\(script)],
        }
        """), seed: seed)
  }

  private static func failures(_ result: SimulationResult) -> [String] {
    result.failures.map { "\($0.link): expected \($0.expected); it \($0.actual)" }
  }

  /// Every life cycle and readiness, cold and warm: one place; and the same when the app has taken the clip's place.
  @Test(
    arguments: ["app-delegate", "scene", "swiftui"], ["at-launch", "at-activation", "after-session"])
  func everyInvocationLeadsToOnePlace(lifeCycle: String, readiness: String) throws {
    func invoke(_ number: Int, _ start: String, _ opens: String) -> String {
      """
      { invoke: "order", url: "https://example.com/shop/\(number)", start: "\(start)",
        expect: { opens: "\(opens)", shows: "order number=\(number)" } },
      """
    }
    let result = try Self.result(
      code: "life_cycle: \"\(lifeCycle)\", readiness: \"\(readiness)\", continues_activities: true",
      invoke(1, "cold", "order") + invoke(2, "warm", "order") + invoke(2, "warm", "order")
        + "{ install: \"shop\" }," + invoke(3, "cold", "shop") + invoke(4, "warm", "shop"))
    #expect(Self.failures(result) == [])
    #expect(result.checks.count == 5)
    #expect(result.events.contains { $0.line.contains("clip=order") && $0.kind == "callback" })
  }

  /// What an expectation that fails and a link without a place say of a URL is without its password.
  @Test(arguments: ["shop/1", "other/1"]) func aPasswordIsNotShown(path: String) throws {
    let url = "https://ann:geheim@example.com/\(path)"
    let result = try Self.result(
      """
      { invoke: "order", url: "\(url)", expect: { opens: "order", receives: "\(url)x", shows: "order number=2" } },
      { install: "shop" }, { tap: "\(url)", expect: "shop" },
      """)
    #expect(!result.failures.isEmpty)
    var printed = result.events.flatMap { [$0.line, $0.json.text] }
    printed += result.checks.map(\.json.text) + result.findings.map(\.message) + Self.failures(result)
    #expect(printed.filter { $0.contains("geheim") } == [])
  }

  @Test func aClipHasRoutesOfItsOwn() throws {
    let result = try Self.result(
      clip: "routes: { table: \"/shop/{table}\" },",
      """
      { invoke: "order", url: "https://example.com/shop/seven",
        expect: { opens: "order", shows: "table table=seven" } },
      { invoke: "order", from: "app-library", start: "cold",
        expect: { opens: "order", receives: "https://example.com/shop/seven", shows: "table table=seven" } },
      { invoke: "order", from: "app-switcher", expect: { opens: "order", receives: "nothing", shows: "nothing" } }
      """)
    #expect(Self.failures(result) == [])
  }

  /// A clip opened without a URL shows nothing of the router; a URL without a route goes to the browser.
  @Test func whatHasNoRouteIsHandedBack() throws {
    let result = try Self.result(
      """
      { invoke: "order", url: "https://example.com/shop/seven", expect: { opens: "order", shows: "browser" } },
      { invoke: "order", from: "notification", expect: { opens: "order", receives: "nothing", shows: "nothing" } }
      """)
    let trace = result.events.map(\.line).joined(separator: "\n")
    #expect(trace.contains("open-in-browser") && trace.contains("closest is 'order'"), "\(trace)")
    #expect(Self.failures(result) == [])
  }

  @Test func aFailedExpectationSaysWhereItWent() throws {
    let result = try Self.result(
      """
      { invoke: "order", url: "https://example.com/shop/5", expect: { opens: "order", shows: "order number=6" } }
      """)
    #expect(result.failures.first?.actual.contains("and shows order number=5") == true)
    #expect(result.failures.first?.expected.contains("which shows order number=6") == true)
  }

  @Test func aSeedGivesTheSameBytes() throws {
    let script = """
      { invoke: "order", url: "https://example.com/shop/1", start: "cold" }, { install: "shop" },
      { invoke: "order", url: "https://example.com/shop/2", start: "cold" }
      """
    let lines = try Self.result(code: "life_cycle: \"app-delegate\"", seed: 3, script).events.map(\.line)
    for _ in 1...5 {
      #expect(
        try Self.result(code: "life_cycle: \"app-delegate\"", seed: 3, script).events.map(\.line) == lines)
    }
  }

  @Test(
    arguments: [
      ("shows: \"order\", opens: \"browser\"", "The browser has no routes."),
      ("shows: \"order\", opens: \"order\"", "'order' has no 'routes', so nothing reads the URL."),
    ]) func mistakes(_ expectation: String, message: String) throws
  {
    let text = """
      { start: "2026-09-14T08:00:00Z", apps: { shop: { identifier: "ABCDE12345.com.example.shop" } },
        clips: { order: { app: "shop", experiences: { clip: { bundle_id: "com.example.shop.Clip" } } } },
        devices: { phone: { os: "ios:17.4" } },
        script: [{ invoke: "order", url: "https://example.com/", expect: { \(expectation) } }] }
      """
    guard case .findings(let findings) = StoryParser.parse(SourceText(name: "s", text), reader: .none) else {
      Issue.record("the story has no findings")
      return
    }
    #expect(findings.map(\.message) == [message])
  }

  @Test func isWrittenAndReadAgain() throws {
    try StoryWriterTests.expectSame(try Stories.example("stories/clip-and-push-with-the-library.json5"))
  }
}
