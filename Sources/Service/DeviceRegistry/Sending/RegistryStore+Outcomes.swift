package import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

/// What became of an attempt.
package struct DeliveryOutcome: Hashable, Sendable {
  package enum End: Hashable, Sendable {
    case accepted
    /// Never to be sent again as it is.
    case rejected
    /// APNs did not take it in time.
    case expired
    /// Its time was over before it was sent.
    case overdue
    /// Its device is gone, so it was not sent.
    case cancelled
    /// To be tried again from then on.
    case later(WallTime)
    /// It was not sent at all.
    case unsent
  }

  /// What APNs' answer says about a device token.
  package enum TokenNews: Hashable, Sendable {
    /// Dead since then, unless it was registered later.
    case dead(since: WallTime)
    /// `BadDeviceToken`, which may be about the environment.
    case suspect
  }

  package var delivery: Int64
  package var end: End
  package var status: Int?
  package var reason: String?
  /// Whether APNs may have accepted this attempt without this process knowing.
  package var isMaybeTwice = false
  package var news: TokenNews?
  /// The device token that ``news`` is about.
  package var address: String?

  package init(_ delivery: Int64, _ end: End, status: Int? = nil, reason: String? = nil) {
    self.delivery = delivery
    self.end = end
    self.status = status
    self.reason = reason
  }

  var finalState: DeliveryState? {
    switch end {
    case .accepted: .accepted
    case .rejected: .rejected
    case .expired, .overdue: .expired
    case .cancelled: .cancelled
    case .later, .unsent: nil
    }
  }

  /// Whether it ended without anything having gone out, so that the last attempt was none.
  var endedUnsent: Bool { end == .overdue || end == .cancelled }
}

extension RegistryStore {
  /// What was recorded.
  package struct Recorded: Hashable, Sendable {
    /// Deliveries that ended, by state and reason.
    package var ends: [DeliveryState: [String: Int]] = [:]
    /// Devices that are dead now and were live before.
    package var forgotten = 0
    package var messages: Set<Int64> = []
  }

  /// Records what became of deliveries that a sender holds. What it no longer holds is passed over.
  package func record(
    _ outcomes: [DeliveryOutcome], of sender: String, at now: WallTime
  ) throws(RegistryError) -> Recorded {
    var recorded = Recorded()
    guard !outcomes.isEmpty else { return recorded }
    // In one order, so that two senders do not wait for each other in a circle.
    let outcomes = outcomes.sorted { $0.delivery < $1.delivery }
    try holdDevices(of: outcomes)
    let areFinal = outcomes.allSatisfy { $0.finalState != nil }
    let held = try held(outcomes.map(\.delivery), by: sender, removes: areFinal)
    var ends: [(line: OpenLine, state: DeliveryState)] = []
    var back: [(line: OpenLine, outcome: DeliveryOutcome)] = []
    for outcome in outcomes {
      guard var line = held[outcome.delivery] else { continue }
      line.status = outcome.status.map(Int64.init)
      line.reason = outcome.reason
      if outcome.endedUnsent { line.attempts -= 1 }
      line.isMaybeTwice = line.isMaybeTwice || outcome.isMaybeTwice
      guard let state = outcome.finalState else {
        back.append((line, outcome))
        continue
      }
      ends.append((line, state))
      recorded.messages.insert(line.message)
      recorded.ends[state, default: [:]][outcome.reason ?? "", default: 0] += 1
      if let news = outcome.news, let key = try Self.key(outcome.address, line) {
        recorded.forgotten += try note(news, key, outcome.reason ?? "", at: now) ? 1 : 0
      }
    }
    try end(ends, by: sender, areRemoved: areFinal, at: now)
    try putBack(back, at: now)
    if recorded.forgotten > 0 {
      try audit([
        AuditEntry(
          time: now, actor: "sender", action: "device.reject", affected: recorded.forgotten)
      ])
    }
    try finishMessages(at: now, only: Array(recorded.messages))
    return recorded
  }

  /// Locks deliveries that a sender is sending; those that it does not hold any more are left out.
  ///
  /// - Parameter removes: Whether they leave the queue at once.
  private func held(
    _ deliveries: [Int64], by sender: String, removes: Bool = false
  ) throws(RegistryError) -> [Int64: OpenLine] {
    var held: [Int64: OpenLine] = [:]
    let lines = try removes ? remove(deliveries, of: sender) : hold(deliveries)
    for line in lines where line.owner == sender && line.state == .sending {
      held[line.delivery] = line
    }
    return held
  }

  /// Locks the devices that APNs' answers are about.
  private func holdDevices(of outcomes: [DeliveryOutcome]) throws(RegistryError) {
    let news = outcomes.filter { $0.news != nil && $0.address != nil }
    guard database.dialect.isRemote, !news.isEmpty else { return }
    try database.run(
      "SELECT id FROM devices WHERE (token, topic, environment) IN (SELECT answer.token, q.topic, q.environment"
        + " FROM unnest($1::bigint[], $2::text[]) AS answer (delivery, token)"
        + " JOIN queue AS q ON q.delivery_id = answer.delivery)" + database.dialect.locksDevices,
      Self.arrays(news.map { [.int($0.delivery), SQLValue($0.address)] }))
  }

  private static func key(_ address: String?, _ line: OpenLine) throws(RegistryError) -> DeviceKey? {
    guard let address, let topic = PushTopic(line.topic),
      let environment = PushEnvironment(rawValue: line.environment)
    else { return nil }
    do throws(DeviceTokenError) {
      return DeviceKey(token: try DeviceToken(address), topic: topic, environment: environment)
    } catch {
      throw RegistryError(.damaged, "An outcome names no device token: \(error.message).")
    }
  }

  private func note(
    _ news: DeliveryOutcome.TokenNews, _ key: DeviceKey, _ reason: String, at now: WallTime
  ) throws(RegistryError) -> Bool {
    switch news {
    case .dead(let since): try invalidate(key, since: since, reason: reason)
    case .suspect: try suspect(key, at: now)
    }
  }

  // MARK: - Once more

  /// Puts deliveries back that this transaction holds. Those whose device is gone, and those of cancelled campaigns, end.
  private func putBack(
    _ lines: [(line: OpenLine, outcome: DeliveryOutcome)], at now: WallTime
  ) throws(RegistryError) {
    guard !lines.isEmpty else { return }
    let states = try states(of: Set(lines.map(\.line.message)))
    var ends: [(line: OpenLine, state: DeliveryState)] = []
    var rows: [[SQLValue]] = []
    for (line, outcome) in lines {
      var line = line
      if outcome.end == .unsent { line.attempts -= 1 }
      guard !line.isGone, let state = states[line.message], state != .cancelled else {
        ends.append((line, .cancelled))
        continue
      }
      let due = if case .later(let time) = outcome.end { time } else { now }
      let waiting = state == .paused ? DeliveryState.held : .queued
      let lane = PushLane(turn: line.turn)
      rows.append([
        .int(line.delivery), .text(waiting.rawValue), .int(due.milliseconds), .int(line.attempts),
        .int(line.isMaybeTwice ? 1 : 0), SQLValue(line.status), SQLValue(line.reason),
        .int(lane.turn(attempts: line.attempts)),
      ])
    }
    try run(given: Self.backColumns, rows, Self.backStatement, isLater: true)
    try end(ends, at: now)
    try finishMessages(at: now, only: ends.map(\.line.message))
  }

  private static let backColumns: [Given] = [
    .int("delivery"), .text("state"), .int("due_at"), .int("attempts"), .int("maybe_twice"), .int("status"),
    .text("reason"), .int("turn"),
  ]
  private static let backStatement =
    "UPDATE queue SET state = given.state, owner = NULL, due_at = given.due_at, attempts = given.attempts,"
    + " maybe_twice = given.maybe_twice, status = given.status, reason = given.reason, turn = given.turn"
    + " FROM given WHERE delivery_id = given.delivery"

  func putBack(
    _ unsent: [ClaimedDelivery], of sender: String, at now: WallTime
  ) throws(RegistryError) {
    try putBackUnsent(unsent.map(\.identifier), of: sender, at: now)
  }

  private func putBackUnsent(
    _ deliveries: [Int64], of sender: String, at now: WallTime
  ) throws(RegistryError) {
    guard !deliveries.isEmpty else { return }
    let held = try held(deliveries.sorted(), by: sender).values.sorted { $0.delivery < $1.delivery }
    try putBack(held.map { ($0, DeliveryOutcome($0.delivery, .unsent)) }, at: now)
  }

  // MARK: - Leases

  /// The clock that leases go by: the database's own where several hosts share it.
  package func leaseClock(_ now: WallTime) throws(RegistryError) -> WallTime {
    guard let clock = database.dialect.clock, let row = try database.run(clock).first else { return now }
    return try row.time("now")
  }

  /// Says that a sender lives, and for how long others believe it.
  package func renewLease(of sender: String, for lease: Duration, at now: WallTime) throws(RegistryError) {
    let end = try leaseClock(now).advanced(by: lease)
    try database.run(
      "INSERT INTO senders (id, lease_until) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE"
        + " SET lease_until = excluded.lease_until", [.text(sender), .int(end.milliseconds)])
  }

  /// Gives free what a sender holds, when it ends and nothing of it is under way.
  package func endLease(of sender: String) throws(RegistryError) {
    try database.run("UPDATE ranges SET owner = NULL WHERE owner = $1", [.text(sender)])
    // Before it looks: what a transaction is storing for the sender is there then.
    try database.run("SELECT id FROM senders WHERE id = $1\(database.dialect.locksRow)", [.text(sender)])
    if try holdsDeliveries(sender) {
      try database.run("UPDATE senders SET lease_until = 0 WHERE id = $1", [.text(sender)])
    } else {
      try database.run("DELETE FROM senders WHERE id = $1", [.text(sender)])
    }
  }

  /// Frees what senders held whose lease has ended: their ranges, and their deliveries, which may have gone out and are
  /// marked so.
  ///
  /// - Parameter limit: Deliveries at most.
  /// - Returns: How many deliveries there were.
  package func takeOver(limit: Int, at now: WallTime) throws(RegistryError) -> Int {
    #if PLANTED_BUGS
      let isDead = ServiceBug.leaseTakenTwice.isPlanted ? "$1 > 0" : "lease_until < $1"
    #else
      let isDead = "lease_until < $1"
    #endif
    let dead = try database.run(
      "SELECT id FROM senders WHERE \(isDead) ORDER BY id LIMIT 16\(database.dialect.skipsLocked)",
      [.int(try leaseClock(now).milliseconds)])
    var freed = 0
    for row in dead {
      let sender = try row.text("id")
      let room = limit - freed
      guard room > 0 else { break }
      let rows = try free(sender, limit: room, at: now)
      freed += rows
      guard rows < room, try !holdsDeliveries(sender) else { break }
      try database.run("UPDATE ranges SET owner = NULL WHERE owner = $1", [.text(sender)])
      try database.run("DELETE FROM senders WHERE id = $1", [.text(sender)])
    }
    return freed
  }

  private func holdsDeliveries(_ sender: String) throws(RegistryError) -> Bool {
    try !database.run("SELECT 1 FROM queue WHERE owner = $1 LIMIT 1", [.text(sender)]).isEmpty
  }

  /// Puts back deliveries that may have gone out.
  private func free(_ sender: String, limit: Int, at now: WallTime) throws(RegistryError) -> Int {
    let rows = try database.run(
      "SELECT delivery_id FROM queue WHERE owner = $1 ORDER BY delivery_id LIMIT $2\(database.dialect.skipsLocked)",
      [.text(sender), .int(Int64(limit))])
    let held = try held(rows.ints("delivery_id"), by: sender).values.sorted { $0.delivery < $1.delivery }
    #if PLANTED_BUGS
      if ServiceBug.journalRowLost.isPlanted {
        try run(each: held.map(\.delivery)) { "DELETE FROM queue WHERE delivery_id \($0)" }
        return rows.count
      }
    #endif
    let back = held.map { line -> (line: OpenLine, outcome: DeliveryOutcome) in
      var line = line
      line.isMaybeTwice = true
      #if PLANTED_BUGS
        if ServiceBug.takeOverUnmarked.isPlanted || ServiceBug.leaseTakenTwice.isPlanted {
          line.isMaybeTwice = false
        }
      #endif
      line.status = nil
      line.reason = nil
      return (line, DeliveryOutcome(line.delivery, .later(now)))
    }
    try putBack(back, at: now)
    return rows.count
  }

  /// Puts back what a sender holds without knowing: after a commit whose answer never came.
  ///
  /// - Parameter known: Deliveries that it does know.
  package func putBackUnknown(
    to sender: String, known: Set<Int64>, at now: WallTime
  ) throws(RegistryError) {
    let rows = try database.run("SELECT delivery_id FROM queue WHERE owner = $1", [.text(sender)])
    try putBackUnsent(rows.ints("delivery_id").filter { !known.contains($0) }, of: sender, at: now)
  }
}
