package import LinkspanCore

/// When something happens again: the part of RFC 5545's recurrence rules (3.3.10) that campaigns use.
///
/// Days are those of the first occurrence's offset from UTC, weeks begin on Monday, and the time of day stays the same.
/// Days that a month does not have are left out, as the RFC demands.
package struct Recurrence: Hashable, Sendable {
  package enum Frequency: String, Hashable, Sendable, CaseIterable {
    case secondly = "SECONDLY"
    case minutely = "MINUTELY"
    case hourly = "HOURLY"
    case daily = "DAILY"
    case weekly = "WEEKLY"
    case monthly = "MONTHLY"
    case yearly = "YEARLY"

    /// Of a period whose length never changes and that is shorter than a day.
    var milliseconds: Int64? {
      switch self {
      case .secondly: 1_000
      case .minutely: 60_000
      case .hourly: 3_600_000
      default: nil
      }
    }

    /// Periods after which a rule's days come again, whatever the interval: weekdays after a week, the calendar after 400
    /// years. Of a short period it is a week in milliseconds.
    var cycle: Int64 {
      switch self {
      case .secondly, .minutely, .hourly: 604_800_000
      case .daily: 7
      case .weekly: 1
      case .monthly: 4_800
      case .yearly: 400
      }
    }

    /// The longest interval. Ours: a hundred years of it, and a million of the short ones.
    var longestInterval: Int64 {
      switch self {
      case .secondly, .minutely: 1_000_000
      case .hourly: 876_600
      case .daily: 36_525
      case .weekly: 5_217
      case .monthly: 1_200
      case .yearly: 100
      }
    }
  }

  /// A day of the week; with an ordinal the first, second, … or last (-1) of a month or a year.
  package struct Weekday: Hashable, Sendable {
    /// From Monday, 0.
    package var number: Int64
    package var ordinal: Int64?
  }

  package let frequency: Frequency
  package let interval: Int64
  package let weekdays: [Weekday]
  package let count: Int64?
  /// The last moment at which it may happen; of a day its last one in UTC.
  let until: WallTime?
  /// Whether ``until`` is a day, which ends where the series begins.
  let endsWithDay: Bool
  /// As it was written.
  package let text: String

  init(
    _ text: String, _ frequency: Frequency, interval: Int64, weekdays: [Weekday], count: Int64?,
    until: WallTime?, endsWithDay: Bool
  ) {
    self.text = text
    self.frequency = frequency
    self.interval = interval
    self.weekdays = weekdays
    self.count = count
    self.until = until
    self.endsWithDay = endsWithDay
  }

  /// Where a series stands.
  package struct Occurrence: Hashable, Sendable {
    package var time: WallTime
    /// From 1.
    package var number: Int64

    package init(_ time: WallTime, number: Int64) {
      self.time = time
      self.number = number
    }
  }

  /// What a series lies in: years that RFC 3339 can write, and as many before 1970.
  private static let calendar = WallTime(milliseconds: -WallTime.last.milliseconds)...WallTime.last

  /// The first occurrence: the start, where the rule fits it, or what comes next.
  ///
  /// - Parameter offset: Seconds east of UTC, whose days and times of day count.
  package func first(from start: WallTime, offset: Int64) -> Occurrence? {
    occurrence(notBefore: start, start, offset, number: 1)
  }

  /// The occurrence after another one of a series; nil where that was the last.
  package func following(_ occurrence: Occurrence, start: WallTime, offset: Int64) -> Occurrence? {
    self.occurrence(
      notBefore: occurrence.time.advanced(by: .milliseconds(1)), start, offset, number: occurrence.number + 1)
  }

  /// How often it happens at most within 24 hours from an occurrence on, that one included. Days that the rule leaves out are
  /// counted as if it didn't.
  package func timesInDay(from first: Occurrence, offset: Int64) -> Int64 {
    guard let length = frequency.milliseconds else { return 1 }
    let step = length * interval
    var times = (CalendarDay.milliseconds + step - 1) / step
    if let count { times = min(times, count - first.number + 1) }
    if let end = end(offset) { times = min(times, (end.milliseconds - first.time.milliseconds) / step + 1) }
    return max(1, times)
  }

  /// Whether each occurrence has the first one's time of day.
  package var keepsTimeOfDay: Bool { frequency.milliseconds == nil }

  /// Why a series that starts then never happens; nil where it does.
  package func problem(from start: WallTime, offset: Int64) -> String? {
    guard first(from: start, offset: offset) == nil else { return nil }
    return next(notBefore: start, start, offset) == nil
      ? "The campaign would never happen: no day until the year 9999 fits '\(text)'."
      : "The campaign would never happen: 'UNTIL' is before its first day."
  }

  /// Whether a series whose rule has neither `COUNT` nor `UNTIL` left ends with an occurrence, because nothing fits until
  /// the calendar ends.
  package func breaksOff(after last: Occurrence, start: WallTime, offset: Int64) -> Bool {
    guard until == nil, count.map({ last.number < $0 }) ?? true else { return false }
    return following(last, start: start, offset: offset) == nil
  }

  private func occurrence(
    notBefore earliest: WallTime, _ start: WallTime, _ offset: Int64, number: Int64
  ) -> Occurrence? {
    if let count, number > count { return nil }
    guard let time = next(notBefore: earliest, start, offset), end(offset).map({ time <= $0 }) ?? true else {
      return nil
    }
    return Occurrence(time, number: number)
  }

  /// The last moment that `UNTIL` allows. A day is one of the start's offset, as weekdays are (RFC 5545, 3.3.10: in the form of
  /// DTSTART).
  private func end(_ offset: Int64) -> WallTime? {
    until.map { endsWithDay ? WallTime(milliseconds: $0.milliseconds - offset * 1_000) : $0 }
  }

  /// - Returns: nil where nothing fits until the calendar ends.
  private func next(notBefore earliest: WallTime, _ start: WallTime, _ offset: Int64) -> WallTime? {
    guard Self.calendar.contains(start), Self.calendar.contains(earliest) else { return nil }
    let origin = start.milliseconds + offset * 1_000
    let wanted = max(earliest.milliseconds + offset * 1_000, origin)
    let end = WallTime.last.milliseconds + offset * 1_000
    if let length = frequency.milliseconds {
      let step = length * interval
      var moment = origin + (wanted - origin + step - 1) / step * step
      for _ in 0...Self.steps(of: step, in: frequency.cycle) {
        if moment > end { return nil }
        let day = CalendarDay(moment)
        if fits(day) { return WallTime(milliseconds: moment - offset * 1_000) }
        // What is left of the day does not fit either.
        let rest = (day.number + 1) * CalendarDay.milliseconds - moment
        moment += (rest + step - 1) / step * step
      }
      return nil
    }
    let first = CalendarDay(origin)
    let timeOfDay = origin - first.number * CalendarDay.milliseconds
    var period = periodsBefore(CalendarDay(wanted), since: first) / interval * interval
    // The first period may have been over before the moment that is wanted.
    for _ in 0...frequency.cycle {
      guard begin(of: period, since: first) * CalendarDay.milliseconds <= end else { return nil }
      for day in days(of: period, since: first) {
        let moment = day * CalendarDay.milliseconds + timeOfDay
        if moment > end { return nil }
        if moment >= wanted { return WallTime(milliseconds: moment - offset * 1_000) }
      }
      period += interval
    }
    return nil
  }

  /// After how many steps, taken round and round, the same places of a cycle come again.
  private static func steps(of step: Int64, in cycle: Int64) -> Int64 {
    var (divisor, rest) = (cycle, step)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    return cycle / divisor
  }

  private func fits(_ day: CalendarDay) -> Bool {
    weekdays.isEmpty || weekdays.contains { $0.number == day.weekday }
  }

  /// Whole periods between the first one and a day's.
  private func periodsBefore(_ day: CalendarDay, since first: CalendarDay) -> Int64 {
    switch frequency {
    case .weekly: (day.monday - first.monday) / 7
    case .monthly: (day.year - first.year) * 12 + day.month - first.month
    case .yearly: day.year - first.year
    default: day.number - first.number
    }
  }

  /// The first day of a period.
  private func begin(of period: Int64, since first: CalendarDay) -> Int64 {
    switch frequency {
    case .weekly: return first.monday + period * 7
    case .monthly:
      let (year, month) = first.month(after: period)
      return WallTime.days(year: year, month: month, day: 1)
    case .yearly: return WallTime.days(year: first.year + period, month: 1, day: 1)
    default: return first.number + period
    }
  }

  /// The days of a period on which it happens, in their order, counted from 1970-01-01.
  private func days(of period: Int64, since first: CalendarDay) -> [Int64] {
    switch frequency {
    case .weekly:
      let monday = first.monday + period * 7
      guard !weekdays.isEmpty else { return [monday + first.weekday] }
      return Set(weekdays.map { monday + $0.number }).sorted()
    case .monthly:
      let (year, number) = first.month(after: period)
      guard weekdays.isEmpty else { return named(year, number, through: (year, number)) }
      return CalendarDay.existing(year, number, first.day).map { [$0] } ?? []
    case .yearly:
      let year = first.year + period
      guard weekdays.isEmpty else { return named(year, 1, through: (year, 12)) }
      return CalendarDay.existing(year, first.month, first.day).map { [$0] } ?? []
    default:
      let day = first.number + period
      return fits(CalendarDay(day * CalendarDay.milliseconds)) ? [day] : []
    }
  }

  /// The days from the first of one month to the last of another that the weekdays name.
  private func named(_ year: Int64, _ month: Int64, through last: (year: Int64, month: Int64)) -> [Int64] {
    let start = WallTime.days(year: year, month: month, day: 1)
    let end =
      last.month == 12
      ? WallTime.days(year: last.year + 1, month: 1, day: 1)
      : WallTime.days(year: last.year, month: last.month + 1, day: 1)
    var days: Set<Int64> = []
    for weekday in weekdays {
      let begin = start + (weekday.number - CalendarDay.weekday(of: start) + 7) % 7
      let all = Array(stride(from: begin, to: end, by: 7))
      guard let ordinal = weekday.ordinal else {
        days.formUnion(all)
        continue
      }
      let place = ordinal > 0 ? Int(ordinal) - 1 : all.count + Int(ordinal)
      if all.indices.contains(place) { days.insert(all[place]) }
    }
    return days.sorted()
  }
}

/// A day of the Gregorian calendar.
private struct CalendarDay {
  static let milliseconds: Int64 = 86_400_000

  /// From 1970-01-01, 0.
  let number: Int64
  let year: Int64
  let month: Int64
  let day: Int64

  /// - Parameter moment: Milliseconds of local time since 1970.
  init(_ moment: Int64) {
    number = moment.flooredDivision(by: Self.milliseconds)
    (year, month, day) = WallTime.date(number)
  }

  /// From Monday, 0.
  var weekday: Int64 { Self.weekday(of: number) }

  /// 1970-01-01 was a Thursday.
  static func weekday(of day: Int64) -> Int64 { ((day + 3) % 7 + 7) % 7 }

  /// The day with which its week begins.
  var monday: Int64 { number - weekday }

  /// The month that comes so many months after its own.
  func month(after count: Int64) -> (year: Int64, month: Int64) {
    let later = month - 1 + count
    return (year + later / 12, later % 12 + 1)
  }

  /// - Returns: nil for a day that its month does not have.
  static func existing(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    let number = WallTime.days(year: year, month: month, day: day)
    return WallTime.date(number).month == month ? number : nil
  }
}
