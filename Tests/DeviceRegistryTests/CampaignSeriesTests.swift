import LinkspanCore
import PushCampaigns
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry

/// When the campaigns of a series happen, over both stores.
@Suite("Series of campaigns", .timeLimit(.minutes(15)))
struct CampaignSeriesTests {
  private static let options = CampaignOptionsTests()
  private static let hour = Duration.seconds(3_600)

  static let rows: [(start: String, times: [String])] = [
    ("2027-03-26T09:00:00+01:00", ["26T08", "27T08", "28T07", "29T07", "30T07"]),
    // Clocks there have shown it when the first campaign starts.
    ("2027-03-26T09:01:00+01:00", ["27T08", "28T07", "29T07", "30T07", "31T07"]),
    ("2027-10-29T09:00:00+02:00", ["29T07", "30T07", "31T08", "01T08", "02T08"]),
  ]

  /// Clocks in Vienna go forward on 2027-03-28 and back on 2027-10-31.
  @Test(arguments: StoreKind.allCases, rows.indices)
  func aLocalTimeComesOnEveryDay(_ kind: StoreKind, _ index: Int) async throws {
    let row = Self.rows[index]
    let winter = row.start.hasSuffix("+01:00")
    let local = try #require(WallTime(row.start.prefix(19) + "Z"))
    let first = local.advanced(by: .zero - Self.hour * (winter ? 1 : 2))
    try await kind.test { registry in
      try await Self.options.register(registry, 1) { _, attributes in attributes.timeZone = "Europe/Vienna" }
      var request = CampaignOptionsTests.campaign {
        $0.startsAt = first
        $0.offsetSeconds = winter ? 3_600 : 7_200
        $0.recurrence = try? Recurrence.reading("FREQ=DAILY;COUNT=5").get()
      }
      request.localTime = 9 * 60
      let begin = first.advanced(by: .zero - Self.hour)
      _ = try await Self.options.start(registry, request, at: begin)
      var times: [String] = []
      for minutes in stride(from: 0, to: 6 * 1_440 as Int, by: 30) {
        let now = begin.advanced(by: .seconds(minutes * 60))
        _ = try await Self.options.startDue(registry, at: now)
        for _ in try await Self.options.sent(registry, at: now) {
          times.append(String(now.description.dropFirst(8).prefix(5)))
        }
      }
      #expect(times == row.times)
    }
  }

  /// Of a rule that an earlier version took.
  @Test(arguments: StoreKind.allCases)
  func aSeriesThatCannotGoOnEndsWithAReason(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await Self.options.register(registry, 2) { _, _ in }
      let first = CampaignOptionsTests.now.advanced(by: Self.hour)
      let identifier = try await Self.options.start(
        registry,
        CampaignOptionsTests.campaign {
          $0.startsAt = first
          $0.recurrence = Recurrence.reading(stored: "FREQ=YEARLY;INTERVAL=1000000")
        })
      #expect(try await Self.options.startDue(registry, at: first).map(\.endsSeries) == [true])
      #expect(try await Self.options.sent(registry, at: first).count == 2)
      #expect(try await Self.options.found(registry, identifier).0.state == .completed)
      let actions = try await registry.answer { store throws(RegistryError) in
        try store.auditLog(limit: 10).map(\.action)
      }
      #expect(actions.contains("campaign.series_end"), "\(actions)")
    }
  }

  /// Whoever wants to end a series may know only a campaign of it that has ended.
  @Test(arguments: StoreKind.allCases)
  func anEndedCampaignNamesTheNextOfItsSeries(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await Self.options.register(registry, 1) { _, _ in }
      let first = CampaignOptionsTests.now.advanced(by: Self.hour)
      let identifier = try await Self.options.start(
        registry,
        CampaignOptionsTests.campaign {
          $0.startsAt = first
          $0.recurrence = try? Recurrence.reading("FREQ=DAILY;COUNT=2").get()
        })
      func refusal(of campaign: Int64) throws -> [Int64?]? {
        let change = try registry.changeAndWait { store throws(RegistryError) in
          try store.change(campaign, to: .cancelled, topics: nil, at: first)
        }
        if case .refused(_, let next) = change { return [next] }
        return nil
      }
      _ = try await Self.options.startDue(registry, at: first)
      #expect(try await Self.options.sent(registry, at: first).count == 1)
      #expect(try refusal(of: identifier) == [identifier + 1])
      #expect(try refusal(of: identifier + 1) == nil)
      #expect(try refusal(of: identifier) == [nil])
    }
  }
}
