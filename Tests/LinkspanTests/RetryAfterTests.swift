import LinkspanDecisions
import Testing

/// One reading of `Retry-After` for the app's library, the command line and the server (RFC 9110, 10.2.3).
@Suite("Retry-After")
struct RetryAfterTests {
  /// 1994-11-06T08:49:37Z.
  private static let moment: Int64 = 784_111_777

  @Test(
    arguments: [
      ("0", 0), ("120", 120), (" 7\t", 7), ("99999999999999999999", Int.max), ("", nil), ("-1", nil),
      ("+5", nil),
      ("1.5", nil), ("soon", nil),
    ] as [(String, Int?)])
  func readsSeconds(_ field: String, _ seconds: Int?) {
    #expect(RetryAfter.seconds(field, date: nil, now: Self.moment) == seconds)
  }

  /// Its three forms (RFC 9110, 5.6.7), a minute after the clock here.
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func readsADate(_ field: String) {
    #expect(RetryAfter.seconds(field, date: nil, now: Self.moment - 60) == 60)
    #expect(RetryAfter.seconds(field, date: nil, now: Self.moment + 60) == 0)
    #expect(RetryAfter.seconds(field, date: nil, now: nil) == nil)
  }

  @Test(arguments: [
    ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
    ("Sat, 28 Nov 2026 00:00:00 GMT", 1_795_824_000),
  ])
  func countsDaysAsTheCalendarDoes(_ field: String, _ seconds: Int) {
    #expect(RetryAfter.seconds(field, date: nil, now: 0) == seconds)
  }

  /// A device whose clock is a day wrong waits as long as the server means.
  @Test func aDateCountsFromTheServersOwn() {
    let wait = RetryAfter.seconds(
      "Sun, 06 Nov 1994 08:49:37 GMT", date: "Sun, 06 Nov 1994 08:48:37 GMT", now: Self.moment + 86_400)
    #expect(wait == 60)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "GMT",
  ])
  func otherTextIsNoDate(_ field: String) {
    #expect(RetryAfter.seconds(field, date: nil, now: 0) == nil)
  }
}
