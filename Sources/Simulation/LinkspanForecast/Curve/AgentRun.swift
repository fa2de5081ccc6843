internal import LinkspanCore

/// The same fleet device by device: slower, and by another way, to check the counts against. No server limit is known
/// to it.
struct AgentRun {
  private let fleet: Fleet
  private var generator: SeededGenerator

  init(_ fleet: Fleet, seed: UInt64) {
    self.fleet = fleet
    generator = SeededGenerator(seed: seed)
  }

  /// Devices' requests in each second; without the site's own visitors.
  ///
  mutating func run() -> [Int32] {
    var counts = [Int32](repeating: 0, count: fleet.seconds)
    for _ in 0..<fleet.directDevices {
      var due = Int(generator.draw(0...Int64(RecheckTimes.meanSuccess) - 1))
      var update = updateSecond()
      while true {
        let next = min(due, update ?? .max)
        guard next < counts.count else { break }
        if next >= 0 { counts[next] += 1 }
        if update == next { update = nil }
        due =
          next
          + Int(
            generator.draw(
              Int64(RecheckTimes.success.lowerBound)...Int64(RecheckTimes.success.upperBound - 1)))
      }
    }
    return counts
  }

  /// When this device updates; nil when it never does within the forecast.
  private mutating func updateSecond() -> Int? {
    guard let update = fleet.update else { return nil }
    var released = Int((update.released.milliseconds - fleet.start.milliseconds) / 1000)
    let kind = generator.unit()
    if kind < update.manualShare {
      // Each second lets the same share of those left go.
      var wait = 0.0
      while generator.unit() < 0.5 { wait += 1 }
      let halves = wait + halfLifeFraction()
      return released + Int(halves * Double(update.manualHalfLifeSeconds))
    }
    guard kind < update.manualShare + update.automaticShare else { return nil }
    let zone = drawZone()
    if update.isPhased {
      let rank = generator.unit()
      released += 86_400 * UpdateWave.phases.firstIndex { rank < $0 }!
    }
    let local = Int(fleet.start.milliseconds / 1000) + zone.offsetSeconds
    let midnight = -(((local % 86_400) + 86_400) % 86_400)
    var open = midnight + update.windowStartSeconds
    while open + update.windowLengthSeconds <= released { open += 86_400 }
    if open < released {
      // Met while the window is open, unless the device has looked before.
      let moment = look(update, open)
      if moment >= released, generator.unit() < update.nightlyShare { return moment }
      open += 86_400
    }
    while generator.unit() >= update.nightlyShare { open += 86_400 }
    return look(update, open)
  }

  /// When a device looks in the night whose window opens then.
  private mutating func look(_ update: Fleet.Update, _ open: Int) -> Int {
    let burst = max(1, update.burstSeconds)
    if generator.unit() < update.burstShare { return open + Int(generator.draw(0...Int64(burst - 1))) }
    return open + Int(generator.draw(Int64(burst)...Int64(update.windowLengthSeconds - 1)))
  }

  /// Where, within the half-life in which it falls, something that decays happens.
  private mutating func halfLifeFraction() -> Double {
    // By rejection against the density 2^-x on 0..<1: no logarithm is needed.
    while true {
      let x = generator.unit()
      var density = 1.0
      var bit = 0.5
      var rest = x
      var root = 0.707_106_781_186_547_5
      for _ in 0..<24 {
        if rest >= bit {
          density *= root
          rest -= bit
        }
        root = root.squareRoot()
        bit /= 2
      }
      if generator.unit() < density { return x }
    }
  }

  private mutating func drawZone() -> Fleet.Zone {
    var rest = generator.unit()
    for zone in fleet.zones {
      rest -= zone.share
      if rest < 0 { return zone }
    }
    return fleet.zones.last!
  }
}
