package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// Ending what waits of a cancelled campaign, a part at a time: a million at once would keep every other change waiting for ten
/// seconds, and half a gigabyte of memory. Nothing of it goes out from the first moment, since a claim asks for the state of
/// the campaign.
extension RegistryStore {
  /// Deliveries of a part. Ours: some tens of milliseconds of the store's.
  static let cancelledAtOnce = 5_000

  /// Locks what waits of a campaign in its order, as other transactions lock it, where several may write.
  func lockWaiting(of campaign: Int64) throws(RegistryError) {
    guard database.dialect.isRemote else { return }
    try database.run(
      "SELECT count(*) FROM (SELECT delivery_id FROM queue WHERE \(Self.waits) ORDER BY delivery_id"
        + database.dialect.locksRow + ") AS waiting", [.int(campaign)])
  }

  /// Locks a part of what waits of a campaign.
  ///
  /// - Returns: The part, and whether there may be more.
  func waitingPart(
    of campaign: Int64, limit: Int = cancelledAtOnce
  ) throws(RegistryError) -> (lines: [OpenLine], hasMore: Bool) {
    let chosen = try database.run(
      "SELECT delivery_id FROM queue WHERE \(Self.waits) LIMIT $2", [.int(campaign), .int(Int64(limit))]
    ).ints("delivery_id")
    // Another server may have claimed some in between: those end as what is under way.
    return (try hold(chosen.sorted()).filter { $0.state != .sending }, chosen.count == limit)
  }

  /// Of a campaign, `$1`.
  private static let waits = isCampaigns + " AND state <> 'sending'"

  /// Ends a part of what waits of a cancelled campaign, and the campaign with the last of it.
  ///
  /// - Returns: Whether there may be more.
  package func endWaiting(
    of campaign: Int64, limit: Int = cancelledAtOnce, at now: WallTime
  ) throws(RegistryError) -> Bool {
    let (lines, hasMore) = try waitingPart(of: campaign, limit: limit)
    guard try states(of: [campaign])[campaign] == .cancelled else { return false }
    try end(lines.map { ($0, .cancelled) }, at: now)
    if !hasMore { try finishMessages(at: now, only: [campaign]) }
    return hasMore
  }

  /// Ends a part of what waits of cancelled campaigns, which a server leaves that dies in between.
  ///
  /// - Returns: Whether there may be more.
  package func endWaiting(limit: Int = cancelledAtOnce, at now: WallTime) throws(RegistryError) -> Bool {
    let cancelled = try database.run(
      "SELECT id FROM messages WHERE finished_at IS NULL AND state = 'cancelled' ORDER BY id"
    ).ints("id")
    for campaign in cancelled where try endWaiting(of: campaign, limit: limit, at: now) { return true }
    return false
  }
}
