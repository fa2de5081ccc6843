import LinkspanCore
import Testing

@Suite struct WallTimeTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00.000Z"),
      ("2026-09-14T08:00:00Z", 1_789_372_800_000, "2026-09-14T08:00:00.000Z"),
      ("2000-02-29T23:59:59.999Z", 951_868_799_999, "2000-02-29T23:59:59.999Z"),
      ("1969-12-31T23:59:59.999Z", -1, "1969-12-31T23:59:59.999Z"),
      // Python and Go write microseconds and nanoseconds; tenths are written by hand.
      ("2026-09-14T08:00:00.123987Z", 1_789_372_800_123, "2026-09-14T08:00:00.123Z"),
      ("2026-09-14T08:00:00.000000001Z", 1_789_372_800_000, "2026-09-14T08:00:00.000Z"),
      ("2026-09-14T08:00:00.5Z", 1_789_372_800_500, "2026-09-14T08:00:00.500Z"),
      ("9999-12-31T00:00:00Z", 253_402_214_400_000, "9999-12-31T00:00:00.000Z"),
    ] as [(String, Int64, String)])
  func readsAndShows(text: String, milliseconds: Int64, shown: String) {
    #expect(WallTime(text)?.milliseconds == milliseconds)
    #expect(WallTime(text)?.description == shown)
  }

  @Test(arguments: [
    "", "2026-09-14", "2026-09-14 08:00:00Z", "2026-09-14T08:00:00", "2026-09-14T08:00:00+02:00",
    "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.0000000001Z", "2026-01-01T00:00:00.x1Z",
    "+026-01-01T00:00:00Z", "2026-1-01T00:00:00Z0",
  ])
  func refuses(_ text: String) { #expect(WallTime(text) == nil) }

  /// Every day of 800 years comes after the one before, and is read back.
  @Test func walksTheCalendar() {
    var before = ""
    for day in stride(from: Int64(-146_097), through: 146_097, by: 13) {
      let time = WallTime(milliseconds: day * 86_400_000)
      let text = time.description
      #expect(text > before)
      #expect(WallTime(text) == time)
      before = text
    }
  }

  @Test func isAdvancedByWholeMilliseconds() {
    let start = WallTime(milliseconds: 10)
    #expect(start.advanced(by: .microseconds(1999)).milliseconds == 11)
    #expect(start.advanced(by: .seconds(86_400)).description == "1970-01-02T00:00:00.010Z")
  }

  @Test func staysWhereNumbersEnd() {
    let (first, last) = (WallTime(milliseconds: .min), WallTime(milliseconds: .max))
    #expect(last.advanced(by: .milliseconds(1)) == last && first.advanced(by: .milliseconds(-1)) == first)
    #expect(WallTime(milliseconds: 0).advanced(by: .seconds(Int64.max)) == last)
    #expect(WallTime(milliseconds: 0).advanced(by: .seconds(Int64.min)) == first)
    #expect(WallTime.last.description == "9999-12-31T23:59:59.999Z")
    #expect(WallTime(milliseconds: .max).description.hasSuffix("Z"))
  }
}
