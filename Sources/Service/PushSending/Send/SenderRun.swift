internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanFiles
internal import PushProvider
internal import PushTerms

/// The loop of a sender: takes what is due, sends it, and records what came of it.
struct SenderRun {
  /// What came of deliveries, not recorded yet, and who held them.
  struct Pending {
    var owner: String
    var outcomes: [DeliveryOutcome]
  }

  /// How long the store is left alone after it had nothing due, and while there is something to do. Ours.
  private static let idlePause = Duration.milliseconds(200)
  private static let busyPause = Duration.milliseconds(5)
  /// How long the store is left alone after it did not answer. Ours.
  private static let failurePause = Duration.milliseconds(500)
  /// Outcomes are recorded when there are that many, or after that time. Ours: where many come, each costs the store less
  /// when they wait a little for each other.
  private static let batch = (count: 64, pause: Duration.milliseconds(10))
  private static let largeBatch = (count: 256, pause: Duration.milliseconds(25))
  /// Pushes in an exchange with the store that are many. Ours: 3,000 a second.
  private static let manyCount = 32
  /// Deliveries that failed alone and are remembered in case an outage follows. Ours: more than begin one.
  private static let aloneCount = 64
  /// How long a stop waits for answers. Ours, and less than `--drain`.
  static let stopPatience = Duration.seconds(5)

  let sender: PushSender
  /// Where it gets what this process stores.
  let desk: SenderDesk
  var identity: String
  private(set) var account: SenderAccount?
  var lane: SenderLane?
  /// Lanes of keys that were replaced, until what is under way has ended.
  var leaving: [SenderLane] = []
  var pending: [Pending] = []
  var pendingSince: WallTime?
  var messages: [Int64: Message] = [:]
  /// The last message of which it was looked whether it has ended; 0 before the first.
  var sweptTo: Int64 = 0
  /// Whether more waits of campaigns that were cancelled or go on.
  var hasUnsettled = false
  /// When the store was asked last, and how long it is left alone after that.
  var exchangedAt = WallTime(milliseconds: .min)
  var exchangePause = Duration.zero
  /// Whether the last exchange with the store was about many pushes.
  private var comesInBatches = false
  /// When the store failed last.
  private var failedAt = WallTime(milliseconds: .min)
  /// When the lease was renewed last.
  var renewedAt = WallTime(milliseconds: .min)
  /// When it asked last whether what it holds may still go out.
  var askedAt = WallTime(milliseconds: .min)
  /// When it looked last for campaigns to start.
  var startedAt = WallTime(milliseconds: .min)
  /// Whether this sender may hold deliveries that it does not know of.
  var isUncertain = false
  /// Whether more is due than the last claim took.
  var isBehind = true
  /// Deliveries that failed since APNs took one last, each waiting for long.
  private var alone: [Int64] = []
  /// Those of them that wait for the end of an outage instead, which the store is still to be told.
  var forward: [Int64] = []
  private var reach = SenderReach()
  /// Pushes that are taken at a time for each connection.
  var window = PushSender.firstWindow

  init(_ sender: PushSender) {
    self.sender = sender
    desk = sender.registry.makeDesk(sender.environment)
    identity = Self.newIdentity(sender.surroundings)
  }

  static func newIdentity(_ surroundings: SenderSurroundings) -> String {
    ASCII.hexText((0..<12).map { _ in UInt8(truncatingIfNeeded: surroundings.random()) })
  }

  var environment: PushEnvironment { sender.environment }

  var underWay: Int { (lane?.flights.count ?? 0) + leaving.reduce(0) { $0 + $1.flights.count } }

  // MARK: - The loop

  mutating func run() {
    while !sender.isStopping { turn() }
    stop()
  }

  /// Once around the loop.
  mutating func turn() {
    if let account = sender.takeAccount() { replaceLane(account) }
    if lane == nil, let account { replaceLane(account) }
    receive()
    let now = sender.surroundings.now()
    if isLeaseLost(now) { abandon() }
    if Self.isOver(exchangePause, since: exchangedAt, at: now) || isBatchDue(now) { exchange() }
    // The store may have answered late.
    if isLeaseLost(sender.surroundings.now()) { abandon() }
    openDesk()
    pump()
    if let key = account?.signer.identity {
      sender.counters.show(underWay: underWay, lane?.outage, of: key, sender.environment)
    }
  }

  private mutating func replaceLane(_ account: SenderAccount) {
    takeBack(lane?.withdraw() ?? [])
    if let lane { leaving.append(lane) }
    if let old = self.account?.signer.identity, old != account.signer.identity {
      sender.counters.forget(old, environment)
    }
    lane = SenderLane(account, environment, sender.settings, sender.surroundings)
    self.account = account
  }

  private func isBatchDue(_ now: WallTime) -> Bool {
    guard let pendingSince else { return false }
    let count = pending.reduce(0) { $0 + $1.outcomes.count }
    let batch = comesInBatches ? Self.largeBatch : Self.batch
    return Self.isOver(Self.failurePause, since: failedAt, at: now)
      && (count >= batch.count || Self.isOver(batch.pause, since: pendingSince, at: now))
  }

  /// Whether a while has passed. A clock that was set back ends it: how much has passed is not known, and a sender that
  /// waits until the clock has caught up sends nothing for as long.
  static func isOver(_ pause: Duration, since begin: WallTime, at now: WallTime) -> Bool {
    now >= begin.advanced(by: pause) || now < begin
  }

  /// Others may send what this sender holds: its lease ended before it could be renewed.
  private func isLeaseLost(_ now: WallTime) -> Bool {
    guard renewedAt.milliseconds != .min, underWay > 0 else { return false }
    let lease = Int64(sender.settings.leaseSeconds) * 1_000
    return now.milliseconds - renewedAt.milliseconds > lease - lease / 10
  }

  /// Sends nothing more of what it holds, and goes on under another name.
  private mutating func abandon() {
    desk.close()
    sender.report(
      LinkspanError(
        "The registry could not be reached for \(sender.settings.leaseSeconds) s, so other senders may take over.",
        help: "Pushes that were under way are marked 'maybe_twice' when they are sent again."))
    withdrawAll()
    // Answers that are here already are recorded unless somebody has taken their deliveries over: then nothing is sent twice.
    let clock = sender.surroundings.now
    take(lane?.wait(.zero, now: clock))
    for index in leaving.indices { take(leaving[index].wait(.zero, now: clock)) }
    lane?.shutdown()
    lane = nil
    for old in leaving { old.shutdown() }
    leaving = []
    identity = Self.newIdentity(sender.surroundings)
    renewedAt = WallTime(milliseconds: .min)
  }

  mutating func pump() {
    let now = sender.surroundings.now()
    take(lane?.advance(at: now))
    for index in leaving.indices { take(leaving[index].advance(at: now)) }
    // A sender that stops asks the store no more, so it does not wake up for that.
    let exchange = sender.isStopping ? nil : exchangedAt.advanced(by: exchangePause)
    let due = [exchange, lane?.wakeUp].compactMap { $0 }.min() ?? now.advanced(by: .milliseconds(50))
    var pause = min(max(0, due.milliseconds - now.milliseconds), 50)
    if pendingSince != nil { pause = min(pause, Self.batch.pause.wholeMilliseconds) }
    if !leaving.isEmpty { pause = min(pause, 5) }
    if lane == nil {
      // Nothing to wait for but time.
      sender.surroundings.pause(.milliseconds(max(1, pause)))
    } else {
      take(lane?.wait(.milliseconds(pause), now: { sender.surroundings.now() }))
    }
    for index in leaving.indices {
      take(leaving[index].wait(.milliseconds(1), now: { sender.surroundings.now() }))
    }
    for old in leaving where old.flights.isEmpty { old.shutdown() }
    leaving.removeAll { $0.flights.isEmpty }
  }

  mutating func withdrawAll() {
    takeBack(lane?.withdraw() ?? [])
    for index in leaving.indices { takeBack(leaving[index].withdraw()) }
  }

  /// Leaves the store alone for a moment after it was told of outcomes and has given pushes.
  ///
  /// - Parameters:
  ///   - pushes: How many of both.
  ///   - isBusy: Whether there is more to do.
  mutating func rest(after now: WallTime, pushes: Int, isBusy: Bool) {
    comesInBatches = pushes >= Self.manyCount
    exchangedAt = now
    exchangePause = !isBusy ? Self.idlePause : comesInBatches ? Self.largeBatch.pause : Self.busyPause
  }

  /// Leaves the store alone for a while.
  mutating func wait(after now: WallTime) {
    (exchangedAt, exchangePause, failedAt) = (now, Self.failurePause, now)
  }

  /// Gives free what was taken and not sent.
  private mutating func takeBack(_ flights: [SenderLane.Flight]) {
    add(flights.map { DeliveryOutcome($0.delivery, .unsent) })
  }

  mutating func add(_ outcomes: [DeliveryOutcome]) { add(outcomes, of: identity) }

  /// - Parameter owner: Who holds the deliveries: this sender, or a name that it had before.
  mutating func add(_ outcomes: [DeliveryOutcome], of owner: String) {
    guard !outcomes.isEmpty else { return }
    if pendingSince == nil { pendingSince = sender.surroundings.now() }
    if pending.last?.owner == owner {
      pending[pending.count - 1].outcomes += outcomes
    } else {
      pending.append(Pending(owner: owner, outcomes: outcomes))
    }
  }

  private mutating func take(_ news: SenderLane.News?) {
    guard let news else { return }
    if !news.ended.isEmpty { take(news.ended) }
    for change in news.changes { take(change) }
  }

  private mutating func take(_ ended: [(SenderLane.Flight, PushResult)]) {
    let now = sender.surroundings.now()
    var outcomes: [DeliveryOutcome] = []
    outcomes.reserveCapacity(ended.count)
    for (flight, result) in ended {
      let verdict = SenderVerdict(result, flight, at: now, seed: sender.surroundings.random())
      if let change = reach.take(result, sentAt: flight.sentAt, at: now) { sender.noteReach(change) }
      outcomes.append(verdict.outcome)
      if verdict.outcome.isMaybeTwice { window = PushSender.firstWindow }
      if case .later = verdict.outcome.end {
        sender.counters.noteRetry(
          verdict.outcome.reason ?? "", isMaybeTwice: verdict.outcome.isMaybeTwice)
      }
      sender.counters.note(result, flight, at: now)
      if case .accepted = result.outcome { alone.removeAll(keepingCapacity: true) }
      if verdict.isAlone, alone.count < Self.aloneCount { alone.append(flight.delivery) }
    }
    add(outcomes)
  }

  private mutating func take(_ change: PushHealth.Change) {
    if case .began(let outage) = change {
      // Nothing of it is lost: it is taken again when APNs works.
      withdrawAll()
      if outage.cause == .service { forward += alone }
      alone = []
    }
    sender.counters.note(change, sender.environment)
    if let key = account?.signer.identity { sender.noteHealth(change, key) }
  }
}
