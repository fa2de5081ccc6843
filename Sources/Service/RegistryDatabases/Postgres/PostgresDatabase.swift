internal import CLinkspanLibrary
internal import CPostgres
package import LinkspanCore
package import RegistryRequests

/// A connection to PostgreSQL. Statements that do not need each other's answers travel together in libpq's pipeline mode, so
/// that they cost one round trip.
package final class PostgresDatabase: SQLDatabase {
  package let dialect = SQLDialect.postgres
  private let address: ServiceAddress
  /// Whether its statements look for rows by their keys.
  private let findsByKey: Bool
  private var lockPatience: Duration?
  private var connection: OpaquePointer?
  /// Why the connection was lost, in the words of the first statement that met it; nil while it is not. What libpq says of the next
  /// ones is about them.
  private var loss: String?
  /// In which the database holds texts.
  private var encoding: String?
  private var statements: [String: Statement] = [:]
  /// What goes with the next statement.
  private var held: [Run] = []
  /// How often this connection has waited for an answer.
  private(set) var roundTripCount = 0

  private final class Statement {
    let name: String
    /// Known since the first answer.
    private var columns: SQLColumns?

    init(_ name: String) { self.name = name }

    func rows(of result: PostgresResult) -> [SQLRow] {
      let known = columns ?? result.columns
      columns = known
      return result.rows(known)
    }
  }

  /// A statement with its values.
  private struct Run {
    var statement: Statement
    var values: [SQLValue]
  }

  /// Runs of one statement between two reads of answers. Ours.
  private static let pipelineLength = 256

  /// - Parameters:
  ///   - address: `postgres://…`.
  ///   - findsByKey: Whether it changes rows that it finds by their keys, in tables that begin empty each day. PostgreSQL plans
  ///     a statement when the table has no rows, and would go on reading all of it until the next ANALYZE.
  ///   - lockPatience: How long a statement waits for another program's lock before it fails; nil: until it has it. What the
  ///     role or the database sets stays.
  package init(
    _ address: ServiceAddress, findsByKey: Bool = false, lockPatience: Duration? = nil
  ) throws(RegistryError) {
    self.address = address
    self.findsByKey = findsByKey
    self.lockPatience = lockPatience
    try connect()
  }

  deinit {
    if let connection { PQfinish(connection) }
  }

  private func connect() throws(RegistryError) {
    let library = linkspan_libpq()!
    if let problem = linkspan_library_problem(library) {
      throw Self.unreachable(
        String(cString: problem),
        help: "Install or upgrade the package \(String(cString: library.pointee.package)).")
    }
    // What stands before 'dbname' are defaults that the address may override. The timeouts are ours.
    let parameters = [
      ("connect_timeout", "10"), ("tcp_user_timeout", "30000"), ("dbname", address.textWithCredentials),
      ("fallback_application_name", "linkspan"), ("client_encoding", "UTF8"),
    ]
    connection = Self.withStrings(parameters.map(\.0)) { names in
      Self.withStrings(parameters.map(\.1)) { values in PQconnectdbParams(names, values, 1) }
    }
    guard PQstatus(connection) == CONNECTION_OK else {
      let reason = lastMessage
      PQfinish(connection)
      connection = nil
      throw Self.unreachable(
        reason, help: "Check the address after --registry, and that the server runs and lets this user in.")
    }
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    encoding = PQparameterStatus(connection, "server_encoding").map { String(cString: $0) }
    statements = [:]
    (held, loss) = ([], nil)
    // A server may be set up to answer before a commit is on its disk. Registrations must not be answered so early.
    try runScript(
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
    try limitLockWaits()
    // Others read: a plan that was made for a short queue would read all of a long one.
    try runScript(
      findsByKey ? "SET enable_seqscan = off; SET jit = off" : "SET plan_cache_mode = force_custom_plan")
  }

  package func waitForLocks(atMost patience: Duration) throws(RegistryError) {
    lockPatience = patience
    try limitLockWaits()
  }

  private func limitLockWaits() throws(RegistryError) {
    guard let lockPatience else { return }
    try runScript(
      "SELECT set_config('lock_timeout', '\(lockPatience.wholeMilliseconds)', false) WHERE current_setting('lock_timeout') = '0'"
    )
  }

  private static let fitDatabase = "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"

  private func unfit(help: String) -> RegistryError? {
    guard let encoding, encoding != "UTF8" else { return nil }
    return RegistryError(
      .cannotOpen,
      "The database for the registry holds texts as '\(encoding)', which not every alias and text fits in.",
      help: help)
  }

  package var unfitness: RegistryError? {
    unfit(
      help: "What does not fit is refused. Stop the servers, make a database with \(Self.fitDatabase), and"
        + " move the registry there with pg_dump and psql.")
  }

  package func refuseUnfit() throws(RegistryError) {
    if let unfit = unfit(help: "Make one with \(Self.fitDatabase).") { throw unfit }
    // There is no current schema where the role may use none that it would look in.
    let may = "SELECT has_schema_privilege(current_schema(), 'CREATE')::int::bigint AS may"
    guard try run("SELECT coalesce((\(may)), 0) AS may").first?.int("may") == 1 else {
      throw RegistryError(
        .cannotOpen, "The role may make no tables in the database for the registry.",
        help: "Let it, with GRANT CREATE ON SCHEMA, or name a schema of its own in its search_path.")
    }
  }

  package func recover() throws(RegistryError) {
    held = []
    if connection != nil, loss == nil, PQstatus(connection) == CONNECTION_OK,
      PQtransactionStatus(connection) == PQTRANS_IDLE
    {
      return
    }
    PQfinish(connection)
    connection = nil
    try connect()
  }

  package func use(_ hash: KeyedHash) {}

  /// The server's log is its own: what it keeps and for how long, its settings say.
  package func emptyLog() throws(RegistryError) {}

  // MARK: - Transactions

  /// Begins with the first statement.
  package func begin() throws(RegistryError) {
    held.append(Run(statement: try prepared("BEGIN"), values: []))
  }

  /// Commits together with what is held.
  package func commit() throws(RegistryError) {
    let end = Run(statement: try prepared("COMMIT"), values: [])
    let (runs, isEmpty) = (held + [end], PQtransactionStatus(connection) == PQTRANS_IDLE && held.count == 1)
    held = []
    // It began and did nothing.
    if isEmpty { return }
    let answers = try asUncertain { () throws(RegistryError) in try pipeline(runs[...]) }
    for answer in answers.dropLast() where !answer.isGood { throw failure(answer) }
    if let last = answers.last, !last.isGood {
      try asUncertain { () throws(RegistryError) in throw failure(last) }
    }
  }

  /// Without an answer nobody knows whether a commit was made.
  private func asUncertain<Answer>(
    _ body: () throws(RegistryError) -> Answer
  ) throws(RegistryError) -> Answer {
    do throws(RegistryError) {
      return try body()
    } catch {
      guard error.kind == .unavailable else { throw error }
      throw RegistryError(
        .uncertain, "The connection broke while a change was being stored: it may be stored or not.",
        help: "Send the request again.", isDisconnected: true)
    }
  }

  package func rollBack() throws(RegistryError) {
    held = []
    guard PQtransactionStatus(connection) != PQTRANS_IDLE else { return }
    try runScript("ROLLBACK")
  }

  // MARK: - Statements

  package func runScript(_ sql: String) throws(RegistryError) {
    // As for SQLite; libpq has no result without a statement.
    guard !sql.isEmpty else { return }
    if !held.isEmpty { _ = try results([]) }
    roundTripCount += 1
    guard let result = PostgresResult(PQexec(connection, sql)) else { throw failure(nil) }
    guard result.isGood else { throw failure(result) }
  }

  package func runTogether(_ statements: [SQLStatement]) throws(RegistryError) -> [[SQLRow]] {
    let runs = try statements.map { statement throws(RegistryError) in
      Run(statement: try prepared(statement.sql), values: statement.values)
    }
    return zip(runs, try results(runs)).map { run, result in run.statement.rows(of: result) }
  }

  package func runLater(_ sql: String, _ values: [SQLValue]) throws(RegistryError) {
    held.append(Run(statement: try prepared(sql), values: values))
    if held.count >= Self.pipelineLength { _ = try results([]) }
  }

  package func runEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> [[SQLRow]] {
    guard !rows.isEmpty else { return [] }
    let statement = try prepared(sql)
    return try results(rows.map { Run(statement: statement, values: $0) }).map(statement.rows)
  }

  package func changeEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> Int {
    guard !rows.isEmpty else { return 0 }
    let statement = try prepared(sql)
    return try results(rows.map { Run(statement: statement, values: $0) }).reduce(0) { $0 + $1.changedCount }
  }

  /// Runs what is held, and then these.
  ///
  /// - Returns: The answers to these.
  private func results(_ runs: [Run]) throws(RegistryError) -> [PostgresResult] {
    let all = held + runs
    held = []
    if all.count == 1, let run = all.first {
      roundTripCount += 1
      let result = PostgresParameters(run.values).withPointers { count, values, lengths, formats in
        PostgresResult(
          PQexecPrepared(connection, run.statement.name, count, values, lengths, formats, 0))
      }
      guard let result, result.isGood else { throw failure(result) }
      return runs.isEmpty ? [] : [result]
    }
    var answers: [PostgresResult] = []
    answers.reserveCapacity(all.count)
    var start = 0
    while start < all.count {
      let end = min(all.count, start + Self.pipelineLength)
      let results = try pipeline(all[start..<end])
      if let bad = results.first(where: { !$0.isGood }) { throw failure(bad) }
      answers += results
      start = end
    }
    return Array(answers.dropFirst(all.count - runs.count))
  }

  /// - Returns: An answer to each; after a bad one the others were not run.
  private func pipeline(_ runs: ArraySlice<Run>) throws(RegistryError) -> [PostgresResult] {
    roundTripCount += 1
    guard PQenterPipelineMode(connection) == 1 else { throw failure(nil) }
    defer { PQexitPipelineMode(connection) }
    for run in runs {
      let isSent = PostgresParameters(run.values).withPointers { count, values, lengths, formats in
        PQsendQueryPrepared(connection, run.statement.name, count, values, lengths, formats, 0) == 1
      }
      guard isSent else { throw failure(nil) }
    }
    guard PQpipelineSync(connection) == 1 else { throw failure(nil) }
    var answers: [PostgresResult] = []
    for _ in runs {
      guard let result = PostgresResult(PQgetResult(connection)) else { throw failure(nil) }
      answers.append(result)
      // The end of this statement's results.
      while PostgresResult(PQgetResult(connection)) != nil {
        guard PQstatus(connection) == CONNECTION_OK else { throw failure(nil) }
      }
    }
    guard let sync = PostgresResult(PQgetResult(connection)), sync.status == PGRES_PIPELINE_SYNC else {
      if let bad = answers.first(where: { !$0.isGood }) { throw failure(bad) }
      throw failure(nil)
    }
    return answers
  }

  private func prepared(_ sql: String) throws(RegistryError) -> Statement {
    // Found out now, nothing is under way; at a commit nobody would know.
    guard connection != nil, loss == nil, PQstatus(connection) == CONNECTION_OK else { throw failure(nil) }
    if let statement = statements[sql] { return statement }
    let name = "s\(statements.count)"
    roundTripCount += 1
    let result = PostgresResult(PQprepare(connection, name, sql, 0, nil))
    guard let result, result.isGood else { throw failure(result) }
    let statement = Statement(name)
    statements[sql] = statement
    return statement
  }

  // MARK: - Errors

  private static func unreachable(_ reason: String, help: String) -> RegistryError {
    RegistryError(
      .unavailable, "The registry's PostgreSQL cannot be reached: \(reason).", help: help,
      isDisconnected: true)
  }

  private var lastMessage: String {
    guard let connection else { return "there is no connection" }
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    let reason = PostgresAnswer.reason(text)
    return address.isQuoted(in: reason) ? "the reason quotes the password and is left out" : reason
  }

  private func failure(_ result: PostgresResult?) -> RegistryError {
    // Without a state an error is none of the server's: libpq could not write to it, and may hold the connection for a good one.
    guard connection != nil, loss == nil, let result, let state = result.state,
      PQstatus(connection) == CONNECTION_OK
    else {
      let reason = loss ?? lastMessage
      loss = reason
      return RegistryError(
        .unavailable, "The connection to the registry's PostgreSQL is lost: \(reason).",
        help: "It is opened again by itself when the server is back.", isDisconnected: true)
    }
    return PostgresAnswer.error(state: state, reason: result.message ?? lastMessage)
  }

  private static func withStrings<Answer>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Answer
  ) -> Answer {
    PostgresParameters(strings.map(SQLValue.text)).withPointers(isTerminated: true) { _, pointers, _, _ in
      body(pointers)
    }
  }
}
