import LinkExplanation
import LinkspanSimulator
import SimulatedDevices
import Testing

/// What is advised where no rule holds is something that the release of the device reads (6.2–6.4).
@Suite struct PatternChangeTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var os: String
    var entry: String
    var change: String

    var testDescription: String { "\(os), \(entry)" }
  }

  static let rows: [Row] = [
    Row(
      os: "ios:12.4", entry: "appID: \"\(Stories.app)\", paths: [\"/a\"], components: [{ \"/\": \"/b\" }]",
      change: "Add a path in \"paths\" that covers this link."),
    Row(
      os: "ios:13.0", entry: "appID: \"\(Stories.app)\", paths: [\"/b\"], components: [{ \"/\": \"/a\" }]",
      change: "Add a component that covers this link."),
    Row(
      os: "ios:12.4", entry: "appID: \"\(Stories.app)\", paths: [\"/B\"]",
      change: "Add a path in \"paths\" that covers this link."),
    Row(
      os: "ios:13.0", entry: "appIDs: [\"\(Stories.app)\"], components: [{ \"/\": \"/B\" }]",
      change: "Add a component that covers this link."),
    Row(
      os: "ios:13.5", entry: "appIDs: [\"\(Stories.app)\"], components: [{ \"/\": \"/B\" }]",
      change: "It differs in upper and lower case only; \"caseSensitive\": false would accept it."),
    Row(
      os: "ios:12.4", entry: "appID: \"ABCDE12345.x\", paths: [\"/b\"]",
      change: "Name \(Stories.app) in \"appID\" of an entry."),
  ]

  @Test(arguments: rows) func isWhatTheReleaseReads(_ row: Row) throws {
    let story = try Stories.inline(
      """
      {
        start: "2026-09-14T08:00:00Z",
        sites: { "e.test": { file: { applinks: { apps: [], details: [{ \(row.entry) }] } } } },
        apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:e.test"] } },
        devices: { device: { os: "\(row.os)" } }, script: [{ install: "app" }],
      }
      """)
    let explanation = try Explanation(
      Situation(story, device: 0, link: "https://e.test/b", way: .messages))
    #expect(explanation.chain.verdict.change == row.change)
  }
}
