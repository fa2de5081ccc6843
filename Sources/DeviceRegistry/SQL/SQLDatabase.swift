/// A connection to a database. It belongs to one thread at a time.
///
/// Parameters of statements are `$1`, `$2`, …, whose first appearances are in that order. Statements are prepared once for
/// each text, so texts must not contain values.
protocol SQLDatabase: AnyObject {
  var dialect: SQLDialect { get }

  /// Runs one statement once for each list of values.
  ///
  /// - Returns: The rows of each run.
  func runEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> [[SQLRow]]

  /// Runs one statement that returns no rows once for each list of values.
  ///
  /// - Returns: How many rows all runs together have changed.
  func changeEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> Int

  /// Runs statements without parameters, separated by semicolons.
  func runScript(_ sql: String) throws(RegistryError)

  /// Opens the connection again if it is lost.
  ///
  /// - Throws: That there still is none.
  func recover() throws(RegistryError)

  /// Leaves nothing of what was deleted in a log of this connection's own.
  ///
  /// - Throws: That it still holds something.
  func emptyLog() throws(RegistryError)
}

extension SQLDatabase {
  /// Runs one statement.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue] = []) throws(RegistryError) -> [SQLRow] {
    try runEach(sql, [values])[0]
  }
}

/// What the two databases spell differently.
struct SQLDialect: Sendable {
  /// Begins a transaction that is going to write.
  let begin: String
  /// The type of a primary key that counts up and never names two rows.
  let identifier: String
  /// The function that finds a text in another one: (text, searched).
  let position: String
  /// Keeps other processes from migrating until the transaction ends; nil where beginning it does.
  let migrationLock: String?

  /// A random UUID in APNs' form, drawn anew for each row.
  let messageIdentifier: String
  /// Ends a query whose rows are going to be changed: passes over those that another process is changing.
  let skipsLocked: String
  /// Ends a query for one row that is going to be changed: waits for other processes.
  let locksRow: String
  /// Asks for the identifier of the row that was inserted last; nil where a row that a statement returns costs no more.
  let lastIdentifier: String?
  /// The database's own clock in milliseconds since 1970; nil where the database is this process.
  let clock: String?

  /// Answers a row where the store has the table that a registry begins with; changes nothing.
  let findsRegistry: String

  /// Whether a parameter can be an array.
  let hasArrays: Bool
  /// Whether there is a connection that can be lost.
  let isRemote: Bool

  static let sqlite = SQLDialect(
    begin: "BEGIN IMMEDIATE", identifier: "INTEGER PRIMARY KEY AUTOINCREMENT", position: "instr",
    migrationLock: nil,
    messageIdentifier: "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4'"
      + " || substr(hex(randomblob(2)), 2)"
      + " || '-' || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-'"
      + " || hex(randomblob(6)))",
    skipsLocked: "", locksRow: "",
    lastIdentifier: "SELECT last_insert_rowid()", clock: nil,
    findsRegistry: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'linkspan_registry'",
    hasArrays: false, isRemote: false)

  static let postgres = SQLDialect(
    begin: "BEGIN", identifier: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", position: "strpos",
    // The number is an arbitrary name for the lock.
    migrationLock: "SELECT pg_advisory_xact_lock(5490723)",
    messageIdentifier: "CAST(gen_random_uuid() AS TEXT)", skipsLocked: " FOR UPDATE SKIP LOCKED",
    locksRow: " FOR UPDATE", lastIdentifier: nil,
    clock: "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
    findsRegistry: "SELECT 1 WHERE to_regclass('linkspan_registry') IS NOT NULL",
    hasArrays: true, isRemote: true)
}
