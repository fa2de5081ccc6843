internal import LinkspanCore

/// When the system lets an app fetch in the background without a push (push section 7.3).
///
/// The system learns at which hours an app finds new data; how is published nowhere, so the model is inferred: a score for
/// each hour of the day, and waits that double with each failure.
package struct FetchModel: Hashable, Sendable {
  package static let mode = "fetch"
  /// A fetch was never seen sooner after the last (push section 7.3, observed).
  static let floorMilliseconds: Int64 = 15 * 60_000
  /// Ours: failures in a row make the wait no longer than this.
  private static let longestMilliseconds: Int64 = 4 * 3_600_000
  private static let hourMilliseconds: Int64 = 3_600_000

  /// What the app asked for with `setMinimumBackgroundFetchInterval`, in milliseconds; nil is iOS's default, never.
  package var minimum_ms: Int64?
  private var scores = [Int](repeating: 0, count: 24)
  private var failureCount = 0
  /// When the next one is due.
  var next: WallTime?

  /// Plans the next one.
  mutating func plan(after now: WallTime) {
    guard let minimum_ms else {
      next = nil
      return
    }
    let usual = max(minimum_ms, Self.floorMilliseconds)
    let wait = min(usual << Int64(min(failureCount, 10)), max(usual, Self.longestMilliseconds))
    next = Self.time(from: WallTime(milliseconds: now.milliseconds + wait), scores)
  }

  /// Takes note of what a fetch brought.
  mutating func note(_ result: HandlerPlan.Result, at now: WallTime) {
    let hour = Self.hour(now)
    switch result {
    case .newData:
      scores[hour] = min(scores[hour] + 2, 100)
      failureCount = 0
    case .noData:
      scores[hour] = max(scores[hour] - 1, 0)
      failureCount = 0
    case .failed: failureCount += 1
    }
  }

  /// The first moment from one on whose hour is better than the mean; that moment itself while no hour is.
  private static func time(from moment: WallTime, _ scores: [Int]) -> WallTime {
    let sum = scores.reduce(0, +)
    for later in 0..<24 as Range<Int64> {
      let begin = moment.milliseconds + later * hourMilliseconds
      // Above the mean, in whole numbers.
      guard scores[hour(WallTime(milliseconds: begin))] * scores.count > sum else { continue }
      let start = begin - (begin % hourMilliseconds + hourMilliseconds) % hourMilliseconds
      return WallTime(milliseconds: max(moment.milliseconds, start))
    }
    return moment
  }

  private static func hour(_ time: WallTime) -> Int {
    Int((time.milliseconds / hourMilliseconds % 24 + 24) % 24)
  }
}

/// What an app's notification service extension does with a push that asks for it (push 7.16).
package struct ServicePlan: Hashable, Sendable {
  /// About 30 seconds, then the system shows the push as it came.
  package static let limitMilliseconds: Int64 = 30_000

  /// How long it takes, in milliseconds; nil when it never hands its content over.
  package var duration_ms: Int64?
  /// What it shows instead of the alert's text.
  package var text: String

  package init(duration_ms: Int64? = 2000, text: String) {
    self.duration_ms = duration_ms
    self.text = text
  }
}
