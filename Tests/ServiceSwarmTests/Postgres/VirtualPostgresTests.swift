import DeviceRegistry
import LinkspanCore
import RegistryDatabases
import RegistryRequests
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What the model of PostgreSQL promises, and what goes wrong with it.
@Suite struct VirtualPostgresTests {
  private static func server(seed: UInt64 = 1) -> VirtualPostgres {
    NewRegistry.server(
      SeededGenerator(seed: seed), SimulatedTime(ServiceWorld.start, SeededGenerator(seed: seed)))
  }

  private static func lease(_ database: any SQLDatabase, _ name: String) throws(RegistryError) {
    try database.run("INSERT INTO senders (id, lease_until) VALUES ($1, $2)", [.text(name), .int(1)])
  }

  private static func leases(_ database: any SQLDatabase) throws -> [String] {
    try database.run("SELECT id FROM senders ORDER BY id").texts("id")
  }

  /// The kind of error that a change ends with.
  private static func kind(_ body: () throws(RegistryError) -> Void) -> RegistryError.Kind? {
    do throws(RegistryError) {
      try body()
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func whatWasCommittedOutlivesARestart() throws {
    let server = Self.server()
    let database = try VirtualPostgresConnection(server)
    try database.begin()
    try Self.lease(database, "kept")
    try database.commit()
    try database.begin()
    try Self.lease(database, "open")
    server.endConnections()
    #expect(Self.kind { () throws(RegistryError) in try Self.lease(database, "late") } == .unavailable)
    try database.recover()
    #expect(try Self.leases(database) == ["kept"])
  }

  @Test func ofACommitWhoseAnswerIsLostNobodyKnows() throws {
    var found: Set<Bool> = []
    for seed in UInt64(1)...300 where found.count < 2 {
      let server = Self.server(seed: seed)
      let database = try VirtualPostgresConnection(server)
      try database.begin()
      try Self.lease(database, "one")
      server.state = .cutting
      guard Self.kind({ () throws(RegistryError) in try database.commit() }) == .uncertain else { continue }
      server.state = .healthy
      try database.recover()
      found.insert(try Self.leases(database) == ["one"])
    }
    #expect(found == [true, false])
  }

  /// A session prepares `COMMIT` the first time, also for a transaction that does nothing, and finds out then that its connection
  /// is lost. Later it asks nothing before a commit, so that nobody knows what became of it.
  @Test(arguments: [(true, RegistryError.Kind.uncertain), (false, .unavailable)])
  func aFirstCommitFindsALostConnection(hasCommitted: Bool, kind: RegistryError.Kind) throws {
    let server = Self.server()
    let database = try VirtualPostgresConnection(server)
    if hasCommitted {
      try database.begin()
      try database.commit()
    }
    try database.begin()
    try Self.lease(database, "one")
    server.endConnections()
    #expect(Self.kind { () throws(RegistryError) in try database.commit() } == kind)
  }

  @Test func afterAnErrorATransactionDoesNothingMore() throws {
    let database = try VirtualPostgresConnection(Self.server())
    try database.begin()
    try Self.lease(database, "one")
    #expect(Self.kind { () throws(RegistryError) in try Self.lease(database, "one") } == .refused)
    #expect(Self.kind { () throws(RegistryError) in try Self.lease(database, "two") } == .damaged)
    try database.rollBack()
    #expect(try Self.leases(database).isEmpty)
  }

  @Test func aDeadlockIsAConflict() throws {
    let server = Self.server()
    let database = try VirtualPostgresConnection(server)
    server.state = .conflicting
    var errors: [RegistryError] = []
    for number in 0..<300 where errors.isEmpty {
      try database.begin()
      do throws(RegistryError) {
        try Self.lease(database, "\(number)")
        try database.commit()
      } catch {
        errors.append(error)
      }
    }
    #expect(errors.first?.isConflict == true)
    #expect(errors.first?.kind == .unavailable)
  }

  @Test func aServerThatIsAwayTakesNoConnection() throws {
    let server = Self.server()
    let database = try VirtualPostgresConnection(server)
    server.state = .away
    let reads = { () throws(RegistryError) in _ = try database.run("SELECT id FROM senders") }
    #expect(Self.kind(reads) == .unavailable)
    #expect(Self.kind { () throws(RegistryError) in try database.recover() } == .unavailable)
    server.state = .healthy
    try database.recover()
    #expect(Self.kind(reads) == nil)
  }

  @Test func aSequenceKeepsNoNumberOfWhatCameToNothing() throws {
    let database = try VirtualPostgresConnection(Self.server())
    let next = { () throws(RegistryError) -> Int64 in
      try database.run("SELECT nextval('messages_number') AS number").ints("number")[0]
    }
    try database.begin()
    let first = try next()
    try database.rollBack()
    #expect(try next() == first + 1)
  }

  @Test func aPartitionThatIsGoneIsNoTable() throws {
    let database = try VirtualPostgresConnection(Self.server())
    try database.runScript(
      """
      CREATE TABLE messages_20260914_campaign (LIKE messages INCLUDING DEFAULTS) WITH (fillfactor = 50);
      ALTER TABLE messages ATTACH PARTITION messages_20260914_campaign FOR VALUES FROM (5000) TO (6000);
      """)
    let reads = { () throws(RegistryError) in
      _ = try database.run("SELECT id FROM messages_20260914_campaign")
    }
    #expect(Self.kind(reads) == nil)
    try database.runScript("DROP TABLE messages_20260914_campaign")
    #expect(Self.kind(reads) == .damaged)
  }

  @Test(arguments: [
    ("bigint", [SQLValue](), "[]"), ("bigint", [.int(1), .int(-2), .null], "[1,-2,null]"),
    ("float8", [.real(0.5), .null], "[0.5,null]"), ("text", [.null, .null], "[null,null]"),
    ("text", [.text("NULL"), .text("\"c\\"), .text("")], #"["NULL","\"c\\",""]"#),
    ("text", [.text("a\u{1F}b")], #"["a\u001fb"]"#),
  ]) func anArrayIsReadElementByElement(_ type: String, _ elements: [SQLValue], _ json: String) throws {
    let statement = PostgresStatement("SELECT id FROM senders WHERE id = ANY($1::\(type)[])")
    #expect(try statement.values([.list(elements)]) == [.text(json)])
  }

  /// PostgreSQL refuses elements of another type than the statement says.
  @Test(arguments: [
    ("bigint", SQLValue.list([.int(1), .text("2")])), ("text", .list([.int(1)])), ("text", .list([.real(1)])),
    ("bigint", .list([.list([.int(1)])])), ("bigint", .text("{1}")), ("bigint", .null),
  ]) func whatIsNoArrayOfTheTypeIsRefused(_ type: String, _ value: SQLValue) {
    let statement = PostgresStatement("SELECT id FROM senders WHERE id = ANY($1::\(type)[])")
    let error = #expect(throws: RegistryError.self) { try statement.values([value]) }
    #expect(error?.kind == .refused)
  }
}
