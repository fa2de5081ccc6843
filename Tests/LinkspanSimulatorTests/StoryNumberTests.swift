import AssociatedDomains
import LinkspanCore
import LinkspanStories
import Testing

@testable import SimulatedDevices

/// Numbers of a story have bounds, which its errors name.
@Suite struct StoryNumberTests {
  private static func story(
    sites: String = "", faults: String = "", app: String = "", device: String = "", script: String = ""
  ) -> String {
    """
    { start: "2026-09-14T08:00:00Z", sites: { \(sites) }, faults: { \(faults) },
      apps: { app: { identifier: "ABCDE12345.com.example.app", domains: [], activity_types: ["a.b"], \(app) } },
      devices: { mac: { os: "macos:14.4", \(device) }, phone: { os: "ios:17.4" } },
      script: [{ install: "app" }, \(script)] }
    """
  }

  private static func handoff(_ activity: String = "", _ step: String = "") -> String {
    story(
      script:
        "{ handoff: { type: \"a.b\", \(activity) }, app: \"app\", from: \"mac\", to: \"phone\", \(step) }")
  }

  /// `§` is the number.
  static let rows: [(name: String, text: String, range: ClosedRange<Int>)] = [
    ("status", story(sites: "\"e.test\": [{ status: § }]"), 200...599),
    ("clock_drift_ppm", story(faults: "clock_drift_ppm: §"), 0...100_000),
    ("sdk", story(app: "code: { sdk: § }"), 8...99),
    ("badge", story(app: "push: { handler: { badge: § } }"), 0...1_000_000),
    ("user_info_limit_bytes", story(device: "handoff: { user_info_limit_bytes: § }"), 1...1 << 30),
    ("stream_bytes", handoff("stream_bytes: §"), 0...1 << 40),
    ("$data_bytes", handoff("user_info: { x: { $data_bytes: § } }"), 0...1 << 30),
    ("restores", handoff("", "restores: §"), 0...100), ("updates", handoff("", "updates: §"), 0...100),
    ("error", handoff("", "expect: { error: § }"), 4_608...4_863),
    ("deliveries", handoff("", "expect: { deliveries: § }"), 0...100),
    ("handled", handoff("", "expect: { handled: § }"), 0...100),
  ]

  private static func messages(_ text: String, _ number: Int) -> [String] {
    let source = SourceText(name: "story.json5", text.replacing("§", with: "\(number)"))
    guard case .findings(let findings) = StoryParser.parse(source, reader: .none) else { return [] }
    return findings.filter { $0.rule == "story.number" }.map(\.message)
  }

  @Test(arguments: rows.indices) func aNumberIsBounded(_ index: Int) {
    let (name, text, range) = Self.rows[index]
    #expect(Self.messages(text, range.lowerBound) == [])
    #expect(Self.messages(text, range.upperBound) == [])
    let refusal = "'\(name)' is not an integer from \(range.lowerBound) to \(range.upperBound)."
    #expect(Self.messages(text, range.lowerBound - 1) == [refusal])
    #expect(Self.messages(text, range.upperBound + 1) == [refusal])
  }

  /// R1: a device retries eight times, about every three hours.
  @Test(arguments: [(0, false), (1, true), (8, true), (9, false)])
  func aDeviceRetriesEightTimes(retries: Int, isRetrying: Bool) throws {
    var record = AssociationRecord(app: "a", domain: try AssociatedDomain("applinks:e.test"), installation: 1)
    record.retries = retries
    #expect(record.isRetrying == isRetrying)
  }

  @Test func whatIsRefusedIsNotRetried() {
    #expect(FetchProblem.Kind.allCases.filter(\.isRetried) == [.temporary, .unreadable])
  }

  @Test func aSiteIsUsableUntilTheUserSaysNo() throws {
    var record = AssociationRecord(app: "a", domain: try AssociatedDomain("applinks:e.test"), installation: 1)
    #expect(!record.isUsable)
    record.siteApproval = .approved
    #expect(record.isUsable)
    record.userApproval = .approved
    #expect(record.isUsable)
    record.userApproval = .denied
    #expect(!record.isUsable)
    (record.siteApproval, record.userApproval) = (.denied, .approved)
    #expect(!record.isUsable)
  }
}
