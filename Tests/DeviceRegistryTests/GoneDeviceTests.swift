import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Pushes to tokens that no device has any more, over both stores.
@Suite("Gone devices", .timeLimit(.minutes(15)))
struct GoneDeviceTests {
  private let histories = ErasureTests()

  private func remove(_ registry: Registry, _ filter: DeviceFilter) async throws -> Int {
    try await registry.changed { store throws(RegistryError) in
      try store.remove(filter, at: ErasureTests.now)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDeletionCancelsWhatWasSentToTheTokenItself(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let other = try await histories.queue(registry, "another", tokens: [tokenB])
      let message = try await histories.queue(registry, "private", tokens: [tokenA])
      var filter = DeviceFilter()
      filter.token = tokenA
      filter.topic = "com.example.other"
      #expect(try await remove(registry, filter) == 0)
      #expect(try await histories.journal(registry).map(\.state) == [.queued, .queued])
      filter.topic = nil
      filter.visibleTopics = ["com.example.other"]
      #expect(try await remove(registry, filter) == 0)
      filter.visibleTopics = nil
      filter.environment = .sandbox
      #expect(try await remove(registry, filter) == 0)
      #expect(try await histories.journal(registry).map(\.state) == [.queued, .queued])
      filter.environment = .production
      #expect(try await remove(registry, filter) == 0)
      #expect(try await histories.claim(registry).map(\.message) == [other])
      #expect(try await histories.message(registry, message).state == .completed)
    }
  }

  /// A server that holds the push is told, too.
  @Test(arguments: StoreKind.allCases)
  func aDeletionRevokesWhatIsUnderWayToTheTokenItself(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await histories.queue(registry, "private", tokens: [tokenA])
      let claimed = try await histories.claim(registry)
      #expect(try await histories.revoked(registry).isEmpty)
      try await histories.delete(registry, tokenA)
      #expect(try await histories.revoked(registry) == Set(claimed.map(\.identifier)))
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func anErasureReachesTheTokenOfADeviceThatIsGone(_ kind: StoreKind, isSignedOut: Bool) async throws {
    try await kind.test { registry in
      try await histories.register(registry, tokenA, "ann")
      if isSignedOut { try await histories.register(registry, tokenA, nil) }
      try await histories.delete(registry, tokenA)
      let message = try await histories.queue(registry, "private", tokens: [tokenA])
      let receipt = try await registry.receipt(alias: "ann")
      #expect([receipt.erased, receipt.cancelled, receipt.redacted] == [0, 1, 1])
      #expect(try await histories.claim(registry).isEmpty)
      #expect(try await histories.message(registry, message).isRedacted)
      let line = try #require(try await histories.journal(registry).first)
      #expect(line.token == "erased-\(line.identifier)")
      #expect(line.state == .cancelled)
      let traces = try await registry.answer { store throws(RegistryError) in
        try store.database.run("SELECT alias FROM departures UNION ALL SELECT alias FROM former_aliases")
      }
      #expect(traces.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anErasureRevokesWhatIsUnderWayToADeviceThatIsGone(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await histories.register(registry, tokenA, "ann")
      try await histories.delete(registry, tokenA)
      try await histories.queue(registry, "private", tokens: [tokenA])
      let claimed = try await histories.claim(registry)
      async let receipt = registry.receipt(alias: "ann")
      while try await histories.revoked(registry).isEmpty { await Task.yield() }
      try await histories.record(registry, claimed.map { DeliveryOutcome($0.identifier, .cancelled) })
      #expect(try await receipt.cancelled == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatTheNextOwnerOfATokenGetsStays(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await histories.register(registry, tokenA, "ann")
      try await histories.delete(registry, tokenA)
      try await histories.register(registry, tokenA, "bob")
      let message = try await histories.queue(registry, "for bob", tokens: [tokenA])
      #expect(try await registry.receipt(alias: "ann").cancelled == 0)
      #expect(try await histories.claim(registry).map(\.message) == [message])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anErasureOfAGoneDeviceKeepsToItsTopics(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await histories.register(registry, tokenA, "ann")
      try await histories.delete(registry, tokenA)
      _ = try await registry.receipt(alias: "ann", topics: ["com.example.other"])
      try await histories.queue(registry, "private", tokens: [tokenA])
      #expect(try await registry.receipt(alias: "ann", topics: ["com.example.other"]).cancelled == 0)
      #expect(try await registry.receipt(alias: "ann", topics: ["com.example.app"]).cancelled == 1)
    }
  }
}
