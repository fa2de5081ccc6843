import LinkspanCore

/// Durations as a story writes them: `90s`, `15m`, `3h`, `5d`, or several as in `1d 12h`.
package enum StoryDuration {
  private static let units: [(suffix: UInt8, seconds: Int64)] = [
    (UInt8(ascii: "s"), 1), (UInt8(ascii: "m"), 60), (UInt8(ascii: "h"), 3600), (UInt8(ascii: "d"), 86_400),
  ]

  /// What ``read(_:)`` takes, as a schema says it.
  static let form = "^ *(0?[0-9]{1,4}|10000)[smhd]( +(0?[0-9]{1,4}|10000)[smhd])* *$"

  /// - Returns: nil for another form, and for more than 10 000 of a unit.
  static func read(_ text: String) -> Duration? {
    let parts = text.utf8.split(separator: UInt8(ascii: " "))
    guard !parts.isEmpty else { return nil }
    var total: Int64 = 0
    for part in parts {
      guard let last = part.last, let unit = units.first(where: { $0.suffix == last }),
        (1...5).contains(part.count - 1), part.dropLast().allSatisfy(ASCII.isDigit)
      else { return nil }
      let number = part.dropLast().reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
      guard number <= 10_000 else { return nil }
      total += number * unit.seconds
    }
    return .seconds(total)
  }

  /// As a story would write it: `4h 3m`.
  ///
  /// - Parameter unitCount: How many units are told, the largest first; what is finer is cut off.
  package static func text(_ duration: Duration, unitCount: Int = units.count) -> String {
    var rest = duration.components.seconds
    var parts: [String] = []
    for unit in units.reversed() where parts.count < unitCount && rest >= unit.seconds {
      parts.append("\(rest / unit.seconds)\(Character(UnicodeScalar(unit.suffix)))")
      rest %= unit.seconds
    }
    return parts.isEmpty ? "0s" : parts.joined(separator: " ")
  }
}
