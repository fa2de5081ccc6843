internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

/// The key of the hashes that stand for tokens and aliases. It belongs to the registry, so that every server of it makes
/// the same hashes.
extension RegistryStore {
  /// HMAC's pads (RFC 2104, 2).
  private static let (innerPad, outerPad): (UInt8, UInt8) = (0x36, 0x5C)
  /// Of SHA-256 (FIPS 180-4).
  private static let blockBytes = 64

  /// Draws the key, and begins to hash the tokens of a journal that is there already. Belongs to the step to version 4.
  ///
  /// Open deliveries and those of campaigns at a local time are hashed at once, because a device must get one delivery of
  /// a message; the others by ``hashOldTokens(limit:)``.
  func makeHashKey() throws(RegistryError) {
    // The database draws three random UUIDs of 122 bits each.
    let draws = (1...3).map { _ in database.dialect.messageIdentifier }.joined(separator: " || ")
    guard let drawn = try database.run("SELECT \(draws) AS random").first else { throw Self.emptyAnswer }
    let key = SHA256.digest(of: Array(try drawn.text("random").utf8))
    let block = key + [UInt8](repeating: 0, count: Self.blockBytes - key.count)
    try database.run(
      "INSERT INTO hash_key (key, inner_block, outer_block) VALUES ($1, $2, $3)",
      [
        .text(ASCII.hexText(key)), .text(ASCII.hexText(block.map { $0 ^ Self.innerPad })),
        .text(ASCII.hexText(block.map { $0 ^ Self.outerPad })),
      ])
    try loadHash()
    try database.run(
      "UPDATE deliveries SET address = CASE WHEN finished_at IS NULL THEN token END,"
        + " token = \(database.dialect.tokenHash("token")) WHERE token NOT LIKE 'erased-%' AND (finished_at IS NULL"
        + " OR message_id IN (SELECT id FROM messages WHERE finished_at IS NULL AND local_time IS NOT NULL))")
    try database.run(
      "INSERT INTO unhashed_deliveries (last_id) SELECT max(id) FROM deliveries HAVING max(id) IS NOT NULL")
  }

  /// Reads the key; to be called before anything else is asked of a store.
  func loadHash() throws(RegistryError) {
    guard let row = try database.run("SELECT key FROM hash_key").first,
      let key = ASCII.bytes(hex: try row.text("key")), !key.isEmpty
    else {
      throw RegistryError(
        .damaged, "The registry has no key for its keyed hashes.", help: "Restore the store from a backup.")
    }
    hash = KeyedHash(key: key)
    database.use(hash)
  }

  /// Whether the journal may hold tokens that an earlier version wrote.
  func hasOldTokens() throws(RegistryError) -> Bool {
    try !database.run("SELECT last_id FROM unhashed_deliveries").isEmpty
  }

  /// Replaces tokens by their hashes in a part of what an earlier version wrote.
  ///
  /// - Parameter limit: Deliveries at most.
  /// - Returns: Whether there may be more.
  @discardableResult
  func hashOldTokens(limit: Int) throws(RegistryError) -> Bool {
    // Of several servers each takes a part of its own.
    let marks = try database.run("SELECT last_id FROM unhashed_deliveries\(database.dialect.locksRow)")
    guard let row = marks.first else { return false }
    let last = try row.int("last_id")
    let rows = try database.run(
      "SELECT min(id) AS first FROM (SELECT id FROM deliveries WHERE id <= $1 ORDER BY id DESC LIMIT $2) AS chosen",
      [.int(last), .int(Int64(limit))])
    guard let first = try rows.first?.optionalInt("first") else {
      try database.run("DELETE FROM unhashed_deliveries")
      return false
    }
    let values = [SQLValue.int(first), .int(last)]
    try database.run(
      "SELECT count(*) FROM (SELECT id FROM deliveries WHERE id >= $1 AND id <= $2"
        + " ORDER BY id\(database.dialect.locksRow)) AS held", values)
    try database.run(
      "UPDATE deliveries SET token = \(database.dialect.tokenHash("token")) WHERE id >= $1 AND id <= $2"
        + " AND token NOT LIKE '\(KeyedHash.prefix)%' AND token NOT LIKE 'erased-%'",
      values)
    try database.run("UPDATE unhashed_deliveries SET last_id = $1", [.int(first - 1)])
    return true
  }
}
