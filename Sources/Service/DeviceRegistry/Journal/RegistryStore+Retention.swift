package import LinkspanCore
package import PushProvider
internal import RegistryDatabases
package import RegistryRequests

/// What happens to the journal of messages that have ended: it is kept for a while, then counted, and removed.
extension RegistryStore {
  /// How long the journal of each lane is kept after a message has ended.
  package struct Retention: Hashable, Sendable {
    package var transactional: Duration
    package var campaign: Duration
    /// Whether a day stays until it was exported.
    package var waitsForExport = false

    package init(transactional: Duration, campaign: Duration) {
      self.transactional = transactional
      self.campaign = campaign
    }

    /// The same for both.
    package init(_ age: Duration) { self.init(transactional: age, campaign: age) }

    /// 30 days. Ours.
    package static let usual = Retention(.seconds(30 * 24 * 3_600))

    package func age(_ lane: PushLane) -> Duration {
      switch lane {
      case .transactional: transactional
      case .campaign: campaign
      }
    }

    /// The longer one.
    package var longest: Duration { max(transactional, campaign) }

    /// Messages of a lane that ended before are removed.
    func end(_ lane: PushLane, at now: WallTime) -> WallTime { now.advanced(by: .zero - age(lane)) }
  }

  /// Removes parts of the journal whose messages have all ended and whose time is over, and of what has no part a number of
  /// lines.
  ///
  /// - Parameter limit: Lines at most.
  /// - Returns: Whether there may be more.
  @discardableResult
  package func prune(
    _ retention: Retention, limit: Int, at now: WallTime
  ) throws(RegistryError) -> Bool {
    try forgetOldMinutes(at: now)
    guard try !dropPart(retention, at: now) else { return true }
    return try pruneLines(retention, limit: limit, at: now)
  }

  // MARK: - Parts

  /// The oldest part whose time is over, as far as its last messages are concerned.
  ///
  /// - Returns: Whether one was dropped.
  private func dropPart(_ retention: Retention, at now: WallTime) throws(RegistryError) -> Bool {
    guard database.dialect.isRemote else { return false }
    for row in try database.run("SELECT part FROM journal_parts ORDER BY part") {
      let part = try JournalPart(stored: try row.int("part"))
      let end = retention.end(part.lane, at: now)
      guard part.end <= end else { continue }
      let open = try database.run(
        "SELECT 1 FROM \(table("messages", part)) WHERE finished_at IS NULL OR finished_at >= $1 LIMIT 1",
        [.int(end.milliseconds)])
      guard open.isEmpty else { continue }
      if retention.waitsForExport, try !isExported(part) { continue }
      try drop(part)
      return true
    }
    return false
  }

  /// Waits shortly for others that read the journal; they would wait for this otherwise.
  private func drop(_ part: JournalPart) throws(RegistryError) {
    let mine = try database.run(
      "SELECT part FROM journal_parts WHERE part = $1\(database.dialect.skipsLocked)", [.int(part.number)])
    guard !mine.isEmpty else { return }
    let patience = try database.run("SELECT current_setting('lock_timeout') AS patience").first?.text(
      "patience")
    try database.runScript("SET LOCAL lock_timeout = '500ms'")
    let range = part.messages
    switch part.lane {
    case .transactional:
      try countAway(
        "SELECT \(part.day), \(part.lane.number), state, \(Self.countedReason), count(*), sum(maybe_twice)"
          + " FROM \(table("deliveries", part)) GROUP BY 1, 2, 3, 4", [])
    case .campaign:
      // Counted with each end, so that millions of lines are dropped unread.
      try countAway(
        "SELECT \(part.day), \(part.lane.number), outcome, reason, CAST(sum(number) AS BIGINT), 0"
          + " FROM outcome_counts WHERE message_id >= $1 AND message_id < $2 GROUP BY outcome, reason",
        [.int(range.lowerBound), .int(range.upperBound)])
    }
    try database.runScript("DROP TABLE \(table("deliveries", part)), \(table("messages", part))")
    for table in ["departures", "outcome_counts", "unreached_aliases"] {
      try database.run(
        "DELETE FROM \(table) WHERE message_id >= $1 AND message_id < $2",
        [.int(range.lowerBound), .int(range.upperBound)])
    }
    try database.run("DELETE FROM journal_parts WHERE part = $1", [.int(part.number)])
    // Not the default, which is to wait without end.
    try database.run("SELECT set_config('lock_timeout', $1, true)", [.text(patience ?? "0")])
    daysWithParts = []
  }

  /// Adds to what is known of days whose journal is gone.
  ///
  /// - Parameter counts: A query for day, lane, state, reason, their number and the number of those that may have been sent
  ///   twice.
  private func countAway(_ counts: String, _ values: [SQLValue]) throws(RegistryError) {
    let rows = try database.run(
      "SELECT day, lane, outcome, reason, number, CAST(twice AS BIGINT) AS twice FROM (\(counts))"
        + " AS counted (day, lane, outcome, reason, number, twice)", values)
    try countAway(rows)
  }

  private func countAway(_ rows: [SQLRow]) throws(RegistryError) {
    var numbers: [RemovedKind: Int64] = [:]
    for row in rows {
      let kind = try RemovedKind(row)
      numbers[kind, default: 0] += try row.int("number")
      let twice = try row.int("twice")
      if twice > 0 { numbers[kind.sentTwice, default: 0] += twice }
    }
    let lines = numbers.sorted { $0.key < $1.key }.map { $0.key.values + [.int($0.value)] }
    let columns: [Given] = [.int("day"), .int("lane"), .text("outcome"), .text("reason"), .int("number")]
    try run(
      given: columns, lines,
      "INSERT INTO journal_counts (day, lane, outcome, reason, number) SELECT day, lane, outcome, reason, number"
        + " FROM given WHERE 1 = 1 ON CONFLICT (day, lane, outcome, reason) DO UPDATE"
        + " SET number = journal_counts.number + excluded.number")
  }

  /// The reason of a line as counts have it.
  private static let countedReason =
    "CASE WHEN state = 'cancelled' THEN '' ELSE COALESCE(reason, '') END"

  /// What removed lines are counted by.
  private struct RemovedKind: Hashable, Comparable {
    var day: Int64
    var lane: Int64
    var outcome: String
    var reason: String

    init(_ row: SQLRow) throws(RegistryError) {
      (day, lane) = (try row.int("day"), try row.int("lane"))
      (outcome, reason) = (try row.text("outcome"), try row.text("reason"))
    }

    /// The lines of the same day that may have been sent twice.
    var sentTwice: RemovedKind {
      var kind = self
      (kind.outcome, kind.reason) = ("maybe_twice", "")
      return kind
    }

    var values: [SQLValue] { [.int(day), .int(lane), .text(outcome), .text(reason)] }

    static func < (left: Self, right: Self) -> Bool {
      (left.day, left.lane, left.outcome, left.reason) < (right.day, right.lane, right.outcome, right.reason)
    }
  }

  // MARK: - Lines

  /// Messages that one call looks at. Ours.
  private static let messagesAtOnce = 500

  private func pruneLines(
    _ retention: Retention, limit: Int, at now: WallTime
  ) throws(RegistryError) -> Bool {
    let table = database.dialect.isRemote ? "messages_before" : "messages"
    var messages: [EndedMessage] = []
    #if PLANTED_BUGS
      let isOld = ServiceBug.liveMessagePruned.isPlanted ? "created_at < $2" : "finished_at < $2"
    #else
      let isOld = "finished_at < $2"
    #endif
    // What an earlier version stored on PostgreSQL is never exported.
    let waits = retention.waitsForExport && !database.dialect.isRemote
    let isExported =
      waits
      ? " AND 2 * (created_at / 86400000) + lane IN (SELECT part FROM journal_exports WHERE finished_at IS NOT NULL)"
      : ""
    for lane in PushLane.allCases {
      let old = try database.run(
        "SELECT id, created_at / 86400000 AS day FROM \(table) WHERE lane = $1 AND \(isOld)\(isExported)"
          + " ORDER BY finished_at LIMIT $3",
        [
          .int(lane.number), .int(retention.end(lane, at: now).milliseconds),
          .int(Int64(Self.messagesAtOnce)),
        ])
      for row in old {
        messages.append(EndedMessage(identifier: try row.int("id"), day: try row.int("day"), lane: lane))
      }
    }
    var removed: Int64 = 0
    var done: [Int64] = []
    var counts: [SQLRow] = []
    for message in messages where removed < limit {
      let left = Int64(limit) - removed
      let (rows, number) = try removeLines(of: message, limit: left)
      if number < left { done.append(message.identifier) }
      removed += number
      counts += rows
    }
    try countAway(counts)
    done.sort()
    #if PLANTED_BUGS
      if ServiceBug.journalDroppedWhileRead.isPlanted { return false }
    #endif
    for table in ["outcome_counts", "unreached_aliases"] {
      try run(each: done) { "DELETE FROM \(table) WHERE message_id \($0)" }
    }
    try run(each: done) { "DELETE FROM \(table) WHERE id \($0)" }
    return !messages.isEmpty
  }

  /// A message whose lines are removed.
  private struct EndedMessage {
    var identifier: Int64
    var day: Int64
    var lane: PushLane
  }

  /// Removes a message's first lines, so that each page of the file is written once for many of them.
  ///
  /// - Returns: What they are counted by, and their number.
  private func removeLines(
    of message: EndedMessage, limit: Int64
  ) throws(RegistryError) -> (counts: [SQLRow], number: Int64) {
    // Two servers that remove the same lines would count them twice.
    let lock = database.dialect.isRemote ? " FOR UPDATE" : ""
    let rows = try database.run(
      "SELECT CAST($1 AS BIGINT) AS day, CAST($2 AS BIGINT) AS lane, state AS outcome,"
        + " \(Self.countedReason) AS reason, count(*) AS number, CAST(sum(maybe_twice) AS BIGINT) AS twice, max(id) AS last"
        + " FROM (SELECT id, state, reason, maybe_twice FROM deliveries WHERE message_id = $3 ORDER BY id"
        + " LIMIT $4\(lock)) AS line GROUP BY 3, 4",
      [.int(message.day), .int(message.lane.number), .int(message.identifier), .int(limit)])
    guard let last = try rows.ints("last").max() else { return ([], 0) }
    for (table, delivery) in [("departures", "delivery_id"), ("deliveries", "id")] {
      try database.run(
        "DELETE FROM \(table) WHERE message_id = $1 AND \(delivery) <= $2",
        [.int(message.identifier), .int(last)])
    }
    return (rows, try rows.ints("number").reduce(0, +))
  }

  // MARK: - Age

  /// When the oldest message was stored whose journal is kept; nil without one.
  package func oldestJournal() throws(RegistryError) -> WallTime? {
    let rows = try database.run("SELECT created_at FROM messages ORDER BY id LIMIT 1")
    return try rows.first?.time("created_at")
  }
}
