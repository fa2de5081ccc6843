import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// For how long a registry knows whom a device left, over both stores.
@Suite("Former aliases", .timeLimit(.minutes(15)))
struct FormerAliasTests {
  private let histories = ErasureTests()
  private static let now = ErasureTests.now
  private static let later = now.advanced(by: .milliseconds(1))

  private func forget(_ registry: Registry, before time: WallTime, limit: Int = 10) async throws -> Int {
    try await registry.changed { store throws(RegistryError) in
      try store.forgetFormerAliases(before: time, limit: limit, at: Self.now)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDeviceThatIsLongGoneIsForgotten(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      for token in [tokenA, tokenB] {
        try await histories.register(registry, token, "ann")
        try await histories.delete(registry, token)
      }
      #expect(try await forget(registry, before: Self.now) == 0)
      #expect(try await forget(registry, before: Self.later, limit: 1) == 1)
      #expect(try await forget(registry, before: Self.later) == 1)
      let rows = try await registry.answer { store throws(RegistryError) in
        try store.database.run("SELECT alias FROM former_aliases")
      }
      #expect(rows.isEmpty)
    }
  }

  /// What waits for the device, and what was sent to it, is still found when the alias is erased.
  @Test(arguments: StoreKind.allCases)
  func whatTheJournalHasALineAboutIsKept(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await histories.register(registry, tokenA, "ann")
      try await histories.delete(registry, tokenA)
      let message = try await histories.queue(registry, "private", tokens: [tokenA])
      #expect(try await forget(registry, before: Self.later) == 0)
      let claimed = try await histories.claim(registry)
      #expect(claimed.map(\.message) == [message])
      try await histories.record(registry, claimed.map { DeliveryOutcome($0.identifier, .accepted) })
      #expect(try await forget(registry, before: Self.later) == 0)
      try await registry.changed { store throws(RegistryError) in
        while try store.prune(.init(.zero), limit: 10, at: Self.later.advanced(by: .seconds(172_800))) {}
      }
      #expect(try await forget(registry, before: Self.later) == 1)
    }
  }

  /// A device that left twice counts from the last time.
  @Test(arguments: StoreKind.allCases)
  func aDeviceIsKnownFromItsLastDeparture(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await histories.register(registry, tokenA, "ann")
      try await histories.register(registry, tokenA, "bob")
      try await histories.delete(registry, tokenA)
      #expect(try await forget(registry, before: Self.now) == 0)
      try await histories.queue(registry, "private", tokens: [tokenA])
      #expect(try await registry.receipt(alias: "ann").cancelled == 0)
      #expect(try await registry.receipt(alias: "bob").cancelled == 1)
    }
  }

  // MARK: - Stores of before

  /// A store with the tables of a version, in which something is put.
  static func old(
    _ version: Int, _ kind: StoreKind, in folder: ScratchFolder,
    _ fill: (RegistryStore) throws(RegistryError) -> Void
  ) throws -> RegistryAddress? {
    guard let address = try kind.fresh(in: folder) else { return nil }
    let store = RegistryStore(try address.open())
    try store.database.runScript("CREATE TABLE linkspan_registry (version BIGINT NOT NULL)")
    for step in 1...version {
      try store.database.runScript(RegistryStore.schema(step, store.database.dialect))
      if step == 4 { try store.makeHashKey() }
    }
    try store.database.run("INSERT INTO linkspan_registry (version) VALUES ($1)", [.int(Int64(version))])
    try fill(store)
    return address
  }

  /// A line of the journal that has ended, about a device that left an alias since.
  private static func addLine(
    _ store: RegistryStore, _ token: String, left alias: String, message: Int64
  ) throws(RegistryError) {
    let rows = try store.database.run(
      "INSERT INTO deliveries (message_id, token, topic, environment, apns_id, state, due_at, attempts, maybe_twice,"
        + " created_at, finished_at) VALUES ($1, $2, 'com.example.app', 'production', '', 'accepted', 0, 1, 0, 0, 0)"
        + " RETURNING id", [.int(message), .text(token)])
    guard let row = rows.first else { throw RegistryStore.emptyAnswer }
    try store.database.run(
      "INSERT INTO departures (delivery_id, alias) VALUES ($1, $2)",
      [.int(try row.int("id")), .text(store.hash.alias(alias))])
  }

  /// Version 4 knew whom devices left only by the lines of its journal, of which some still hold tokens.
  @Test(arguments: StoreKind.allCases, [false, true])
  func anErasureReachesDevicesThatLeftBeforeVersion5(_ kind: StoreKind, hasTokens: Bool) async throws {
    let folder = try ScratchFolder()
    let address = try Self.old(4, kind, in: folder) { store throws(RegistryError) in
      let token = { (token: String) in hasTokens ? token : store.hash.token(token) }
      try Self.addLine(store, token(tokenA), left: "ann", message: 1_001)
      try Self.addLine(store, store.hash.token(tokenA), left: "bob", message: 1_002)
      try Self.addLine(store, token(tokenB), left: "ann", message: 1_001)
      guard hasTokens else { return }
      try store.database.run("INSERT INTO unhashed_deliveries (last_id) SELECT max(id) FROM deliveries")
    }
    guard let address else { return }
    let registry = try Registry(address)
    defer { registry.stop() }
    try await histories.queue(registry, "for bob", tokens: [tokenA])
    let message = try await histories.queue(registry, "for ann", tokens: [tokenB])
    let receipt = try await registry.receipt(alias: "ann")
    #expect([receipt.erased, receipt.cancelled, receipt.redacted] == [0, 1, 1])
    #expect(try await histories.message(registry, message).isRedacted)
    #expect(try await registry.receipt(alias: "bob").cancelled == 1)
    #expect(try await histories.claim(registry).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func aDepartureThatVersion5DidNotDateCountsFromNow(_ kind: StoreKind) async throws {
    let folder = try ScratchFolder()
    let address = try Self.old(5, kind, in: folder) { store throws(RegistryError) in
      try store.database.run(
        "INSERT INTO former_aliases (token, topic, environment, alias) VALUES ($1, 'com.example.app', 'production', $2)",
        [.text(store.hash.token(tokenA)), .text(store.hash.alias("ann"))])
    }
    guard let address else { return }
    let registry = try Registry(address)
    defer { registry.stop() }
    #expect(try await forget(registry, before: Self.now) == 0)
    #expect(try await forget(registry, before: Self.now) == 0)
    #expect(try await forget(registry, before: Self.later) == 1)
  }

  /// Every version that there was.
  @Test(arguments: StoreKind.allCases, 1..<RegistryStore.currentVersion)
  func aStoreOfBeforeIsBroughtUpToDate(_ kind: StoreKind, _ version: Int) throws {
    let folder = try ScratchFolder()
    guard let address = try Self.old(version, kind, in: folder, { _ in }) else { return }
    try Registry(address).stop()
    #expect(try address.open().identity() == .registry(version: RegistryStore.currentVersion))
  }
}
