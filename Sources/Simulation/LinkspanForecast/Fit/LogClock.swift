/// A change of the clock that wrote a log.
package struct ClockChange: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    /// The log says another offset from UTC from there on, as when daylight saving time begins.
    case offset
    /// Times go back by less than a day, and stay back: these hours stand in the log twice.
    case back
    /// Times go back further: parts of the log stand in another order, or were joined.
    case order
  }

  package var kind: Kind
  /// Where the new time begins, in UTC.
  package var at: Int64
  /// Offsets in seconds for ``Kind/offset``; otherwise what the clock showed before, in seconds since 1970, and after.
  package var from: Int64
  package var to: Int64

  package init(kind: Kind, at: Int64, from: Int64, to: Int64) {
    self.kind = kind
    self.at = at
    self.from = from
    self.to = to
  }
}

/// Watches the times of one log, line by line.
struct LogClock {
  /// Ours: a server writes a request when it ends, so lines may be a little late.
  private static let slack: Int64 = 120
  /// Ours: so many lines in a row confirm a change.
  private static let confirmations = 20
  private static let dayLength: Int64 = 86_400

  private var latest: Int64?
  private var behind: (count: Int, from: Int64, to: Int64)?
  private var offset: Int?
  private var otherOffset: (count: Int, offset: Int, at: Int64)?

  mutating func look(at time: Int64, offset: Int?) -> ClockChange? {
    if let change = lookAtOffset(offset, time) { return change }
    guard let latest else {
      self.latest = time
      return nil
    }
    guard time < latest - Self.slack else {
      behind = nil
      self.latest = max(latest, time)
      return nil
    }
    let seen = behind ?? (count: 0, from: latest, to: time)
    behind = (seen.count + 1, seen.from, seen.to)
    guard seen.count + 1 >= Self.confirmations else { return nil }
    behind = nil
    self.latest = time
    return ClockChange(
      kind: seen.from - seen.to < Self.dayLength ? .back : .order, at: seen.to, from: seen.from, to: seen.to)
  }

  private mutating func lookAtOffset(_ new: Int?, _ time: Int64) -> ClockChange? {
    guard let new, new != offset else {
      otherOffset = nil
      return nil
    }
    guard let old = offset else {
      offset = new
      return nil
    }
    let seen = otherOffset?.offset == new ? otherOffset! : (count: 0, offset: new, at: time)
    otherOffset = (seen.count + 1, new, seen.at)
    guard seen.count + 1 >= Self.confirmations else { return nil }
    offset = new
    otherOffset = nil
    return ClockChange(kind: .offset, at: seen.at, from: Int64(old), to: Int64(new))
  }
}
