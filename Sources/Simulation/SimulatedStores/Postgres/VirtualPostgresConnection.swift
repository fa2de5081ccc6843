internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

/// A connection to ``VirtualPostgres``, which answers what ``PostgresDatabase`` would: the same statements, kinds of errors and
/// moments at which they come.
final class VirtualPostgresConnection: SQLDatabase {
  let dialect = SQLDialect.postgres
  private let server: VirtualPostgres
  /// nil where the connection is known to be lost.
  private var session: SQLiteDatabase?
  private var generation = 0
  private var transaction = Transaction.none
  /// Whether this session knows `COMMIT`, so that nothing is asked before it.
  private var knowsCommit = false
  /// What goes with the next statement; nil for `BEGIN`.
  private var held: [SQLStatement?] = []
  private var statements: [String: PostgresStatement] = [:]
  private var hash = KeyedHash(key: [])

  private enum Transaction { case none, open, failed }

  init(_ server: VirtualPostgres) throws(RegistryError) {
    self.server = server
    try connect()
  }

  private func connect() throws(RegistryError) {
    guard server.state != .away else {
      throw RegistryError(
        .unavailable, "The registry's PostgreSQL cannot be reached: connection refused.",
        help: "Check the address after --registry, and that the server runs and lets this user in.",
        isDisconnected: true)
    }
    let session = try server.newSession()
    session.use(hash)
    (self.session, generation, transaction, held) = (session, server.generation, .none, [])
    knowsCommit = false
  }

  /// Takes a connection for lost only after it was used, as libpq does.
  func recover() throws(RegistryError) {
    held = []
    if session != nil, transaction == .none { return }
    lose()
    try connect()
  }

  func use(_ hash: KeyedHash) {
    self.hash = hash
    session?.use(hash)
  }

  func emptyLog() throws(RegistryError) {}

  // MARK: - Transactions

  func begin() throws(RegistryError) {
    guard session != nil else { throw Self.lost }
    held.append(nil)
  }

  func commit() throws(RegistryError) {
    if !knowsCommit { _ = try living() }
    knowsCommit = true
    guard session != nil else { throw Self.lost }
    // It began and did nothing.
    if transaction == .none, held.count == 1 {
      held = []
      return
    }
    let fault = server.draw(inTransaction: false)
    do throws(RegistryError) {
      let session = try living()
      if fault == .lostBefore { throw lose() }
      try runHeld(session)
      try session.runScript("COMMIT")
      transaction = .none
      // What no caller has left after its end.
      try session.runScript("DELETE FROM pg_before")
      if fault == .lostAfter { throw lose() }
    } catch {
      guard error.isDisconnected else { throw fail(error) }
      server.note("uncertain")
      throw RegistryError(
        .uncertain, "The connection broke while a change was being stored: it may be stored or not.",
        help: "Send the request again.", isDisconnected: true)
    }
  }

  func rollBack() throws(RegistryError) {
    held = []
    guard transaction != .none else { return }
    let session = try living()
    transaction = .none
    try session.runScript("ROLLBACK")
  }

  // MARK: - Statements

  func runScript(_ sql: String) throws(RegistryError) {
    try trip { session throws(RegistryError) in
      for statement in PostgresTables.statements(sql) {
        try session.runScript(statement)
        if statement.hasPrefix("CREATE TABLE devices ") { try session.runScript(PostgresTables.watch) }
      }
    }
  }

  func runTogether(_ statements: [SQLStatement]) throws(RegistryError) -> [[SQLRow]] {
    try trip { session throws(RegistryError) in
      var answers: [[SQLRow]] = []
      for statement in statements { answers.append(try run(statement, over: session)) }
      return answers
    }
  }

  func runLater(_ sql: String, _ values: [SQLValue]) throws(RegistryError) {
    guard session != nil else { throw Self.lost }
    held.append(SQLStatement(sql: sql, values: values))
  }

  func runEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> [[SQLRow]] {
    guard !rows.isEmpty else { return [] }
    return try runTogether(rows.map { SQLStatement(sql: sql, values: $0) })
  }

  func changeEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> Int {
    guard !rows.isEmpty else { return 0 }
    return try trip { session throws(RegistryError) in
      var count = 0
      for values in rows {
        let (sql, values) = try prepare(SQLStatement(sql: sql, values: values), over: session)
        count += try session.changeEach(sql, [values])
      }
      return count
    }
  }

  /// One way to the server and back.
  private func trip<Answer>(
    _ body: (SQLiteDatabase) throws(RegistryError) -> Answer
  ) throws(RegistryError) -> Answer {
    let session = try living()
    let fault = server.draw(inTransaction: transaction != .none || !held.isEmpty)
    do throws(RegistryError) {
      switch fault {
      case .lostBefore: throw lose()
      case .conflict: throw Self.conflict
      case .full: throw Self.full
      case .none, .lostAfter: break
      }
      try runHeld(session)
      let answer = try body(session)
      if fault == .lostAfter { throw lose() }
      return answer
    } catch {
      throw fail(error)
    }
  }

  private func runHeld(_ session: SQLiteDatabase) throws(RegistryError) {
    let statements = held
    held = []
    for statement in statements {
      if let statement {
        _ = try run(statement, over: session)
      } else {
        try session.runScript("BEGIN IMMEDIATE")
        transaction = .open
      }
    }
  }

  private func run(_ statement: SQLStatement, over session: SQLiteDatabase) throws(RegistryError) -> [SQLRow]
  {
    let (sql, values) = try prepare(statement, over: session)
    return try session.run(sql, values)
  }

  /// Runs all steps of a statement but the last.
  ///
  /// - Returns: The last one.
  private func prepare(
    _ statement: SQLStatement, over session: SQLiteDatabase
  ) throws(RegistryError) -> (sql: String, values: [SQLValue]) {
    guard transaction != .failed else { throw Self.aborted }
    if let sql = PostgresTables.spelled[statement.sql] { return (sql, statement.values) }
    let known = statements[statement.sql] ?? .known(statement.sql)
    statements[statement.sql] = known
    for name in known.partitions.sorted() where try session.run(Self.findsPartition, [.text(name)]).isEmpty {
      throw PostgresAnswer.error(state: "42P01", reason: "relation \"\(name)\" does not exist")
    }
    var values = try known.values(statement.values)
    for step in known.steps {
      let stepValues = Array(values.prefix(step.valueCount))
      guard let columns = step.columns else { return (step.sql, stepValues) }
      let rows = try session.run(step.sql, stepValues)
      if !columns.isEmpty {
        let cells = rows.map { row in row.values.map { PostgresArray.json($0) } }
        values.append(SQLValue.text(PostgresArray.json(cells)))
      }
    }
    preconditionFailure("the last step of a statement answers")
  }

  private static let findsPartition = "SELECT 1 FROM pg_partition WHERE name = $1"

  // MARK: - Errors

  /// The session, unless the server has ended it.
  private func living() throws(RegistryError) -> SQLiteDatabase {
    guard let session else { throw Self.lost }
    guard generation == server.generation else { throw lose() }
    return session
  }

  /// Ends the connection, and with it its transaction.
  @discardableResult
  private func lose() -> RegistryError {
    if transaction != .none, let session {
      do throws(RegistryError) {
        try session.runScript("ROLLBACK")
      } catch {
        // A statement that failed has rolled back by itself.
      }
    }
    (session, transaction, held) = (nil, .none, [])
    return Self.lost
  }

  /// After an error a transaction can only be rolled back.
  private func fail(_ error: RegistryError) -> RegistryError {
    held = []
    if transaction == .open { transaction = .failed }
    return error
  }

  private static let lost = RegistryError(
    .unavailable,
    "The connection to the registry's PostgreSQL is lost: server closed the connection unexpectedly.",
    help: "It is opened again by itself when the server is back.", isDisconnected: true)

  private static let conflict = PostgresAnswer.error(state: "40P01", reason: "deadlock detected")

  private static let full = PostgresAnswer.error(
    state: "53100", reason: "could not extend file: No space left on device")

  private static let aborted = PostgresAnswer.error(
    state: "25P02",
    reason: "current transaction is aborted, commands ignored until end of transaction block")
}
