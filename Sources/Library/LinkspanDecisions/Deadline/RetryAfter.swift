/// The field `Retry-After` of an answer: one reading for the app's library, the command line and the server.
///
/// - Source: RFC 9110, 10.2.3 (the field), 5.6.7 (the three forms of a date).
package enum RetryAfter {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// How long the server asks to wait.
  ///
  /// - Parameters:
  ///   - field: The field's value: seconds, or a date.
  ///   - date: The answer's `Date`. A date is counted from it, since the clock here may be wrong.
  ///   - now: Seconds since 1970, for an answer without a `Date`; nil where there is no clock, so that a date says nothing then.
  /// - Returns: Seconds; 0 for a date that has passed, nil for what is neither seconds nor a date.
  package static func seconds(_ field: String, date: String?, now: Int64?) -> Int? {
    let text = trimmed(field)
    if !text.isEmpty, text.allSatisfy({ isDigit($0) }) {
      // More digits than a number holds are longer than anybody waits.
      return Int(String(decoding: text, as: UTF8.self)) ?? Int.max
    }
    guard let end = moment(text), let start = date.flatMap({ moment(trimmed($0)) }) ?? now else { return nil }
    return Int(max(0, end - start))
  }

  /// Seconds since 1970 of a date, in the form that senders use or one of the two that were used before.
  private static func moment(_ text: ArraySlice<UInt8>) -> Int64? {
    let words = text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
      .map { String(decoding: $0, as: UTF8.self) }
    switch words.count {
    // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
    case 6 where words[5] == "GMT": return moment(words[1], words[2], words[3], words[4])
    // Sun Nov  6 08:49:37 1994
    case 5: return moment(words[2], words[1], words[4], words[3])
    default: return nil
    }
  }

  private static func moment(_ day: String, _ month: String, _ year: String, _ time: String) -> Int64? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
    guard let day = number(day), var year = number(year), let index = months.firstIndex(of: month),
      clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    // Two digits were only used in the last century and the first years of this one.
    if year < 100 { year += year < 70 ? 2_000 : 1_900 }
    return ((days(year, Int64(index) + 1, day) * 24 + hour) * 60 + minute) * 60 + second
  }

  /// Days from 1970-01-01 to a day of the Gregorian calendar. Years begin in March here, so that the leap day comes last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = month > 2 ? month - 3 : month + 9
    let daysBefore = marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400
    return daysBefore + (153 * marchMonth + 2) / 5 + day - 1 - 719_468
  }

  /// One to four digits.
  private static func number(_ text: String) -> Int64? {
    (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { isDigit($0) } ? Int64(text) : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func trimmed(_ text: String) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    var bytes = Array(text.utf8)[...]
    while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }
}
