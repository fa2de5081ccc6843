package import LinkspanCore

/// A time zone's offsets from UTC, read from a file of the system's time zone database (TZif, RFC 8536).
package struct TimeZoneRules: Sendable {
  /// Ours: the largest of the database has about 4 KB.
  package static let fileLimitBytes = 65_536

  /// Since when which offset holds, in seconds.
  private let transitions: [(time: Int64, offset: Int64)]
  /// Before the first of them.
  private let firstOffset: Int64
  /// After the last of them; nil where the last offset stays.
  private let rule: YearlyRule?

  /// - Returns: nil for bytes that are no such file.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.fileLimitBytes, let first = Block(bytes, at: 0, timeBytes: 4) else {
      return nil
    }
    guard first.version >= UInt8(ascii: "2") else {
      (transitions, firstOffset, rule) = (first.transitions, first.firstOffset, nil)
      return
    }
    guard let second = Block(bytes, at: first.end, timeBytes: 8) else { return nil }
    (transitions, firstOffset) = (second.transitions, second.firstOffset)
    let footer = bytes[second.end...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    rule = footer.count > 1 ? YearlyRule(String(decoding: footer[1], as: UTF8.self)) : nil
  }

  /// Seconds east of UTC at a moment.
  package func offset(at time: WallTime) -> Int64 {
    let seconds = time.milliseconds.flooredDivision(by: 1_000)
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].time <= seconds { low = middle + 1 } else { high = middle }
    }
    if low == transitions.count, let rule { return rule.offset(at: seconds) }
    return low == 0 ? firstOffset : transitions[low - 1].offset
  }

  /// The next moment at which clocks there show the time of day, an hour that a change of clocks repeats counting twice. A time
  /// that a change leaves out counts as ``moment(_:onDay:)`` says.
  ///
  /// - Parameter minutes: After midnight.
  package func next(_ minutes: Int, after now: WallTime) -> WallTime {
    var day = self.day(at: now)
    while true {
      if let moment = moments(minutes, onDay: day).first(where: { $0 >= now }) { return moment }
      day += 1
    }
  }

  /// The moment at which clocks there show the time of day on a day, counted from 1970-01-01: the first one where they show it
  /// twice. A time that a change of clocks leaves out is as long after the change as it would be after the hour that is left out
  /// began: 02:30 is 03:30 where 02:00 to 03:00 does not exist.
  package func moment(_ minutes: Int, onDay day: Int64) -> WallTime { moments(minutes, onDay: day)[0] }

  /// One moment, or two where a change of clocks repeats the time; the earlier one first.
  private func moments(_ minutes: Int, onDay day: Int64) -> [WallTime] {
    let wanted = day * Self.dayMilliseconds + Int64(minutes) * 60_000
    // Clocks are within a day of UTC, so these are the offsets before and after any change that matters.
    let moments = [-Self.dayMilliseconds, Self.dayMilliseconds].map { distance in
      WallTime(milliseconds: wanted - offset(at: WallTime(milliseconds: wanted + distance)) * 1_000)
    }
    let shown = moments.filter { $0.milliseconds + offset(at: $0) * 1_000 == wanted }
    guard let first = shown.first else { return [moments[0]] }
    return shown.last == first ? [first] : shown
  }

  /// The day that it is there at a moment, counted from 1970-01-01.
  package func day(at time: WallTime) -> Int64 {
    (time.milliseconds + offset(at: time) * 1_000).flooredDivision(by: Self.dayMilliseconds)
  }

  /// Minutes after midnight that clocks there show at a moment, 0 to 1,439.
  package func minuteOfDay(at time: WallTime) -> Int {
    let local = time.milliseconds + offset(at: time) * 1_000
    return Int((local - day(at: time) * Self.dayMilliseconds) / 60_000)
  }

  private static let dayMilliseconds: Int64 = 86_400_000

  /// The form of an IANA time zone name; whether there is such a zone is not known here.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "_+-/".utf8.contains($0) }
  }

  /// Where the system's database is, a file for each name.
  package static let folder = "/usr/share/zoneinfo"

  /// UTC, whose rules need no file. It also stands for the zone of a device that names none.
  package static let utc = TimeZoneRules(fixedOffset: 0)

  /// - Parameter fixedOffset: Seconds east of UTC, at every moment.
  package init(fixedOffset: Int64) { (transitions, firstOffset, rule) = ([], fixedOffset, nil) }

  /// One of the two data blocks of a file.
  private struct Block {
    var version: UInt8
    var transitions: [(time: Int64, offset: Int64)] = []
    var firstOffset: Int64
    var end: Int

    init?(_ bytes: [UInt8], at start: Int, timeBytes: Int) {
      guard bytes.count >= start + 44, bytes[start..<start + 4].elementsEqual("TZif".utf8) else { return nil }
      func number(_ place: Int, _ count: Int) -> Int64 {
        let value = bytes[place..<place + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return count == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
      }
      let counts = (0..<6).map { Int(number(start + 20 + 4 * $0, 4)) }
      guard counts.allSatisfy({ (0...10_000).contains($0) }), counts[4] > 0 else { return nil }
      let (utc, standard, leaps, times, types, names) = (
        counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]
      )
      let timesStart = start + 44
      let indexStart = timesStart + times * timeBytes
      let typeStart = indexStart + times
      end = typeStart + types * 6 + names + leaps * (timeBytes + 4) + standard + utc
      guard end <= bytes.count else { return nil }
      version = bytes[start + 4]
      let offsets = (0..<types).map { number(typeStart + 6 * $0, 4) }
      guard offsets.allSatisfy({ abs($0) < 100_000 }) else { return nil }
      firstOffset = offsets[0]
      for index in 0..<times {
        let type = Int(bytes[indexStart + index])
        guard type < types else { return nil }
        transitions.append((number(timesStart + index * timeBytes, timeBytes), offsets[type]))
      }
    }
  }
}

extension Int64 {
  /// The quotient, rounded down; the divisor is positive.
  package func flooredDivision(by divisor: Int64) -> Int64 {
    self / divisor - (self % divisor < 0 ? 1 : 0)
  }
}
