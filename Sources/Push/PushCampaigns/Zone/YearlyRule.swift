internal import LinkspanCore

/// What a time zone does every year after the last change that its file lists: the TZ string of POSIX, such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`. Of the forms of its dates `Mm.w.d` is read, which is all that the database uses but for
/// one zone; with another form the standard offset stays.
struct YearlyRule: Sendable {
  private struct Change {
    var month: Int64
    var week: Int64
    var weekday: Int64
    /// In local time.
    var seconds: Int64
  }

  /// Seconds east of UTC.
  private let standard: Int64
  private let summer: (offset: Int64, start: Change, end: Change)?

  /// - Returns: nil for another form.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    guard Self.skipName(&rest), let west = Self.time(&rest) else { return nil }
    standard = -west
    guard Self.skipName(&rest) else {
      summer = nil
      return
    }
    let offset = rest.first == UInt8(ascii: ",") ? standard + 3_600 : Self.time(&rest).map { -$0 }
    guard let offset, let start = Self.change(&rest), let end = Self.change(&rest) else {
      summer = nil
      return
    }
    summer = (offset, start, end)
  }

  func offset(at seconds: Int64) -> Int64 {
    guard let summer else { return standard }
    let year = WallTime.date((seconds + standard).flooredDivision(by: 86_400)).year
    let start = Self.moment(summer.start, year) - standard
    let end = Self.moment(summer.end, year) - summer.offset
    // South of the equator summer spans the new year.
    let isSummer = start < end ? start <= seconds && seconds < end : seconds < end || start <= seconds
    return isSummer ? summer.offset : standard
  }

  /// A change in a year, in seconds of local time.
  private static func moment(_ change: Change, _ year: Int64) -> Int64 {
    let first = WallTime.days(year: year, month: change.month, day: 1)
    let next =
      change.month == 12
      ? WallTime.days(year: year + 1, month: 1, day: 1)
      : WallTime.days(year: year, month: change.month + 1, day: 1)
    // 1970-01-01 was a Thursday.
    let weekday = ((first + 4) % 7 + 7) % 7
    var day = first + (change.weekday - weekday + 7) % 7 + (change.week - 1) * 7
    while day >= next { day -= 7 }
    return day * 86_400 + change.seconds
  }

  /// Letters, or anything between `<` and `>`.
  private static func skipName(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let count = rest.count
    if rest.first == UInt8(ascii: "<") {
      rest = rest.drop { $0 != UInt8(ascii: ">") }.dropFirst()
    } else {
      rest = rest.drop(while: ASCII.isLetter)
    }
    return rest.count < count
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    let digits = rest.prefix(while: ASCII.isDigit)
    guard (1...3).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private static func take(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// `[+-]h[:m[:s]]` in seconds.
  private static func time(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    let isNegative = take("-", &rest)
    if !isNegative { _ = take("+", &rest) }
    guard var seconds = number(&rest).map({ $0 * 3_600 }) else { return nil }
    for unit in [60, 1] as [Int64] where take(":", &rest) {
      guard let part = number(&rest) else { return nil }
      seconds += part * unit
    }
    return isNegative ? -seconds : seconds
  }

  /// `,Mm.w.d[/time]`
  private static func change(_ rest: inout ArraySlice<UInt8>) -> Change? {
    guard take(",", &rest), take("M", &rest), let month = number(&rest), take(".", &rest),
      let week = number(&rest), take(".", &rest), let weekday = number(&rest),
      (1...12).contains(month), (1...5).contains(week), (0...6).contains(weekday)
    else { return nil }
    var seconds: Int64 = 7_200
    if take("/", &rest) {
      guard let time = time(&rest) else { return nil }
      seconds = time
    }
    return Change(month: month, week: week, weekday: weekday, seconds: seconds)
  }
}
