import LinkspanCore
import PushProvider
import PushTerms
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import RegistryRequests

/// What many pushes cost on PostgreSQL: as many round trips as one, and no reading of whole tables.
@Suite("Round trips", .timeLimit(.minutes(15)))
struct RoundTripTests {
  static let now = SendingContractTests.now

  /// Runs a test over a store of a server's.
  private func test(_ body: (RegistryStore, PostgresDatabase) throws -> Void) throws {
    let folder = try ScratchFolder()
    let kind = StoreKind.postgres
    guard let address = try kind.fresh(in: folder), case .postgres(let server) = address else { return }
    defer { try? kind.remove(address) }
    try Registry(address, readerCount: 1).stop()
    let database = try PostgresDatabase(server, findsByKey: true)
    let store = RegistryStore(database)
    try store.loadHash()
    try body(store, database)
  }

  private static func order(_ number: Int, key: Bool) throws -> NotificationOrder {
    var content = SendingContractTests.content
    content.payload = #"{"aps":{"alert":"\#(number)"}}"#
    let request = NotificationRequest(
      content: content, tokens: [try DeviceToken(SendingContractTests.token(number))], aliases: [],
      confirmed: nil)
    return NotificationOrder(
      request, actor: "test", at: now, key ? .init(key: "key \(number)", request: "request") : nil,
      isRefused: { _ in false }, kept: { _ in .init(status: 202, body: "{}") })
  }

  /// Stores notifications in one transaction.
  private static func notify(_ numbers: Range<Int>, key: Bool = false, _ store: RegistryStore) throws {
    let orders = try numbers.map { try order($0, key: key) }
    let results = try store.transaction { () throws(RegistryError) in try store.notify(orders) }
    #expect(results.count == numbers.count)
  }

  /// Else the second writing of a line costs as much as the first.
  @Test func anAcceptedPushChangesNoIndexOfTheJournal() throws {
    try test { store, database in
      try Self.notify(0..<20, store)
      let claimed = try Self.exchange([], limit: 20, store)
      #expect(claimed.count == 20)
      func changed() throws -> [Int64] {
        let row = try database.run(
          "SELECT sum(pg_stat_get_xact_tuples_updated(oid))::bigint AS changed,"
            + " sum(pg_stat_get_xact_tuples_hot_updated(oid))::bigint AS alone FROM pg_class"
            + " WHERE relname LIKE 'deliveries%' AND relkind = 'r'")[0]
        return [try row.int("changed"), try row.int("alone")]
      }
      let outcomes = claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) }
      let counts = try store.transaction { () throws(RegistryError) -> [Int64] in
        _ = try store.record(outcomes, of: "one", at: Self.now)
        do { return try changed() } catch { throw RegistryStore.emptyAnswer }
      }
      #expect(counts == [20, 20])
    }
  }

  /// A plan of before the queue was long would read all of it, ten times a second for each sender.
  @Test func askingWhatIsGoneReadsNothingElse() throws {
    try test { store, database in
      try Self.notify(0..<300, store)
      _ = try Self.exchange([], limit: 300, store)
      #expect(try store.revoked(of: "one", claimed: []).isEmpty)
      let plan = try database.run(
        "EXPLAIN SELECT delivery_id FROM queue WHERE owner = 'one' AND state = 'sending' AND address IS NULL"
      ).texts("QUERY PLAN").joined(separator: "\n")
      #expect(plan.contains("queue_gone"), "\(plan)")
    }
  }

  /// Records that what was claimed was accepted, and claims more, in one transaction as a sender does.
  private static func exchange(
    _ claimed: [ClaimedDelivery], limit: Int, _ store: RegistryStore
  ) throws -> [ClaimedDelivery] {
    let outcomes = claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) }
    let (recorded, more, messages) = try store.transaction { () throws(RegistryError) in
      let recorded = try store.record(outcomes, of: "one", at: now)
      let more = try store.claim("one", .production, limit: limit, at: now)
      return (recorded, more, try store.messages(Set(more.map(\.message))))
    }
    #expect(recorded.messages.count == claimed.count)
    #expect(messages.count == more.count)
    return more
  }

  private static func trips<Answer>(
    _ database: PostgresDatabase, _ body: () throws -> Answer
  ) throws -> (answer: Answer, count: Int) {
    let before = database.roundTripCount
    let answer = try body()
    return (answer, database.roundTripCount - before)
  }

  @Test func manyNotificationsAreStoredInAsManyRoundTripsAsOne() throws {
    try test { store, database in
      for key in [false, true] {
        let first = key ? 10_000 : 0
        // Prepares the statements.
        try Self.notify(first..<first + 1, key: key, store)
        let one = try Self.trips(database) { try Self.notify(first + 1..<first + 2, key: key, store) }
        let many = try Self.trips(database) { try Self.notify(first + 2..<first + 500, key: key, store) }
        #expect(many.count == one.count)
        #expect(many.count <= 6)
      }
    }
  }

  @Test func manyPushesAreRecordedAndClaimedInAsManyRoundTripsAsOne() throws {
    try test { store, database in
      try Self.notify(0..<402, store)
      var claimed = try Self.exchange([], limit: 1, store)
      claimed = try Self.exchange(claimed, limit: 1, store)
      let one = try Self.trips(database) { try Self.exchange(claimed, limit: 200, store) }
      #expect(one.answer.count == 200)
      let many = try Self.trips(database) { try Self.exchange(one.answer, limit: 200, store) }
      #expect(many.answer.count == 200)
      #expect(many.count == one.count)
      #expect(many.count <= 6)
    }
  }

  /// A day begins with empty tables, and their statements are planned then.
  @Test func aDayThatBeginsEmptyIsNotReadAsAWhole() throws {
    try test { store, database in
      var claimed: [ClaimedDelivery] = []
      for batch in 0..<12 {
        try Self.notify(batch * 50..<(batch + 1) * 50, store)
        claimed = try Self.exchange(claimed, limit: 50, store)
      }
      let outcomes = claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) }
      // The counts of a transaction begin with those that PostgreSQL has not passed on, as of the indexes of a new day.
      try store.transaction { () throws(RegistryError) in
        _ = try database.run("SELECT pg_stat_force_next_flush()")
      }
      let read = try store.transaction { () throws(RegistryError) in
        _ = try store.record(outcomes, of: "one", at: Self.now)
        _ = try store.claim("one", .production, limit: 50, at: Self.now)
        return try database.run(
          "SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE seq_scan > 0 AND (relname = 'queue'"
            + " OR relname LIKE 'deliveries%' OR relname LIKE 'messages%')")
      }
      let names = try read.texts("relname")
      #expect(names == [])
    }
  }

  @Test func aFailureOfAHeldStatementIsThatOfTheTransaction() throws {
    try test { store, database in
      #expect(throws: RegistryError.self) {
        try store.transaction { () throws(RegistryError) in
          try database.runLater(
            "INSERT INTO senders (id, lease_until) VALUES ($1, $2)", [.text("a"), .int(1)])
          try database.runLater(
            "INSERT INTO senders (id, lease_until) VALUES ($1, $2)", [.text("a"), .int(2)])
        }
      }
      #expect(try database.run("SELECT id FROM senders").isEmpty)
      let error = #expect(throws: RegistryError.self) {
        try store.transaction { () throws(RegistryError) in
          try database.runLater("INSERT INTO senders (id, lease_until) VALUES ($1, $2)", [.text("a"), .null])
        }
      }
      #expect(error?.kind == .refused)
      try store.transaction { () throws(RegistryError) in
        try database.runLater("INSERT INTO senders (id, lease_until) VALUES ($1, $2)", [.text("a"), .int(3)])
      }
      #expect(try database.run("SELECT lease_until FROM senders").ints("lease_until") == [3])
      // Nothing was done, so there is nothing to wait for.
      let nothing = try Self.trips(database) { try store.transaction { () throws(RegistryError) in } }
      #expect(nothing.count == 0)
    }
  }
}
