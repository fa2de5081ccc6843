package import LinkspanCore
internal import PushProvider
internal import RegistryDatabases
package import RegistryRequests

/// Counts of outcomes, and the ends of messages.
extension RegistryStore {
  /// A line of the counts of outcomes.
  struct Counted: Hashable, Comparable {
    let message: Int64
    let outcome: String
    let reason: String

    init(_ message: Int64, _ outcome: String, _ reason: String) {
      self.message = message
      self.outcome = outcome
      self.reason = reason
    }

    static func < (left: Self, right: Self) -> Bool {
      (left.message, left.outcome, left.reason) < (right.message, right.outcome, right.reason)
    }
  }

  /// Adds to the counts, in one order, so that two senders do not wait for each other in a circle.
  func count(_ counts: [Counted: Int64]) throws(RegistryError) {
    let rows = counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    guard !rows.isEmpty else { return }
    let columns: [Given] = [.int("message"), .text("outcome"), .text("reason"), .int("number")]
    try run(
      given: columns,
      rows.map { [.int($0.key.message), .text($0.key.outcome), .text($0.key.reason), .int($0.value)] },
      "INSERT INTO outcome_counts (message_id, outcome, reason, number) SELECT message, outcome, reason, number"
        + " FROM given WHERE 1 = 1 ON CONFLICT (message_id, outcome, reason) DO UPDATE"
        + " SET number = outcome_counts.number + excluded.number", isLater: true)
  }

  /// Ends messages whose deliveries are all final and whose ranges are used up. One whose recipients were all erased
  /// loses its content then.
  ///
  /// - Parameter only: Messages that this transaction has ended a delivery of, or that have none.
  package func finishMessages(at now: WallTime, only: [Int64]) throws(RegistryError) {
    try finish(only, haveEnded: true, at: now)
  }

  /// - Parameter haveEnded: Whether this transaction has ended a delivery of each, so that of one delivery none is left.
  private func finish(_ only: [Int64], haveEnded: Bool, at now: WallTime) throws(RegistryError) {
    guard !only.isEmpty else { return }
    var rows: [SQLRow] = []
    for (part, messages) in Self.byPart(only) {
      rows += try run(each: messages, [.int(now.milliseconds)]) {
        finishing(part, haveEnded: haveEnded) + " AND id \($0) RETURNING id, redaction"
      }
    }
    var redacted: Set<Int64> = []
    for row in rows where try row.int("redaction") == Int64(Redaction.partial.rawValue) {
      redacted.insert(try row.int("id"))
    }
    _ = try redact(redacted)
  }

  /// Not as NOT EXISTS, which PostgreSQL may answer by reading all of the queue. The lines of a notification
  /// are found by the journal.
  private func finishing(_ part: JournalPart, haveEnded: Bool) -> String {
    // Else a fifth of what this costs PostgreSQL goes into looking for deliveries that cannot be there.
    let ofOne = haveEnded ? " WHEN lane = 0 AND estimate = 1 THEN NULL" : ""
    return
      "UPDATE \(table("messages", part)) AS ended SET state = CASE state WHEN 'cancelled' THEN 'cancelled'"
      + " ELSE 'completed' END, finished_at = $1 WHERE finished_at IS NULL AND state IN ('running', 'cancelled')"
      + " AND CASE\(ofOne) WHEN lane = 0 THEN (SELECT 1 FROM \(table("deliveries", part)) AS line"
      + " JOIN queue AS open ON open.delivery_id = line.id"
      + " WHERE line.message_id = ended.id AND line.finished_at IS NULL LIMIT 1)"
      + " ELSE COALESCE((SELECT 1 FROM ranges WHERE message_id = ended.id LIMIT 1), (SELECT 1 FROM queue"
      + " WHERE message_id = ended.id AND turn >= \(PushLane.campaign.turn(attempts: 0)) LIMIT 1)) END IS NULL"
  }

  /// Open messages that are looked at by one call of ``finishMessages(at:after:)``. Ours.
  private static let sweptMessages = 1_000

  /// Ends messages that nothing else has ended: the last two deliveries of a message may end at the same time, and neither
  /// transaction sees the other.
  ///
  /// - Parameter after: The last message that was looked at before; 0 at first.
  /// - Returns: The last one that was looked at; 0 after all of them.
  package func finishMessages(at now: WallTime, after: Int64) throws(RegistryError) -> Int64 {
    let open = try database.run(
      "SELECT id FROM messages WHERE finished_at IS NULL AND id > $1 ORDER BY id LIMIT $2",
      [.int(after), .int(Int64(Self.sweptMessages))]
    ).ints("id")
    try finish(open, haveEnded: false, at: now)
    return open.count < Self.sweptMessages ? 0 : open.last ?? 0
  }
}
