internal import Glibc
internal import LinkspanCore

/// One scenario of a fleet by counts: what millions of devices do, one random number for all of them in each second.
///
/// The devices that update in a second are a multinomial step: of those left to update, each with the same chance.
/// What many devices do independently of each other is drawn as one Poisson number. A device that updates asks for
/// the file, and its next re-check moves with it: so a peak repeats five days later.
struct CountRun {
  private let fleet: Fleet
  private let capacity: Double?
  private let wave: [Double]
  private var generator: SeededGenerator
  private var curve: Curve
  /// Re-checks due of devices that will update, as differences from second to second, each divided by ``kept`` of the
  /// moment it was made.
  private var dueBefore: [Double]
  /// Re-checks due of the others, as differences from second to second.
  private var dueAfter: [Double]
  /// Devices that come again after their failure number 1, 2, …, as differences from second to second.
  private var retries: [[Double]] = []
  private var retryRates: [Double] = []
  /// The share of the re-checks in ``dueBefore`` that were due at the start and that no update has moved since.
  private var kept = 1.0

  init(_ fleet: Fleet, wave: UpdateWave, seed: UInt64) {
    self.fleet = fleet
    capacity = fleet.server.capacity
    self.wave = wave.shares
    generator = SeededGenerator(seed: seed)
    curve = Curve(seconds: fleet.seconds)
    dueBefore = [Double](repeating: 0, count: fleet.seconds + 1)
    dueAfter = dueBefore
    if capacity != nil {
      retries = [[Double]](
        repeating: [Double](repeating: 0, count: fleet.seconds + 1), count: RecheckTimes.tries)
      retryRates = [Double](repeating: 0, count: RecheckTimes.tries)
    }
  }

  mutating func run() -> Curve {
    let devices = fleet.directDevices
    let site = SiteTraffic(fleet)
    let installs = Double(devices) * fleet.growthPerDay / 86_400
    let mean = 0..<Int(RecheckTimes.meanSuccess)
    var shareLeft = wave.reduce(0, +)
    var updating = generator.binomial(devices, min(1, shareLeft))
    Self.spread(Double(updating), over: mean, in: &dueBefore)
    Self.spread(Double(devices - updating), over: mean, in: &dueAfter)
    var (beforeRate, afterRate, backlog) = (0.0, 0.0, 0.0)
    for second in 0..<wave.count {
      beforeRate += dueBefore[second]
      afterRate += dueAfter[second]
      var updates = 0
      if wave[second] > 0, updating > 0 {
        updates = generator.binomial(updating, min(1, wave[second] / max(shareLeft, 1e-300)))
        kept *= 1 - Double(updates) / Double(updating)
        updating -= updates
        shareLeft -= wave[second]
      }
      let before = max(0, beforeRate * kept)
      var again = 0.0
      for index in 0..<retries.count {
        retryRates[index] += retries[index][second]
        again += max(0, retryRates[index])
      }
      let after = max(0, afterRate) + installs + again
      let others = site.rate(at: second)
      let background = generator.poisson(before + after + others)
      let own = generator.binomial(background, (before + after) / max(1e-300, before + after + others))
      let early = generator.binomial(own, before / max(1e-300, before + after))
      let asking = updates + own
      curve.requests[second] = Int32(clamping: updates + background)
      curve.devices[second] = Int32(clamping: asking)
      let failed = fail(second, asking: asking, all: updates + background, again: again, &backlog)
      let answered = asking > 0 ? Double(asking - failed) / Double(asking) : 0
      Self.spread(
        Double(early) * answered / max(kept, 1e-12), over: RecheckTimes.success, from: second, in: &dueBefore)
      Self.spread(
        Double(asking - early) * answered, over: RecheckTimes.success, from: second, in: &dueAfter)
    }
    return curve
  }

  /// What the server cannot take within a device's patience comes back three hours later.
  private mutating func fail(
    _ second: Int, asking: Int, all: Int, again: Double, _ backlog: inout Double
  ) -> Int {
    guard let capacity else { return 0 }
    backlog = max(0, backlog + Double(all) - capacity)
    let most = capacity * Double(fleet.server.patienceSeconds)
    guard backlog > most, all > 0 else { return 0 }
    let lost = backlog - most
    backlog = most
    let failed = min(asking, Int((lost * Double(asking) / Double(all)).rounded()))
    curve.failed[second] = Int32(clamping: failed)
    // Of those, some were here before: they have one try less.
    let before = asking > 0 ? min(1, again / Double(asking)) : 0
    Self.spread(Double(failed) * (1 - before), over: RecheckTimes.failure, from: second, in: &retries[0])
    for index in retries.indices.dropLast() where again > 0 {
      let share = before * max(0, retryRates[index]) / again
      Self.spread(Double(failed) * share, over: RecheckTimes.failure, from: second, in: &retries[index + 1])
    }
    return failed
  }

  private static func spread(
    _ amount: Double, over range: Range<Int>, from second: Int = 0, in rates: inout [Double]
  ) {
    let last = rates.count - 1
    guard amount > 0, second + range.lowerBound < last else { return }
    let each = amount / Double(range.count)
    rates[second + range.lowerBound] += each
    rates[min(last, second + range.upperBound)] -= each
  }
}

/// What reaches the host besides its devices: the site's own visitors, and the CDN's caches.
struct SiteTraffic {
  private let hours: [Double]
  private let cdn: Double
  private let offset: Int

  init(_ fleet: Fleet) {
    let site = fleet.site
    hours = (0..<1440).map { minute in
      let angle = 2 * Double.pi * (Double(minute) / 60 - Double(site.busiestHour)) / 24
      return site.requestsPerSecond * (1 + site.dailySwing * cos(angle))
    }
    cdn =
      fleet.routes.direct < 1 ? Double(fleet.cdn.caches) / Double(max(1, fleet.cdn.maxAgeSeconds)) : 0
    offset = Int(fleet.start.milliseconds / 1000 % 86_400)
  }

  func rate(at second: Int) -> Double { hours[(offset + second) / 60 % 1440] + cdn }
}
