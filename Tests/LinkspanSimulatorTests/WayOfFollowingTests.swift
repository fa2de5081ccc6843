import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

/// When a link opens the app: each row of the table in section 10, by its place from 1.
@Suite struct WayOfFollowingTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var rule: String
    var way: String
    var os: String
    var opens: String
    var certainty: Certainty

    var testDescription: String { "\(rule): \(way) on \(os)" }
  }

  static let rows: [Row] = [
    Row(
      rule: "section 10 row 1", way: "from: \"messages\"", os: "ios:17.4", opens: "app",
      certainty: .documented),
    Row(rule: "section 10 row 1", way: "from: \"mail\"", os: "ios:9.3", opens: "app", certainty: .documented),
    Row(
      rule: "section 10 row 1", way: "from: \"notes\"", os: "ios:26.0", opens: "app", certainty: .documented),
    Row(
      rule: "section 10 row 1", way: "from: \"other-app\"", os: "ios:13.7", opens: "app",
      certainty: .documented),
    Row(
      rule: "section 10 row 2", way: "from: \"safari\", page: \"https://www.e.test/\"", os: "ios:17.4",
      opens: "app", certainty: .documented),
    Row(
      rule: "section 10 row 3", way: "from: \"safari\", page: \"https://e.test/\"", os: "ios:9.0",
      opens: "app",
      certainty: .observed),
    Row(
      rule: "section 10 row 3", way: "from: \"safari\", page: \"https://e.test/\"", os: "ios:9.2",
      opens: "browser", certainty: .documented),
    Row(
      rule: "section 10 row 3", way: "from: \"safari\", page: \"https://e.test/\"", os: "ios:26.0",
      opens: "browser", certainty: .documented),
    Row(
      rule: "section 10 row 4", way: "from: \"typed\"", os: "ios:17.4", opens: "browser",
      certainty: .documented),
    Row(
      rule: "section 10 row 5", way: "from: \"long-press\", choice: \"app\"", os: "ios:17.4", opens: "app",
      certainty: .documented),
    Row(
      rule: "section 10 row 6", way: "from: \"long-press\", choice: \"browser\"", os: "ios:17.4",
      opens: "browser", certainty: .documented),
    Row(
      rule: "section 10 row 7", way: "from: \"redirect\", through: \"https://click.test/1\"", os: "ios:10.3",
      opens: "unknown", certainty: .disputed),
    Row(
      rule: "section 10 row 7", way: "from: \"redirect\", through: \"https://click.test/1\"", os: "ios:11.4",
      opens: "browser", certainty: .observed),
    Row(
      rule: "section 10 row 7", way: "from: \"redirect\", through: \"https://click.test/1\"", os: "ios:12.0",
      opens: "unknown", certainty: .disputed),
    Row(
      rule: "section 10 row 8", way: "from: \"tracker\", through: [\"https://click.test/1\"]", os: "ios:17.4",
      opens: "unknown", certainty: .disputed),
    // The tracker's link has an app of its own, and the tap is one on that link.
    Row(
      rule: "section 10 row 1", way: "from: \"tracker\", through: \"https://e.test/a\"", os: "ios:17.4",
      opens: "app", certainty: .documented),
    Row(
      rule: "section 10 row 20", way: "from: \"redirect\", through: \"https://e.test/old\"", os: "ios:17.4",
      opens: "browser", certainty: .inferred),
    Row(
      rule: "section 10 row 21",
      way: "container: \"mail\", through: [\"https://click.test/1\", \"https://click.test/2\"]",
      os: "ios:17.4",
      opens: "unknown", certainty: .open),
    Row(
      rule: "section 10 row 18", way: "container: \"safari-view-controller\", gesture: \"tap\"",
      os: "ios:17.4",
      opens: "unknown", certainty: .disputed),
    Row(
      rule: "section 10 row 20",
      way: "container: \"browser\", page: \"https://e.test/\", through: \"https://click.test/1\"",
      os: "ios:17.4",
      opens: "browser", certainty: .inferred),
    Row(
      rule: "section 10 row 9", way: "from: \"script\"", os: "ios:17.4", opens: "browser",
      certainty: .inferred),
    Row(
      rule: "section 10 row 10", way: "from: \"own-app\", app: \"app\"", os: "ios:17.4", opens: "browser",
      certainty: .documented),
    Row(
      rule: "section 10 row 11", way: "from: \"universal-links-only\"", os: "ios:17.4", opens: "app",
      certainty: .documented),
    Row(
      rule: "section 10 row 12", way: "from: \"webview\"", os: "ios:17.4", opens: "app",
      certainty: .documented),
    Row(
      rule: "section 10 row 12", way: "from: \"webview\", app: \"other\"", os: "ios:17.4", opens: "app",
      certainty: .documented),
    Row(
      rule: "section 10 row 12", way: "from: \"webview\", app: \"app\"", os: "ios:17.4", opens: "web-view",
      certainty: .inferred),
    Row(
      rule: "section 10 row 13", way: "from: \"safari-view-controller\"", os: "ios:17.4", opens: "web-view",
      certainty: .observed),
    Row(
      rule: "section 10 row 14", way: "from: \"other-browser\"", os: "ios:17.4", opens: "browser",
      certainty: .documented),
    Row(
      rule: "section 10 row 15", way: "from: \"mail\"", os: "macos:14.4", opens: "browser",
      certainty: .documented),
    Row(
      rule: "section 10 row 5", way: "from: \"long-press\", choice: \"app\"", os: "macos:14.4", opens: "app",
      certainty: .documented),
    Row(
      rule: "section 10 row 1", way: "from: \"messages\"", os: "watchos:10.0", opens: "app",
      certainty: .documented),
    Row(
      rule: "section 10 row 17", way: "from: \"in-app-browser\"", os: "ios:17.4", opens: "web-view",
      certainty: .observed),
    Row(rule: "AC32", way: "from: \"qr\"", os: "ios:17.4", opens: "app", certainty: .inferred),
    Row(rule: "AC33", way: "from: \"nfc\"", os: "ios:17.4", opens: "app", certainty: .documented),
    Row(
      rule: "HO9", way: "from: \"handoff\"", os: "ios:17.4", opens: "app",
      certainty: .documented),
    Row(
      rule: "section 10 row 1", way: "from: \"spotlight\"", os: "ios:17.4", opens: "app", certainty: .inferred
    ),
    Row(
      rule: "AC23", way: "from: \"clip-card\"", os: "ios:17.4", opens: "app", certainty: .documented),
    Row(
      rule: "AC20", way: "from: \"smart-banner\"", os: "ios:17.4", opens: "app", certainty: .inferred),
  ]

  static func follow(_ link: String, _ way: String, _ os: String) throws -> SimulationResult {
    try Stories.run(
      sites: DeviceTests.both, domains: DeviceTests.domain, devices: "device: { os: \"\(os)\" }",
      script: "{ install: \"app\" }, { tap: \"\(link)\", \(way) }")
  }

  @Test(arguments: rows) func opensByTheTable(_ row: Row) throws {
    let verdict = try Self.follow("https://e.test/a", row.way, row.os).rows[0].verdict
    #expect(verdict.opens == row.opens, "\(verdict.reason)")
    #expect(verdict.rules.contains(row.rule), "\(verdict.rules)")
    #expect(verdict.certainty == row.certainty)
    #expect((verdict.change == nil) == (row.opens == "app"))
  }

  /// Every name a story may use is in the table.
  @Test(arguments: WayOfFollowing.names) func everyWayHasARow(_ name: String) {
    #expect(Self.rows.contains { $0.way.hasPrefix("from: \"\(name)\"") })
  }

  /// The rule and its certainty stand on the event, for every way.
  @Test(arguments: rows) func theEventCarriesTheRule(_ row: Row) throws {
    let result = try Self.follow("https://e.test/a", row.way, row.os)
    let tap = try #require(result.events.last { $0.kind == "tap" })
    #expect(tap.provenance?.rules.contains(row.rule) == true && tap.provenance?.certainty == row.certainty)
    #expect(tap.line.contains(row.opens == "app" ? "opens=\(Stories.app)" : "opens=\(row.opens)"))
  }

  /// Row 11: no app, and the caller is told; row 16: a watch points to the iPhone.
  @Test(arguments: [
    ("universal-links-only", "ios:17.4", "nothing", "section 10 row 11"),
    ("messages", "watchos:10.0", "alert", "section 10 row 16"),
    ("messages", "ios:17.4", "browser", "section 7"),
    ("webview", "ios:17.4", "web-view", "section 7"), ("webview", "ios:8.0", "web-view", "section 2"),
    ("in-app-browser", "ios:8.0", "web-view", "section 2"),
    ("universal-links-only", "ios:8.0", "nothing", "section 2"),
    ("messages", "ios:8.0", "browser", "section 2"),
  ])
  func withoutAnAppNotEveryWayEndsInTheBrowser(way: String, os: String, opens: String, rule: String) throws {
    let verdict = try Self.follow("https://e.test/none", "from: \"\(way)\"", os).rows[0].verdict
    #expect(verdict.opens == opens)
    #expect(verdict.rules.contains(rule))
  }

  /// Rows 5, 6 and 15: what was taken from the menu is remembered.
  @Test(arguments: ["ios:17.4", "macos:14.4"]) func aLongPressIsRemembered(os: String) throws {
    let result = try Stories.run(
      sites: DeviceTests.site, domains: DeviceTests.domain, devices: "device: { os: \"\(os)\" }",
      script: """
        { install: "app" },
        { tap: "https://e.test/a", from: "long-press", choice: "browser", expect: "browser" },
        { tap: "https://e.test/a", expect: { opens: "browser", step: "user-choice" } },
        { tap: "https://e.test/a", from: "long-press", choice: "app", expect: "app" },
        { tap: "https://e.test/a", expect: "app" }
        """)
    #expect(result.failures.map(\.actual) == [])
  }
}
