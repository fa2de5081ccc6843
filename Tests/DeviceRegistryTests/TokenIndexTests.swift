import LinkspanCore
import PushProvider
import PushTerms
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import RegistryRequests

/// The lines of a token, which SQLite looks for on each day of the journal and PostgreSQL in each part.
@Suite("Token index", .timeLimit(.minutes(10)))
struct TokenIndexTests {
  static let now = SendingContractTests.now
  private static let token = SendingContractTests.token(1)

  private static func time(day: Int64) -> WallTime { now.advanced(by: .seconds(day * 86_400)) }

  private static func notify(_ registry: Registry, day: Int64) async throws {
    try await registry.changed { store throws(RegistryError) in
      var content = SendingContractTests.content
      content.payload = #"{"aps":{"alert":"\#(day)"}}"#
      guard let token = try? DeviceToken(token) else { throw RegistryStore.emptyAnswer }
      let request = NotificationRequest(content: content, tokens: [token], aliases: [], confirmed: nil)
      let order = NotificationOrder(
        request, actor: "test", at: time(day: day), nil, isRefused: { _ in false },
        kept: { _ in .init(status: 202, body: "{}") })
      _ = try store.notify([order])
    }
  }

  @Test(arguments: StoreKind.allCases) func aTokenIsFoundOnEveryDay(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      for day: Int64 in [0, 1, 7, 30] { try await Self.notify(registry, day: day) }
      let lines = try await registry.changed { store throws(RegistryError) in
        var filter = DeliveryFilter()
        filter.token = Self.token
        return try store.deliveries(filter, before: nil, limit: 10)
      }
      #expect(lines.map(\.createdAt) == [30, 7, 1, 0].map(Self.time))
      let cancelled = try await registry.changed { store throws(RegistryError) in
        try store.cancelOpen(
          [
            Departure(
              token: Self.token, topic: "com.example.app", environment: "production", alias: nil)
          ], at: Self.time(day: 31))
      }
      #expect(cancelled.count == 4)
    }
  }

  /// While APNs fails, millions of notifications are open.
  @Test(arguments: StoreKind.allCases)
  func campaignsAreFoundPastNotifications(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let plan = try await registry.changed { store throws(RegistryError) in
        try store.makeParts(at: SendingContractTests.now)
        let isRemote = store.database.dialect.isRemote
        return try store.database.run(
          (isRemote ? "EXPLAIN" : "EXPLAIN QUERY PLAN")
            + " SELECT id FROM messages WHERE \(store.areCampaigns()) AND finished_at IS NULL"
            + " AND state = 'running' ORDER BY id DESC LIMIT 100"
        ).texts(isRemote ? "QUERY PLAN" : "detail").joined(separator: "\n")
      }
      #expect(plan.contains(kind == .sqlite ? "messages_campaigns" : "_campaign"), "\(plan)")
      #expect(!plan.contains("transactional"), "\(plan)")
    }
  }

  /// Whatever the days are, a step in an index finds each.
  @Test func aDayIsFoundByItsIndex() throws {
    let folder = try ScratchFolder()
    guard let address = try StoreKind.sqlite.fresh(in: folder) else { return }
    try Registry(address, readerCount: 1).stop()
    let store = RegistryStore(try address.open())
    let plan = try store.database.run(
      "EXPLAIN QUERY PLAN SELECT id FROM deliveries WHERE \(store.onEachDay())token = 'a' AND topic = 'b'"
    ).texts("detail")
    #expect(plan.first == "SEARCH deliveries USING INDEX deliveries_token (day=? AND token=?)", "\(plan)")
    #expect(!plan.contains { $0.hasPrefix("SCAN deliveries") || $0.hasPrefix("SCAN messages") }, "\(plan)")
  }

  /// A campaign that an earlier version began still sends to a token once; lines of what has ended are found, too.
  @Test func aMessageThatIsUnderWayKeepsItsDay() throws {
    let folder = try ScratchFolder()
    let began = Self.time(day: 3).milliseconds
    let address = try FormerAliasTests.old(16, .sqlite, in: folder) { store throws(RegistryError) in
      for (number, finished) in [(1, "NULL"), (2, "7")] {
        try store.database.runScript(
          """
          INSERT INTO messages (kind, lane, actor, topic, environment, push_type, priority, payload, audience,
            throttle_at, state, estimate, created_at, give_up_at, finished_at) VALUES ('campaign', 1, 'test', 'com.example.app',
            'production', 'alert', 10, '{"aps":{"alert":"Hi"}}', '{}', 0, 'running', 3, \(began), \(began), \(finished));
          INSERT INTO deliveries (message_id, token, topic, environment, apns_id, state, due_at, attempts,
            maybe_twice, created_at, finished_at) VALUES (\(number), 'a', 'com.example.app', 'production', '',
            'accepted', 0, 1, 0, 0, 0);
          """)
      }
    }
    guard let address else { return }
    try Registry(address).stop()
    let database = try address.open()
    #expect(
      try database.run("SELECT day FROM deliveries ORDER BY id").ints("day") == [began / 86_400_000, 0])
    #expect(try database.run("SELECT day FROM journal_days").ints("day") == [0, began / 86_400_000])
    let again = try database.run(
      "INSERT INTO deliveries (message_id, day, token, topic, environment, apns_id, state, due_at, attempts, maybe_twice,"
        + " created_at) VALUES (1, (SELECT created_at / 86400000 FROM messages WHERE id = 1), 'a', 'com.example.app',"
        + " 'production', '', 'queued', 0, 0, 0, 0) ON CONFLICT (day, token, message_id) DO NOTHING RETURNING id"
    )
    #expect(again.isEmpty)
  }
}
