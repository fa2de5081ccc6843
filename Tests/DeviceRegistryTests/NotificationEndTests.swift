import LinkspanCore
import PushProvider
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import RegistryRequests

/// When a notification is over: with its last delivery, whatever else looks at it meanwhile.
@Suite("Ends of notifications", .timeLimit(.minutes(5)))
struct NotificationEndTests {
  private static let now = SendingContractTests.now
  private let sending = SendingContractTests()

  private func notify(_ registry: Registry, _ tokens: [Int]) async throws -> Int64 {
    let tokens = try tokens.map { try DeviceToken(SendingContractTests.token($0)) }
    let request = NotificationRequest(
      content: SendingContractTests.content, tokens: tokens, aliases: [], confirmed: nil)
    let order = NotificationOrder(
      request, actor: "test", at: Self.now, nil, isRefused: { _ in false },
      kept: { _ in .init(status: 202, body: "{}") })
    try await registry.changed { store throws(RegistryError) in _ = try store.notify([order]) }
    return try #require(try await sending.deliveries(registry).map(\.message).max())
  }

  private func state(_ registry: Registry, _ message: Int64) async throws -> Message.State {
    try await sending.message(registry, message).0.state
  }

  /// What a sender does every few seconds for messages that nothing else has ended.
  private func sweep(_ registry: Registry) async throws {
    try await registry.changed { store throws(RegistryError) in
      #expect(try store.finishMessages(at: Self.now, after: 0) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aSweepEndsNoneWithAnOpenDelivery(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let one = try await notify(registry, [1])
      let two = try await notify(registry, [2, 3])
      for isClaimed in [false, true] {
        if isClaimed { #expect(try await sending.claim(registry).count == 3) }
        try await sweep(registry)
        #expect(try await state(registry, one) == .running, "claimed: \(isClaimed)")
        #expect(try await state(registry, two) == .running, "claimed: \(isClaimed)")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func theLastDeliveryEndsIt(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let one = try await notify(registry, [1])
      let two = try await notify(registry, [2, 3])
      let claimed = try await sending.claim(registry)
      func accept(_ numbers: Int...) async throws {
        let tokens = numbers.map(SendingContractTests.token)
        let outcomes = claimed.filter { tokens.contains($0.token) }.map {
          DeliveryOutcome($0.identifier, .accepted, status: 200)
        }
        #expect(try await sending.record(registry, outcomes).messages.count == numbers.count)
      }
      try await accept(1, 2)
      #expect(try await state(registry, one) == .completed)
      #expect(try await state(registry, two) == .running)
      try await sweep(registry)
      #expect(try await state(registry, two) == .running)
      try await accept(3)
      #expect(try await state(registry, two) == .completed)
    }
  }

  /// What the doctor tells: what was made while a server's clock was ahead waits until then.
  @Test(arguments: StoreKind.allCases)
  func whatWasMadeAtATimeToComeIsCounted(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      func ahead(_ seconds: Int64) async throws -> (Int64, WallTime?) {
        let moment = Self.now.advanced(by: .seconds(-seconds))
        return try await registry.changed { store throws(RegistryError) in
          let health = try store.health(at: moment)
          return (health.aheadMessages, health.lastAhead)
        }
      }
      _ = try await notify(registry, [1])
      #expect(try await ahead(0) == (0, nil))
      // Clocks of servers differ by seconds.
      #expect(try await ahead(60) == (0, nil))
      #expect(try await ahead(3_600) == (1, Self.now))
    }
  }

  /// What the doctor tells: pushes that wait because of their key, and no others.
  @Test(arguments: StoreKind.allCases)
  func pushesThatWaitForAKeyAreCounted(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      func refusals() async throws -> [KeyRefusal] {
        try await registry.changed { store throws(RegistryError) in try store.health(at: Self.now).refusals }
      }
      _ = try await notify(registry, [1, 2, 3, 4])
      let claimed = try await sending.claim(registry)
      #expect(try await refusals().isEmpty)
      let later = Self.now.advanced(by: .seconds(60))
      let answers: [(Int, String)] = [
        (403, "InvalidProviderToken"), (403, "ExpiredProviderToken"), (403, "InvalidProviderToken"),
        (503, "Shutdown"),
      ]
      try await sending.record(
        registry,
        zip(claimed, answers).map {
          DeliveryOutcome($0.identifier, .later(later), status: $1.0, reason: $1.1)
        })
      let environment = "production"
      #expect(
        try await refusals() == [
          KeyRefusal(environment: environment, reason: "ExpiredProviderToken", pushes: 1),
          KeyRefusal(environment: environment, reason: "InvalidProviderToken", pushes: 2),
        ])
    }
  }

  /// What is to be tried again is open, also where the notification has no other delivery.
  @Test(arguments: StoreKind.allCases)
  func anAttemptThatFailedDoesNotEndIt(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let one = try await notify(registry, [1])
      let first = try #require(try await sending.claim(registry).first)
      let later = Self.now.advanced(by: .seconds(60))
      try await sending.record(registry, [DeliveryOutcome(first.identifier, .later(later), status: 503)])
      try await sweep(registry)
      #expect(try await state(registry, one) == .running)
      let again = try #require(try await sending.claim(registry, at: later).first)
      let accepted = DeliveryOutcome(again.identifier, .accepted, status: 200)
      try await sending.record(registry, [accepted], at: later)
      #expect(try await state(registry, one) == .completed)
    }
  }
}
