package import LinkspanCore

extension RegistryStore {
  package func add(_ token: AccessToken) throws(RegistryError) {
    try database.run(
      "INSERT INTO access_tokens (id, secret_hash, name, scopes, topics, created_at, expires_at)"
        + " VALUES ($1, $2, $3, $4, $5, $6, $7)",
      [
        .text(token.identifier), .text(token.secretHash), SQLValue(token.name),
        .text(token.scopes.map(\.rawValue).sorted().joined(separator: " ")),
        .text(token.topics.joined(separator: " ")), .int(token.createdAt.milliseconds),
        SQLValue(token.expiresAt?.milliseconds),
      ])
  }

  private static let tokenColumns =
    "id, secret_hash, name, scopes, topics, created_at, expires_at, revoked_at"

  package func accessToken(_ identifier: String) throws(RegistryError) -> AccessToken? {
    let rows = try database.run(
      "SELECT \(Self.tokenColumns) FROM access_tokens WHERE id = $1", [.text(identifier)])
    return try rows.first.map { row throws(RegistryError) in try Self.accessToken(row) }
  }

  /// Every credential, the oldest first.
  package func accessTokens() throws(RegistryError) -> [AccessToken] {
    let rows = try database.run(
      "SELECT \(Self.tokenColumns) FROM access_tokens ORDER BY created_at, id")
    return try rows.map { row throws(RegistryError) in try Self.accessToken(row) }
  }

  /// - Returns: Whether there was such a credential that was not revoked.
  package func revoke(_ identifier: String, at time: WallTime) throws(RegistryError) -> Bool {
    try !database.run(
      "UPDATE access_tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL RETURNING id",
      [.int(time.milliseconds), .text(identifier)]
    ).isEmpty
  }

  private static func accessToken(_ row: SQLRow) throws(RegistryError) -> AccessToken {
    AccessToken(
      identifier: try row.text(0), secretHash: try row.text(1), name: try row.optionalText(2),
      scopes: Set(try row.text(3).split(separator: " ").compactMap { AccessScope(rawValue: String($0)) }),
      topics: try row.text(4).split(separator: " ").map(String.init),
      createdAt: WallTime(milliseconds: try row.int(5)),
      expiresAt: try row.optionalInt(6).map(WallTime.init(milliseconds:)),
      revokedAt: try row.optionalInt(7).map(WallTime.init(milliseconds:)))
  }
}
