internal import Glibc
internal import LinkspanCore

/// Calm traffic as a Poisson process: a level that grows by the same share each day, times the hour's and the weekday's part.
///
/// Between the middles of two hours the hour's part is interpolated, so that a steep morning is not a stampede.
struct CalmModel {
  /// Requests in a minute at ``origin``, averaged over the week.
  private(set) var level = 1.0
  /// The logarithm of a day's growth.
  private(set) var growth = 0.0
  /// Around 1, in UTC.
  private(set) var hours = [Double](repeating: 1, count: 24)
  /// Around 1, from Monday.
  private(set) var weekdays = [Double](repeating: 1, count: 7)
  /// Minutes since 1970.
  let origin: Int64

  /// Ours: shorter logs cannot tell a day's shape from chance.
  static let leastMinutesForHours = 2 * 1_440
  /// Growth shows where a weekday comes twice; before, it cannot be told from the week's shape.
  static let leastMinutesForWeekdays = 8 * 1_440
  /// Ours: the logarithm of a log's last level by its first, either way, at most. A log with one request far from the others
  /// would otherwise have no calm at all.
  private static let mostGrowth = 20.0
  /// Ours: growth and weekdays pull at the same days of a short log, and settle slowly.
  private static let rounds = 300

  init(origin: Int64) { self.origin = origin }

  /// 1970 began on a Thursday.
  static func weekday(ofDay day: Int64) -> Int { Int((day + 3) % 7) }

  /// Requests that are expected in a minute since 1970.
  func expected(minute: Int64) -> Double {
    level * exp(growth * Double(minute - origin) / 1_440) * shape(minute)
  }

  /// The mean of all hours and weekdays around a minute since 1970, as requests a second.
  func mean(minute: Int64) -> Double { level * exp(growth * Double(minute - origin) / 1_440) / 60 }

  private func shape(_ minute: Int64) -> Double {
    let weights = Self.weights(minute)
    return weekdays[Self.weekday(ofDay: minute / 1_440)]
      * (hours[weights.left] * (1 - weights.right) + hours[weights.other] * weights.right)
  }

  /// The two hours between whose middles a minute lies, and the later one's weight.
  private static func weights(_ minute: Int64) -> (left: Int, other: Int, right: Double) {
    let shifted = Int(minute % 1_440) + 1_440 - 30
    let left = shifted / 60 % 24
    return (left, (left + 1) % 24, (Double(shifted % 60) + 0.5) / 60)
  }

  /// A first guess that stampedes and gaps cannot spoil: medians of hours.
  init(median series: LogSeries) {
    self.init(origin: series.firstMinute)
    var byHour = [[Double]](repeating: [], count: 24)
    var all: [Double] = []
    for hour in (series.first / LogSeries.hourLength)...(series.last / LogSeries.hourLength) {
      let start = series.minute(ofHour: hour)
      let range = max(0, start)..<min(series.minutes.count, start + 60)
      let exposure = range.reduce(0) { $0 + series.exposure(ofMinute: $1) }
      guard exposure >= 30 else { continue }
      let rate = range.reduce(0) { $0 + Double(series.minutes[$1]) } / exposure
      byHour[Int(hour % 24)].append(rate)
      all.append(rate)
    }
    if all.isEmpty {
      let exposure = series.minutes.indices.reduce(0) { $0 + series.exposure(ofMinute: $1) }
      all = [series.minutes.reduce(0) { $0 + Double($1) } / max(exposure, 1.0 / 60)]
    }
    level = max(Self.median(all), 1e-6)
    if series.minutes.count >= Self.leastMinutesForHours {
      let overall = level
      hours = byHour.map { $0.isEmpty ? 1 : max(Self.median($0), overall / 1_000) / overall }
      normalise()
    }
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
  }

  private mutating func normalise() {
    let ofHours = hours.reduce(0, +) / 24
    let ofWeekdays = weekdays.reduce(0, +) / 7
    for index in hours.indices { hours[index] /= ofHours }
    for index in weekdays.indices { weekdays[index] /= ofWeekdays }
    level *= ofHours * ofWeekdays
  }

  /// One hour of the log as the fit sees it: what is not masked.
  private struct Bin {
    var observed: Double
    /// In minutes since the origin.
    var middle: Double
    var hour: Int
    var weekday: Int
    /// How many minutes' worth of the hour before, of the hour itself and of the one behind its shape has.
    var before = 0.0
    var own = 0.0
    var behind = 0.0
  }

  /// Makes the expected sums equal the observed ones, for all, for each hour and weekday, and for the time's trend: the
  /// maximum of the Poisson likelihood.
  mutating func fit(_ series: LogSeries, masked: [Bool]) {
    let bins = bins(series, masked)
    let exposed = bins.reduce(0) { $0 + $1.before + $1.own + $1.behind }
    let hasHours = series.minutes.count >= Self.leastMinutesForHours
    let hasWeekdays = series.minutes.count >= Self.leastMinutesForWeekdays
    guard exposed > 0 else { return }
    let bound = Self.mostGrowth / (Double(series.minutes.count) / 1_440)
    for _ in 0..<Self.rounds {
      var observed = Sums()
      var expected = Sums()
      var (centre, weight) = (0.0, 0.0)
      let values = bins.map { bin in
        level * exp(growth * bin.middle / 1_440) * weekdays[bin.weekday]
          * (hours[(bin.hour + 23) % 24] * bin.before + hours[bin.hour] * bin.own
            + hours[(bin.hour + 1) % 24] * bin.behind)
      }
      for (bin, value) in zip(bins, values) {
        observed.add(bin.observed, bin.hour, bin.weekday)
        expected.add(value, bin.hour, bin.weekday)
        centre += value * bin.middle / 1_440
        weight += value
      }
      guard weight > 0, observed.all > 0 else { return }
      centre /= weight
      if hasWeekdays {
        var (score, information) = (0.0, 0.0)
        for (bin, value) in zip(bins, values) {
          let days = bin.middle / 1_440 - centre
          score += days * (bin.observed - value)
          information += days * days * value
        }
        if information > 0 {
          let step = max(-bound, min(bound, growth + max(-0.1, min(0.1, score / information)))) - growth
          growth += step
          // The level is kept where most of the traffic is.
          level *= exp(-step * centre)
        }
      }
      level *= observed.all / expected.all
      if hasHours {
        for hour in 0..<24 where expected.hours[hour] > 0 {
          hours[hour] *= max(observed.hours[hour] / expected.hours[hour], 1e-6) * expected.all / observed.all
        }
      }
      if hasWeekdays {
        for day in 0..<7 where expected.weekdays[day] > 0 {
          weekdays[day] *=
            max(observed.weekdays[day] / expected.weekdays[day], 1e-6) * expected.all / observed.all
        }
      }
      normalise()
    }
  }

  private struct Sums {
    var all = 0.0
    var hours = [Double](repeating: 0, count: 24)
    var weekdays = [Double](repeating: 0, count: 7)

    mutating func add(_ value: Double, _ hour: Int, _ weekday: Int) {
      all += value
      hours[hour] += value
      weekdays[weekday] += value
    }
  }

  private func bins(_ series: LogSeries, _ masked: [Bool]) -> [Bin] {
    var bins: [Bin] = []
    for hour in (series.first / LogSeries.hourLength)...(series.last / LogSeries.hourLength) {
      let start = series.minute(ofHour: hour)
      var bin = Bin(
        observed: 0, middle: Double(hour * 60 + 30 - origin), hour: Int(hour % 24),
        weekday: Self.weekday(ofDay: hour / 24))
      for minute in max(0, start)..<max(0, min(series.minutes.count, start + 60)) where !masked[minute] {
        let exposure = series.exposure(ofMinute: minute)
        let weights = Self.weights(series.firstMinute + Int64(minute))
        bin.observed += Double(series.minutes[minute])
        if weights.left == bin.hour {
          bin.own += exposure * (1 - weights.right)
          bin.behind += exposure * weights.right
        } else {
          bin.before += exposure * (1 - weights.right)
          bin.own += exposure * weights.right
        }
      }
      if bin.before + bin.own + bin.behind > 0 { bins.append(bin) }
    }
    return bins
  }
}

extension CalmModel {
  /// As a share of the level.
  var dailyGrowth: Double { exp(growth) - 1 }
}
