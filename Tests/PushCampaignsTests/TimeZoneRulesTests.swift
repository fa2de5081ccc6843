import Foundation
import LinkspanCore
import TestSupport
import Testing

@testable import PushCampaigns

/// Time zones, against Foundation's reading of the same database.
@Suite("Time zone rules", .timeLimit(.minutes(15)))
struct TimeZoneRulesTests {
  static func rules(_ zone: String) throws -> TimeZoneRules {
    let path = TimeZoneRules.folder + "/" + zone
    return try #require(TimeZoneRules(Array(try Data(contentsOf: URL(filePath: path)))))
  }

  @Test(arguments: [
    "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/St_Johns", "UTC",
    "Pacific/Auckland", "Asia/Kathmandu", "Africa/Casablanca", "America/Sao_Paulo",
  ])
  func agreesWithFoundation(_ zone: String) throws {
    let rules = try Self.rules(zone)
    let foundation = try #require(TimeZone(identifier: zone))
    // Until 2037, which the files list.
    for hour in stride(from: 0, to: 18_900 * 24, by: 7 * 24 + 1) {
      let time = WallTime(milliseconds: Int64(hour) * 3_600_000)
      let date = Date(timeIntervalSince1970: Double(hour) * 3_600)
      #expect(
        rules.offset(at: time) == Int64(foundation.secondsFromGMT(for: date)), "\(zone) at \(time)")
    }
  }

  @Test func theYearlyRuleHoldsAfterTheList() throws {
    let rules = try Self.rules("Europe/Vienna")
    #expect(rules.offset(at: WallTime("2050-01-15T12:00:00Z")!) == 3_600)
    #expect(rules.offset(at: WallTime("2050-07-15T12:00:00Z")!) == 7_200)
    let south = try Self.rules("Pacific/Auckland")
    #expect(south.offset(at: WallTime("2050-01-15T12:00:00Z")!) == 46_800)
    #expect(south.offset(at: WallTime("2050-07-15T12:00:00Z")!) == 43_200)
  }

  static let clocks: [(zone: String, now: String, minutes: Int, next: String)] = [
    ("Europe/Vienna", "2026-09-14T06:59:00Z", 540, "2026-09-14T07:00:00.000Z"),
    ("Europe/Vienna", "2026-09-14T07:00:00Z", 540, "2026-09-14T07:00:00.000Z"),
    ("Europe/Vienna", "2026-09-14T07:00:01Z", 540, "2026-09-15T07:00:00.000Z"),
    // The night in which summer time ends.
    ("Europe/Vienna", "2026-10-24T12:00:00Z", 540, "2026-10-25T08:00:00.000Z"),
    ("America/New_York", "2026-09-14T08:00:00Z", 540, "2026-09-14T13:00:00.000Z"),
    ("Asia/Kolkata", "2026-09-14T08:00:00Z", 0, "2026-09-14T18:30:00.000Z"),
  ]

  @Test(arguments: clocks.indices)
  func findsTheNextTime(_ index: Int) throws {
    let row = Self.clocks[index]
    let next = try Self.rules(row.zone).next(row.minutes, after: try #require(WallTime(row.now)))
    #expect(next.description == row.next)
  }

  /// What clocks leave out or show twice. In Vienna they go from 02:00 to 03:00 on 2027-03-28, and from 03:00 to 02:00 on
  /// 2027-10-31.
  static let changes: [(minutes: Int, now: String, next: String)] = [
    (150, "2027-03-27T12:00:00Z", "2027-03-28T01:30:00.000Z"),
    (150, "2027-03-28T00:59:00Z", "2027-03-28T01:30:00.000Z"),
    (150, "2027-03-28T01:10:00Z", "2027-03-28T01:30:00.000Z"),
    (150, "2027-03-28T01:31:00Z", "2027-03-29T00:30:00.000Z"),
    (150, "2027-10-30T12:00:00Z", "2027-10-31T00:30:00.000Z"),
    (150, "2027-10-31T00:31:00Z", "2027-10-31T01:30:00.000Z"),
    (150, "2027-10-31T01:31:00Z", "2027-11-01T01:30:00.000Z"),
  ]

  @Test(arguments: changes.indices)
  func findsTheNextTimeWhereClocksChange(_ index: Int) throws {
    let row = Self.changes[index]
    let next = try Self.rules("Europe/Vienna").next(row.minutes, after: try #require(WallTime(row.now)))
    #expect(next.description == row.next, "after \(row.now)")
  }

  /// A campaign and a later one of its series have to be at the same time of a day: the first one asks for the next moment, the
  /// others for their day's.
  @Test(arguments: [
    "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "America/Havana", "Africa/Casablanca",
    "Pacific/Apia",
  ])
  func theNextMomentIsThatOfItsDay(_ zone: String) throws {
    let rules = try Self.rules(zone)
    let first = try #require(WallTime("2026-12-31T00:00:00Z"))
    for day in 0..<400 {
      for minutes in [0, 30, 90, 150, 180, 540, 1_439] {
        let moment = rules.moment(minutes, onDay: rules.day(at: first) + Int64(day))
        #expect(rules.next(minutes, after: moment) == moment)
        #expect(
          rules.next(minutes, after: moment.advanced(by: .seconds(-3_600 * 3))) == moment, "\(zone) \(moment)"
        )
        let shown = rules.minuteOfDay(at: moment)
        #expect(shown == minutes || (30...60).contains(shown - minutes), "\(zone) \(moment)")
      }
    }
  }

  @Test func refusesOtherBytes() throws {
    #expect(TimeZoneRules([]) == nil)
    #expect(TimeZoneRules(Array("TZif2".utf8) + Array(repeating: 0xFF, count: 60)) == nil)
    let bytes = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Vienna")))
    for count in stride(from: 0, to: bytes.count - 40, by: 13) {
      #expect(TimeZoneRules(Array(bytes.prefix(count))) == nil)
    }
    #expect(!TimeZoneRules.isName("../etc/passwd"))
  }
}
