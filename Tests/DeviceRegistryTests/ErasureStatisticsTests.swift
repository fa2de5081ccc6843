import LinkspanCore
import PushCampaigns
import PushProvider
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What a database has sampled for its plans goes with the person, too.
@Suite("Statistics and erasure", .timeLimit(.minutes(15)))
struct ErasureStatisticsTests {
  private let histories = ErasureTests()

  /// What a scan looks for. Each test has words of its own, because all databases of the server are scanned.
  private struct Person {
    /// The test's.
    let number: Int

    private func words(_ kind: Int) -> [String] {
      (1...4).map { index in
        let digits = String(number * 100 + kind * 10 + index)
        return ErasureHistory.mark + String(repeating: "0", count: 24 - digits.count) + digits
      }
    }

    var alias: String { "person-\(words(1)[0])" }
    var tokens: [String] { zip(words(2), words(3)).map { $0 + $1 } }
    var addresses: [String] { words(4) }
    var texts: [String] { words(5) }
    var sample: String { "sample-\(words(6)[0])" }
    var all: [String] { [alias, sample] + tokens + addresses + texts }
  }

  /// A person with four devices and four notifications in the queue, each with a replay.
  private func fill(_ registry: Registry, _ person: Person) async throws {
    for (token, address) in zip(person.tokens, person.addresses) {
      _ = try await registry.registered(
        registration(token) {
          $0.attributes.alias = person.alias
          $0.attributes.ipAddress = address
          $0.given = [.alias, .ipAddress]
        })
    }
    for text in person.texts {
      let message = try await histories.queue(registry, text, aliases: [person.alias])
      try await registry.changed { store throws(RegistryError) in
        let replay = RegistryStore.Replay(request: "r", status: 202, body: text, message: message)
        try store.keep(replay, "t", key: "\(message)", at: ErasureTests.now)
      }
    }
  }

  /// The columns that have samples in which there is a word of the person.
  private static func sampled(_ database: any SQLDatabase) throws -> [String] {
    try database.run(
      """
      SELECT tablename || '.' || attname AS name FROM pg_stats
      WHERE concat(most_common_vals, histogram_bounds) LIKE '%\(ErasureHistory.mark)%' ORDER BY 1
      """
    ).texts("name")
  }

  /// PostgreSQL keeps the samples of a table that has become empty since.
  @Test func whatWasSampledBeforeAnErasureIsGoneAfterTheGuidesCommands() async throws {
    let folder = try ScratchFolder()
    guard let address = try StoreKind.postgres.fresh(in: folder) else { return }
    let registry = try Registry(address)
    let person = Person(number: 1)
    try await fill(registry, person)
    let scan = try StoreScan(registry, folder)
    // As the server does by itself from time to time.
    try address.open().runScript("ANALYZE")
    #expect(try await registry.receipt(alias: person.alias).erased == 4)
    registry.stop()
    let traces = try scan.filesTraces(of: person.all)
    #expect(traces == [])
    try StoreKind.postgres.remove(address)
  }

  /// Without these two the plans of the queries that ask for them would read the whole table.
  private static let sampledColumns = ["devices.alias", "devices.token"]

  @Test func whatNoPlanDependsOnIsNotSampled() async throws {
    let folder = try ScratchFolder()
    guard let address = try StoreKind.postgres.fresh(in: folder) else { return }
    let registry = try Registry(address)
    defer { registry.stop() }
    try await fill(registry, Person(number: 2))
    let database = try address.open()
    try database.runScript("ANALYZE")
    let sampled = try Self.sampled(database)
    #expect(sampled == Self.sampledColumns)
  }

  @Test func aRegistryOfBeforeLosesWhatWasSampled() throws {
    let folder = try ScratchFolder()
    guard let address = try FormerAliasTests.old(9, .postgres, in: folder, { _ in }) else { return }
    let database = try address.open()
    let words = "(SELECT n, '\(ErasureHistory.mark)' || n AS w FROM generate_series(1, 9) AS n) AS words"
    try database.runScript(
      """
      INSERT INTO devices (token, topic, environment, push_kind, alias, badge, ip_address, tags, created_at, last_seen_at,
        revision)
        SELECT 't' || n, 'com.example.app', 'production', 'alert', 'a' || n, 0, 'at-' || w, '', 0, 0, 1 FROM words;
      INSERT INTO messages (id, kind, name, actor, topic, environment, push_type, priority, collapse_id, payload, audience,
        throttle_at, state, estimate, created_at, give_up_at)
        SELECT n, 'campaign', w, 't', 'com.example.app', 'production', 'alert', 10, w, w, w, 0, 'running', 0, 0, 0 FROM words;
      INSERT INTO campaign_options (message_id, options, occurrence) SELECT n, w, 1 FROM words;
      INSERT INTO queue (delivery_id, message_id, turn, state, due_at, address, topic, environment, apns_id, attempts,
        maybe_twice, created_at)
        SELECT n, n, 0, 'queued', 0, w, 'com.example.app', 'production', '', 0, 0, 0 FROM words;
      INSERT INTO idempotency_keys (actor, key_hash, request_hash, status, body, created_at)
        SELECT 't', n, '', 202, w, 0 FROM words;
      ANALYZE;
      """.replacing("FROM words", with: "FROM \(words)"))
    let columns = [
      "campaign_options.options", "devices.ip_address", "idempotency_keys.body", "messages.audience",
      "messages.collapse_id", "messages.name", "messages.payload", "messages_before.audience",
      "messages_before.collapse_id", "messages_before.name", "messages_before.payload", "queue.address",
    ]
    let before = try Self.sampled(database)
    #expect(before == columns)
    try Registry(address).stop()
    let after = try Self.sampled(database)
    #expect(after == [])
    try database.runScript("ANALYZE")
    let later = try Self.sampled(database)
    #expect(later == [])
  }

  /// `ANALYZE` keeps whole rows of indexes where SQLite was built with it (`SQLITE_ENABLE_STAT4`), which Debian's is not.
  @Test func whatAnotherSQLiteHasSampledIsErased() async throws {
    let folder = try ScratchFolder()
    guard let address = try StoreKind.sqlite.fresh(in: folder) else { return }
    let registry = try Registry(address)
    defer { registry.stop() }
    let person = Person(number: 3)
    try await fill(registry, person)
    let rows = "tbl, idx, neq, nlt, ndlt, sample"
    // The name is SQLite's own, and only taken by it.
    _ = SQLiteOwnershipTests.Program(
      folder.path("registry.db"),
      """
      CREATE TABLE samples (\(rows));
      INSERT INTO samples VALUES ('devices', 'devices_alias', '1', '0', '0', '\(person.sample)');
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET name = 'sqlite_stat4', tbl_name = 'sqlite_stat4', sql = 'CREATE TABLE sqlite_stat4(\(rows))'
        WHERE name = 'samples';
      """)
    let scan = try StoreScan(registry, folder)
    #expect(try await scan.traces(of: person.all, copy: "copy.db").contains { $0.hasSuffix(person.sample) })
    #expect(try await registry.receipt(alias: person.alias).erased == 4)
    let traces = try await scan.traces(of: person.all, copy: "copy.db")
    #expect(traces == [])
  }
}
