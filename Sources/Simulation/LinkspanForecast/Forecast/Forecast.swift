internal import Dispatch
package import LinkspanCore

/// What the server of a fleet will see.
package struct Forecast: Sendable {
  /// Over more days than asked for where these would end before the highest night of the update.
  package let fleet: Fleet
  /// The days that were asked for.
  private let askedDays: Int
  package let seed: UInt64
  /// Requests a second on average, were there no update.
  package let baseline: Double
  /// The scenario with the expected values.
  package let curve: Curve
  /// The highest second of 9 scenarios, from the lowest to the highest.
  package let peaks: [Int]
  package let remedies: [Remedy]

  /// The peak with one change.
  package struct Remedy: Sendable {
    package let name: String
    /// One sentence: what to do.
    package let advice: String
    /// Who says that it works so; nil when it only follows from the model.
    package let source: String?
    package let peak: Int
    package let ratio: Double
    /// Over so many days: more than the forecast has for what takes longer.
    package let days: Int
    package let failed: Int
    package let handshakes: Int
    package let bytes: Int
    /// Cores that the peak needs; nil when the cost of a connection isn't known.
    package let cores: Int?
    /// Whether the peak is lower, or fewer requests fail, by more than chance alone makes of it.
    package let helps: Bool
  }

  private static let scenarios = 9

  /// Whether a remedy helps.
  package var helps: Bool { remedies.contains(where: \.helps) }

  /// What is said where no remedy helps.
  package static let noRemedy =
    "No remedy helps: the peak is the busiest second of the normal load, and with a remedy it differs by chance only."

  /// Why the forecast has more days than asked for; nil when it has not.
  package var lengthening: String? {
    guard fleet.days > askedDays else { return nil }
    return "\(fleet.days) days instead of \(askedDays), which end before the highest night of the update"
  }

  /// - Parameter progress: Called with the number of finished scenarios and their total.
  package init(_ asked: Fleet, seed: UInt64 = 1, progress: (Int, Int) -> Void = { _, _ in }) {
    let fleet = asked.untilTheHighestNight
    askedDays = asked.days
    self.fleet = fleet
    self.seed = seed
    baseline = Self.baseline(of: fleet)
    let changes = FleetChange.all(for: fleet)
    var generator = SeededGenerator(seed: seed)
    let seeds = (0..<Self.scenarios).map { _ in generator.next() }
    let middle = Self.scenarios / 2
    // What takes longer is compared with the fleet as it is over as many days.
    var same = fleet
    same.days = changes.map(\.fleet.days).max() ?? fleet.days
    let others = changes.map(\.fleet) + (same.days > fleet.days ? [same] : [])
    let total = Self.scenarios + others.count
    let runs = Self.onAllProcessors(Self.scenarios, progress: { progress($0, total) }) { index in
      let position = Double(index - middle) / Double(middle)
      let run = Self.curve(of: fleet, position: position, seed: seeds[index])
      return (peak: Int(run.requests[run.peakSecond]), curve: index == middle ? run : nil)
    }
    let curve = runs[middle].curve!
    self.curve = curve
    peaks = runs.map(\.peak).sorted()
    let baseline = baseline
    let outcomes = Self.onAllProcessors(others.count, progress: { progress(Self.scenarios + $0, total) }) {
      let other = others[$0]
      // With the expected scenario's own chance: what differs is the change alone.
      let run =
        other.hasTraffic(of: fleet) ? curve : Self.curve(of: other, position: 0, seed: seeds[middle])
      return Outcome(other, run)
    }
    let now = Outcome(fleet, curve)
    let later = outcomes.last ?? now
    self.remedies = zip(changes, outcomes).map { change, outcome in
      Self.remedy(
        change, outcome, than: change.fleet.days > fleet.days ? later : now, baseline: baseline)
    }.sorted {
      ($0.peak, $0.cores ?? 0, $0.bytes) < ($1.peak, $1.cores ?? 0, $1.bytes)
    }
  }

  /// What a comparison needs of a curve.
  private struct Outcome: Sendable {
    let peak: Int
    let failed: Int
    let load: PeakLoad

    init(_ fleet: Fleet, _ curve: Curve) {
      peak = Int(curve.requests[curve.peakSecond])
      failed = curve.failedCount
      load = PeakLoad(fleet, curve)
    }
  }

  /// What independent work gives, in its order.
  ///
  /// - Parameter progress: Called with the number of what is done.
  private static func onAllProcessors<Answer: Sendable>(
    _ count: Int, progress: (Int) -> Void, _ work: @Sendable (Int) -> Answer
  ) -> [Answer] {
    let answers = LockedState<[Int: Answer]>([:])
    // So many at a time, that progress is shown: a thread for each processor takes them.
    for start in stride(from: 0, to: count, by: 4) {
      let some = min(4, count - start)
      DispatchQueue.concurrentPerform(iterations: some) { place in
        let answer = work(start + place)
        answers.withLock { $0[start + place] = answer }
      }
      progress(start + some)
    }
    return answers.withLock { answers in (0..<count).compactMap { answers[$0] } }
  }

  /// - Parameter position: -1 for the lowest scenario, 0 for the expected one, 1 for the highest.
  private static func curve(of fleet: Fleet, position: Double, seed: UInt64) -> Curve {
    let spread = max(1, fleet.update?.burstUncertainty ?? 1)
    let factor = position < 0 ? 1 + (1 / spread - 1) * -position : 1 + (spread - 1) * position
    var run = CountRun(fleet, wave: UpdateWave(fleet, factor: factor), seed: seed)
    return run.run()
  }

  /// The expected scenario alone.
  package static func expected(_ fleet: Fleet, seed: UInt64) -> Curve {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<(scenarios / 2) { _ = generator.next() }
    return curve(of: fleet.untilTheHighestNight, position: 0, seed: generator.next())
  }

  private static func baseline(of fleet: Fleet) -> Double {
    let direct = Double(fleet.directDevices)
    let cdn =
      fleet.routes.direct < 1 ? Double(fleet.cdn.caches) / Double(max(1, fleet.cdn.maxAgeSeconds)) : 0
    return fleet.site.requestsPerSecond + cdn + direct / RecheckTimes.meanSuccess
      + direct * fleet.growthPerDay / 86_400
  }

  /// What chance alone makes of a count: one standard deviation of a Poisson variable, and at least one. The highest of many
  /// seconds varies by less.
  private static func chance(_ count: Int) -> Int { max(1, Int(Double(count).squareRoot().rounded(.up))) }

  private static func remedy(
    _ change: FleetChange, _ outcome: Outcome, than before: Outcome, baseline: Double
  ) -> Remedy {
    let load = outcome.load
    return Remedy(
      name: change.name, advice: change.advice, source: change.source, peak: outcome.peak,
      ratio: Double(outcome.peak) / max(baseline, 1e-9), days: change.fleet.days, failed: outcome.failed,
      handshakes: load.handshakes, bytes: load.bytes, cores: load.cores,
      helps: before.peak - outcome.peak > chance(before.peak)
        || before.failed - outcome.failed > chance(before.failed))
  }

  /// The same fleet device by device, for comparison: what the busiest second of the devices is, and how far the two
  /// lie apart.
  package struct Agents: Sendable {
    /// Devices' requests in their busiest second, by counts and device by device.
    package let peaks: (counts: Int, agents: Int)
    /// The largest distance of the two distributions over time (Kolmogorov and Smirnov).
    package let distance: Double
    /// The distance that chance alone exceeds once in a thousand times.
    package let limit: Double
  }

  /// Plays each device that asks the host itself: for fleets of up to a million of them.
  package func compareWithAgents() -> Agents {
    var run = AgentRun(fleet, seed: seed &+ 1)
    let agents = run.run()
    let left = Double(curve.devices.reduce(0) { $0 + Int($1) })
    let right = Double(agents.reduce(0) { $0 + Int($1) })
    var (sum, other, distance) = (0.0, 0.0, 0.0)
    for (ofCounts, ofAgents) in zip(curve.devices, agents) {
      sum += Double(ofCounts) / max(1, left)
      other += Double(ofAgents) / max(1, right)
      distance = max(distance, abs(sum - other))
    }
    let peaks = (Int(curve.devices.max() ?? 0), Int(agents.max() ?? 0))
    return Agents(
      peaks: peaks, distance: distance, limit: 1.95 * (1 / max(1, left) + 1 / max(1, right)).squareRoot())
  }

  package var peakSecond: Int { curve.peakSecond }
  package var peak: Int { Int(curve.requests[peakSecond]) }
  package var peakAt: WallTime { fleet.start.advanced(by: .seconds(peakSecond)) }
  package var ratio: Double { Double(peak) / max(baseline, 1e-9) }

  /// The peak that the given share of the scenarios does not pass: 0, 0.125, …, 1.
  package func peak(quantile: Double) -> Int {
    peaks[min(peaks.count - 1, max(0, Int((quantile * Double(peaks.count - 1)).rounded())))]
  }

  /// What the highest second asks of the server.
  package var load: PeakLoad { PeakLoad(fleet, curve) }
}

/// The highest second of a curve in the units that servers are bought in.
package struct PeakLoad: Hashable, Sendable {
  package let handshakes: Int
  package let bytes: Int
  /// New connections a second that answer 99 of 100 in time.
  package let capacity: Int
  /// Nil when the cost of a connection isn't known.
  package let cores: Int?

  /// - Source: for the capacity, the waiting time of a queue with one server and service times as irregular as can be
  ///   (M/M/1): 99 of 100 wait less than ln(100) / (capacity − rate). Real service times are steadier, so this errs on
  ///   the safe side.
  init(_ fleet: Fleet, _ curve: Curve) {
    let second = curve.peakSecond
    let all = Double(curve.requests[second])
    let devices = Double(curve.devices[second])
    let others = max(0, all - devices)
    let shaken = devices + others * (1 - fleet.site.keptShare)
    handshakes = Int(shaken.rounded())
    bytes =
      Int((all * Double(fleet.server.responseBytes) + shaken * Double(fleet.server.handshakeBytes)).rounded())
    let wanted = shaken + 4.605_170_186 / (max(0.001, fleet.server.targetMilliseconds) / 1000)
    capacity = Int(wanted.rounded(.up))
    cores = fleet.server.connectionMilliseconds.map { Int((wanted * $0 / 1000).rounded(.up)) }
  }
}
