package import LinkspanCore
internal import PushProvider
internal import PushTerms

/// What became of an attempt.
package struct DeliveryOutcome: Hashable, Sendable {
  package enum End: Hashable, Sendable {
    case accepted
    /// Never to be sent again as it is.
    case rejected
    /// APNs did not take it in time.
    case expired
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
    case .expired: .expired
    case .cancelled: .cancelled
    case .later, .unsent: nil
    }
  }
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
    try hold("id = ANY($1::bigint[])", outcomes.map { [.int($0.delivery)] })
    let final = outcomes.filter { $0.finalState != nil }
    let rows = try database.runEach(
      "UPDATE deliveries SET state = $1, status = $2, reason = $3,"
        + " maybe_twice = CASE WHEN $4 > 0 THEN 1 ELSE maybe_twice END, finished_at = $5, owner = NULL,"
        + " address = NULL WHERE id = $6 AND owner = $7 AND state = 'sending'"
        + " RETURNING message_id, topic, environment, maybe_twice",
      final.map { outcome in
        [
          .text(outcome.finalState?.rawValue ?? ""), SQLValue(outcome.status.map(Int64.init)),
          SQLValue(outcome.reason), .int(outcome.isMaybeTwice ? 1 : 0), .int(now.milliseconds),
          .int(outcome.delivery), .text(sender),
        ]
      })
    var counts: [Counted: Int64] = [:]
    for (outcome, answer) in zip(final, rows) {
      guard let row = answer.first, let state = outcome.finalState else { continue }
      let (message, reason) = (try row.int("message_id"), outcome.reason ?? "")
      recorded.messages.insert(message)
      recorded.ends[state, default: [:]][reason, default: 0] += 1
      counts[Counted(message, state.rawValue, reason), default: 0] += 1
      if try row.int("maybe_twice") == 1 { counts[Counted(message, "maybe_twice", ""), default: 0] += 1 }
      if let news = outcome.news, let key = try Self.key(outcome.address, row) {
        recorded.forgotten += try note(news, key, reason, at: now) ? 1 : 0
      }
    }
    try count(counts)
    let back = outcomes.compactMap { outcome -> DeliveryOutcome? in outcome.finalState == nil ? outcome : nil
    }
    try putBack(back, of: sender, at: now)
    if recorded.forgotten > 0 {
      try audit([
        AuditEntry(
          time: now, actor: "sender", action: "device.reject", affected: recorded.forgotten)
      ])
    }
    try finishMessages(at: now, only: Array(recorded.messages))
    return recorded
  }

  /// Locks the devices that APNs' answers are about.
  private func holdDevices(of outcomes: [DeliveryOutcome]) throws(RegistryError) {
    let news = outcomes.filter { $0.news != nil && $0.address != nil }
    guard database.dialect.isRemote, !news.isEmpty else { return }
    try database.run(
      "SELECT id FROM devices WHERE (token, topic, environment) IN (SELECT answer.token, d.topic, d.environment"
        + " FROM unnest($1::bigint[], $2::text[]) AS answer (delivery, token)"
        + " JOIN deliveries AS d ON d.id = answer.delivery)" + database.dialect.locksDevices,
      Self.arrays(news.map { [.int($0.delivery), SQLValue($0.address)] }))
  }

  private static func key(_ address: String?, _ row: SQLRow) throws(RegistryError) -> DeviceKey? {
    guard let address, let topic = PushTopic(try row.text("topic")),
      let environment = PushEnvironment(rawValue: try row.text("environment"))
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

  /// Whether a delivery that was put back ends: its device is gone, or its campaign was cancelled.
  private static let endsInstead =
    "(address IS NULL OR (SELECT state FROM messages WHERE id = message_id) = 'cancelled')"

  /// `$1` to `$6`: what is added to the attempts, when it is due, whether it may be sent twice then, status, reason, and when
  /// it ends if it does.
  private static let backStatement =
    "UPDATE deliveries SET attempts = attempts + $1, due_at = $2,"
    + " maybe_twice = CASE WHEN $3 > 0 THEN 1 ELSE maybe_twice END, status = $4, reason = $5, owner = NULL,"
    + " finished_at = CASE WHEN \(endsInstead) THEN CAST($6 AS BIGINT) END,"
    + " address = CASE WHEN \(endsInstead) THEN NULL ELSE address END,"
    + " state = CASE WHEN \(endsInstead) THEN 'cancelled'"
    + " WHEN (SELECT state FROM messages WHERE id = message_id) = 'paused' THEN 'held' ELSE 'queued' END"

  private func putBack(
    _ outcomes: [DeliveryOutcome], of sender: String, at now: WallTime
  ) throws(RegistryError) {
    let rows = outcomes.map { outcome -> [SQLValue] in
      let due = if case .later(let time) = outcome.end { time } else { now }
      return [
        .int(outcome.end == .unsent ? -1 : 0), .int(due.milliseconds), .int(outcome.isMaybeTwice ? 1 : 0),
        SQLValue(outcome.status.map(Int64.init)), SQLValue(outcome.reason), .int(now.milliseconds),
        .int(outcome.delivery), .text(sender),
      ]
    }
    guard !rows.isEmpty else { return }
    let answers = try database.runEach(
      Self.backStatement + " WHERE id = $7 AND owner = $8 AND state = 'sending'"
        + " RETURNING message_id, state, maybe_twice", rows)
    try countCancelled(answers.flatMap { $0 }, at: now)
  }

  /// Of deliveries that were put back, those whose campaign was cancelled have ended.
  private func countCancelled(_ rows: [SQLRow], at now: WallTime) throws(RegistryError) {
    var counts: [Counted: Int64] = [:]
    for row in rows where try row.text("state") == DeliveryState.cancelled.rawValue {
      let message = try row.int("message_id")
      counts[Counted(message, "cancelled", ""), default: 0] += 1
      if try row.int("maybe_twice") == 1 { counts[Counted(message, "maybe_twice", ""), default: 0] += 1 }
    }
    guard !counts.isEmpty else { return }
    try count(counts)
    try finishMessages(at: now, only: Array(Set(counts.keys.map(\.message))))
  }

  func putBack(
    _ unsent: [ClaimedDelivery], of sender: String, at now: WallTime
  ) throws(RegistryError) {
    try putBack(unsent.map { DeliveryOutcome($0.identifier, .unsent) }, of: sender, at: now)
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
    let dead = try database.run(
      "SELECT id FROM senders WHERE lease_until < $1 ORDER BY id LIMIT 16\(database.dialect.skipsLocked)",
      [.int(try leaseClock(now).milliseconds)])
    var freed = 0
    for row in dead {
      let sender = try row.text("id")
      let room = limit - freed
      guard room > 0 else { break }
      let rows = try free(sender, limit: room, isMaybeTwice: true, at: now)
      freed += rows
      guard rows < room, try !holdsDeliveries(sender) else { break }
      try database.run("UPDATE ranges SET owner = NULL WHERE owner = $1", [.text(sender)])
      try database.run("DELETE FROM senders WHERE id = $1", [.text(sender)])
    }
    return freed
  }

  private func holdsDeliveries(_ sender: String) throws(RegistryError) -> Bool {
    try !database.run(
      "SELECT 1 FROM deliveries WHERE owner = $1 AND state = 'sending' LIMIT 1", [.text(sender)]
    ).isEmpty
  }

  private func free(
    _ sender: String, limit: Int, isMaybeTwice: Bool, at now: WallTime
  ) throws(RegistryError) -> Int {
    let rows = try database.run(
      Self.backStatement
        + " WHERE id IN (SELECT id FROM deliveries WHERE owner = $7 AND state = 'sending'"
        + " ORDER BY id LIMIT $8\(database.dialect.skipsLocked))"
        + " RETURNING message_id, state, maybe_twice",
      [
        .int(0), .int(now.milliseconds), .int(isMaybeTwice ? 1 : 0), .null, .null, .int(now.milliseconds),
        .text(sender), .int(Int64(limit)),
      ])
    try countCancelled(rows, at: now)
    return rows.count
  }

  /// Puts back what a sender holds without knowing: after a commit whose answer never came.
  ///
  /// - Parameter known: Deliveries that it does know.
  package func putBackUnknown(
    to sender: String, known: Set<Int64>, at now: WallTime
  ) throws(RegistryError) {
    let rows = try database.run(
      "SELECT id FROM deliveries WHERE owner = $1 AND state = 'sending'", [.text(sender)])
    try putBack(
      rows.ints("id").filter { !known.contains($0) }.map { DeliveryOutcome($0, .unsent) }, of: sender, at: now
    )
  }
}
