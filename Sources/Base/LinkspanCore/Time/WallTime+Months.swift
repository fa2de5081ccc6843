extension WallTime {
  /// Months by the names that HTTP, access logs and JavaScript have for them.
  package static let monthNames = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let weekdayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]  // from 1970-01-01 on

  /// Of a moment from 1970 to ``last``, as HTTP senders write it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
  package var httpDate: String {
    let days = milliseconds / 86_400_000
    let text = Array(description.utf8)
    func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
    let date = "\(part(8..<10)) \(Self.monthNames[Int(Self.date(days).month) - 1]) \(part(0..<4))"
    return "\(Self.weekdayNames[Int(days % 7)]), \(date) \(part(11..<19)) GMT"
  }
}
