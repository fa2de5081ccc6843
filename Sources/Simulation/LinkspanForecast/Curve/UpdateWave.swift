internal import Glibc
internal import LinkspanCore

/// Which share of the devices updates in each second.
struct UpdateWave: Sendable {
  /// One number for each second of the forecast; together at most 1.
  private(set) var shares: [Double]

  /// What Apple's phased release lets through by the end of each of its days.
  ///
  /// - Source: App Store Connect Help, "Release a version update in phases".
  static let phases = [0.01, 0.02, 0.05, 0.10, 0.20, 0.50, 1.0]

  /// - Parameter factor: Multiplies the burst's share, for a scenario that is better or worse than expected.
  init(_ fleet: Fleet, factor: Double = 1) {
    shares = [Double](repeating: 0, count: fleet.seconds)
    guard let update = fleet.update else { return }
    let released = Int((update.released.milliseconds - fleet.start.milliseconds) / 1000)
    addManual(update, released: released)
    for zone in fleet.zones {
      addNights(fleet, update, zone, released: released, burst: min(1, update.burstShare * factor))
    }
  }

  private mutating func addManual(_ update: Fleet.Update, released: Int) {
    let decay = exp2(-1 / Double(max(1, update.manualHalfLifeSeconds)))
    guard released < shares.count else { return }
    var left = update.manualShare
    if released < 0 { left *= pow(decay, Double(-released)) }
    for second in max(0, released)..<shares.count {
      shares[second] += left * (1 - decay)
      left *= decay
    }
  }

  /// Adds what one zone's devices do by themselves, night after night.
  private mutating func addNights(
    _ fleet: Fleet, _ update: Fleet.Update, _ zone: Fleet.Zone, released: Int, burst: Double
  ) {
    let steps = update.isPhased ? Self.phases : [1.0]
    let total = zone.share * update.automaticShare
    var waiting = 0.0
    var offered = 0
    var letThrough = 0.0
    // The first window that could hold a device, one day early for windows that are open at the release.
    let day = 86_400
    let midnight = Self.midnight(of: fleet, zone)
    var night = max(0, (released - midnight) / day - 1)
    while true {
      let open = midnight + night * day + update.windowStartSeconds
      let close = open + update.windowLengthSeconds
      night += 1
      if open >= shares.count { return }
      if close <= released { continue }
      // What was offered before the window opens waits for its first second.
      while offered < steps.count, released + offered * day <= open {
        waiting += total * (steps[offered] - letThrough)
        letThrough = steps[offered]
        offered += 1
      }
      let tonight = waiting * update.nightlyShare
      waiting -= tonight
      let burstEnd = min(close, open + max(1, update.burstSeconds))
      add(tonight * burst, from: open, to: burstEnd)
      add(tonight * (1 - burst), from: burstEnd, to: close)
      // What is offered while the window is open is met as devices look, without a common first second; those that
      // looked before wait for the next night.
      while offered < steps.count, released + offered * day < close {
        let began = released + offered * day
        let share = total * (steps[offered] - letThrough)
        letThrough = steps[offered]
        offered += 1
        let looking = share * update.nightlyShare
        waiting += share
        waiting -= add(looking * burst, of: open..<burstEnd, from: began)
        waiting -= add(looking * (1 - burst), of: burstEnd..<close, from: began)
      }
    }
  }

  /// The second of the forecast, at most a day before its start, at which the zone's day begins.
  private static func midnight(of fleet: Fleet, _ zone: Fleet.Zone) -> Int {
    let local = Int(fleet.start.milliseconds / 1000) + zone.offsetSeconds
    return -(((local % 86_400) + 86_400) % 86_400)
  }

  private mutating func add(_ share: Double, from start: Int, to end: Int) {
    guard end > start, share > 0 else { return }
    let each = share / Double(end - start)
    let first = max(0, start)
    for second in first..<max(first, min(end, shares.count)) { shares[second] += each }
  }

  /// Adds the part of a share that falls behind a second of the range over which it is spread.
  ///
  /// - Returns: That part.
  private mutating func add(_ share: Double, of range: Range<Int>, from second: Int) -> Double {
    let first = max(second, range.lowerBound)
    guard first < range.upperBound else { return 0 }
    let part = share * Double(range.upperBound - first) / Double(range.count)
    add(part, from: first, to: range.upperBound)
    return part
  }
}
