/// A moment of the calendar, in whole milliseconds, always in UTC.
package struct WallTime: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z; leap seconds are not counted.
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

  /// The last moment that ``description`` writes with four digits of the year, as RFC 3339 has it.
  package static let last = WallTime(milliseconds: 253_402_300_799_999)

  /// The moment that much later; what is finer than a millisecond is cut off. It stays where numbers end.
  package func advanced(by duration: Duration) -> WallTime {
    let step = duration.wholeMilliseconds
    let (sum, overflow) = milliseconds.addingReportingOverflow(step)
    return WallTime(milliseconds: overflow ? (step < 0 ? .min : .max) : sum)
  }
}

extension WallTime: CustomStringConvertible {
  private static let dayMilliseconds: Int64 = 86_400_000
  /// What ``init(_:)`` reads, as a schema says it.
  package static let form =
    #"^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?Z$"#

  /// Reads the form of RFC 3339 that ends in `Z`: `2026-09-14T08:00:00Z`. Of a fraction of up to nine digits, milliseconds
  /// are kept.
  ///
  /// - Returns: nil for any other form, and for a day or time that does not exist.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 20 || (22...30).contains(bytes.count) else { return nil }
    let marks: [(Int, Character)] = [
      (4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (bytes.count - 1, "Z"),
    ]
    guard marks.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }) else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      guard bytes[range].allSatisfy(ASCII.isDigit) else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month), hour < 24, minute < 60, second < 60
    else { return nil }
    var fraction: Int64 = 0
    if bytes.count > 20 {
      let end = bytes.count - 1
      guard bytes[19] == UInt8(ascii: "."), number(20..<end) != nil else { return nil }
      for place in 20..<23 {
        fraction = fraction * 10 + (place < end ? Int64(bytes[place] - UInt8(ascii: "0")) : 0)
      }
    }
    let days = Self.days(year: year, month: month, day: day)
    guard day >= 1, Self.date(days) == (year, month, day) else { return nil }
    self.init(
      milliseconds: days * Self.dayMilliseconds + ((hour * 60 + minute) * 60 + second) * 1000 + fraction)
  }

  /// `2026-09-14T08:00:00.000Z`, always with three digits after the point.
  package var description: String {
    var days = milliseconds / Self.dayMilliseconds
    var rest = milliseconds % Self.dayMilliseconds
    if rest < 0 {
      rest += Self.dayMilliseconds
      days -= 1
    }
    let (year, month, day) = Self.date(days)
    let seconds = rest / 1000
    var text: [UInt8] = []
    text.reserveCapacity(24)
    func append(_ number: Int64, _ width: Int, _ next: Unicode.Scalar) {
      let digits = String(number).utf8
      for _ in 0..<max(0, width - digits.count) { text.append(UInt8(ascii: "0")) }
      text.append(contentsOf: digits)
      text.append(UInt8(ascii: next))
    }
    append(year, 4, "-")
    append(month, 2, "-")
    append(day, 2, "T")
    append(seconds / 3600, 2, ":")
    append(seconds / 60 % 60, 2, ":")
    append(seconds % 60, 2, ".")
    append(rest % 1000, 3, "Z")
    return String(decoding: text, as: UTF8.self)
  }

  /// Days from 1970-01-01 in the Gregorian calendar; days beyond the end of their month are counted on.
  package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    // The year is begun in March, so that a leap day is its last.
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The date of a day in the Gregorian calendar, which ``days(year:month:day:)`` counts from 1970-01-01.
  package static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
  }
}

extension Duration {
  /// The whole milliseconds in it; the rest is cut off. It stays where numbers end.
  package var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, overflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return isTooLong || overflow ? (seconds < 0 ? .min : .max) : sum
  }
}
