package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// The alias that each device left last, by keyed hashes: so a push by token to a device that is gone goes with that alias.
extension RegistryStore {
  /// Adds what the journal of an earlier version knows of devices that left before there was a table for it. Belongs to the step
  /// to version 6.
  func addOldFormerAliases() throws(RegistryError) {
    try loadHash()
    // A journal of before version 4 may hold tokens that wait to be hashed.
    let hashed =
      "CASE WHEN d.token LIKE '\(KeyedHash.prefix)%' THEN d.token ELSE \(database.dialect.tokenHash("d.token")) END"
    // The device's last delivery says whom it left last.
    let last =
      "SELECT max(other.id) FROM deliveries AS other JOIN departures AS gone ON gone.delivery_id = other.id"
      + " WHERE other.token = d.token AND other.topic = d.topic AND other.environment = d.environment"
    try database.run(
      "INSERT INTO former_aliases (token, topic, environment, alias) SELECT \(hashed), d.topic, d.environment, p.alias"
        + " FROM deliveries AS d JOIN departures AS p ON p.delivery_id = d.id"
        + " WHERE d.token NOT LIKE '\(Self.erasedPrefix)%' AND d.id = (\(last))"
        + " ORDER BY d.id DESC ON CONFLICT (token, topic, environment) DO NOTHING")
  }

  /// Forgets whom devices left that have been gone for so long that nothing can name them any more: neither the queue nor the
  /// journal has a line about the device, and the copies that were made meanwhile are older than the journal is kept.
  ///
  /// - Parameters:
  ///   - time: Devices that left before are meant.
  ///   - limit: Devices at most.
  ///   - now: When devices count as gone of which an earlier version did not say when they left.
  /// - Returns: How many there were.
  @discardableResult
  package func forgetFormerAliases(
    before time: WallTime, limit: Int, at now: WallTime
  ) throws(RegistryError) -> Int {
    // Lines that an earlier version wrote cannot be compared yet.
    guard try !hasOldTokens() else { return 0 }
    try database.run(
      "UPDATE former_aliases SET left_at = $1 WHERE (token, topic, environment) IN (SELECT token, topic, environment"
        + " FROM former_aliases WHERE left_at IS NULL LIMIT $2\(database.dialect.skipsLocked))",
      [.int(now.milliseconds), .int(Int64(limit))])
    let rows = try database.run(
      "DELETE FROM former_aliases WHERE (token, topic, environment) IN (SELECT token, topic, environment"
        + " FROM former_aliases AS f WHERE left_at < $1 AND NOT EXISTS (SELECT 1 FROM deliveries AS d"
        + " WHERE \(onEachDay(of: "d"))d.token = f.token AND d.topic = f.topic AND d.environment = f.environment)"
        + " ORDER BY left_at LIMIT $2\(database.dialect.skipsLocked)) RETURNING topic",
      [.int(time.milliseconds), .int(Int64(limit))])
    return rows.count
  }
}
