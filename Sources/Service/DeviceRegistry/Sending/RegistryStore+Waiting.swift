package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// What waits of a campaign that is paused, goes on or is cancelled, a part at a time: of a million at once every other change
/// would wait for ten seconds, and a cancel would take half a gigabyte.
///
/// Nothing of a campaign goes out that is paused or cancelled, whatever its deliveries say: a claim asks for its state, and puts
/// back or ends what it finds.
extension RegistryStore {
  /// Deliveries of a part. Ours: some tens of milliseconds of the store's.
  static let waitingAtOnce = 5_000

  /// A part of what waits of a campaign, which this transaction holds.
  struct WaitingPart {
    var lines: [OpenLine] = []
    var hasMore = false
  }

  /// Locks a part of what a change to a state concerns.
  func waitingPart(
    of campaign: Int64, for state: Message.State, limit: Int = waitingAtOnce
  ) throws(RegistryError) -> WaitingPart {
    let condition: String
    switch state {
    case .cancelled: condition = Self.isCampaigns + " AND state <> 'sending'"
    case .paused: condition = Self.isCampaigns + " AND state = 'queued'"
    case .running: condition = "message_id = $1 AND state = 'held'"
    case .scheduled, .completed: return WaitingPart()
    }
    let chosen = try database.run(
      "SELECT delivery_id FROM queue WHERE \(condition) LIMIT $2", [.int(campaign), .int(Int64(limit))]
    ).ints("delivery_id")
    // Another server may have claimed some in between: those end as what is under way.
    let lines = try hold(chosen.sorted()).filter { $0.state != .sending }
    return WaitingPart(lines: lines, hasMore: chosen.count == limit)
  }

  /// Brings a part into the state of its campaign, which ends with the last part of a cancelled one.
  func settle(
    _ part: WaitingPart, of campaign: Int64, in state: Message.State, at now: WallTime
  ) throws(RegistryError) {
    switch state {
    case .cancelled:
      try end(part.lines.map { ($0, .cancelled) }, at: now)
      if !part.hasMore { try finishMessages(at: now, only: [campaign]) }
    case .paused, .running:
      let waiting = state == .paused ? DeliveryState.held : .queued
      _ = try run(each: part.lines.map(\.delivery), [.text(waiting.rawValue)]) {
        "UPDATE queue SET state = $1 WHERE delivery_id \($0)"
      }
    case .scheduled, .completed: break
    }
  }

  /// Settles another part of what waits of a campaign that was cancelled or goes on. What waits of a paused one is held back
  /// when it is due.
  ///
  /// - Returns: Whether there may be more.
  package func settleWaiting(
    of campaign: Int64, limit: Int = waitingAtOnce, at now: WallTime
  ) throws(RegistryError) -> Bool {
    guard let state = try states(of: [campaign])[campaign], state == .cancelled || state == .running else {
      return false
    }
    let part = try waitingPart(of: campaign, for: state, limit: limit)
    try settle(part, of: campaign, in: state, at: now)
    return part.hasMore
  }

  /// Settles a part of what waits of any campaign: a server may have died between two parts.
  ///
  /// - Returns: Whether there may be more.
  package func settleWaiting(limit: Int = waitingAtOnce, at now: WallTime) throws(RegistryError) -> Bool {
    let open = try database.run(
      "SELECT id FROM messages WHERE finished_at IS NULL AND \(areCampaigns())"
        + " AND state IN ('cancelled', 'running') ORDER BY id"
    ).ints("id")
    for campaign in open where try settleWaiting(of: campaign, limit: limit, at: now) { return true }
    return false
  }
}
