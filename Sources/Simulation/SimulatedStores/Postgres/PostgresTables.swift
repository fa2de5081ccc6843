internal import RegistryDatabases

/// Statements about tables, as SQLite runs them. The partitions of a table are one table here, and a row of `pg_partition` each.
enum PostgresTables {
  /// What a new server has.
  static let catalogue =
    "CREATE TABLE pg_partition (name TEXT PRIMARY KEY, parent TEXT NOT NULL, low BIGINT NOT NULL, high BIGINT NOT NULL)"

  /// What each connection has for itself: rows as they were before a statement changed them.
  static let connection = """
    PRAGMA case_sensitive_like = ON;
    CREATE TEMP TABLE pg_before (id BIGINT PRIMARY KEY, alias TEXT, revision BIGINT NOT NULL);
    """
  /// The same, where there are devices already.
  static let watch = """
    CREATE TEMP TRIGGER pg_watch BEFORE UPDATE ON main.devices BEGIN
      DELETE FROM pg_before WHERE id = old.id;
      INSERT INTO pg_before (id, alias, revision) VALUES (old.id, old.alias, old.revision);
    END
    """

  /// Statements with other words in SQLite.
  static let spelled: [String: String] = [
    SQLDialect.postgres.clock ?? "": "SELECT pg_clock() AS now",
    SQLDialect.postgres.findsTable:
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1 UNION ALL SELECT 1 FROM pg_partition WHERE name = ?1",
    "SELECT txid_current() AS number": "SELECT 1 AS number",
    "SELECT pg_database_size(current_database()) AS number":
      "SELECT page_count * page_size AS number FROM pragma_page_count(), pragma_page_size()",
    "SELECT current_setting('fsync') AS fsync": "SELECT 'on' AS fsync",
    // Nothing waits for a lock here.
    "SELECT current_setting('lock_timeout') AS patience": "SELECT '0' AS patience",
    "SELECT set_config('lock_timeout', $1, true)": "SELECT ?1 AS set_config",
    SQLDialect.postgres.countsTables:
      "SELECT (SELECT count(*) FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
      + " AND name <> 'pg_partition') + (SELECT count(*) FROM pg_partition) AS number",
  ]

  /// A script, statement by statement.
  static func statements(_ script: String) -> [String] {
    var tokens = SQLToken.tokens(script)
    var statements: [String] = []
    while !tokens.isEmpty {
      let end = tokens.place(of: ";") ?? tokens.count
      statements += spelled(Array(tokens[..<end]))
      tokens = Array(tokens.dropFirst(end + 1))
    }
    return statements
  }

  /// Settings, locks and what SQLite has by another statement of the same script are nothing.
  private static let unneeded = [
    "SET", "SELECT pg_advisory_xact_lock", "SELECT setval", "CREATE SEQUENCE", "ALTER INDEX",
  ]

  private static func spelled(_ tokens: [SQLToken]) -> [String] {
    guard !tokens.isEmpty, !unneeded.contains(where: { tokens.has($0, at: 0) }) else { return [] }
    if tokens.has("ALTER TABLE", at: 0) { return altered(tokens) }
    if tokens.has("DROP TABLE", at: 0) { return dropped(tokens) }
    if tokens.has("CREATE TABLE", at: 0) {
      let isLike = tokens.has("( LIKE", at: 3)
      return isLike ? [] : [withIdentifier(tokens, of: tokens[2].spelling)]
    }
    if let place = tokens.firstIndex(where: { $0.isWord("INDEX") }), tokens.has("CREATE", at: 0) {
      // Each partition has one of its own.
      let isOfPart = tokens[place + 1].spelling.hasSuffix("_id")
      let isAsked = tokens.has("IF NOT EXISTS", at: place + 1)
      let head = tokens[...place].spelling
      return isOfPart ? [] : [head + (isAsked ? " " : " IF NOT EXISTS ") + tokens[(place + 1)...].spelling]
    }
    return [PostgresStatement(tokens.spelling).steps.last?.sql ?? ""]
  }

  /// A number that a table's sequence counts up also for rows that come to nothing.
  private static func withIdentifier(_ tokens: [SQLToken], of table: String) -> String {
    let identity = SQLToken.tokens(SQLDialect.postgres.identifier)
    guard let place = tokens.indices.first(where: { tokens.has(identity.spelling, at: $0) }) else {
      return tokens.spelling
    }
    return tokens[..<place].spelling + " BIGINT NOT NULL DEFAULT (nextval('\(table)_number')) PRIMARY KEY "
      + tokens[(place + identity.count)...].spelling
  }

  private static func altered(_ tokens: [SQLToken]) -> [String] {
    let table = tokens[2].spelling
    if tokens.has("ATTACH PARTITION", at: 3), let from = tokens.firstIndex(where: { $0.isWord("FROM") }) {
      let bounds = tokens[from...].compactMap { Int64($0.spelling) }
      let low = bounds.count == 2 ? bounds[0] : .min
      return [
        "INSERT INTO pg_partition VALUES ('\(tokens[5].spelling)', '\(table)', \(low), \(bounds.last ?? .max))",
        """
        CREATE TRIGGER IF NOT EXISTS pg_route_\(table) BEFORE INSERT ON \(table)
        WHEN NOT EXISTS (SELECT 1 FROM pg_partition WHERE parent = '\(table)'
          AND new.\(column(of: table)) >= low AND new.\(column(of: table)) < high)
        BEGIN SELECT RAISE(ABORT, 'no partition of relation "\(table)" found for row'); END
        """,
      ]
    }
    if tokens.has("ADD COLUMN", at: 3) || tokens.has("RENAME COLUMN", at: 3) { return [tokens.spelling] }
    return Array(tokens[3...]).parts.filter { $0.has("DROP COLUMN", at: 0) }
      .map { "ALTER TABLE \(table) \($0.spelling)" }
  }

  private static func column(of table: String) -> String { table == "messages" ? "id" : "message_id" }

  private static func dropped(_ tokens: [SQLToken]) -> [String] {
    tokens[2...].parts.flatMap { part -> [String] in
      let name = part[0].spelling
      let table = name.hasPrefix("messages") ? "messages" : "deliveries"
      let bound = { (word: String) in "(SELECT \(word) FROM pg_partition WHERE name = '\(name)')" }
      return [
        "DELETE FROM \(table) WHERE \(column(of: table)) >= \(bound("low")) AND \(column(of: table)) < \(bound("high"))",
        "DELETE FROM pg_partition WHERE name = '\(name)'",
      ]
    }
  }
}

extension ArraySlice<SQLToken> {
  var spelling: String { Array(self).spelling }
  var parts: [[SQLToken]] { Array(self).parts }
}
