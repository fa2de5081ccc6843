internal import LinkspanCore

/// The requests of a log over time, without holes: minutes from the first to the last request.
struct LogSeries {
  static let hourLength: Int64 = 3_600

  /// Seconds since 1970 of the first and of the last request.
  let first: Int64
  let last: Int64
  let firstMinute: Int64
  /// Requests in each minute.
  let minutes: [UInt32]
  private let counts: LogCounts

  /// nil without requests, or where they lie too far apart to be one log.
  init?(_ counts: LogCounts) {
    let hours = counts.hours.keys.sorted()
    guard let low = hours.first, let high = hours.last, high - low < Int64(LogCounts.hourLimit) else {
      return nil
    }
    self.counts = counts
    let start = counts.seconds[counts.hours[low]!].firstIndex { $0 > 0 } ?? 0
    let end = counts.seconds[counts.hours[high]!].lastIndex { $0 > 0 } ?? 0
    first = low * Self.hourLength + Int64(start)
    last = high * Self.hourLength + Int64(end)
    firstMinute = first / 60
    var minutes = [UInt32](repeating: 0, count: Int(last / 60 - first / 60) + 1)
    for (hour, place) in counts.hours {
      let seconds = counts.seconds[place]
      for minute in 0..<60 {
        let index = Int(hour * 60 + Int64(minute) - firstMinute)
        guard minutes.indices.contains(index) else { continue }
        minutes[index] = seconds[minute * 60..<minute * 60 + 60].reduce(0, +)
      }
    }
    self.minutes = minutes
  }

  /// How many seconds long it is.
  var length: Int64 { last - first + 1 }

  /// The minute of an hour since 1970, as a place in ``minutes`` that may lie outside.
  func minute(ofHour hour: Int64) -> Int { Int(hour * 60 - firstMinute) }

  /// When a minute begins, in seconds since 1970.
  func time(ofMinute minute: Int) -> Int64 { (firstMinute + Int64(minute)) * 60 }

  /// The share of a minute that lies between the first and the last request.
  func exposure(ofMinute minute: Int) -> Double {
    let start = max(first, time(ofMinute: minute))
    let end = min(last + 1, time(ofMinute: minute) + 60)
    return Double(max(0, end - start)) / 60
  }

  /// The seconds of a minute.
  func seconds(ofMinute minute: Int) -> ArraySlice<UInt32> {
    let start = time(ofMinute: minute)
    guard let place = counts.hours[start / Self.hourLength] else { return [] }
    let offset = Int(start % Self.hourLength)
    return counts.seconds[place][offset..<offset + 60]
  }
}
