import LinkspanCore
import PushProvider
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What waits of a campaign that is paused, goes on or is cancelled: settled a part at a time, and not sent meanwhile.
@Suite("Waiting parts", .timeLimit(.minutes(5)))
struct WaitingPartsTests {
  private static let now = SendingContractTests.now
  private let sending = SendingContractTests()

  /// A campaign of which some deliveries wait for another attempt, and two are under way.
  ///
  /// - Returns: Its identifier, and what is under way.
  private func campaign(
    _ registry: Registry, waiting: Int
  ) async throws -> (campaign: Int64, underWay: [ClaimedDelivery]) {
    let devices = try (0..<waiting + 2).map { try registration(SendingContractTests.token($0)) }
    try await registry.changed { store throws(RegistryError) in _ = try store.register(devices) }
    let campaign = try await sending.start(registry, SendingContractTests.campaign())
    let claimed = try await sending.claim(registry, limit: waiting + 2)
    #expect(claimed.count == waiting + 2)
    let later = Self.now.advanced(by: .seconds(60))
    try await sending.record(
      registry,
      claimed.dropLast(2).map { DeliveryOutcome($0.identifier, .later(later), status: 429, reason: "Too") })
    return (campaign, claimed.suffix(2))
  }

  private func change(_ registry: Registry, _ campaign: Int64, to state: Message.State) async throws {
    try await registry.changed { store throws(RegistryError) in
      guard case .done = try store.change(campaign, to: state, topics: nil, at: Self.now) else {
        throw RegistryStore.emptyAnswer
      }
    }
  }

  /// As a server leaves it that dies after the first part.
  private func cancelOnly(_ registry: Registry, _ campaign: Int64) async throws {
    try await registry.changed { store throws(RegistryError) in
      _ = try store.database.run(
        "UPDATE messages SET state = 'cancelled' WHERE id = $1", [.int(campaign)])
      _ = try store.database.run("DELETE FROM ranges WHERE message_id = $1", [.int(campaign)])
    }
  }

  private func counts(_ registry: Registry, _ campaign: Int64) async throws -> [Int64] {
    let progress = try await sending.message(registry, campaign).1
    return [progress.count(.cancelled), progress.count(.accepted), progress.open]
  }

  @Test(arguments: StoreKind.allCases)
  func whatWaitsEndsInParts(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let (campaign, underWay) = try await campaign(registry, waiting: 6)
      try await cancelOnly(registry, campaign)
      func end() async throws -> Bool {
        try await registry.changed { store throws(RegistryError) in
          try store.settleWaiting(of: campaign, limit: 4, at: Self.now)
        }
      }
      #expect(try await end())
      #expect(try await counts(registry, campaign) == [4, 0, 4])
      #expect(try await !end())
      #expect(try await counts(registry, campaign) == [6, 0, 2])
      // What is under way still ends, and the campaign with it.
      #expect(try await sending.message(registry, campaign).0.finishedAt == nil)
      try await sending.record(
        registry, underWay.map { DeliveryOutcome($0.identifier, .accepted, status: 200) })
      #expect(try await counts(registry, campaign) == [6, 2, 0])
      let message = try await sending.message(registry, campaign).0
      #expect(message.state == .cancelled && message.finishedAt == Self.now)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatADeadServerLeavesIsEnded(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let (first, _) = try await campaign(registry, waiting: 3)
      let (second, _) = try await campaign(registry, waiting: 3)
      for campaign in [first, second] { try await cancelOnly(registry, campaign) }
      var turns = 0
      while try await registry.changed({ store throws(RegistryError) in
        try store.settleWaiting(limit: 2, at: Self.now)
      }) {
        turns += 1
        try #require(turns < 10)
      }
      #expect(turns == 2)
      #expect(try await counts(registry, first)[0] == 3)
      #expect(try await counts(registry, second)[0] == 3)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aCampaignThatRunsKeepsWhatWaits(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let (campaign, _) = try await campaign(registry, waiting: 3)
      let hasMore = try await registry.changed { store throws(RegistryError) in
        let one = try store.settleWaiting(of: campaign, limit: 2, at: Self.now)
        return try store.settleWaiting(limit: 2, at: Self.now) || one
      }
      #expect(!hasMore)
      #expect(try await counts(registry, campaign) == [0, 0, 5])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func moreThanAPartEndsBetweenOtherChanges(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let part = RegistryStore.waitingAtOnce
      let (campaign, _) = try await campaign(registry, waiting: part + 3)
      try await change(registry, campaign, to: .cancelled)
      #expect(try await counts(registry, campaign) == [Int64(part), 0, 5])
      // Due by now, and not sent: whoever claims it ends it.
      let late = Self.now.advanced(by: .seconds(120))
      #expect(try await sending.claim(registry, "two", at: late).isEmpty)
      registry.settleWaiting(of: campaign, at: Self.now)
      try await registry.changed { _ throws(RegistryError) in }
      #expect(try await counts(registry, campaign) == [Int64(part) + 3, 0, 2])
    }
  }

  private func states(_ registry: Registry) async throws -> [String: Int64] {
    try await registry.answer { store throws(RegistryError) in
      var states: [String: Int64] = [:]
      for row in try store.database.run("SELECT state, count(*) AS number FROM queue GROUP BY state") {
        states[try row.text("state")] = try row.int("number")
      }
      return states
    }
  }

  /// The first part is held back at once, the rest by the claims that find it; nothing is sent.
  @Test(arguments: StoreKind.allCases)
  func aPauseHoldsBackWhatFallsDue(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let part = RegistryStore.waitingAtOnce
      let (campaign, _) = try await campaign(registry, waiting: part + 3)
      try await change(registry, campaign, to: .paused)
      #expect(try await states(registry) == ["held": Int64(part), "queued": 3, "sending": 2])
      let late = Self.now.advanced(by: .seconds(120))
      #expect(try await sending.claim(registry, "two", at: late).isEmpty)
      #expect(try await states(registry) == ["held": Int64(part) + 3, "sending": 2])
      // It has not been tried: the claim does not count.
      let attempts = try await registry.answer { store throws(RegistryError) in
        try store.database.run("SELECT DISTINCT attempts FROM queue WHERE state = 'held'").ints("attempts")
      }
      #expect(attempts == [1])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aCampaignGoesOnInParts(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let part = RegistryStore.waitingAtOnce
      let (campaign, _) = try await campaign(registry, waiting: part + 3)
      try await registry.changed { store throws(RegistryError) in
        _ = try store.database.run("UPDATE queue SET state = 'held' WHERE state = 'queued'")
        _ = try store.database.run("UPDATE messages SET state = 'paused'")
      }
      try await change(registry, campaign, to: .running)
      #expect(try await states(registry) == ["held": 3, "queued": Int64(part), "sending": 2])
      registry.settleWaiting(of: campaign, at: Self.now)
      try await registry.changed { _ throws(RegistryError) in }
      #expect(try await states(registry) == ["queued": Int64(part) + 3, "sending": 2])
    }
  }

  /// A server died between the two.
  @Test(arguments: StoreKind.allCases)
  func whatIsHeldOfACampaignThatRunsIsFound(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      _ = try await campaign(registry, waiting: 5)
      try await registry.changed { store throws(RegistryError) in
        _ = try store.database.run("UPDATE queue SET state = 'held' WHERE state = 'queued'")
      }
      let turns = try await registry.changed { store throws(RegistryError) in
        var turns: [Bool] = []
        for _ in 0..<3 { turns.append(try store.settleWaiting(limit: 3, at: Self.now)) }
        return turns
      }
      #expect(turns == [true, false, false])
      #expect(try await states(registry) == ["queued": 5, "sending": 2])
    }
  }
}
