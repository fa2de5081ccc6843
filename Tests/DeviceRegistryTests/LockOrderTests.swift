import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Two servers on PostgreSQL never wait for each other in a circle: each takes devices, then deliveries, then messages, and
/// a claim waits for none of them.
@Suite("Lock order", .serialized, .timeLimit(.minutes(15)))
struct LockOrderTests {
  static let now = ErasureTests.now
  private let histories = ErasureTests()

  /// Runs a test over a registry on PostgreSQL with a second server.
  private func test(_ body: (Registry, SecondServer) async throws -> Void) async throws {
    try await StoreKind.postgres.test { registry in
      try await body(registry, try SecondServer(registry.address))
    }
  }

  private static let device = "SELECT id FROM devices WHERE token = $1"
  private static let delivery = "SELECT delivery_id FROM queue WHERE delivery_id = $1"

  private func campaign(_ registry: Registry) async throws -> Int64 {
    try await registry.changed { store throws(RegistryError) -> Int64 in
      let request = CampaignRequest(
        content: ErasureTests.content("campaign"), audience: Audience(), isPaused: false)
      let plan = try store.plan(request, at: Self.now) { _ in nil }
      return try store.addCampaign(request, plan, actor: "test", at: Self.now)
    }
  }

  @Test func anAnswerAboutADeviceTakesTheDeviceFirst() async throws {
    try await test { registry, other in
      try await histories.register(registry, tokenA, "ann")
      try await histories.queue(registry, "private", aliases: ["ann"])
      let claimed = try await histories.claim(registry)
      let delivery = try #require(claimed.first?.identifier)
      try other.database.runScript("BEGIN")
      #expect(try other.gets(Self.device, [.text(tokenA)]))
      let waiting = try await other.whileWaiting { store throws(RegistryError) in
        var outcome = DeliveryOutcome(delivery, .rejected, status: 410, reason: "Unregistered")
        outcome.address = tokenA
        outcome.news = .dead(since: Self.now)
        return try store.record([outcome], of: "one", at: Self.now)
      }
      #expect(waiting.isOpen)
      #expect(try other.gets(Self.delivery, [.int(delivery)]))
      try other.database.runScript("COMMIT")
      #expect(try waiting.get().forgotten == 1)
    }
  }

  @Test func anErasureTakesDeliveriesInTheirOrder() async throws {
    try await test { registry, other in
      for token in [tokenA, tokenB] { try await histories.register(registry, token, "ann") }
      for token in [tokenB, tokenA] { try await histories.queue(registry, "private", tokens: [token]) }
      let lines = try await histories.journal(registry).map(\.identifier).sorted()
      try other.database.runScript("BEGIN")
      #expect(try other.gets(Self.delivery, [.int(lines[0])]))
      let waiting = try await other.whileWaiting { store throws(RegistryError) in
        try store.erase(alias: "ann", topics: nil, at: Self.now)
      }
      #expect(waiting.isOpen)
      #expect(try other.gets(Self.delivery, [.int(lines[1])]))
      try other.database.runScript("COMMIT")
      #expect(try waiting.get().receipt.cancelled == 2)
    }
  }

  @Test func aPauseTakesDeliveriesBeforeTheCampaign() async throws {
    try await test { registry, other in
      try await histories.register(registry, tokenA, "ann")
      let campaign = try await campaign(registry)
      let claimed = try await histories.claim(registry)
      try await histories.record(registry, claimed.map { DeliveryOutcome($0.identifier, .later(Self.now)) })
      try other.database.runScript("BEGIN")
      #expect(try other.gets(Self.delivery, [.int(claimed[0].identifier)]))
      let waiting = try await other.whileWaiting { store throws(RegistryError) in
        _ = try store.change(campaign, to: .paused, topics: nil, at: Self.now)
      }
      #expect(waiting.isOpen)
      #expect(try other.gets("SELECT id FROM messages WHERE id = $1", [.int(campaign)]))
      try other.database.runScript("COMMIT")
      try waiting.get()
      #expect(try await histories.journal(registry).map(\.state) == [.held])
    }
  }

  @Test func aNotificationTakesDevicesInTheirOrder() async throws {
    try await test { registry, other in
      try await histories.register(registry, tokenA, "ann")
      try await histories.register(registry, tokenB, "bob")
      try other.database.runScript("BEGIN")
      #expect(try other.gets(Self.device, [.text(tokenA)]))
      let waiting = try await other.whileWaiting { store throws(RegistryError) in
        try store.devices(ofAliases: ["bob", "ann"], ErasureTests.content("both"), limit: 10)
      }
      #expect(waiting.isOpen)
      #expect(try other.gets(Self.device, [.text(tokenB)]))
      try other.database.run("UPDATE devices SET alias = 'eve' WHERE token = $1", [.text(tokenA)])
      try other.database.runScript("COMMIT")
      // A device that has moved meanwhile is not the person's any more.
      #expect(try waiting.get() == .init(tokens: [tokenB], unreached: ["ann"]))
    }
  }

  // MARK: - Claims

  /// Passes over a device that is being removed, and comes back to it when it stays.
  @Test(arguments: [true, false]) func aClaimWaitsForNoDevice(isRemoved: Bool) async throws {
    try await test { registry, other in
      let tokens = [tokenA, tokenB, String(repeating: "c3", count: 32)]
      for token in tokens { try await histories.register(registry, token, nil) }
      let campaign = try await campaign(registry)
      let store = try SecondServer.store(registry.address)
      func claim() throws -> [String] {
        try store.transaction { () throws(RegistryError) in
          try store.renewLease(of: "one", for: .seconds(20), at: Self.now)
          return try store.claim("one", .production, limit: 10, at: Self.now).map(\.token).sorted()
        }
      }
      try other.database.runScript("BEGIN")
      try other.database.run("DELETE FROM devices WHERE token = $1", [.text(tokenB)])
      #expect(try claim() == [tokens[0], tokens[2]])
      #expect(try claim() == [])
      try other.database.runScript(isRemoved ? "COMMIT" : "ROLLBACK")
      #expect(try claim() == (isRemoved ? [] : [tokenB]))
      let held = try await registry.answer { store throws(RegistryError) in
        try store.database.run("SELECT id FROM deliveries ORDER BY id").map {
          row throws(RegistryError) in DeliveryOutcome(try row.int("id"), .accepted)
        }
      }
      try await histories.record(registry, held)
      while try !claim().isEmpty {}
      #expect(try await histories.message(registry, campaign).state == .completed)
    }
  }

  /// Without `FOR KEY SHARE` the removal would not see the delivery, and leave it to go out.
  @Test(arguments: [true, false]) func aRemovalWaitsForAClaim(isErasure: Bool) async throws {
    try await test { registry, other in
      try await histories.register(registry, tokenA, "ann")
      _ = try await campaign(registry)
      let claiming = RegistryStore(other.database)
      try claiming.loadHash()
      try other.database.runScript("BEGIN")
      try claiming.renewLease(of: "one", for: .seconds(20), at: Self.now)
      #expect(try claiming.claim("one", .production, limit: 10, at: Self.now).map(\.token) == [tokenA])
      let waiting = try await other.whileWaiting { store throws(RegistryError) in
        var filter = DeviceFilter()
        filter.token = tokenA
        if isErasure {
          _ = try store.erase(alias: "ann", topics: nil, at: Self.now)
        } else {
          _ = try store.remove(filter, at: Self.now)
        }
      }
      #expect(waiting.isOpen)
      try other.database.runScript("COMMIT")
      try waiting.get()
      let open = try other.database.run("SELECT state FROM queue WHERE address IS NULL")
      #expect(try open.map { try $0.text("state") } == ["sending"])
    }
  }

  @Test func aClaimPassesOverACampaignThatAnotherServerCounts() async throws {
    try await test { registry, other in
      try await histories.register(registry, tokenA, nil)
      let campaign = try await registry.changed { store throws(RegistryError) -> Int64 in
        var request = CampaignRequest(
          content: ErasureTests.content("campaign"), audience: Audience(), isPaused: false)
        request.throttle = 5
        let plan = try store.plan(request, at: Self.now) { _ in nil }
        return try store.addCampaign(request, plan, actor: "test", at: Self.now)
      }
      let store = try SecondServer.store(registry.address)
      try other.database.runScript("BEGIN")
      #expect(try other.gets("SELECT id FROM messages WHERE id = $1", [.int(campaign)]))
      let later = Self.now.advanced(by: .seconds(1))
      func claim() throws -> Int {
        try store.transaction { () throws(RegistryError) in
          try store.claim("one", .production, limit: 10, at: later).count
        }
      }
      #expect(try claim() == 0)
      try other.database.runScript("COMMIT")
      #expect(try claim() == 1)
    }
  }

  // MARK: - What is left

  /// Changes that share a transaction may still be in conflict with others; each is made again alone.
  @Test func aChangeInConflictIsMadeAgain() async throws {
    try await test { registry, _ in
      let attempts = LockedState(0)
      let answer = try await registry.changed { _ throws(RegistryError) -> Int in
        let number = attempts.withLock { count -> Int in
          count += 1
          return count
        }
        guard number > 5 else { throw RegistryError(.unavailable, "deadlock detected", isConflict: true) }
        return number
      }
      #expect(answer == 6)
      attempts.withLock { $0 = -100 }
      let error = await #expect(throws: RegistryError.self) {
        try await registry.changed { _ throws(RegistryError) -> Int in
          attempts.withLock { $0 += 1 }
          throw RegistryError(.unavailable, "deadlock detected", isConflict: true)
        }
      }
      #expect(error?.isConflict == true)
      // Once with others, then alone.
      #expect(attempts.withLock { $0 } == -89)
    }
  }

  @Test func aDeadlockIsAConflict() async throws {
    try await test { registry, other in
      try await histories.register(registry, tokenA, nil)
      try await histories.register(registry, tokenB, nil)
      try other.database.runScript("BEGIN; SET LOCAL deadlock_timeout = '1h'")
      #expect(try other.gets(Self.device, [.text(tokenA)]))
      let waiting = try await other.whileWaiting { store throws(RegistryError) in
        try store.database.runScript("SET LOCAL deadlock_timeout = '1s'")
        for token in [tokenB, tokenA] {
          try store.database.run(Self.device + " FOR UPDATE", [.text(token)])
        }
      }
      try other.database.run(Self.device + " FOR UPDATE", [.text(tokenB)])
      try other.database.runScript("COMMIT")
      let error = #expect(throws: RegistryError.self) { try waiting.get() }
      #expect(error?.isConflict == true)
      #expect(error?.kind == .unavailable)
    }
  }
}
