package import LinkspanCore

/// A moment as a device writes it.
///
/// - Source: section 11.2: `2023-08-24 10:09:00 +0000`; since iOS 18.2 localised, with hours of
///   one digit and AM or PM. Log lines have a fraction and no blank before the offset.
package struct DeviceTime: Hashable, Sendable {
  package let text: String
  /// nil when the text is in a form that is not known; a text without an offset reads as UTC.
  package let moment: WallTime?

  package init(_ text: String) {
    self.text = text
    moment = Self.read(Array(text.utf8))
  }

  /// The moment in RFC 3339, or the text as it is.
  package var name: String { moment.map { "\($0)" } ?? text }

  private static func read(_ bytes: [UInt8]) -> WallTime? {
    var scanner = Scanner(bytes: bytes)
    guard let year = scanner.number(4...4), scanner.take("-"), let month = scanner.number(1...2),
      scanner.take("-"), let day = scanner.number(1...2), scanner.skipBlanks() || scanner.take("T"),
      var hour = scanner.number(1...2), scanner.take(":"), let minute = scanner.number(2...2),
      scanner.take(":"), let second = scanner.number(2...2)
    else { return nil }
    if scanner.take(".") { scanner.skipDigits() }
    _ = scanner.skipBlanks()
    if let isAfternoon = scanner.half() {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (isAfternoon ? 12 : 0)
      _ = scanner.skipBlanks()
    }
    var offset = 0
    if !scanner.isAtEnd, !scanner.take("Z"), !scanner.take("UTC"), !scanner.take("GMT") {
      let isWest = scanner.take("-")
      guard isWest || scanner.take("+"), let hours = scanner.number(2...2) else { return nil }
      _ = scanner.take(":")
      guard let minutes = scanner.number(2...2) else { return nil }
      offset = (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let plain =
      "\(year)-\(padded(month))-\(padded(day))T\(padded(hour)):\(padded(minute)):\(padded(second))Z"
    return WallTime(plain)?.advanced(by: .seconds(-60 * offset))
  }

  private struct Scanner {
    let bytes: [UInt8]
    var place = 0

    var isAtEnd: Bool { place == bytes.count }

    mutating func take(_ text: StaticString) -> Bool {
      let wanted = text.withUTF8Buffer { Array($0) }
      guard bytes[place...].starts(with: wanted) else { return false }
      place += wanted.count
      return true
    }

    mutating func skipDigits() { place += bytes[place...].prefix(while: ASCII.isDigit).count }

    /// A number of so many digits; further digits are left alone.
    mutating func number(_ length: ClosedRange<Int>) -> Int? {
      let found = bytes[place...].prefix(length.upperBound).prefix(while: ASCII.isDigit)
      guard found.count >= length.lowerBound else { return nil }
      place += found.count
      return found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Blanks, also the narrow and the unbreakable one that localised times have before AM and PM.
    mutating func skipBlanks() -> Bool {
      let start = place
      while take(" ") || take("\u{A0}") || take("\u{202F}") {}
      return place > start
    }

    /// Whether AM or PM stands here, and whether it is PM.
    mutating func half() -> Bool? {
      for (text, isAfternoon) in [("AM", false), ("PM", true)] as [(StaticString, Bool)] where take(text) {
        return isAfternoon
      }
      for (text, isAfternoon) in [("am", false), ("pm", true)] as [(StaticString, Bool)] where take(text) {
        return isAfternoon
      }
      return nil
    }
  }
}
