import LinkspanCore

/// The device's daemon as a process that can die, and its clock, which can be wrong.
///
/// It dies half a millisecond after whole ones, when nothing else happens, so that the order of things within a
/// moment never shows.
package struct Daemon: Sendable {
  /// How often it was started.
  private(set) var starts = 0
  /// Until when it is away.
  private(set) var backAt: Duration = .zero
  /// How many millionths its clock runs fast.
  let drift_ppm: Int64
  private var clockSteps = 0
  private let chance: SeededGenerator

  /// When it dies, as seen from the check that it dies over.
  package enum Moment: String, Hashable, Sendable {
    case beforeStore = "before-store"
    case afterStore = "after-store"
  }

  package static let crashOffset: Duration = .microseconds(500)

  init(_ faults: FaultOptions, _ chance: SeededGenerator) {
    self.chance = chance.fork("daemon")
    var drift = self.chance.fork("drift")
    let most = faults.clockDrift_ppm
    drift_ppm = most == 0 ? 0 : drift.draw(-most...most)
  }

  /// How long it takes until the daemon's own clock has moved on by that much, in whole milliseconds.
  func lasting(_ duration: Duration) -> Duration {
    guard drift_ppm != 0 else { return duration }
    return .milliseconds(duration.wholeMilliseconds * 1_000_000 / (1_000_000 + drift_ppm))
  }

  /// By how much the clock is set at the beginning of a wait: forward when positive.
  mutating func clockStep(_ faults: FaultOptions) -> Duration? {
    guard faults.clockStep.numerator > 0 else { return nil }
    clockSteps += 1
    var chance = chance.fork("clock \(clockSteps)")
    guard chance.happens(faults.clockStep) else { return nil }
    return .seconds(chance.draw(-FaultOptions.clockStepLimit_s...FaultOptions.clockStepLimit_s))
  }

  mutating func die(at now: Duration, away: Duration) {
    starts += 1
    // It comes back on a whole millisecond.
    backAt = max(backAt, .milliseconds(now.wholeMilliseconds + 1) + away)
  }
}

extension SimulatedDevice {
  /// Ends when the daemon runs.
  func waitForDaemon() async {
    while daemon.backAt > world.clock.now { await world.clock.pause(until: daemon.backAt) }
  }

  /// Lets the daemon die, when chance has it.
  ///
  /// - Returns: Whether it died since the check began, by this or by another.
  func crashes(
    _ likelihood: Likelihood, _ key: AssociationRecord.Key, _ moment: Daemon.Moment, since start: Int,
    _ chance: SeededGenerator
  ) async -> Bool {
    var chance = chance.fork(moment.rawValue)
    if chance.happens(likelihood) {
      await world.clock.pause(Daemon.crashOffset)
      daemon.die(
        at: world.clock.now, away: .milliseconds(chance.draw(FaultOptions.restart_ms)))
      await note(.crashed(moment, key), about: key)
    }
    let hasDied = daemon.starts != start
    if hasDied { await waitForDaemon() }
    return hasDied
  }

  /// Sets the clock, when chance has it: what is due comes sooner when it is set forward.
  func setClock() async {
    guard let step = daemon.clockStep(world.faults) else { return }
    for key in records.keys { records[key]?.nextCheck? -= step }
    await note(.setClock(forward: step))
  }

  /// What befalls a question to Apple's CDN; it is noted when it is something.
  func troubleOnTheWay(_ key: AssociationRecord.Key, _ chance: SeededGenerator) async -> RoadTrouble {
    guard world.faults != .none else { return RoadTrouble() }
    var chance = chance.fork("road")
    let trouble = RoadTrouble(world.faults, &chance, isOrigin: false)
    if let words = trouble.words {
      await world.trace.record(
        name, RoadFault(host: ContentDeliveryNetwork.host, words: words), lane: key.lane)
    }
    return trouble
  }
}
