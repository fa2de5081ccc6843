import LinkspanCore
import PushProvider
import PushTerms
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import RegistryRequests

/// A sender gets what its own process stores, while it has room; all else waits in the queue, over both stores.
@Suite("A sender's desk", .timeLimit(.minutes(5)))
struct SenderDeskTests {
  private static let now = SendingContractTests.now
  private let sending = SendingContractTests()

  private func renew(_ registry: Registry, _ sender: String) async throws {
    try await registry.changed { store throws(RegistryError) in
      try store.renewLease(of: sender, for: .seconds(20), at: Self.now)
    }
  }

  private func order(_ tokens: [Int], _ environment: PushEnvironment = .production) throws
    -> NotificationOrder
  {
    var content = SendingContractTests.content
    content.environment = environment
    return NotificationOrder(
      NotificationRequest(
        content: content, tokens: try tokens.map { try DeviceToken(SendingContractTests.token($0)) },
        aliases: [],
        confirmed: nil),
      actor: "test", at: Self.now, nil, isRefused: { _ in false },
      kept: { _ in .init(status: 202, body: "{}") })
  }

  private func notify(_ registry: Registry, _ order: NotificationOrder) async throws {
    try await registry.changed { store throws(RegistryError) in _ = try store.notify([order]) }
  }

  private func open(
    _ desk: SenderDesk, _ sender: String, room: Int, _ topics: TopicChoice = .all,
    wake: @escaping @Sendable () -> Void = {}
  ) {
    desk.open(.init(sender, room: room, topics: topics, wake: wake))
  }

  private func claimed(_ registry: Registry) async throws -> [ClaimedDelivery] {
    try await registry.changed { store throws(RegistryError) in
      try store.claim("other", .production, limit: 100, at: Self.now)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatIsStoredArrivesWithoutAClaim(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await renew(registry, "one")
      let (desk, woken) = (registry.makeDesk(.production), LockedState(0))
      open(desk, "one", room: 3) { woken.withLock { $0 += 1 } }
      try await notify(registry, try order([1, 2]))
      let (handed, isUncertain) = desk.take()
      #expect(!isUncertain)
      #expect(woken.withLock { $0 } == 1)
      #expect(handed.map(\.sender) == ["one", "one"])
      #expect(handed.map(\.delivery.token) == [1, 2].map(SendingContractTests.token))
      #expect(handed.allSatisfy { $0.delivery.message == $0.message.identifier && $0.delivery.attempts == 1 })
      let stored = try await sending.deliveries(registry)
      #expect(stored.map(\.state) == [.sending, .sending])
      #expect(Set(stored.map(\.messageIdentifier)) == Set(handed.map(\.delivery.messageIdentifier)))
      #expect(try await claimed(registry).isEmpty)
      // What came of it is taken as of any claim.
      let ends = handed.map { DeliveryOutcome($0.delivery.identifier, .accepted, status: 200) }
      try await registry.changed { store throws(RegistryError) in
        _ = try store.record(ends, of: "one", at: Self.now)
      }
      #expect(try await sending.deliveries(registry).map(\.state) == [.accepted, .accepted])
      #expect(desk.take().handed.isEmpty)
      #expect(desk.close())
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aMessageIsWhatTheStoreHas(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await renew(registry, "one")
      let desk = registry.makeDesk(.production)
      open(desk, "one", room: 1)
      var order = try order([1])
      order.request.content.payload = #"{"aps":{"alert":"Your code is 123456 — ✓"}}"#
      order.request.content.collapseIdentifier = "code"
      order.request.content.expiration = 1_900_000_000
      try await notify(registry, order)
      let message = try #require(desk.take().handed.first?.message)
      let stored = try await registry.changed { store throws(RegistryError) in
        try store.messages([message.identifier])
      }
      #expect("\([message])" == "\(stored)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatHasNoRoomWaits(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await renew(registry, "one")
      let desk = registry.makeDesk(.production)
      let other = registry.makeDesk(.sandbox)
      open(other, "one", room: 100)
      open(desk, "one", room: 1)
      try await notify(registry, try order([1, 2]))
      open(desk, "one", room: 100, .except([SendingContractTests.content.topic]))
      try await notify(registry, try order([3]))
      desk.close()
      try await notify(registry, try order([4]))
      // What has arrived and was not taken counts.
      open(desk, "one", room: 1)
      try await notify(registry, try order([5]))
      open(desk, "one", room: 1)
      try await notify(registry, try order([6]))
      registry.remove(desk)
      open(desk, "one", room: 100)
      try await notify(registry, try order([7]))
      #expect(desk.take().handed.map(\.delivery.token) == [SendingContractTests.token(5)])
      #expect(other.take().handed.isEmpty)
      let waiting = Set(try await claimed(registry).map(\.token))
      #expect(waiting == Set([1, 2, 3, 4, 6, 7].map(SendingContractTests.token)))
    }
  }

  /// One whose lease has ended, and whose pushes others have taken over, is not in the table of senders any more: what was
  /// stored for it would never be sent.
  @Test(arguments: StoreKind.allCases)
  func nothingIsStoredForOneThatIsGone(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await renew(registry, "one")
      let desk = registry.makeDesk(.production)
      open(desk, "one", room: 100)
      try await registry.changed { store throws(RegistryError) in try store.endLease(of: "one") }
      try await notify(registry, try order([1]))
      #expect(desk.take().handed.isEmpty)
      #expect(desk.close())
      #expect(try await claimed(registry).map(\.token) == [SendingContractTests.token(1)])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aTransactionThatFailsGivesItsRoomBack(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await renew(registry, "one")
      let desk = registry.makeDesk(.production)
      open(desk, "one", room: 2)
      let order = try order([1, 2])
      await #expect(throws: RegistryError.self) {
        try await registry.changed { store throws(RegistryError) in
          _ = try store.notify([order])
          #expect(!desk.close())
          try store.database.run("SELECT nothing FROM nowhere")
        }
      }
      #expect(desk.close())
      #expect(desk.take().handed.isEmpty)
      open(desk, "one", room: 2)
      try await notify(registry, order)
      #expect(desk.take().handed.count == 2)
    }
  }

  @Test func whatNobodyKnowsIsSaid() {
    let desk = SenderDesk(.production)
    open(desk, "one", room: 1)
    #expect(desk.reserve(1, of: "com.example.app") == "one")
    #expect(desk.reserve(1, of: "com.example.app") == nil)
    var handover = Handover()
    handover.keep(1, at: desk)
    handover.rollBack(isUncertain: true)
    #expect(desk.take().isUncertain)
    #expect(!desk.take().isUncertain)
    #expect(desk.close())
  }
}
