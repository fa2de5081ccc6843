package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

extension RegistryStore {
  package func add(_ token: AccessToken) throws(RegistryError) {
    try database.run(
      "INSERT INTO access_tokens (id, secret_hash, name, scopes, topics, created_at, expires_at)"
        + " VALUES ($1, $2, $3, $4, $5, $6, $7)",
      [
        .text(token.identifier), .text(token.secretHash), SQLValue(token.name),
        .text(
          (token.scopes.map(\.rawValue).sorted() + (token.hosts ?? []).map { Self.hostWord + $0 })
            .joined(separator: " ")),
        .text(token.topics.joined(separator: " ")), .int(token.createdAt.milliseconds),
        SQLValue(token.expiresAt?.milliseconds),
      ])
  }

  /// Before each host among the scopes. Programs of before know no such scope, and pass it over.
  private static let hostWord = "host="

  private static let tokenColumns =
    "id, secret_hash, name, scopes, topics, created_at, expires_at, revoked_at"

  package func accessToken(_ identifier: String) throws(RegistryError) -> AccessToken? {
    let rows = try database.run(
      "SELECT \(Self.tokenColumns) FROM access_tokens WHERE id = $1", [.text(identifier)])
    return try rows.decoded(Self.accessToken).first
  }

  /// Every credential, the oldest first.
  package func accessTokens() throws(RegistryError) -> [AccessToken] {
    let rows = try database.run(
      "SELECT \(Self.tokenColumns) FROM access_tokens ORDER BY created_at, id")
    return try rows.decoded(Self.accessToken)
  }

  /// - Returns: Whether there was such a credential that was not revoked.
  package func revoke(_ identifier: String, at time: WallTime) throws(RegistryError) -> Bool {
    try !database.run(
      "UPDATE access_tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL RETURNING id",
      [.int(time.milliseconds), .text(identifier)]
    ).isEmpty
  }

  private static func accessToken(
    _ columns: SQLColumns
  ) throws(RegistryError) -> (SQLRow) throws(RegistryError) -> AccessToken {
    let (id, hash, name) = try (columns["id"], columns["secret_hash"], columns["name"])
    let (scopes, topics) = try (columns["scopes"], columns["topics"])
    let (created, expires) = try (columns["created_at"], columns["expires_at"])
    let revoked = try columns["revoked_at"]
    return { row throws(RegistryError) in
      let words = try row.text(scopes).split(separator: " ").map(String.init)
      return AccessToken(
        identifier: try row.text(id), secretHash: try row.text(hash), name: try row.optionalText(name),
        scopes: Set(words.compactMap(AccessScope.init(rawValue:))),
        topics: try row.text(topics).split(separator: " ").map(String.init),
        hosts: words.filter { $0.hasPrefix(hostWord) }.map { String($0.dropFirst(hostWord.count)) },
        createdAt: try row.time(created),
        expiresAt: try row.optionalTime(expires), revokedAt: try row.optionalTime(revoked))
    }
  }
}
