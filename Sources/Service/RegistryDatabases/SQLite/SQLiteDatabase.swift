internal import CSQLite
internal import Glibc
package import LinkspanCore
internal import LinkspanSystem
package import RegistryRequests

/// A connection to an SQLite file in WAL mode: readers do not wait for the writer, and a commit is on the disk when it
/// returns.
package final class SQLiteDatabase: SQLDatabase {
  package let dialect = SQLDialect.sqlite
  /// The file as the operator named it.
  let path: String
  private var handle: OpaquePointer?
  private var statements: [String: Statement] = [:]
  /// Of a connection that writes, with the connection that the thread copies over.
  private(set) var checkpoints: SQLiteCheckpoints?
  private var checkpointThread: JoinableThread?
  /// What ``hashFunction`` computes.
  private var hash = KeyedHash(key: [])

  private struct Statement {
    let pointer: OpaquePointer
    let columns: SQLColumns
  }

  /// The name of the function that hashes a token.
  static let hashFunction = "linkspan_token_hash"

  /// How long a statement waits for another process that writes, or for a reader of the log. Ours.
  private static let busyMilliseconds: CInt = 10_000
  /// Kilobytes of pages that a connection caches. Ours: the system's page cache holds the file too, so a miss costs a copy,
  /// not a read of the disk.
  private static let writerCacheKB = 16_384
  private static let readerCacheKB = 8_192

  /// - Parameters:
  ///   - isReader: Whether this connection refuses to write.
  ///   - makesFile: Whether a file is made where there is none; only this user may read it.
  ///   - sizes: Of the write-ahead log, where this connection writes.
  /// - Throws: Also for another program's database, in which and beside which nothing was written then.
  package init(
    _ place: RegistryPlace, isReader: Bool = false, makesFile: Bool = true,
    sizes: SQLiteCheckpoints.Sizes = SQLiteCheckpoints.Sizes()
  ) throws(RegistryError) {
    path = place.name
    if try !place.check() {
      guard makesFile, !isReader else {
        throw RegistryError(
          .cannotOpen, "There is no registry '\(path)'.",
          help: "Check the path. 'linkspan serve', 'token create' and 'registry import' make a new registry.")
      }
      PrivateFile.make(place.path)
    }
    try open(place.path, SQLITE_OPEN_READWRITE, SQLiteCleanPages.name)
    addFunctions()
    switch place.isKnown ? .stamped : try SQLiteOwnership(of: handle, at: place) {
    case .stamped: break
    case .empty where !makesFile: throw Self.noRegistry(path)
    case .empty, .unstamped: if !isReader { try stamp(place) }
    }
    if !isReader, case .registry(let version) = try identity() {
      try StoreIdentity.refuseNewer(version)
    }
    try configure(isReader: isReader)
    if isReader {
      // Opens the log now, with the rights of this moment.
      _ = try applicationID()
    } else {
      // Now, for the same reason: it is needed later, or never.
      var known = place
      known.isKnown = true
      checkpoints = SQLiteCheckpoints(sizes, try SQLiteDatabase(known, isReader: true))
      watchLog()
    }
  }

  /// A connection to a file of a simulation. The writer copies the log by itself: a thread of its own would not be the
  /// scheduler's.
  package init(simulated place: SimulatedPlace, isReader: Bool) throws(RegistryError) {
    path = place.name
    try open(place.path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, place.fileSystem)
    addFunctions()
    try useRandom(place.random)
    try configure(isReader: isReader)
    guard !isReader else { return }
    if try applicationID() == 0 {
      try runScript("PRAGMA application_id = \(SQLiteOwnership.applicationID)")
    }
    checkpoints = SQLiteCheckpoints(.ofWriter)
    watchLog()
  }

  private func configure(isReader: Bool) throws(RegistryError) {
    // secure_delete overwrites what is deleted, so that erased data does not survive in free pages.
    try runScript(
      (isReader ? "PRAGMA query_only = ON;" : "PRAGMA journal_mode = WAL;")
        + " PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;"
        + " PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
        + " PRAGMA cache_size = -\(isReader ? Self.readerCacheKB : Self.writerCacheKB);")
    #if PLANTED_BUGS
      if ServiceBug.answerBeforeSync.isPlanted { try runScript("PRAGMA synchronous = OFF") }
    #endif
  }

  /// A connection that takes no lock, makes no file and writes nothing, for looking at a file that may be another
  /// program's. What that program writes meanwhile may be read by halves.
  package init(looksOnlyAt place: RegistryPlace) throws(RegistryError) {
    path = place.name
    checkpoints = nil
    if PrivateFile.isTaken(place.path + "-wal") {
      // SQLite's own file system without locks, which reads a log where the index of it is kept in memory.
      try open(place.path, SQLITE_OPEN_READONLY, "unix-none")
    } else {
      // SQLite would make the log of a file whose header says that it has one.
      let path = ASCII.percentEncoded(place.path.utf8) {
        ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "/")
      }
      try open("file:\(path)?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }
    guard linkspan_sqlite_keep_log(handle) == SQLITE_OK else { throw failure }
    try runScript("PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON")
  }

  private func open(
    _ path: String, _ flags: CInt, _ fileSystem: String? = nil
  ) throws(RegistryError) {
    let flags = flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    guard sqlite3_open_v2(path, &handle, flags, fileSystem) == SQLITE_OK else {
      throw RegistryError(
        .cannotOpen, "The registry '\(self.path)' cannot be opened: \(lastMessage).",
        help: RegistryPlace.remedy(for: self.path))
    }
    sqlite3_busy_timeout(handle, Self.busyMilliseconds)
  }

  /// The identifier in the file's header, as the log has it.
  package func applicationID() throws(RegistryError) -> UInt32 {
    let rows = try run("PRAGMA application_id")
    return UInt32(truncatingIfNeeded: try rows.first?.int("application_id") ?? 0)
  }

  /// Marks the file as a registry's, unless another process has done so.
  ///
  /// - Throws: That another program has taken it meanwhile. The connection is given up then, and its transaction with it.
  private func stamp(_ place: RegistryPlace) throws(RegistryError) {
    try runScript("BEGIN IMMEDIATE")
    if try applicationID() != SQLiteOwnership.applicationID {
      if case .foreign(let reason) = try identity() { throw SQLiteOwnership.foreign(place, reason) }
      try runScript("PRAGMA application_id = \(SQLiteOwnership.applicationID)")
    }
    try runScript("COMMIT")
  }

  private static func noRegistry(_ path: String) -> RegistryError {
    RegistryError(
      .cannotOpen, "There is no registry in '\(path)'; the file is empty or another program's.",
      help: "Check the path. 'linkspan serve', 'token create' and 'registry import' make a new registry.")
  }

  deinit {
    checkpoints?.close()
    checkpointThread?.join()
    for statement in statements.values { sqlite3_finalize(statement.pointer) }
    leaveNoLog()
    sqlite3_close_v2(handle)
  }

  /// Empties the log into the file that is open, where another file has its name by now. SQLite leaves such a log behind, and
  /// the next start would take it for a part of the other file, which damages that one.
  private func leaveNoLog() {
    var hasMoved: CInt = 0
    guard checkpoints != nil,
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK, hasMoved != 0
    else { return }
    _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
  }

  /// Has statements know ``hashFunction`` and ``SQLDialect/lower``.
  private func addFunctions() {
    sqlite3_create_function_v2(
      handle, Self.hashFunction, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      Unmanaged.passUnretained(self).toOpaque(),
      { context, _, values in
        guard let user = sqlite3_user_data(context), let text = sqlite3_value_text(values?.pointee) else {
          return
        }
        let database = Unmanaged<SQLiteDatabase>.fromOpaque(user).takeUnretainedValue()
        let answer = database.hash.token(String(cString: text))
        linkspan_sqlite_result_text(context, answer, CInt(answer.utf8.count))
      }, nil, nil, nil)
    Self.addLowerFunction(to: handle)
  }

  package func use(_ hash: KeyedHash) { self.hash = hash }

  /// Adds a function that may answer something else each time; SQLite frees what belongs to it.
  package func add(
    _ name: String, _ parameters: CInt, _ data: UnsafeMutableRawPointer,
    _ function: @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void,
    _ free: @convention(c) (UnsafeMutableRawPointer?) -> Void
  ) throws(RegistryError) {
    guard
      sqlite3_create_function_v2(handle, name, parameters, SQLITE_UTF8, data, function, nil, nil, free)
        == SQLITE_OK
    else { throw failure }
  }

  /// A file has no connection that could be lost.
  package func recover() throws(RegistryError) {}

  // MARK: - The write-ahead log

  /// Has SQLite call ``committed(_:)`` after each commit, instead of copying the log by itself.
  private func watchLog() {
    sqlite3_wal_hook(
      handle,
      { database, _, _, pages in
        // What the hook returned would become the commit's result.
        guard let database else { return SQLITE_OK }
        Unmanaged<SQLiteDatabase>.fromOpaque(database).takeUnretainedValue().committed(Int(pages))
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func committed(_ pages: Int) {
    guard let checkpoints else { return }
    switch checkpoints.committed(pages, isShort: { isShortOfRoom }) {
    case .nothing: break
    case .writer: checkpoints.end(copied: copyLog())
    case .thread:
      guard checkpointThread == nil else { return }
      checkpointThread = try? JoinableThread { checkpoints.run() }
    }
  }

  /// Copies what the log holds into the file, without waiting for readers or a writer.
  ///
  /// - Returns: Pages of the log that are in the file now; nil when it failed. Nothing is lost then: they stay in the log.
  func copyLog() -> Int? {
    var copied: CInt = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &copied)
    return code == SQLITE_OK ? Int(copied) : nil
  }

  package func emptyLog() throws(RegistryError) {
    checkpoints?.begin()
    var copied: Int?
    defer { checkpoints?.end(copied: copied) }
    switch sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) & 0xFF {
    case SQLITE_OK:
      copied = 0
      // Cached pages may hold copies of erased rows, and would be written again with them.
      sqlite3_db_release_memory(handle)
    case SQLITE_BUSY, SQLITE_LOCKED:
      throw RegistryError(
        .unfinishedErasure,
        "The devices are erased, but the write-ahead log of the registry '\(path)' still holds their bytes, because a"
          + " program reads the registry.",
        help: "End a backup or export that runs, and erase again.")
    default:
      // The transaction is stored, so nobody may hear that nothing was changed.
      let failure = failure
      throw RegistryError(
        .unfinishedErasure,
        "The devices are erased, but their bytes are still on the disk. \(failure.message)",
        help: "\(failure.help ?? "") Then erase again.")
    }
  }

  package func runScript(_ sql: String) throws(RegistryError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// Where `fsync` failed the whole transaction is in the log, and a process that starts before anything else is written there
  /// finds it. Without room a part of it is missing, which nobody takes for a transaction.
  package func commit() throws(RegistryError) {
    do throws(RegistryError) {
      try runScript("COMMIT")
    } catch {
      guard sqlite3_errcode(handle) & 0xFF == SQLITE_IOERR else { throw error }
      throw RegistryError(
        .uncertain, "\(error.message) The change that was being stored may be stored or not.",
        help: "Send the request again.")
    }
  }

  package func runEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> [[SQLRow]] {
    let statement = try prepared(sql)
    var answers: [[SQLRow]] = []
    answers.reserveCapacity(rows.count)
    for values in rows { answers.append(try run(statement, values)) }
    return answers
  }

  package func changeEach(_ sql: String, _ rows: [[SQLValue]]) throws(RegistryError) -> Int {
    let statement = try prepared(sql)
    var count = 0
    for values in rows {
      _ = try run(statement, values)
      count += Int(sqlite3_changes(handle))
    }
    return count
  }

  private func run(_ prepared: Statement, _ values: [SQLValue]) throws(RegistryError) -> [SQLRow] {
    let statement = prepared.pointer
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      guard value.bind(to: statement, at: CInt(index + 1)) == SQLITE_OK else { throw failure }
    }
    var rows: [SQLRow] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append(Self.row(of: prepared))
      case SQLITE_DONE: return rows
      default:
        #if PLANTED_BUGS
          if ServiceBug.tokenInMessage.isPlanted {
            throw RegistryError(failure.kind, "\(failure.message) \(values)", help: failure.help)
          }
        #endif
        throw failure
      }
    }
  }

  private func prepared(_ sql: String) throws(RegistryError) -> Statement {
    if let statement = statements[sql] { return statement }
    var pointer: OpaquePointer?
    guard
      sqlite3_prepare_v3(handle, sql, -1, CUnsignedInt(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        == SQLITE_OK, let pointer
    else { throw failure }
    let names = (0..<sqlite3_column_count(pointer)).map { column in
      sqlite3_column_name(pointer, column).map { String(cString: $0) } ?? ""
    }
    let statement = Statement(pointer: pointer, columns: SQLColumns(names))
    statements[sql] = statement
    return statement
  }

  private static func row(of prepared: Statement) -> SQLRow {
    let statement = prepared.pointer
    return SQLRow(
      columns: prepared.columns,
      values: (0..<CInt(prepared.columns.names.count)).map { column -> SQLValue in
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .int(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_NULL: return .null
        default:
          guard let text = sqlite3_column_text(statement, column) else { return .null }
          let count = Int(sqlite3_column_bytes(statement, column))
          return .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        }
      })
  }

  // MARK: - Errors

  private var lastMessage: String {
    handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory"
  }

  private var failure: RegistryError {
    SQLiteAnswer.error(sqlite3_extended_errcode(handle), reason: lastMessage, at: path)
  }
}
