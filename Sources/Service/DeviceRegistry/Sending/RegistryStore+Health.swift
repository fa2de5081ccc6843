package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// What APNs answered to pushes that wait for a key it takes.
package struct KeyRefusal: Hashable, Sendable {
  package var environment: String
  /// Such as `InvalidProviderToken`.
  package var reason: String
  package var pushes: Int64
}

/// What an operator asks first when pushes do not arrive.
package struct RegistryHealth: Hashable, Sendable {
  package var devices: Int64
  package var liveDevices: Int64
  package var openMessages: Int64
  /// Servers that send, by their leases.
  package var liveSenders: Int64
  /// When the oldest push was due that has not ended.
  package var oldestUnfinishedDue: WallTime?
  /// Notifications and campaigns that have not ended and were made at a time to come, by a server whose clock was ahead.
  package var aheadMessages: Int64
  /// When the last of them was made.
  package var lastAhead: WallTime?
  /// How many pushes wait because APNs refused the key, by environment and reason.
  package var refusals: [KeyRefusal]
  /// What is wrong with the store, each a whole sentence.
  package var problems: [String]
}

extension RegistryStore {
  /// Ours: clocks of servers that are kept by NTP differ by less.
  private static let clockTolerance = Duration.seconds(60)

  /// Reads the whole store where it is a file, so it takes a while.
  package func health(at now: WallTime) throws(RegistryError) -> RegistryHealth {
    func number(_ sql: String, _ values: [SQLValue] = []) throws(RegistryError) -> Int64 {
      guard let row = try database.run(sql, values).first else { throw Self.emptyAnswer }
      return try row.int("number")
    }
    let ahead = try database.run(
      "SELECT count(*) AS number, max(created_at) AS last FROM messages WHERE finished_at IS NULL AND created_at > $1",
      [.int(now.advanced(by: Self.clockTolerance).milliseconds)])
    guard let ahead = ahead.first else { throw Self.emptyAnswer }
    return RegistryHealth(
      devices: try number("SELECT count(*) AS number FROM devices"),
      liveDevices: try number("SELECT count(*) AS number FROM devices WHERE unregistered_at IS NULL"),
      openMessages: try number("SELECT count(*) AS number FROM messages WHERE finished_at IS NULL"),
      liveSenders: try number(
        "SELECT count(*) AS number FROM senders WHERE lease_until >= $1",
        [.int(try leaseClock(now).milliseconds)]),
      oldestUnfinishedDue: try oldestUnfinishedDue(at: now), aheadMessages: try ahead.int("number"),
      lastAhead: try ahead.optionalInt("last").map(WallTime.init(milliseconds:)), refusals: try keyRefusals(),
      problems: try problems())
  }

  /// Of the answers with 403 a sender tries only those again that are about its key or certificate (push notes, section 4).
  private func keyRefusals() throws(RegistryError) -> [KeyRefusal] {
    let rows = try database.run(
      "SELECT environment, reason, count(*) AS number FROM queue WHERE status = 403 AND reason IS NOT NULL"
        + " GROUP BY environment, reason")
    var refusals: [KeyRefusal] = []
    for row in rows {
      refusals.append(
        KeyRefusal(
          environment: try row.text("environment"), reason: try row.text("reason"),
          pushes: try row.int("number")))
    }
    return refusals.sorted { ($0.environment, $0.reason) < ($1.environment, $1.reason) }
  }

  private func problems() throws(RegistryError) -> [String] {
    guard database.dialect.isRemote else {
      let rows = try database.run("PRAGMA quick_check(10)")
      let lines = try rows.texts("quick_check")
      return lines == ["ok"] ? [] : lines.map { "The file is damaged: \($0)." }
    }
    let fsync = try database.run("SELECT current_setting('fsync') AS fsync").first?.text("fsync")
    return fsync == "on"
      ? [] : ["PostgreSQL has fsync off, so a power cut may lose what was acknowledged."]
  }
}
