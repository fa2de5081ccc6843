internal import LinkspanCore
internal import PushProvider
internal import RegistryDatabases
package import RegistryRequests

/// How many deliveries ended in one minute in one way.
package struct MinuteCount: Hashable, Sendable {
  /// Minutes since 1970.
  package var minute: Int64
  package var state: DeliveryState
  /// Empty where APNs gave none.
  package var reason: String
  package var number: Int64

  package init(minute: Int64, state: DeliveryState, reason: String, number: Int64) {
    self.minute = minute
    self.state = state
    self.reason = reason
    self.number = number
  }
}

/// Counts of ends by minute: exact, however long the journal is.
extension RegistryStore {
  /// Days that the minutes are kept. Ours: last week's campaign can be compared with this one.
  package static let minuteDays: Int64 = 7

  /// Adds to the counts of the minute, in the transaction that ends the deliveries.
  ///
  /// - Parameter sender: The one that has sent them; empty for none.
  func countMinute(
    _ lines: [(line: OpenLine, state: DeliveryState)], by sender: String, at now: WallTime
  ) throws(RegistryError) {
    var counts: [Counted: Int64] = [:]
    for (line, state) in lines {
      let campaign = line.turn >= PushLane.campaign.turn(attempts: 0) ? line.message : 0
      let reason = state == .cancelled ? "" : line.reason ?? ""
      counts[Counted(campaign, state.rawValue, reason), default: 0] += 1
    }
    let minute = now.milliseconds / 60_000
    let columns: [Given] = [
      .int("minute"), .int("message"), .text("outcome"), .text("reason"), .text("sender"), .int("number"),
    ]
    try run(
      given: columns,
      counts.sorted { $0.key < $1.key }.map {
        [
          .int(minute), .int($0.key.message), .text($0.key.outcome), .text($0.key.reason), .text(sender),
          .int($0.value),
        ]
      },
      "INSERT INTO outcome_minutes (minute, message_id, outcome, reason, sender, number)"
        + " SELECT minute, message, outcome, reason, sender, number FROM given WHERE 1 = 1"
        + " ON CONFLICT (minute, message_id, outcome, reason, sender) DO UPDATE"
        + " SET number = outcome_minutes.number + excluded.number", isLater: true)
  }

  /// What came of pushes, by minute.
  ///
  /// - Parameters:
  ///   - minutes: Since 1970; the last ``minuteDays`` are known.
  ///   - campaign: Of this one only; nil for every push.
  package func counts(
    ofMinutes minutes: Range<Int64>, campaign: Int64? = nil
  ) throws(RegistryError) -> [MinuteCount] {
    let ofOne = campaign == nil ? "" : " AND message_id = $3"
    let rows = try database.run(
      "SELECT minute, outcome, reason, CAST(sum(number) AS BIGINT) AS number FROM outcome_minutes"
        + " WHERE minute >= $1 AND minute < $2\(ofOne) GROUP BY minute, outcome, reason"
        + " ORDER BY minute, outcome, reason",
      [.int(minutes.lowerBound), .int(minutes.upperBound)] + (campaign.map { [.int($0)] } ?? []))
    return try rows.map { row throws(RegistryError) in
      guard let state = DeliveryState(rawValue: try row.text("outcome")) else {
        throw RegistryError(.damaged, "A minute in the registry counts a state that does not exist.")
      }
      return MinuteCount(
        minute: try row.int("minute"), state: state, reason: try row.text("reason"),
        number: try row.int("number"))
    }
  }

  func forgetOldMinutes(at now: WallTime) throws(RegistryError) {
    try database.run(
      "DELETE FROM outcome_minutes WHERE minute < $1",
      [.int(now.milliseconds / 60_000 - Self.minuteDays * 1_440)])
  }
}
