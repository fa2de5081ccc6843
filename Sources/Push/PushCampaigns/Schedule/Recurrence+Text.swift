internal import LinkspanCore

/// Reading a recurrence rule.
extension Recurrence {
  private static let names = ["FREQ", "INTERVAL", "BYDAY", "COUNT", "UNTIL"]
  private static let weekdayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
  /// Of the numbers in a rule, and of its bytes. Ours.
  private static let numberLimit: Int64 = 1_000_000
  private static let lengthLimit = 500

  private struct Parts {
    var frequency: Frequency?
    var interval = "1"
    var weekdays: [Weekday] = []
    var count: Int64?
    var until: WallTime?
    var endsWithDay = false
  }

  /// Reads a rule such as `FREQ=WEEKLY;BYDAY=MO,FR;COUNT=10`, with or without `RRULE:` before it.
  ///
  /// - Returns: The rule, or what is wrong with it.
  package static func reading(_ text: String) -> Result<Recurrence, Problem> {
    reading(text) { $0.longestInterval }
  }

  /// Reads a rule that a campaign was stored with. Earlier versions took longer intervals; such a series ends where the
  /// calendar does.
  package static func reading(stored text: String) -> Recurrence? {
    guard case .success(let rule) = reading(text, longestInterval: { _ in numberLimit }) else { return nil }
    return rule
  }

  private static func reading(
    _ text: String, longestInterval: (Frequency) -> Int64
  ) -> Result<Recurrence, Problem> {
    func problem(_ message: String) -> Result<Recurrence, Problem> { .failure(Problem(message: message)) }
    guard text.utf8.count <= lengthLimit else { return problem("A rule has at most \(lengthLimit) bytes.") }
    let body = text.hasPrefix("RRULE:") ? text.dropFirst(6) : text[...]
    var parts = Parts()
    var seen: Set<String> = []
    for part in body.split(separator: ";", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else {
        return problem("'\(part)' has no '='; expected a rule such as \"FREQ=DAILY;COUNT=7\".")
      }
      let (name, value) = (pair[0].uppercased(), pair[1].uppercased())
      guard seen.insert(name).inserted else { return problem("'\(name)' occurs twice.") }
      if let wrong = set(name, value, in: &parts) { return problem(wrong) }
    }
    guard let frequency = parts.frequency else {
      return problem("'FREQ' is missing: expected a rule such as \"FREQ=DAILY;COUNT=7\".")
    }
    if parts.count != nil, parts.until != nil {
      return problem("'COUNT' and 'UNTIL' exclude each other (RFC 5545, 3.3.10).")
    }
    if parts.weekdays.contains(where: { $0.ordinal != nil }), frequency != .monthly, frequency != .yearly {
      return problem("A number before a weekday needs FREQ=MONTHLY or FREQ=YEARLY (RFC 5545, 3.3.10).")
    }
    let longest = longestInterval(frequency)
    guard let interval = number(parts.interval, upTo: longest) else {
      return problem(
        "'INTERVAL' with FREQ=\(frequency.rawValue) expects a number from 1 to \(longest), got '\(parts.interval)'."
      )
    }
    return .success(
      Recurrence(
        String(body), frequency, interval: interval, weekdays: parts.weekdays, count: parts.count,
        until: parts.until, endsWithDay: parts.endsWithDay))
  }

  /// Why a text is no rule.
  package struct Problem: Error, Hashable {
    package var message: String
  }

  private static func set(_ name: String, _ value: String, in parts: inout Parts) -> String? {
    switch name {
    case "FREQ":
      parts.frequency = Frequency(rawValue: value)
      let known = Frequency.allCases.map(\.rawValue).joined(separator: ", ")
      return parts.frequency == nil ? "'FREQ=\(value)' is unknown; expected one of \(known)." : nil
    case "INTERVAL":
      parts.interval = value
      return nil
    case "COUNT":
      parts.count = number(value, upTo: numberLimit)
      return parts.count == nil ? "'COUNT' expects a number from 1 to \(numberLimit), got '\(value)'." : nil
    case "BYDAY":
      for day in value.split(separator: ",", omittingEmptySubsequences: false) {
        guard let weekday = weekday(day) else {
          return "'BYDAY' expects weekdays such as MO, 1FR or -1SU, got '\(day)'."
        }
        parts.weekdays.append(weekday)
      }
      return nil
    case "UNTIL":
      parts.until = moment(value)
      parts.endsWithDay = value.utf8.count == 8
      return parts.until == nil
        ? "'UNTIL' expects a date or a moment in UTC, such as 20261224 or 20261224T080000Z, got '\(value)'."
        : nil
    default:
      let advice = Spelling.nearest(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
      return "'\(name)' is not supported; a rule takes \(names.joined(separator: ", ")).\(advice)"
    }
  }

  private static func number(_ text: String, upTo limit: Int64) -> Int64? {
    guard let number = Int64(text), (1...limit).contains(number), !text.hasPrefix("+") else { return nil }
    return number
  }

  private static func weekday(_ text: Substring) -> Weekday? {
    guard let place = weekdayNames.firstIndex(of: String(text.suffix(2))) else { return nil }
    let number = text.dropLast(2)
    if number.isEmpty { return Weekday(number: Int64(place)) }
    guard let ordinal = Int64(number), ordinal != 0, (-53...53).contains(ordinal) else { return nil }
    return Weekday(number: Int64(place), ordinal: ordinal)
  }

  /// `20261224`, whose whole day is meant, or `20261224T080000Z`.
  private static func moment(_ text: String) -> WallTime? {
    let bytes = Array(text)
    guard bytes.count == 8 || bytes.count == 16 && bytes[8] == "T" && bytes[15] == "Z" else { return nil }
    func part(_ range: Range<Int>) -> String { String(bytes[range]) }
    let day = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
    guard bytes.count == 16 else { return WallTime(day + "T23:59:59.999Z") }
    return WallTime("\(day)T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z")
  }
}
