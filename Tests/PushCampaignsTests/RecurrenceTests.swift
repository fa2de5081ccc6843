import LinkspanCore
import Testing

@testable import PushCampaigns

/// RFC 5545, 3.3.10; the rows marked with its number are its own examples, in UTC.
@Suite("Recurrence rules")
struct RecurrenceTests {
  struct Row: CustomStringConvertible, Sendable {
    var rule: String
    var start: String
    var offset: Int64 = 0
    var times: [String]

    var description: String { "\(rule) from \(start)" }
  }

  static let rows: [Row] = [
    Row(
      rule: "FREQ=DAILY;COUNT=3", start: "1997-09-02T09:00:00Z",
      times: ["1997-09-02T09", "1997-09-03T09", "1997-09-04T09"]),
    Row(
      rule: "FREQ=DAILY;UNTIL=19970904T090000Z", start: "1997-09-02T09:00:00Z",
      times: ["1997-09-02T09", "1997-09-03T09", "1997-09-04T09"]),
    Row(
      rule: "FREQ=DAILY;UNTIL=19970903", start: "1997-09-02T09:00:00Z",
      times: ["1997-09-02T09", "1997-09-03T09"]),
    Row(
      rule: "FREQ=DAILY;INTERVAL=10;COUNT=3", start: "1997-09-02T09:00:00Z",
      times: ["1997-09-02T09", "1997-09-12T09", "1997-09-22T09"]),
    Row(
      rule: "RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=TU,TH", start: "1997-09-02T09:00:00Z",
      times: ["1997-09-02T09", "1997-09-04T09", "1997-09-09T09", "1997-09-11T09"]),
    Row(
      rule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;COUNT=4", start: "1997-09-01T09:00:00Z",
      times: ["1997-09-01T09", "1997-09-03T09", "1997-09-05T09", "1997-09-15T09"]),
    Row(
      rule: "FREQ=MONTHLY;COUNT=3;BYDAY=1FR", start: "1997-09-05T09:00:00Z",
      times: ["1997-09-05T09", "1997-10-03T09", "1997-11-07T09"]),
    Row(
      rule: "FREQ=MONTHLY;COUNT=3;BYDAY=-2MO", start: "1997-09-22T09:00:00Z",
      times: ["1997-09-22T09", "1997-10-20T09", "1997-11-17T09"]),
    Row(
      rule: "FREQ=YEARLY;BYDAY=20MO;COUNT=3", start: "1997-05-19T09:00:00Z",
      times: ["1997-05-19T09", "1998-05-18T09", "1999-05-17T09"]),
    // A month without that day is left out.
    Row(
      rule: "FREQ=MONTHLY;COUNT=3", start: "2026-01-31T09:00:00Z",
      times: ["2026-01-31T09", "2026-03-31T09", "2026-05-31T09"]),
    Row(
      rule: "FREQ=YEARLY;COUNT=2", start: "2024-02-29T09:00:00Z", times: ["2024-02-29T09", "2028-02-29T09"]),
    // A start that does not fit the rule is not an occurrence.
    Row(
      rule: "FREQ=WEEKLY;BYDAY=MO;COUNT=2", start: "2026-09-16T09:00:00Z",
      times: ["2026-09-21T09", "2026-09-28T09"]),
    // The last day is one of the offset: 20:00 in New York is the next day in UTC.
    Row(
      rule: "FREQ=DAILY;UNTIL=20261231", start: "2026-12-31T01:00:00Z", offset: -18_000,
      times: ["2026-12-31T01", "2027-01-01T01"]),
    Row(
      rule: "FREQ=DAILY;UNTIL=20261231", start: "2026-12-30T16:00:00Z", offset: 32_400,
      times: ["2026-12-30T16"]),
    // At 23:00 UTC it is Monday already at UTC+2.
    Row(
      rule: "FREQ=WEEKLY;BYDAY=MO;COUNT=2", start: "2026-09-13T23:00:00Z", offset: 7_200,
      times: ["2026-09-13T23", "2026-09-20T23"]),
    Row(
      rule: "FREQ=HOURLY;INTERVAL=3;COUNT=3", start: "1997-09-02T22:00:00Z",
      times: ["1997-09-02T22", "1997-09-03T01", "1997-09-03T04"]),
    Row(
      rule: "FREQ=HOURLY;BYDAY=SU;COUNT=2", start: "2026-09-19T23:00:00Z",
      times: ["2026-09-20T00", "2026-09-20T01"]),
  ]

  @Test(arguments: rows)
  func happensWhenTheRuleSays(_ row: Row) throws {
    let rule = try Recurrence.reading(row.rule).get()
    let start = try #require(WallTime(row.start))
    var times: [String] = []
    var next = rule.first(from: start, offset: row.offset)
    while let occurrence = next {
      #expect(occurrence.number == Int64(times.count) + 1)
      times.append(String("\(occurrence.time)".prefix(13)))
      next = rule.following(occurrence, start: start, offset: row.offset)
    }
    #expect(times == row.times)
  }

  static let daily: [(rule: String, times: Int64)] = [
    ("FREQ=DAILY", 1), ("FREQ=WEEKLY;BYDAY=MO,TU", 1), ("FREQ=HOURLY", 24), ("FREQ=HOURLY;INTERVAL=5", 5),
    ("FREQ=HOURLY;INTERVAL=24", 1), ("FREQ=HOURLY;INTERVAL=1000", 1), ("FREQ=MINUTELY", 1_440),
    ("FREQ=SECONDLY", 86_400), ("FREQ=SECONDLY;COUNT=5", 5), ("FREQ=HOURLY;COUNT=1000", 24),
    ("FREQ=HOURLY;UNTIL=20260914T110000Z", 4), ("FREQ=HOURLY;UNTIL=20260914T105959Z", 3),
    ("FREQ=HOURLY;UNTIL=20260914", 16),
  ]

  /// By counting what happens in a day; from Monday 2026-09-14, 08:00 UTC.
  @Test(arguments: daily.indices)
  func saysHowOftenItHappensInADay(_ index: Int) throws {
    let (text, times) = Self.daily[index]
    let rule = try Recurrence.reading(text).get()
    let start = try #require(WallTime("2026-09-14T08:00:00Z"))
    let first = try #require(rule.first(from: start, offset: 0))
    #expect(rule.timesInDay(from: first, offset: 0) == times)
    var (counted, next): (Int64, Recurrence.Occurrence?) = (0, first)
    while let occurrence = next, occurrence.time < start.advanced(by: .seconds(86_400)) {
      counted += 1
      next = rule.following(occurrence, start: start, offset: 0)
    }
    #expect(counted == times, "\(text)")
  }

  static let refused: [(text: String, message: String)] = [
    ("", "'' has no '='; expected a rule such as \"FREQ=DAILY;COUNT=7\"."),
    ("COUNT=3", "'FREQ' is missing: expected a rule such as \"FREQ=DAILY;COUNT=7\"."),
    ("FREQ=DAILY;COUNT=3;COUNT=4", "'COUNT' occurs twice."),
    ("FREQ=DAILY;COUNT=0", "'COUNT' expects a number from 1 to 1000000, got '0'."),
    ("FREQ=DAILY;COUNT=3;UNTIL=20260101", "'COUNT' and 'UNTIL' exclude each other (RFC 5545, 3.3.10)."),
    (
      "FREQ=DAILY;BYDAY=1MO",
      "A number before a weekday needs FREQ=MONTHLY or FREQ=YEARLY (RFC 5545, 3.3.10)."
    ),
    ("FREQ=DAILY;BYDAY=XX", "'BYDAY' expects weekdays such as MO, 1FR or -1SU, got 'XX'."),
    (
      "FREQ=DAILY;UNTIL=20260230",
      "'UNTIL' expects a date or a moment in UTC, such as 20261224 or 20261224T080000Z, got '20260230'."
    ),
    (
      "FREQ=DAILY;BYMONTH=3",
      "'BYMONTH' is not supported; a rule takes FREQ, INTERVAL, BYDAY, COUNT, UNTIL."
    ),
  ]

  @Test(arguments: refused.indices)
  func refusesOtherRules(_ index: Int) {
    let row = Self.refused[index]
    #expect(Recurrence.reading(row.text) == .failure(.init(message: row.message)))
  }
}
