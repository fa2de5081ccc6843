import TestSupport
import Testing

@testable import DeviceRegistry

/// What only PostgreSQL can get wrong.
@Suite("PostgreSQL registry", .timeLimit(.minutes(15)))
struct PostgresRegistryTests {
  @Test(arguments: [true, false]) func readingNeverMakesARegistry(onlyReads: Bool) throws {
    let name = onlyReads ? "empty" : "mistyped"
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address(name)
    else { return }
    try PostgresDatabase(server).runScript("CREATE DATABASE \(name)")
    let error = #expect(throws: RegistryError.self) {
      try Registry(.postgres(address), makesFile: false, onlyReads: onlyReads)
    }
    #expect(error?.kind == .cannotOpen)
    #expect(
      error?.message == "There is no registry in this database: it has no table 'linkspan_registry'.")
    #expect(try PostgresDatabase(address).run(SQLDialect.postgres.findsRegistry).isEmpty)
  }

  /// The lag is asked for within the sender's transactions, most often during an outage.
  @Test func theOldestOpenPushIsOneStepInAnIndex() throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("lag")
    else { return }
    try PostgresDatabase(server).runScript("CREATE DATABASE lag")
    try Registry(.postgres(address)).stop()
    let database = try PostgresDatabase(address)
    try database.runScript(
      """
      INSERT INTO messages (kind, actor, topic, environment, push_type, priority, payload, audience, throttle_at, state,
        estimate, created_at, give_up_at)
      VALUES ('campaign', 'test', 'com.example.app', 'production', 'alert', 10, '{}', '{}', 0, 'running', 0, 0, 0);
      INSERT INTO deliveries (message_id, token, topic, environment, apns_id, state, due_at, attempts, maybe_twice,
        created_at, finished_at)
      SELECT (SELECT id FROM messages), 'token-' || number, 'com.example.app', 'production', '', 'accepted', 0, 1, 0,
        number, CASE WHEN number <= 5000 THEN 1 END
      FROM generate_series(1, 10000) AS number;
      ANALYZE;
      """)
    let values = [SQLValue.text("running"), .int(64)]
    #expect(try database.run(RegistryStore.oldestOpen, values).map { try $0.int(0) } == [5_001])
    let plan = try database.run("EXPLAIN (ANALYZE, COSTS OFF) " + RegistryStore.oldestOpen, values)
      .map { try $0.text(0) }.joined(separator: "\n")
    #expect(plan.contains("using deliveries_open on deliveries"), "\(plan)")
    #expect(!plan.contains("Rows Removed by Filter"), "\(plan)")
    #expect(plan.contains("on deliveries (actual") && !plan.contains("Sort Key: deliveries"), "\(plan)")
  }
}
