internal import CLinkspanLibrary
internal import CPostgres
internal import LinkspanCore

/// A connection to PostgreSQL. Many runs of one statement travel together in libpq's pipeline mode, so that they cost one
/// round trip.
final class PostgresDatabase: SQLDatabase {
  let dialect = SQLDialect.postgres
  private let address: ServiceAddress
  private var connection: OpaquePointer?
  private var statements: [String: Statement] = [:]

  private final class Statement {
    let name: String
    /// Known since the first answer.
    var columns: SQLColumns?

    init(_ name: String) { self.name = name }
  }

  /// Runs of one statement between two reads of answers. Ours.
  private static let pipelineLength = 256

  /// - Parameter address: `postgres://…`.
  init(_ address: ServiceAddress) throws(RegistryError) {
    self.address = address
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
    statements = [:]
    // A server may be set up to answer before a commit is on its disk. Registrations must not be answered so early.
    try runScript(
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
  }

  /// Without a connection nobody knows.
  func mayHaveStored(after error: RegistryError) -> Bool { error.kind == .unavailable }

  func recover() throws(RegistryError) {
    if connection != nil, PQstatus(connection) == CONNECTION_OK,
      PQtransactionStatus(connection) == PQTRANS_IDLE
    {
      return
    }
    PQfinish(connection)
    connection = nil
    try connect()
  }

  func use(_ hash: KeyedHash) {}

  /// The server's log is its own: what it keeps and for how long, its settings say.
  func emptyLog() throws(RegistryError) {}

  func runScript(_ sql: String) throws(RegistryError) {
    guard let result = PostgresResult(PQexec(connection, sql)) else { throw failure(nil) }
    guard result.isGood else { throw failure(result) }
  }

  func runEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> [[SQLRow]] {
    let statement = try prepared(sql)
    return try results(statement, rows).map { result in
      let columns = statement.columns ?? result.columns
      statement.columns = columns
      return result.rows(columns)
    }
  }

  func changeEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> Int {
    try results(prepared(sql), rows).reduce(0) { $0 + $1.changedCount }
  }

  private func results(
    _ statement: Statement, _ rows: [[SQLValue]]
  ) throws(RegistryError) -> [PostgresResult] {
    let name = statement.name
    if rows.count == 1 {
      let result = PostgresParameters(rows[0]).withPointers { count, values in
        PostgresResult(PQexecPrepared(connection, name, count, values, nil, nil, 0))
      }
      guard let result, result.isGood else { throw failure(result) }
      return [result]
    }
    var answers: [PostgresResult] = []
    answers.reserveCapacity(rows.count)
    guard PQenterPipelineMode(connection) == 1 else { throw failure(nil) }
    defer { PQexitPipelineMode(connection) }
    var start = 0
    while start < rows.count {
      let end = min(rows.count, start + Self.pipelineLength)
      answers += try pipeline(name, rows[start..<end])
      start = end
    }
    return answers
  }

  private func pipeline(
    _ name: String, _ rows: ArraySlice<[SQLValue]>
  ) throws(RegistryError) -> [PostgresResult] {
    for values in rows {
      let isSent = PostgresParameters(values).withPointers { count, pointers in
        PQsendQueryPrepared(connection, name, count, pointers, nil, nil, 0) == 1
      }
      guard isSent else { throw failure(nil) }
    }
    guard PQpipelineSync(connection) == 1 else { throw failure(nil) }
    var answers: [PostgresResult] = []
    var problem: RegistryError?
    for _ in rows {
      guard let result = PostgresResult(PQgetResult(connection)) else { throw failure(nil) }
      if result.isGood {
        answers.append(result)
      } else if problem == nil {
        problem = failure(result)
      }
      // The end of this statement's results.
      while PostgresResult(PQgetResult(connection)) != nil {
        guard PQstatus(connection) == CONNECTION_OK else { throw failure(nil) }
      }
    }
    guard let sync = PostgresResult(PQgetResult(connection)), sync.status == PGRES_PIPELINE_SYNC else {
      throw problem ?? failure(nil)
    }
    if let problem { throw problem }
    return answers
  }

  private func prepared(_ sql: String) throws(RegistryError) -> Statement {
    guard connection != nil else { throw failure(nil) }
    if let statement = statements[sql] { return statement }
    let name = "s\(statements.count)"
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
    guard let text = PQerrorMessage(connection).map({ String(cString: $0) }),
      let line = text.split(separator: "\n").first.map(String.init)
    else { return "no reason given" }
    return address.isQuoted(in: line) ? "the reason quotes the password and is left out" : line
  }

  private func failure(_ result: PostgresResult?) -> RegistryError {
    guard let connection, PQstatus(connection) == CONNECTION_OK else {
      return RegistryError(
        .unavailable, "The connection to the registry's PostgreSQL is lost: \(lastMessage).",
        help: "It is opened again by itself when the server is back.", isDisconnected: true)
    }
    let reason = result?.message ?? lastMessage
    switch result?.state?.prefix(2) {
    case "23", "22": return RegistryError(.refused, "The registry refuses the change: \(reason).")
    // A deadlock or another conflict with another transaction.
    case "40":
      return RegistryError(
        .unavailable, "The registry's PostgreSQL cannot do it now: \(reason).",
        help: "Send the request again.",
        isConflict: true)
    // Out of disk, memory or connections; the server stops.
    case "53", "57", "55":
      return RegistryError(.unavailable, "The registry's PostgreSQL cannot do it now: \(reason).")
    default:
      return RegistryError(
        .damaged, "The registry's PostgreSQL does not understand a statement: \(reason).")
    }
  }

  private static func withStrings<Answer>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Answer
  ) -> Answer {
    PostgresParameters(strings.map(SQLValue.text)).withPointers(isTerminated: true) { body($1) }
  }
}
