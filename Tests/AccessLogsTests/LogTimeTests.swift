import AccessLogs
import Testing

/// The moments that logs write, at the edges of what they may be.
@Suite struct LogTimeTests {
  /// The time of a line of the combined format.
  private static func combined(_ moment: String) -> LogEntry? {
    LogEntry(Array(#"192.0.2.1 - - [\#(moment)] "GET /a HTTP/1.1" 200 2"#.utf8)[...])
  }

  private static func json(_ value: String, named name: String = "time") -> LogEntry? {
    LogEntry(Array(#"{"\#(name)":\#(value),"path":"/a"}"#.utf8)[...])
  }

  @Test(
    arguments: [
      ("01/Jan/1990:00:00:00", 631_152_000, nil), ("31/Dec/2199:23:59:60", 7_258_118_400, nil),
      ("31/Jan/2026:23:59:59 +0000", 1_769_903_999, 0), ("01/Feb/2026:00:00:00 -0000", 1_769_904_000, 0),
      ("01/Dec/2026:00:00:00 Z", 1_796_083_200, 0), ("01/Dec/2026:00:00:00z", 1_796_083_200, 0),
      ("01/Dec/2026:15:00:00 +1500", 1_796_083_200, 54_000),
      ("30/Nov/2026:09:00:00 -15", 1_796_083_200, -54_000),
      ("01/Dec/2026:00:00:00.5", 1_796_083_200, nil),
      ("01/Dec/2026:00:00:00,125 +01:00", 1_796_079_600, 3_600),
    ] as [(String, Int64, Int?)])
  func readsTheLastMomentsInside(moment: String, time: Int64, offset: Int?) {
    let entry = Self.combined(moment)
    #expect(entry?.time == time && entry?.offset == offset, "\(moment): \(String(describing: entry))")
  }

  @Test(
    arguments: [
      "31/Dec/1989:23:59:59", "01/Jan/2200:00:00:00", "00/Jan/2026:00:00:00", "32/Jan/2026:00:00:00",
      "29/Feb/2027:00:00:00", "30/Feb/2028:00:00:00", "31/Jun/2026:00:00:00", "29/Feb/2100:00:00:00",
      "01/Jan/2026:24:00:00", "01/Jan/2026:00:60:00", "01/Jan/2026:00:00:61", "01/Jan/2026:00.00:00",
      "01/Jan/2026:00:00.00", "01/Jan/2026:00:00:0", "01/Jan/2026:aa:00:00", "01/jan/2026:00:00:00",
      "01/Jan/2026:00:00:00 +1501", "01/Jan/2026:00:00:00 +1", "01/Jan/2026:00:00:00 +010",
      "01/Jan/2026:00:00:00 +01000", "01/Jan/2026:00:00:00 0100", "01/Jan/2026:00:00:00 +0a00",
      "01/Jan/2026:00:00:00 Z0", "01/Jan/2026:00:00:00;5", "", "12",
    ] as [String])
  func refusesTheFirstMomentsOutside(moment: String) { #expect(Self.combined(moment) == nil) }

  @Test(
    arguments: [
      (#""2026-01-31T00:00:00""#, 1_769_817_600), (#""2026-12-01 00:00:00Z""#, 1_796_083_200),
      (#""2026-00-01T00:00:00""#, nil), (#""2026-13-01T00:00:00""#, nil), (#""2026-01-32T00:00:00""#, nil),
      (#""2026-01-00T00:00:00""#, nil), (#""2027-02-29T00:00:00""#, nil), (#""2026-06-31T00:00:00""#, nil),
      (#""2028-02-29T00:00:00""#, 1_835_395_200),
      (#""2026-01-01""#, nil), (#""2026-01-01T""#, nil), (#""""#, nil),
    ] as [(String, Int64?)])
  func readsDatesOfISO8601(value: String, time: Int64?) { #expect(Self.json(value)?.time == time) }

  /// Numbers are seconds up to 100,000,000,000; larger ones are milliseconds, then microseconds, then nanoseconds.
  @Test(
    arguments: [
      ("631152000", nil), ("631152001", 631_152_001), ("100000000000", 100_000_000_000),
      ("100000000001", nil), ("631152001000", 631_152_001), ("1795344318250999", 1_795_344_318),
      ("0", nil), ("-1795344318", nil), ("true", nil), (#""1795344318""#, 1_795_344_318),
      (#""1795e6""#, 1_795_000_000),
      ("1795344318250999000", 1_795_344_318), ("100000000000000000000", 100_000_000_000),
      ("100000000000000020000", nil), ("1e300", nil),
      (#""inf""#, nil), (#""nan""#, nil),
    ] as [(String, Int64?)])
  func readsNumbersByTheirSize(value: String, time: Int64?) { #expect(Self.json(value)?.time == time) }

  @Test(arguments: [
    "time", "timestamp", "@timestamp", "ts", "time_iso8601", "time_local", "msec", "datetime", "date",
    "start_time",
  ])
  func knowsTheNamesOfServers(name: String) {
    #expect(Self.json("1795344318", named: name)?.time == 1_795_344_318)
    #expect(Self.json("1795344318", named: name + "x") == nil)
  }

  /// A field that is no moment does not hide the next one.
  @Test func theFirstNameWithAMomentCounts() {
    let line = #"{"ts":1795344318,"time":"now","timestamp":"2026-12-01T00:00:00Z","path":"/a"}"#
    #expect(LogEntry(Array(line.utf8)[...])?.time == 1_796_083_200)
  }
}
