/// Looks through a log for what is not calm: stampedes, gaps, and hours that stand in it twice.
struct CalmSurvey {
  private let series: LogSeries
  /// Minutes that stand in the log twice, because a clock went back.
  private let doubled: [Bool]
  /// Minutes that a fit leaves out.
  private(set) var masked: [Bool]
  private(set) var stampedes: [LogFit.Stampede] = []
  private(set) var gaps: [LogFit.Gap] = []
  /// Pearson's, over the minutes that are not masked; 1 at least.
  private(set) var dispersion = 1.0

  /// Ours: six standard deviations, which a month of minutes passes by chance once in ten thousand months.
  private static let deviations = 6.0
  /// Ours: minutes further apart belong to different stampedes.
  private static let joinedMinutes = 10
  /// Requests that must have been due for silence to be a gap: by chance it is one in 10⁸.
  private static let gapRequests = 20.0
  private static let stampedeLimit = 1_000
  /// Ours: so far a stampede reaches beyond its high minutes; what lasts longer is a day that does not fit.
  private static let reachMinutes = 240

  init(_ series: LogSeries, _ changes: [ClockChange]) {
    self.series = series
    var doubled = [Bool](repeating: false, count: series.minutes.count)
    for change in changes where change.kind == .back {
      let low = Int(change.to / 60 - series.firstMinute)
      let high = Int(change.from / 60 - series.firstMinute)
      for minute in doubled.indices.clamped(to: low..<max(low, high) + 1) { doubled[minute] = true }
    }
    self.doubled = doubled
    masked = doubled
  }

  /// - Parameter isFirst: The model is a rough guess.
  mutating func look(_ model: CalmModel, isFirst: Bool) {
    let expected = series.minutes.indices.map {
      model.expected(minute: series.firstMinute + Int64($0)) * series.exposure(ofMinute: $0)
    }
    findGaps(expected)
    var quiet = doubled
    for gap in gaps {
      for minute in (gap.first / 60)...(gap.last / 60) { quiet[Int(minute - series.firstMinute)] = true }
    }
    if isFirst { dispersion = 4 } else { measureDispersion(expected) }
    findStampedes(expected, quiet, isFirst: isFirst)
  }

  // MARK: - Gaps

  private mutating func findGaps(_ expected: [Double]) {
    gaps = []
    var minute = 0
    while minute < series.minutes.count {
      guard series.minutes[minute] == 0 else {
        minute += 1
        continue
      }
      let start = minute
      var due = 0.0
      while minute < series.minutes.count, series.minutes[minute] == 0 {
        due += expected[minute]
        minute += 1
      }
      guard due >= Self.gapRequests, start > 0, minute < series.minutes.count else { continue }
      // To the second.
      let before = series.seconds(ofMinute: start - 1)
      let lastBefore = before.lastIndex { $0 > 0 }.map { $0 - before.startIndex } ?? -1
      let behind = series.seconds(ofMinute: minute)
      let firstBehind = behind.firstIndex { $0 > 0 }.map { $0 - behind.startIndex } ?? 0
      gaps.append(
        LogFit.Gap(
          first: series.time(ofMinute: start - 1) + Int64(lastBefore) + 1,
          last: series.time(ofMinute: minute) + Int64(firstBehind) - 1))
    }
  }

  // MARK: - Stampedes

  private mutating func measureDispersion(_ expected: [Double]) {
    var (sum, count) = (0.0, 0.0)
    for minute in expected.indices where !masked[minute] && expected[minute] > 0.5 {
      let difference = Double(series.minutes[minute]) - expected[minute]
      sum += difference * difference / expected[minute]
      count += 1
    }
    dispersion = count > 0 ? max(1, sum / count) : 1
  }

  private func isHigh(_ count: Double, _ calm: Double, isFirst: Bool) -> Bool {
    let limit = calm + Self.deviations * (dispersion * calm).squareRoot() + 5
    return count > max(limit, calm * (isFirst ? 3 : 1.5))
  }

  /// Whether one second is beyond what its minute's calm allows, though the minute as a whole may not be.
  private func hasHighSecond(_ minute: Int, _ calm: Double) -> Bool {
    let calm = calm / 60
    let limit = max(calm * 3, calm + 8 * (dispersion * calm).squareRoot() + 10)
    // No second can have more than its minute.
    if Double(series.minutes[minute]) <= limit { return false }
    return series.seconds(ofMinute: minute).contains { Double($0) > limit }
  }

  private mutating func findStampedes(_ expected: [Double], _ quiet: [Bool], isFirst: Bool) {
    masked = quiet
    var ranges: [Range<Int>] = []
    for minute in expected.indices where !quiet[minute] {
      guard
        isHigh(Double(series.minutes[minute]), expected[minute], isFirst: isFirst)
          || hasHighSecond(minute, expected[minute])
      else { continue }
      if let last = ranges.last, minute - last.upperBound < Self.joinedMinutes {
        ranges[ranges.count - 1] = last.lowerBound..<minute + 1
      } else {
        ranges.append(minute..<minute + 1)
      }
    }
    var grown: [Range<Int>] = []
    for range in ranges where isStampede(range, expected) {
      let range = extended(range, expected, quiet)
      if let last = grown.last, range.lowerBound <= last.upperBound {
        grown[grown.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        grown.append(range)
      }
    }
    for range in grown { for minute in range { masked[minute] = true } }
    stampedes = grown.compactMap { stampede($0, expected) }
    if stampedes.count > Self.stampedeLimit {
      stampedes = Array(stampedes.sorted { $0.requests > $1.requests }.prefix(Self.stampedeLimit))
        .sorted { $0.start < $1.start }
    }
  }

  /// One minute alone may be high by chance, unless it is far too high or one of its seconds is.
  private func isStampede(_ range: Range<Int>, _ expected: [Double]) -> Bool {
    guard range.count == 1 else { return true }
    let minute = range.lowerBound
    let excess = Double(series.minutes[minute]) - expected[minute]
    return excess > 10 * (dispersion * expected[minute]).squareRoot() + 5
      || hasHighSecond(minute, expected[minute])
  }

  /// Grows a stampede on both sides for as long as ten minutes together are above the calm.
  private func extended(_ range: Range<Int>, _ expected: [Double], _ quiet: [Bool]) -> Range<Int> {
    func isAbove(_ window: Range<Int>) -> Bool {
      let window = window.clamped(to: 0..<expected.count)
      guard !window.isEmpty, !window.contains(where: { quiet[$0] }) else { return false }
      let calm = window.reduce(0) { $0 + expected[$1] }
      let seen = window.reduce(0) { $0 + Double(series.minutes[$1]) }
      return seen > max(calm * 1.05, calm + 2.5 * (dispersion * calm).squareRoot())
    }
    var (low, high) = (range.lowerBound, range.upperBound)
    while high < min(expected.count, range.upperBound + Self.reachMinutes),
      isAbove(high..<high + Self.joinedMinutes)
    { high += 1 }
    while low > max(0, range.lowerBound - Self.reachMinutes), isAbove(low - Self.joinedMinutes..<low) {
      low -= 1
    }
    return low..<high
  }

  private func stampede(_ range: Range<Int>, _ expected: [Double]) -> LogFit.Stampede? {
    let scale = localScale(range, expected)
    let calm = range.reduce(0) { $0 + expected[$1] } * scale
    let seen = range.reduce(0) { $0 + Double(series.minutes[$1]) }
    guard seen - calm >= 1 else { return nil }
    var (peak, peakAt, start): (UInt32, Int64, Int64?) = (0, 0, nil)
    for minute in range {
      let ofSecond = expected[minute] * scale / 60
      for (second, count) in series.seconds(ofMinute: minute).enumerated() {
        let time = series.time(ofMinute: minute) + Int64(second)
        if count > peak { (peak, peakAt) = (count, time) }
        if start == nil, Double(count) > ofSecond + 5 * (dispersion * ofSecond).squareRoot() + 3 {
          start = time
        }
      }
    }
    let peakMinute = min(range.upperBound - 1, Int(peakAt / 60 - series.firstMinute))
    let ofPeak = max(expected[peakMinute] * scale / 60, 1e-3)
    return LogFit.Stampede(
      start: start ?? series.time(ofMinute: range.lowerBound), end: series.time(ofMinute: range.upperBound),
      peakAt: peakAt, peak: Int(peak), requests: Int((seen - calm).rounded()), ratio: Double(peak) / ofPeak)
  }

  /// How the hour before and the hour behind compare with what was expected of them.
  private func localScale(_ range: Range<Int>, _ expected: [Double]) -> Double {
    var (seen, calm, minutes) = (0.0, 0.0, 0)
    for minute in max(0, range.lowerBound - 60)..<min(expected.count, range.upperBound + 60)
    where !masked[minute] {
      seen += Double(series.minutes[minute])
      calm += expected[minute]
      minutes += 1
    }
    return minutes >= 30 && calm >= 100 ? seen / calm : 1
  }

  // MARK: - Days

  /// Days that differ from the fit by six standard deviations and a tenth, stampedes and gaps left out.
  func misfits(_ model: CalmModel) -> [LogFit.Day] {
    var days: [LogFit.Day] = []
    for minute in series.minutes.indices where !masked[minute] {
      let time = series.time(ofMinute: minute)
      let start = time - time % 86_400
      if days.last?.start != start { days.append(LogFit.Day(start: start, observed: 0, expected: 0)) }
      days[days.count - 1].observed += Int(series.minutes[minute])
      days[days.count - 1].expected +=
        model.expected(minute: series.firstMinute + Int64(minute)) * series.exposure(ofMinute: minute)
    }
    // One odd day must not excuse the others: the middle one says how far days lie apart.
    let squares = days.filter { $0.expected > 1 }.map { day in
      (Double(day.observed) - day.expected) * (Double(day.observed) - day.expected) / day.expected
    }
    let spread = max(1, CalmModel.median(squares) / 0.455)
    return days.filter { day in
      let difference = abs(Double(day.observed) - day.expected)
      return difference > Self.deviations * (spread * max(1, day.expected)).squareRoot()
        && difference > day.expected / 10
    }
  }
}
