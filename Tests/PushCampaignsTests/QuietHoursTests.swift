import Foundation
import LinkspanCore
import Testing

@testable import PushCampaigns

@Suite("Quiet hours")
struct QuietHoursTests {
  static let night = QuietHours(from: 22 * 60, to: 8 * 60)!

  static func zone(_ name: String) throws -> TimeZoneRules {
    let bytes = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/" + name))
    return try #require(TimeZoneRules(Array(bytes)))
  }

  @Test func needsTwoTimesOfDay() {
    #expect(QuietHours(from: 60, to: 60) == nil)
    #expect(QuietHours(from: 0, to: 1_440) == nil)
    // The minute before they begin is all that is left.
    #expect(QuietHours(from: 0, to: 1_439)?.leaveTime == false)
    #expect(QuietHours(from: 600, to: 599)?.leaveTime == false)
    #expect(QuietHours(from: 600, to: 598)?.leaveTime == true)
    #expect(QuietHours(from: -1, to: 60) == nil)
  }

  static let moments: [(zone: String, now: String, next: String)] = [
    ("Europe/Vienna", "2026-09-14T19:58:00Z", "2026-09-14T19:58:00.000Z"),
    // Under way at 22:00.
    ("Europe/Vienna", "2026-09-14T19:59:30Z", "2026-09-15T06:00:00.000Z"),
    ("Europe/Vienna", "2026-09-14T20:00:00Z", "2026-09-15T06:00:00.000Z"),
    ("Europe/Vienna", "2026-09-15T05:59:59Z", "2026-09-15T06:00:00.000Z"),
    ("Europe/Vienna", "2026-09-15T06:00:00Z", "2026-09-15T06:00:00.000Z"),
    // The nights in which summer time begins and ends.
    ("Europe/Vienna", "2026-03-28T22:00:00Z", "2026-03-29T06:00:00.000Z"),
    ("Europe/Vienna", "2026-10-24T21:00:00Z", "2026-10-25T07:00:00.000Z"),
    ("America/New_York", "2026-11-01T05:30:00Z", "2026-11-01T13:00:00.000Z"),
    // Half an hour of summer time.
    ("Australia/Lord_Howe", "2026-04-04T12:00:00Z", "2026-04-04T21:30:00.000Z"),
  ]

  @Test(arguments: moments.indices)
  func waitForTheirEnd(_ index: Int) throws {
    let row = Self.moments[index]
    let next = Self.night.sendingTime(at: try #require(WallTime(row.now)), in: try Self.zone(row.zone))
    #expect(next.description == row.next)
  }

  /// Clocks jump from 02:00 to 03:00, over the end at 02:30.
  @Test func endWhenClocksJumpOverTheirEnd() throws {
    let quiet = try #require(QuietHours(from: 22 * 60, to: 150))
    let next = quiet.nextAllowed(
      from: try #require(WallTime("2026-03-28T23:00:00Z")), in: try Self.zone("Europe/Vienna"))
    #expect(next.description == "2026-03-29T01:00:00.000Z")
  }

  /// 02:00 to 03:00 happens twice: clocks show 02:30 again after the hours have ended.
  @Test func areJudgedByTheClockWhenAnHourHappensTwice() throws {
    let quiet = try #require(QuietHours(from: 22 * 60, to: 150))
    let vienna = try Self.zone("Europe/Vienna")
    let first = quiet.nextAllowed(from: try #require(WallTime("2026-10-24T22:00:00Z")), in: vienna)
    #expect(first.description == "2026-10-25T00:30:00.000Z")
    #expect(quiet.contain(try #require(WallTime("2026-10-25T01:10:00Z")), in: vienna))
  }

  /// Against the obvious reading, every seven minutes over the two changes of a year.
  @Test(arguments: [
    "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Auckland",
  ])
  func nothingIsAllowedInThem(_ name: String) throws {
    let zone = try Self.zone(name)
    let foundation = try #require(TimeZone(identifier: name))
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = foundation
    for month in [3, 4, 9, 10, 11] {
      let start = WallTime.days(year: 2026, month: Int64(month), day: 1) * 1_440
      for minute in stride(from: start, to: start + 31 * 1_440, by: 7) {
        let now = WallTime(milliseconds: minute * 60_000)
        let allowed = Self.night.sendingTime(at: now, in: zone)
        let parts = calendar.dateComponents(
          [.hour], from: Date(timeIntervalSince1970: Double(allowed.milliseconds) / 1_000))
        #expect((8..<22).contains(parts.hour ?? 0), "\(name): \(now) waits until \(allowed)")
        #expect(allowed.milliseconds - now.milliseconds <= 11 * 3_600_000 + 60_000)
      }
    }
  }
}
