package import LinkspanCore
package import RegistryRequests

/// A connection to a database. It belongs to one thread at a time.
///
/// Parameters of statements are `$1`, `$2`, …, whose first appearances are in that order. Statements are prepared once for
/// each text, so texts must not contain values.
package protocol SQLDatabase: AnyObject {
  var dialect: SQLDialect { get }

  /// Runs one statement once for each list of values.
  ///
  /// - Returns: The rows of each run.
  func runEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> [[SQLRow]]

  /// Runs one statement that returns no rows once for each list of values.
  ///
  /// - Returns: How many rows all runs together have changed.
  func changeEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> Int

  /// Runs statements that do not need each other's answers.
  ///
  /// - Returns: The rows of each.
  func runTogether(_ statements: [SQLStatement]) throws(RegistryError) -> [[SQLRow]]

  /// Runs a statement of a transaction whose answer nobody needs: now, or with a later one, which then fails in its place.
  func runLater(_ sql: String, _ values: [SQLValue]) throws(RegistryError)

  /// Begins a transaction that is going to write.
  func begin() throws(RegistryError)

  /// - Throws: With the kind `uncertain` where nobody knows whether the transaction was made.
  func commit() throws(RegistryError)

  func rollBack() throws(RegistryError)

  /// Runs statements without parameters, separated by semicolons.
  func runScript(_ sql: String) throws(RegistryError)

  /// Opens the connection again if it is lost.
  ///
  /// - Throws: That there still is none.
  func recover() throws(RegistryError)

  /// Has statements fail that wait longer than this for another program's lock. A database that always waits only so long needs
  /// nothing.
  func waitForLocks(atMost patience: Duration) throws(RegistryError)

  /// Looks whether a registry can be made in a database that has no tables.
  ///
  /// - Throws: Why not.
  func refuseUnfit() throws(RegistryError)

  /// Why a registry would not be made here, although one that is here goes on, and what to do; nil where nothing is wrong.
  var unfitness: RegistryError? { get }

  /// Takes what ``SQLDialect/tokenHash`` computes; a database that has the key in a table needs nothing.
  func use(_ hash: KeyedHash)

  /// Leaves nothing of what was deleted in a log of this connection's own.
  ///
  /// - Throws: That it still holds something.
  func emptyLog() throws(RegistryError)
}

extension SQLDatabase {
  /// Runs one statement.
  @discardableResult
  package func run(_ sql: String, _ values: [SQLValue] = []) throws(RegistryError) -> [SQLRow] {
    try runEach(sql, [values])[0]
  }

  package func runTogether(_ statements: [SQLStatement]) throws(RegistryError) -> [[SQLRow]] {
    try statements.map { statement throws(RegistryError) in try run(statement.sql, statement.values) }
  }

  package func runLater(_ sql: String, _ values: [SQLValue]) throws(RegistryError) { try run(sql, values) }

  package func begin() throws(RegistryError) { try runScript("BEGIN IMMEDIATE") }

  package func commit() throws(RegistryError) { try runScript("COMMIT") }

  package func rollBack() throws(RegistryError) { try runScript("ROLLBACK") }

  package func waitForLocks(atMost patience: Duration) throws(RegistryError) {}

  package func refuseUnfit() throws(RegistryError) {}

  package var unfitness: RegistryError? { nil }
}

/// A statement with its values.
package struct SQLStatement {
  package var sql: String
  package var values: [SQLValue]

  package init(sql: String, values: [SQLValue] = []) {
    self.sql = sql
    self.values = values
  }
}

/// What the two databases spell differently.
package struct SQLDialect: Sendable {
  /// The type of a primary key that counts up and never names two rows.
  package let identifier: String
  /// The function that finds a text in another one: (text, searched).
  package let position: String
  /// The function that makes a text's letters small, also those beyond ASCII, for what a person searches.
  package let lower: String
  /// Keeps other processes from migrating until the transaction ends; nil where beginning it does.
  package let migrationLock: String?

  /// A random UUID, drawn anew for each row.
  package let messageIdentifier: String
  /// Ends a query whose rows are going to be changed: passes over those that another process is changing.
  package let skipsLocked: String
  /// Ends a query for one row that is going to be changed: waits for other processes.
  package let locksRow: String
  /// Ends a query for rows that must not be changed before this transaction ends.
  let sharesRow: String
  /// Ends a query for rows that must not be removed before this transaction ends: passes over those that another process
  /// is removing.
  package let holdsRow: String
  /// Ends a query for devices that are going to be changed: waits for other processes, in one order for all.
  package let locksDevices: String
  /// Ends a query for devices that must not be changed before this transaction ends, in the same order.
  package let sharesDevices: String
  /// An expression of the keyed hash of a column that holds device tokens.
  package let tokenHash: @Sendable (_ column: String) -> String
  /// Two columns for the end of a registration's `RETURNING`: `previous_alias` and `previous_revision`, where it was known
  /// and the bits in `$18` say that the alias is given. nil where the row of before has to be asked for.
  package let returnsPrevious: String?
  /// Asks for the identifier of the row that was inserted last; nil where a row that a statement returns costs no more.
  package let lastIdentifier: String?
  /// The database's own clock in milliseconds since 1970; nil where the database is this process.
  package let clock: String?

  /// Answers a row where the store has the table $1.
  package let findsTable: String
  /// Counts the tables and views in the place where tables would be made, without those of the database itself and of its
  /// extensions.
  package let countsTables: String

  /// Whether a parameter can be an array.
  package let hasArrays: Bool
  /// Whether there is a connection that can be lost.
  package let isRemote: Bool

  package static let sqlite = SQLDialect(
    identifier: "INTEGER PRIMARY KEY AUTOINCREMENT", position: "instr",
    lower: "linkspan_lower", migrationLock: nil,
    messageIdentifier: "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4'"
      + " || substr(hex(randomblob(2)), 2)"
      + " || '-' || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-'"
      + " || hex(randomblob(6)))",
    skipsLocked: "", locksRow: "", sharesRow: "", holdsRow: "", locksDevices: "",
    sharesDevices: "",
    tokenHash: { "\(SQLiteDatabase.hashFunction)(\($0))" },
    returnsPrevious: nil,
    lastIdentifier: "SELECT last_insert_rowid() AS id", clock: nil,
    findsTable: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1",
    countsTables: "SELECT count(*) AS number FROM sqlite_master WHERE type IN ('table', 'view')"
      + " AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    hasArrays: false, isRemote: false)

  package static let postgres = SQLDialect(
    identifier: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", position: "strpos", lower: "lower",
    // The number is an arbitrary name for the lock.
    migrationLock: "SELECT pg_advisory_xact_lock(5490723)",
    messageIdentifier: "CAST(gen_random_uuid() AS TEXT)", skipsLocked: " FOR UPDATE SKIP LOCKED",
    locksRow: " FOR UPDATE", sharesRow: " FOR SHARE", holdsRow: " FOR KEY SHARE SKIP LOCKED",
    locksDevices: keyOrder + " FOR UPDATE", sharesDevices: keyOrder + " FOR SHARE",
    tokenHash: postgresTokenHash,
    returnsPrevious: ", " + ["alias", "revision"].map(previous).joined(separator: ", "), lastIdentifier: nil,
    clock: "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now",
    findsTable: "SELECT 1 FROM pg_class WHERE oid = to_regclass($1) AND relkind IN ('r', 'p')",
    countsTables:
      "SELECT count(*) AS number FROM pg_class AS made JOIN pg_namespace AS place ON place.oid = made.relnamespace"
      + " WHERE place.nspname = current_schema() AND made.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT EXISTS"
      + " (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = made.oid AND deptype = 'e')",
    hasArrays: true, isRemote: true)

  /// As texts compare in Swift, whatever the database's collation is.
  private static let keyOrder =
    " ORDER BY token COLLATE \"C\", topic COLLATE \"C\", environment COLLATE \"C\""

  /// HMAC-SHA-256 (RFC 2104) of what PostgreSQL brings along; each key is read once for a statement.
  private static func postgresTokenHash(_ column: String) -> String {
    func key(_ name: String) -> String { "(SELECT decode(\(name), 'hex') FROM hash_key)" }
    let inner = "sha256(\(key("inner_block")) || convert_to(\(column), 'UTF8'))"
    let outer = "sha256(\(key("outer_block")) || \(inner))"
    return "'\(KeyedHash.prefix)' || encode(substr(\(outer), 1, \(KeyedHash.hashBytes)), 'hex')"
  }

  /// What a column held when the statement began.
  private static func previous(_ column: String) -> String {
    "CASE WHEN devices.revision > 1 AND (CAST($18 AS BIGINT) & \(DeviceAttribute.alias.bit)) <> 0"
      + " THEN (SELECT before.\(column) FROM devices AS before WHERE before.id = devices.id) END AS previous_\(column)"
  }
}
