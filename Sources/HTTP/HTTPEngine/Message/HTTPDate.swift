/// The one date format HTTP senders may use: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
package enum HTTPDate {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// - Parameter seconds: Wall-clock time since 1970, 0 ... 253,402,300,799 (the end of the year 9999).
  package static func text(_ seconds: Int64) -> String {
    precondition((0...253_402_300_799).contains(seconds), "a date of HTTP has a year of four digits")
    let day = Int(seconds / 86_400)
    let second = Int(seconds % 86_400)
    let (year, month, dayOfMonth) = civil(day)
    let time = "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))"
    let yearText = String(repeating: "0", count: max(0, 4 - String(year).count)) + String(year)
    return "\(weekdays[day % 7]), \(two(dayOfMonth)) \(months[month - 1]) \(yearText) \(time) GMT"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

  /// The Gregorian date of a day since 1970-01-01. Years begin in March here, so that the leap day comes last.
  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let daysSinceEra = day + 719_468  // from 0000-03-01
    let era = daysSinceEra / 146_097
    let dayOfEra = daysSinceEra % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (
      era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1
    )
  }
}
