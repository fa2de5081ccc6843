package import LinkspanCore

/// A part of every day in which nobody is to be disturbed, by the clock where the device is.
package struct QuietHours: Hashable, Sendable {
  /// Minutes after midnight. Where ``from`` is the later one, the hours span midnight.
  package let from: Int
  package let to: Int

  /// - Returns: nil where both are the same time, or one is no time of day.
  package init?(from: Int, to: Int) {
    guard from != to, (0..<1_440).contains(from), (0..<1_440).contains(to) else { return nil }
    self.from = from
    self.to = to
  }

  /// Whether anything can be sent at all: nothing is in the minute before they begin (``sendingTime``).
  package var leaveTime: Bool { (to + 1) % 1_440 != from }

  /// Whether clocks in a zone show a time in these hours. An hour that a change of clocks repeats is judged by what clocks
  /// show, both times.
  package func contain(_ time: WallTime, in zone: TimeZoneRules) -> Bool {
    let minute = zone.minuteOfDay(at: time)
    return from < to ? from <= minute && minute < to : minute >= from || minute < to
  }

  /// How many times an end is looked for. Ours: a change of clocks may put one more quiet time behind the first end.
  private static let attemptLimit = 4

  /// The first moment from then on at which a push may be sent in a zone: that moment itself, or the end of the quiet hours
  /// that it lies in.
  package func nextAllowed(from time: WallTime, in zone: TimeZoneRules) -> WallTime {
    var time = time
    for _ in 0..<Self.attemptLimit where contain(time, in: zone) {
      let end = zone.next(to, after: time)
      // A day whose clocks jump over the end has none before the next day; the jump itself ends the hours then.
      time = firstAllowed(after: time, before: end, in: zone) ?? end
    }
    return time
  }

  /// A moment before the end at which clocks have jumped out of the hours, to the minute; changes of clocks are at least an
  /// hour apart.
  private func firstAllowed(after time: WallTime, before end: WallTime, in zone: TimeZoneRules) -> WallTime? {
    guard zone.offset(at: time) != zone.offset(at: end) else { return nil }
    var (low, high) = (time.milliseconds.flooredDivision(by: 60_000), end.milliseconds / 60_000)
    let before = zone.offset(at: time)
    // The change lies between them.
    while high - low > 1 {
      let middle = (low + high) / 2
      if zone.offset(at: WallTime(milliseconds: middle * 60_000)) == before {
        low = middle
      } else {
        high = middle
      }
    }
    let change = WallTime(milliseconds: high * 60_000)
    return contain(change, in: zone) ? nil : change
  }
}
