import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What only PostgreSQL can get wrong.
@Suite("PostgreSQL registry", .serialized, .timeLimit(.minutes(15)))
struct PostgresRegistryTests {
  /// Alone, and beside another statement in one round trip.
  @Test(arguments: [
    ("bigint", [SQLValue]()), ("bigint", [.int(0), .int(-1), .int(.max), .int(.min), .null]),
    ("float8", [.real(0.5), .null, .real(-1e300)]), ("text", [.null, .null]),
    ("text", [.text(""), .null, .text("NULL"), .text("{a,\"b\\"), .text("ü\n"), .text("a\u{1F}b")]),
  ]) func anArrayArrivesAsItIs(_ type: String, _ elements: [SQLValue]) throws {
    guard let server = PostgresServer.address("postgres") else { return }
    let database = try PostgresDatabase(ServiceAddress(server))
    let sql =
      "SELECT element FROM unnest($1::\(type)[]) WITH ORDINALITY AS given (element, place) ORDER BY place"
    let expected = elements.map { [$0] }
    #expect(try database.run(sql, [.list(elements)]).map(\.values) == expected)
    let statement = SQLStatement(sql: sql, values: [.list(elements)])
    for rows in try database.runTogether([statement, statement]) {
      #expect(rows.map(\.values) == expected)
    }
  }

  @Test func elementsOfAnotherTypeAreRefused() throws {
    guard let server = PostgresServer.address("postgres") else { return }
    let database = try PostgresDatabase(ServiceAddress(server))
    for elements: [SQLValue] in [[.text("1")], [.int(1), .text("2")], [.real(1)]] {
      #expect(throws: RegistryError.self) {
        try database.run("SELECT unnest($1::bigint[]) AS element", [.list(elements)])
      }
    }
    #expect(try database.run("SELECT 1 AS number").ints("number") == [1])
  }

  /// Texts that do not fit were refused one by one, months later.
  @Test func aDatabaseThatCannotHoldEveryTextIsRefused() throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("latin")
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript(
      "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    let expected = RegistryError(
      .cannotOpen,
      "The database for the registry holds texts as 'LATIN1', which not every alias and text fits in.",
      help: "Make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.")
    #expect(throws: expected) { try Registry(.postgres(ServiceAddress(address))) }
    #expect(throws: expected) { try Registry.foundVersion(.postgres(ServiceAddress(address))) }
  }

  /// One that an earlier version made goes on, and its start says what to do.
  @Test(arguments: ["LATIN1", "SQL_ASCII", "UTF8"])
  func aRegistryInADatabaseThatCannotHoldEveryTextIsTold(_ encoding: String) throws {
    let name = "old_" + encoding.lowercased()
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address(name)
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript(
      "CREATE DATABASE \(name) ENCODING '\(encoding)' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    try PostgresDatabase(ServiceAddress(address)).runScript(
      "CREATE TABLE \(StoreIdentity.table) (version BIGINT NOT NULL)")
    let registry = try Registry(.postgres(ServiceAddress(address)))
    defer { registry.stop() }
    guard encoding != "UTF8" else { return #expect(registry.unfitness == nil) }
    #expect(
      registry.unfitness?.message
        == "The database for the registry holds texts as '\(encoding)', which not every alias and text fits in."
    )
    #expect(
      registry.unfitness?.help
        == "What does not fit is refused. Stop the servers, make a database with CREATE DATABASE … ENCODING 'UTF8'"
        + " TEMPLATE template0, and move the registry there with pg_dump and psql.")
  }

  /// "Does not understand a statement" said neither why nor what to do.
  @Test(arguments: [
    "22001", "22021", "22P05", "23505", "25006", "26000", "3F000", "40001", "42501", "42601", "42883",
    "42P01",
    "42703", "53300", "55P03", "57P03", "58030", "XX001", "0A000",
  ])
  func everyStateOfPostgreSQLSaysWhatToDo(_ state: String) {
    let error = PostgresAnswer.error(state: state, reason: "the reason")
    #expect(error.message.hasSuffix(": the reason.") && error.help?.hasSuffix(".") == true, "\(error)")
    #expect(!error.message.contains("understand"))
  }

  @Test func aStateWithoutASentenceOfItsOwnIsNamed() {
    #expect(
      PostgresAnswer.error(state: "26000", reason: "prepared statement \"s1\" does not exist").description
        == """
        The registry's PostgreSQL refuses a statement (SQLSTATE 26000): prepared statement "s1" does not exist.
          Check that it is PostgreSQL 15 or later, that no other program changed its tables, and that no pooler shares \
        connections between transactions. Its own log has the statement.
        """)
  }

  /// It was called another program's database, and its owner told to check the address.
  @Test func aRegistryThatLostATableIsRestored() throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("incomplete")
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript("CREATE DATABASE incomplete")
    try Registry(.postgres(ServiceAddress(address))).stop()
    try PostgresDatabase(ServiceAddress(address)).runScript("DROP TABLE site_orders CASCADE")
    for (makesFile, onlyReads) in [(true, false), (false, false), (false, true)] {
      let error = #expect(throws: RegistryError.self) {
        try Registry(
          .postgres(ServiceAddress(address)), makesFile: makesFile, for: onlyReads ? .questions : .changes)
      }
      #expect(
        error?.description == """
          The registry is not whole: it has version \(RegistryStore.currentVersion), but no table 'site_orders'.
            Stop the servers and restore a backup, as Documentation/registry.md shows. Nothing was changed.
          """)
    }
  }

  /// "Does not understand a statement", and "another program's database" after a restore by another role, led away from it.
  @Test func aRoleWithoutRightsIsToldWhichItLacks() throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("rights")
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript("CREATE DATABASE rights")
    let owner = try PostgresDatabase(ServiceAddress(address))
    try owner.runScript("CREATE ROLE stranger")
    let other = try PostgresDatabase(ServiceAddress(address))
    try other.runScript("SET ROLE stranger")
    let unable = #expect(throws: RegistryError.self) { try RegistryStore(other).foundVersion() }
    #expect(unable?.message == "The role may make no tables in the database for the registry.")
    try RegistryStore(owner).migrate()
    let lacking = #expect(throws: RegistryError.self) { try RegistryStore(other).foundVersion() }
    #expect(
      lacking?.message
        == "The role lacks a right in the registry's PostgreSQL: permission denied for table linkspan_registry."
    )
    #expect(lacking?.isPartial == true && lacking?.kind == .unavailable)
    try owner.runScript("GRANT ALL ON ALL TABLES IN SCHEMA public TO stranger")
    #expect(try RegistryStore(other).foundVersion() == RegistryStore.currentVersion)
    try other.runScript("SET default_transaction_read_only = on")
    let standby = #expect(throws: RegistryError.self) {
      try RegistryStore(other).transaction { () throws(RegistryError) in
        _ = try other.run("DELETE FROM linkspan_registry")
      }
    }
    #expect(standby?.message.hasPrefix("The registry's PostgreSQL takes no changes: ") == true)
  }

  @Test func theReasonOfEachHostIsTold() {
    let refused = "connection to server at \"a.example\" (192.0.2.1), port 5432 failed: Connection refused"
    let readOnly = "connection to server at \"b.example\" (192.0.2.2), port 5432 failed: session is read-only"
    let text = "\(refused)\n\tIs the server running on that host?\n\(readOnly)\n"
    #expect(PostgresAnswer.reason(text) == "\(refused); \(readOnly)")
    #expect(PostgresAnswer.reason("ERROR:  one\nDETAIL:  two") == "ERROR:  one")
    #expect(PostgresAnswer.reason("") == "no reason given")
  }

  @Test(arguments: [true, false]) func readingNeverMakesARegistry(onlyReads: Bool) throws {
    let name = onlyReads ? "empty" : "mistyped"
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address(name)
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript("CREATE DATABASE \(name)")
    let error = #expect(throws: RegistryError.self) {
      try Registry(
        .postgres(ServiceAddress(address)), makesFile: false, for: onlyReads ? .questions : .changes)
    }
    #expect(error?.kind == .cannotOpen)
    #expect(
      error?.message == "There is no registry in this database: it has no table 'linkspan_registry'.")
    #expect(try PostgresDatabase(ServiceAddress(address)).identity() == .empty)
  }

  @Test(arguments: [
    ("CREATE TABLE notes (text TEXT)", "it has a table, but no table 'linkspan_registry'"),
    (
      "CREATE TABLE devices (id TEXT); CREATE TABLE messages (id TEXT)",
      "it has 2 tables, but no table 'linkspan_registry'"
    ),
    (
      "CREATE VIEW linkspan_registry AS SELECT 3 AS version",
      "it has a table, but no table 'linkspan_registry'"
    ),
    (
      "CREATE TABLE linkspan_registry (number BIGINT)", "its table 'linkspan_registry' is not a registry's"
    ),
    (
      "CREATE TABLE linkspan_registry (version BIGINT); CREATE TABLE devices (id TEXT)",
      "its table 'linkspan_registry' has no version, and there are tables of others"
    ),
  ])
  func anotherProgramsDatabaseStaysAsItIs(_ script: String, _ reason: String) throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("foreign")
    else { return }
    let other = try PostgresDatabase(ServiceAddress(server))
    try other.runScript("DROP DATABASE IF EXISTS \"foreign\" WITH (FORCE)")
    try other.runScript("CREATE DATABASE \"foreign\"")
    try PostgresDatabase(ServiceAddress(address)).runScript(script)
    let relations =
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname"
    let before = try PostgresDatabase(ServiceAddress(address)).run(relations).map(\.values)
    for (makesFile, onlyReads) in [(true, false), (false, false), (false, true)] {
      let error = #expect(throws: RegistryError.self) {
        try Registry(
          .postgres(ServiceAddress(address)), makesFile: makesFile, for: onlyReads ? .questions : .changes)
      }
      #expect(
        error?.description == """
          This database is another program's, not a registry: \(reason).
            Check the address. A new registry is made in a database or a schema that has no tables.
          """)
    }
    #expect(try PostgresDatabase(ServiceAddress(address)).run(relations).map(\.values) == before)
  }

  /// A lock that another program holds for hours fails a sender's change, so that an alert can say that nothing is sent.
  @Test func sendersDoNotWaitForeverForALock() throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("patient")
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript("CREATE DATABASE patient")
    func patience() throws -> String? {
      let registry = try Registry(
        .postgres(ServiceAddress(address)), keeping: .init(.usual) { WallTime(milliseconds: 0) })
      defer { registry.stop() }
      return try registry.changeAsSender { store throws(RegistryError) in
        try store.database.run("SELECT current_setting('lock_timeout') AS patience").first?.text("patience")
      }
    }
    #expect(try patience() == "10s")
    try PostgresDatabase(ServiceAddress(server)).runScript("ALTER DATABASE patient SET lock_timeout = '2s'")
    #expect(try patience() == "2s")
  }

  /// A database that is shared: each program has a schema of its own.
  @Test func aRegistryMayHaveASchemaOfItsOwn() throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("shared")
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript("CREATE DATABASE shared")
    try PostgresDatabase(ServiceAddress(address)).runScript(
      "CREATE TABLE devices (id TEXT); CREATE SCHEMA linkspan")
    let own = address + (address.contains("?") ? "&" : "?") + "options=-csearch_path%3Dlinkspan"
    for _ in 0..<2 { try Registry(.postgres(ServiceAddress(own))).stop() }
    #expect(
      try PostgresDatabase(ServiceAddress(own)).identity() == .registry(version: RegistryStore.currentVersion)
    )
  }

  /// The lag is asked for within the sender's transactions, most often during an outage.
  @Test func theOldestOpenPushIsOneStepInAnIndex() throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("lag")
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript("CREATE DATABASE lag")
    try Registry(.postgres(ServiceAddress(address))).stop()
    let database = try PostgresDatabase(ServiceAddress(address))
    try database.runScript(
      """
      INSERT INTO messages (id, kind, actor, topic, environment, push_type, priority, payload, audience, throttle_at, state,
        estimate, created_at, give_up_at, lane)
      VALUES (1, 'campaign', 'test', 'com.example.app', 'production', 'alert', 10, '{}', '{}', 0, 'running', 0, 0, 0, 1);
      INSERT INTO queue (delivery_id, message_id, turn, state, due_at, topic, environment, apns_id, attempts, maybe_twice,
        created_at)
      SELECT number, 1, 2, 'held', 0, 'com.example.app', 'production', '', 1, 0, number
      FROM generate_series(5001, 10000) AS number;
      ANALYZE;
      """)
    let values = [SQLValue.text("running"), .int(64)]
    #expect(try database.run(RegistryStore.oldestOpen, values).ints("created_at") == [5_001])
    let plan = try database.run("EXPLAIN (ANALYZE, COSTS OFF) " + RegistryStore.oldestOpen, values)
      .texts("QUERY PLAN").joined(separator: "\n")
    #expect(plan.contains("using queue_message on queue"), "\(plan)")
    #expect(!plan.contains("Rows Removed by Filter"), "\(plan)")
    #expect(plan.contains("on queue (actual") && !plan.contains("Sort Key: queue"), "\(plan)")
  }
}
