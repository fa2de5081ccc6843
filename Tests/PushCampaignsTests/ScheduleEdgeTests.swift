import LinkspanCore
import Testing

@testable import PushCampaigns

/// The limits of rules, clock times and zones, at their edges.
@Suite("Edges of schedules")
struct ScheduleEdgeTests {
  @Test(
    arguments: [
      ("00:00", 0), ("23:59", 1_439), ("09:05", 545), ("24:00", nil), ("23:60", nil), ("9:05", nil),
      ("09:5", nil),
      ("009:05", nil), ("09:05:00", nil), ("0905", nil), ("ab:cd", nil), ("", nil), ("-1:00", nil),
    ] as [(String, Int?)])
  func aClockTimeIsRead(text: String, minutes: Int?) {
    #expect(ClockTime.minutes(text) == minutes)
    if let minutes { #expect(ClockTime.text(minutes) == text) }
  }

  @Test(
    arguments: [
      ("FREQ=DAILY;COUNT=1000000", true), ("FREQ=DAILY;COUNT=1000001", false),
      ("FREQ=DAILY;INTERVAL=1", true),
      ("FREQ=DAILY;INTERVAL=0", false), ("FREQ=DAILY;INTERVAL=+2", false), ("FREQ=DAILY;INTERVAL=x", false),
      ("FREQ=YEARLY;BYDAY=53MO", true), ("FREQ=YEARLY;BYDAY=-53MO", true), ("FREQ=YEARLY;BYDAY=54MO", false),
      ("FREQ=YEARLY;BYDAY=-54MO", false), ("FREQ=MONTHLY;BYDAY=0MO", false),
      ("FREQ=MONTHLY;BYDAY=MO,TU,", false),
      ("FREQ=WEEKLY;BYDAY=1MO", false), ("FREQ=MONTHLY;BYDAY=1MO", true), ("FREQ=DAILY;BYDAY=MO", true),
      ("FREQ=OFTEN", false),
      ("freq=daily;count=2", true), ("FREQ=DAILY;UNTIL=20261224T080000Z", true),
      ("FREQ=DAILY;UNTIL=20261224T080000", false),
      ("FREQ=DAILY;UNTIL=20261224X080000Z", false), ("FREQ=DAILY;UNTIL=20261224T080000X", false),
      ("FREQ=DAILY;UNTIL=2026122", false),
      ("FREQ=DAILY;UNTIL=202612241", false), ("FREQ=DAILY;COUNT", false), ("FREQ=DAILY;", false),
      ("RRULE:FREQ=DAILY", true),
    ] as [(String, Bool)])
  func aRuleHasLimits(text: String, isRule: Bool) {
    #expect(((try? Recurrence.reading(text).get()) != nil) == isRule, "\(text)")
  }

  @Test(arguments: [(500, false), (501, true)]) func aRuleHasALength(count: Int, isTooLong: Bool) {
    let text = "FREQ=DAILY;BYDAY=" + String(repeating: "M", count: count - 17)
    #expect(
      (Recurrence.reading(text) == .failure(.init(message: "A rule has at most 500 bytes."))) == isTooLong)
  }

  @Test func aMistypedPartIsNamed() {
    let message =
      Recurrence.reading("FREQ=DAILY;COUNTS=3")
      == .failure(
        .init(
          message:
            "'COUNTS' is not supported; a rule takes FREQ, INTERVAL, BYDAY, COUNT, UNTIL. Did you mean 'COUNT'?"
        ))
    #expect(message)
  }

  private static func times(_ rule: String, _ start: String, offset: Int64 = 0, _ count: Int) throws
    -> [String]
  {
    let rule = try Recurrence.reading(rule).get()
    let start = try #require(WallTime(start))
    var next = rule.first(from: start, offset: offset)
    var times: [String] = []
    while let occurrence = next, times.count < count {
      times.append(String(occurrence.time.description.prefix(16)))
      next = rule.following(occurrence, start: start, offset: offset)
    }
    return times
  }

  @Test(
    arguments: [
      (
        "FREQ=SECONDLY;INTERVAL=90;COUNT=2", "2026-01-01T00:00:30Z", ["2026-01-01T00:00", "2026-01-01T00:02"]
      ),
      (
        "FREQ=MINUTELY;INTERVAL=45;COUNT=3", "2026-01-01T23:00:00Z",
        ["2026-01-01T23:00", "2026-01-01T23:45", "2026-01-02T00:30"]
      ),
      ("FREQ=YEARLY;BYDAY=-1SU;COUNT=2", "2026-12-01T09:00:00Z", ["2026-12-27T09:00", "2027-12-26T09:00"]),
      ("FREQ=YEARLY;BYDAY=53TH;COUNT=2", "2026-01-01T09:00:00Z", ["2026-12-31T09:00", "2032-12-30T09:00"]),
      (
        "FREQ=YEARLY;BYDAY=1MO,-1MO;COUNT=3", "2026-01-06T00:00:00Z",
        ["2026-12-28T00:00", "2027-01-04T00:00", "2027-12-27T00:00"]
      ),
      ("FREQ=MONTHLY;BYDAY=5MO;COUNT=2", "2026-01-01T00:00:00Z", ["2026-03-30T00:00", "2026-06-29T00:00"]),
      (
        "FREQ=MONTHLY;INTERVAL=11;COUNT=3", "2026-11-30T00:00:00Z",
        ["2026-11-30T00:00", "2027-10-30T00:00", "2028-09-30T00:00"]
      ),
      (
        "FREQ=MONTHLY;BYDAY=1TU,SU;COUNT=3", "2026-12-28T00:00:00Z",
        ["2027-01-03T00:00", "2027-01-05T00:00", "2027-01-10T00:00"]
      ),
      ("FREQ=WEEKLY;COUNT=2", "2026-01-04T00:00:00Z", ["2026-01-04T00:00", "2026-01-11T00:00"]),
      (
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;COUNT=4", "2026-01-03T00:00:00Z",
        ["2026-01-04T00:00", "2026-01-12T00:00", "2026-01-18T00:00", "2026-01-26T00:00"]
      ),
      (
        "FREQ=DAILY;BYDAY=MO,SU;COUNT=3", "2026-01-03T00:00:00Z",
        ["2026-01-04T00:00", "2026-01-05T00:00", "2026-01-11T00:00"]
      ),
      (
        "FREQ=DAILY;UNTIL=20260102T000000Z", "2026-01-01T00:00:00Z", ["2026-01-01T00:00", "2026-01-02T00:00"]
      ),
      ("FREQ=DAILY;UNTIL=20260101T235959Z", "2026-01-01T00:00:00Z", ["2026-01-01T00:00"]),
      ("FREQ=DAILY;UNTIL=20251231", "2026-01-01T00:00:00Z", []),
    ] as [(String, String, [String])])
  func happensWhenTheRuleSays(rule: String, start: String, times: [String]) throws {
    #expect(try Self.times(rule, start, 9) == times)
  }

  /// A rule that never fits ends the search.
  @Test func aRuleThatNeverFitsHasNoOccurrence() throws {
    #expect(try Self.times("FREQ=DAILY;INTERVAL=7;BYDAY=TU", "2026-01-05T00:00:00Z", 1) == [])
  }

  @Test func eachEndOfQuietHoursIsExact() throws {
    let utc = TimeZoneRules.utc
    let day = try #require(QuietHours(from: 540, to: 1_020))
    let night = try #require(QuietHours(from: 1_320, to: 480))
    func contains(_ hours: QuietHours, _ time: String) throws -> Bool {
      hours.contain(try #require(WallTime("2026-01-01T\(time)Z")), in: utc)
    }
    #expect(
      try !contains(day, "08:59:59") && contains(day, "09:00:00") && contains(day, "16:59:59")
        && !contains(day, "17:00:00"))
    #expect(
      try !contains(night, "21:59:59") && contains(night, "22:00:00") && contains(night, "07:59:59")
        && !contains(night, "08:00:00"))
    #expect(
      QuietHours(from: 1_439, to: 0) != nil && QuietHours(from: 1_440, to: 0) == nil
        && QuietHours(from: 0, to: -1) == nil)
    let before = try #require(WallTime("2026-01-01T08:58:59Z"))
    #expect(day.sendingTime(at: before, in: utc) == before)
    #expect(
      day.sendingTime(at: try #require(WallTime("2026-01-01T08:59:00Z")), in: utc).description
        == "2026-01-01T17:00:00.000Z")
  }
}
