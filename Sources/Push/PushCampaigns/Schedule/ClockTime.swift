internal import LinkspanCore

/// Times of day, in minutes after midnight.
package enum ClockTime {
  /// As `09:00`.
  package static func text(_ minutes: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return two(minutes / 60) + ":" + two(minutes % 60)
  }

  /// What ``text(_:)`` writes; nil for any other text.
  package static func minutes(_ text: String) -> Int? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(ASCII.isDigit) }),
      let hour = Int(String(Substring(parts[0]))), let minute = Int(String(Substring(parts[1]))), hour < 24,
      minute < 60
    else { return nil }
    return hour * 60 + minute
  }
}
