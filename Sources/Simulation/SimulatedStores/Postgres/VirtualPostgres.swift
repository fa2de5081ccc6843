internal import CSQLite
package import DeviceRegistry
package import LinkspanCore
package import RegistryDatabases
package import RegistryRequests

/// A PostgreSQL server of a simulation, which the servers of a story share and which outlives them. Its tables are an SQLite file
/// on a disk of its own, which never fails; what fails are connections, transactions and the server itself.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
package final class VirtualPostgres: @unchecked Sendable {
  /// A server's tables before a story.
  package struct Image: Sendable {
    var bytes: [UInt8]
    var sequences: [String: Int64]
  }

  /// How the server behaves from now on.
  package enum State: String, Hashable, Sendable, CaseIterable {
    case healthy
    /// Connections end, before or after what they carry was done; of a commit nobody knows whether it was made.
    case cutting
    /// Other transactions are in the way: deadlocks and serialisation failures.
    case conflicting
    /// There is no room for what is written.
    case full
    /// It takes no connection.
    case away
  }

  /// What happens to one step over a connection.
  package enum Fault: Hashable {
    case none
    /// The connection ends before it.
    case lostBefore
    /// It is done, and the connection ends before its answer.
    case lostAfter
    /// Another transaction was in the way: a deadlock, or a serialisation failure.
    case conflict
    /// The server has no room.
    case full
  }

  private let disk: VirtualDisk
  private let mount: String
  private var generator: SeededGenerator
  private let clock: () -> WallTime
  private var sequences: [String: Int64]
  /// What the server is like from now on.
  package var state = State.healthy {
    didSet { if state == .away { endConnections() } }
  }
  /// Connections of an earlier generation have ended.
  package private(set) var generation = 0
  /// What has happened, by name.
  package private(set) var faults: Set<String> = []
  /// A connection of its own, for looking at its tables.
  private var inspector: SQLiteDatabase?
  private var queries: [String] = []

  /// Steps over a connection of which one goes wrong, where some do. Ours.
  private static let faultRatio: Int64 = 14

  package init(_ image: Image?, _ generator: SeededGenerator, clock: @escaping () -> WallTime) {
    disk = VirtualDisk(SeededGenerator(seed: 0))
    mount = VirtualFileSystem.mount(disk)
    self.generator = generator
    self.clock = clock
    sequences = image?.sequences ?? [:]
    _ = disk.beginProcess()
    if let image { disk.file(path, makes: true)?.bytes = image.bytes }
  }

  deinit {
    inspector = nil
    VirtualFileSystem.unmount(mount)
  }

  private var path: String { mount + "postgres.db" }

  /// What its file holds.
  package var image: Image { Image(bytes: disk.files[path]?.bytes ?? [], sequences: sequences) }

  // MARK: - Connections

  /// Where the registry finds it.
  package func address(pause: @escaping @Sendable (Duration) -> Void) -> RegistryAddress {
    .simulatedServer(
      SimulatedServer(
        connect: { [self] in Result { () throws(RegistryError) in try VirtualPostgresConnection(self) } },
        pause: pause))
  }

  /// Ends every connection, as a restart does.
  package func endConnections() { generation += 1 }

  /// A session of a new connection.
  package func newSession() throws(RegistryError) -> SQLiteDatabase {
    let place = SimulatedPlace(
      fileSystem: VirtualFileSystem.name, path: path, random: { [unowned self] in generator.next() })
    let session = try SQLiteDatabase(simulated: place, isReader: false)
    try addFunctions(to: session)
    if try !session.has("pg_partition") { try session.runScript(PostgresTables.catalogue) }
    try session.runScript(PostgresTables.connection)
    if try session.has("devices") { try session.runScript(PostgresTables.watch) }
    return session
  }

  // MARK: - Faults

  /// What happens to the next step.
  package func draw(inTransaction: Bool) -> Fault {
    guard state != .healthy, state != .away, generator.chance(1, in: Self.faultRatio) else { return .none }
    let fault: Fault
    switch state {
    case .cutting: fault = generator.chance(1, in: 2) ? .lostBefore : .lostAfter
    case .conflicting: fault = inTransaction ? .conflict : .none
    case .full: fault = .full
    case .healthy, .away: fault = .none
    }
    if fault != .none { faults.insert("\(fault)") }
    return fault
  }

  package func note(_ fault: String) { faults.insert(fault) }

  // MARK: - What it holds

  /// Whether any row holds a text.
  package func holds(_ text: String) -> Bool {
    do throws(RegistryError) {
      let session = if let inspector { inspector } else { try newSession() }
      inspector = session
      if queries.isEmpty { queries = try makeQueries(session) }
      for query in queries where try !session.run(query, [.text(text)]).isEmpty { return true }
      return false
    } catch {
      preconditionFailure("the tables of a simulated server can be read: \(error.message)")
    }
  }

  /// A query for each table.
  private func makeQueries(_ session: SQLiteDatabase) throws(RegistryError) -> [String] {
    var queries: [String] = []
    for table in try session.run(Self.tables).texts("name") {
      let columns = try session.run("SELECT name FROM pragma_table_info('\(table)')").texts("name")
      let texts = columns.map { "coalesce(\($0), '')" }.joined(separator: " || ' ' || ")
      queries.append("SELECT 1 FROM \(table) WHERE instr(\(texts), $1) > 0 LIMIT 1")
    }
    return queries
  }

  private static let tables =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'pg_partition' ORDER BY name"

  // MARK: - Functions

  /// A sequence counts up whatever becomes of the transaction.
  private func next(_ sequence: String) -> Int64 {
    sequences[sequence, default: 0] += 1
    return sequences[sequence] ?? 0
  }

  /// A random UUID (RFC 9562, 5.4).
  private func uuid() -> String {
    var bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = ASCII.hexText(bytes)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  private static func server(_ context: OpaquePointer?) -> VirtualPostgres? {
    sqlite3_user_data(context).map { Unmanaged<VirtualPostgres>.fromOpaque($0).takeUnretainedValue() }
  }

  private func addFunctions(to session: SQLiteDatabase) throws(RegistryError) {
    try add("nextval", 1, to: session) { context, _, values in
      guard let server = VirtualPostgres.server(context), let name = sqlite3_value_text(values?.pointee)
      else { return }
      sqlite3_result_int64(context, server.next(String(cString: name)))
    }
    try add("gen_random_uuid", 0, to: session) { context, _, _ in
      guard let text = VirtualPostgres.server(context)?.uuid() else { return }
      linkspan_sqlite_result_text(context, text, CInt(text.utf8.count))
    }
    try add("pg_clock", 0, to: session) { context, _, _ in
      guard let server = VirtualPostgres.server(context) else { return }
      sqlite3_result_int64(context, server.clock().milliseconds)
    }
    try add("pg_advisory_xact_lock", 1, to: session) { context, _, _ in sqlite3_result_int64(context, 0) }
  }

  private func add(
    _ name: String, _ parameters: CInt, to session: SQLiteDatabase,
    _ function: @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void
  ) throws(RegistryError) {
    // Sessions end with their connections, which hold the server.
    try session.add(name, parameters, Unmanaged.passUnretained(self).toOpaque(), function) { _ in }
  }
}
