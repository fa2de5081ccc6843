internal import LinkspanCore

/// What a log tells for a forecast: calm traffic with its shape and growth, and the stampedes of the past.
package struct LogFit: Sendable {
  package struct Stampede: Hashable, Sendable {
    /// The first second beyond what is calm, in seconds since 1970, and the end of the last minute.
    package var start: Int64
    package var end: Int64
    package var peakAt: Int64
    /// Requests in the highest second.
    package var peak: Int
    /// Requests beyond the calm ones, rounded.
    package var requests: Int
    /// The highest second as a multiple of what was calm then.
    package var ratio: Double
  }

  /// A stretch in which nothing came where twenty requests or more were due.
  package struct Gap: Hashable, Sendable {
    /// Seconds since 1970; the last one is included.
    package var first: Int64
    package var last: Int64
  }

  /// A day that the fit does not explain.
  package struct Day: Hashable, Sendable {
    /// Its midnight in UTC, in seconds since 1970.
    package var start: Int64
    package var observed: Int
    package var expected: Double
  }

  /// Why nothing can be fitted.
  package struct Problem: Error, Sendable {
    package let message: String
    package let help: String
  }

  package let counts: LogCounts
  package let first: Int64
  package let last: Int64
  /// Requests a second when the log begins, averaged over the hours and the weekdays.
  package let baseline: Double
  /// The same when the log ends.
  package let baselineAtEnd: Double
  /// As a share: 0.01 is one more in a hundred each day; 0 for a log shorter than eight days.
  package let growthPerDay: Double
  /// Around 1, for the hours of the day in UTC; all of them 1 for a log shorter than two days.
  package let hours: [Double]
  /// Around 1, from Monday; all of them 1 for a log shorter than eight days.
  package let weekdays: [Double]
  package let stampedes: [Stampede]
  package let gaps: [Gap]
  /// The days that do not fit, in their order.
  package let misfits: [Day]
  /// How much more the calm minutes vary than a Poisson process does: 1 is a perfect fit.
  package let dispersion: Double

  /// Ours: what can be told from chance.
  private static let leastSeconds: Int64 = 600
  private static let leastRequests = 100
  private static let rounds = 4

  /// - Throws: ``Problem`` where the log is too short, or holds nothing.
  package init(_ counts: LogCounts) throws(Problem) {
    guard counts.requests > 0 else {
      throw Problem(
        message: "no line of the log is a request with its time",
        help: "Give an access log in the combined format or as JSON lines; 'unread lines' counts the others.")
    }
    let counts = counts.withoutStrays()
    guard let series = LogSeries(counts) else {
      throw Problem(
        message: "the log spans more than two years", help: "Give the logs of at most two years.")
    }
    guard series.length >= Self.leastSeconds, counts.requests >= Self.leastRequests else {
      throw Problem(
        message: "\(counts.requests.counted("request")) in \(Int(series.length).counted("second")) "
          + "\(counts.requests == 1 ? "is" : "are") too few to fit",
        help: "Give a log of ten minutes and 100 requests at least; a month is best.")
    }
    var model = CalmModel(median: series)
    var survey = CalmSurvey(series, counts.clockChanges)
    for round in 0..<Self.rounds {
      survey.look(model, isFirst: round == 0)
      model.fit(series, masked: survey.masked)
    }
    survey.look(model, isFirst: false)
    self.counts = counts
    first = series.first
    last = series.last
    baseline = model.mean(minute: series.first / 60)
    baselineAtEnd = model.mean(minute: series.last / 60)
    growthPerDay = model.dailyGrowth
    hours = model.hours
    weekdays = model.weekdays
    stampedes = survey.stampedes
    gaps = survey.gaps
    misfits = survey.misfits(model)
    dispersion = survey.dispersion
  }

  /// Of the requests for the association file, those of devices themselves; nil where neither a device nor Apple's CDN asked.
  package var directShare: Double? {
    let known = counts.deviceFetches + counts.crawlerFetches
    return known == 0 ? nil : Double(counts.deviceFetches) / Double(known)
  }
}
