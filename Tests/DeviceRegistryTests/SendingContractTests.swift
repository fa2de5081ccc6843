import Foundation
import LinkspanCore
import PushCampaigns
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What the journal of pushes promises to senders, over both stores.
@Suite("Sending", .timeLimit(.minutes(15)))
struct SendingContractTests {
  static let now = WallTime("2026-09-14T08:00:00Z")!
  static let content = MessageContent(
    topic: PushTopic("com.example.app")!, environment: .production, type: .alert, priority: .immediate,
    payload: #"{"aps":{"alert":"Hi"}}"#)

  static func campaign(
    _ set: (inout CampaignRequest) -> Void = { _ in }
  ) -> CampaignRequest {
    var request = CampaignRequest(content: content, audience: Audience(), isPaused: false)
    set(&request)
    return request
  }

  static func token(_ number: Int) -> String { String(format: "%064x", number) }

  func register(
    _ registry: Registry, _ count: Int, _ set: @escaping (Int, inout DeviceRegistration) -> Void = { _, _ in }
  ) async throws {
    for number in 0..<count {
      _ = try await registry.registered(registration(Self.token(number)) { set(number, &$0) })
    }
  }

  func start(_ registry: Registry, _ request: CampaignRequest) async throws -> Int64 {
    try await registry.changed { store throws(RegistryError) in
      let plan = try store.plan(request, at: Self.now) { _ in nil }
      return try store.addCampaign(request, plan, actor: "test", at: Self.now)
    }
  }

  func claim(
    _ registry: Registry, _ sender: String = "one", limit: Int = 100, at now: WallTime = now
  ) async throws -> [ClaimedDelivery] {
    try await registry.changed { store throws(RegistryError) in
      try store.renewLease(of: sender, for: .seconds(20), at: now)
      return try store.claim(sender, .production, limit: limit, at: now)
    }
  }

  @discardableResult
  func record(
    _ registry: Registry, _ outcomes: [DeliveryOutcome], _ sender: String = "one", at now: WallTime = now
  ) async throws -> RegistryStore.Recorded {
    try await registry.changed { store throws(RegistryError) in
      try store.record(outcomes, of: sender, at: now)
    }
  }

  func message(_ registry: Registry, _ identifier: Int64) async throws -> (Message, MessageProgress) {
    try await registry.answer { store throws(RegistryError) in
      guard let message = try store.message(identifier) else { throw RegistryStore.emptyAnswer }
      return (message, try store.progress(of: identifier))
    }
  }

  func deliveries(_ registry: Registry) async throws -> [Delivery] {
    try await registry.answer { store throws(RegistryError) in
      try store.deliveries(DeliveryFilter(), limit: 1_000)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func everyDeviceOfACampaignGetsOneFinalOutcome(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 25)
      let campaign = try await start(registry, Self.campaign())
      var tokens: [String] = []
      while true {
        let claimed = try await claim(registry, limit: 10)
        if claimed.isEmpty { break }
        tokens += claimed.map(\.token)
        #expect(Set(claimed.map(\.messageIdentifier)).count == claimed.count)
        #expect(claimed.allSatisfy { $0.messageIdentifier.count == 36 && $0.attempts == 1 })
        try await record(registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) })
      }
      #expect(tokens.sorted() == (0..<25).map(Self.token))
      let (message, progress) = try await message(registry, campaign)
      #expect(message.state == .completed)
      #expect(message.estimate == 25)
      #expect(progress.count(.accepted) == 25)
      #expect(progress.open == 0)
      #expect(!progress.isExpanding)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func twoSendersNeverHoldTheSameDelivery(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 30)
      _ = try await start(registry, Self.campaign())
      let first = try await claim(registry, "one", limit: 10)
      let second = try await claim(registry, "two", limit: 100)
      #expect(first.count == 10)
      // The range is the first one's.
      #expect(second.isEmpty)
      let stolen = try await record(
        registry, [DeliveryOutcome(first[0].identifier, .accepted)], "two")
      #expect(stolen.messages.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatADeadSenderHeldIsTakenOverAndMarked(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 12)
      let campaign = try await start(registry, Self.campaign())
      let first = try await claim(registry, "one", limit: 5)
      try await record(registry, [DeliveryOutcome(first[0].identifier, .accepted, status: 200)])
      #expect(
        try await registry.changed { store throws(RegistryError) in
          try store.takeOver(limit: 100, at: Self.now)
        } == 0)
      let freed = try await registry.changed { store throws(RegistryError) in
        try store.renewLease(of: "one", for: .seconds(-1), at: Self.now)
        return try store.takeOver(limit: 100, at: Self.now)
      }
      #expect(freed == 4)
      let second = try await claim(registry, "two")
      #expect(second.count == 11)
      let again = second.filter { $0.attempts == 2 }
      #expect(Set(again.map(\.messageIdentifier)) == Set(first.dropFirst().map(\.messageIdentifier)))
      let late = try await record(registry, [DeliveryOutcome(first[1].identifier, .accepted)])
      #expect(late.messages.isEmpty)
      try await record(registry, second.map { DeliveryOutcome($0.identifier, .accepted) }, "two")
      let (message, progress) = try await message(registry, campaign)
      #expect(message.state == .completed)
      #expect(progress.count(.accepted) == 12)
      #expect(progress.maybeTwice == 4)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aRefusedTokenIsForgottenByItsTimestamp(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 3)
      let campaign = try await start(registry, Self.campaign())
      let claimed = try await claim(registry).sorted { $0.token < $1.token }
      var outcomes = claimed.map {
        DeliveryOutcome($0.identifier, .rejected, status: 410, reason: "Unregistered")
      }
      // Registered at 1,000 milliseconds.
      for index in outcomes.indices { outcomes[index].address = claimed[index].token }
      outcomes[0].news = .dead(since: WallTime(milliseconds: 999))
      outcomes[1].news = .dead(since: WallTime(milliseconds: 1_000))
      outcomes[2].news = .suspect
      let recorded = try await record(registry, outcomes)
      #expect(recorded.forgotten == 1)
      var live = DeviceFilter()
      live.isActive = true
      #expect(try await registry.count(live) == 2)
      let (_, progress) = try await message(registry, campaign)
      #expect(progress.outcomes == [.rejected: ["Unregistered": 3]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatIsToBeTriedAgainWaits(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 1)
      _ = try await start(registry, Self.campaign())
      let first = try await claim(registry)
      let later = Self.now.advanced(by: .seconds(900))
      var outcome = DeliveryOutcome(
        first[0].identifier, .later(later), status: 500, reason: "InternalServerError")
      outcome.isMaybeTwice = true
      try await record(registry, [outcome])
      #expect(try await claim(registry).isEmpty)
      // It has been due since then, though nothing is due between two attempts.
      let soon = Self.now.advanced(by: .seconds(60))
      let wanted = try await registry.answer { store throws(RegistryError) in
        try store.oldestUnfinishedDue(at: soon)
      }
      #expect(wanted == Self.now)
      let again = try await claim(registry, at: later)
      #expect(again.map(\.messageIdentifier) == first.map(\.messageIdentifier))
      #expect(again.map(\.attempts) == [2])
      let line = try #require(try await deliveries(registry).first)
      #expect(line.isMaybeTwice)
      #expect(line.state == .sending)
    }
  }

  /// The journal counts what the metrics of attempts count.
  @Test(arguments: StoreKind.allCases)
  func whatWasNotSentIsNoAttempt(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 3)
      _ = try await start(registry, Self.campaign())
      let claimed = try await claim(registry).sorted { $0.identifier < $1.identifier }
      let ends: [DeliveryOutcome.End] = [.overdue, .cancelled, .expired]
      try await record(registry, zip(claimed, ends).map { DeliveryOutcome($0.identifier, $1) })
      let lines = try await deliveries(registry).sorted { $0.identifier < $1.identifier }
      #expect(lines.map(\.state) == [.expired, .cancelled, .expired])
      #expect(lines.map(\.attempts) == [0, 0, 1])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aPauseHoldsAndACancellationEnds(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 10)
      let campaign = try await start(registry, Self.campaign())
      func change(_ state: Message.State) async throws {
        _ = try await registry.changed { store throws(RegistryError) in
          try store.change(campaign, to: state, topics: nil, at: Self.now)
        }
      }
      let first = try await claim(registry, limit: 4)
      try await change(.paused)
      #expect(try await claim(registry).isEmpty)
      try await record(registry, [DeliveryOutcome(first[0].identifier, .later(Self.now))])
      #expect(try await claim(registry).isEmpty)
      try await change(.running)
      #expect(try await claim(registry, limit: 2).count == 2)
      try await change(.cancelled)
      #expect(try await claim(registry).isEmpty)
      let open = try await deliveries(registry).filter { $0.state == .sending }
      try await record(registry, open.map { DeliveryOutcome($0.identifier, .later(Self.now)) })
      let (message, progress) = try await message(registry, campaign)
      #expect(message.state == .cancelled)
      #expect(message.finishedAt != nil)
      #expect(progress.open == 0)
      #expect(progress.count(.cancelled) > 0)
      let refused = try await registry.changed { store throws(RegistryError) in
        try store.change(campaign, to: .running, topics: nil, at: Self.now)
      }
      guard case .refused(.cancelled, next: nil) = refused else {
        Issue.record("a cancelled campaign was resumed")
        return
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func theThrottleCountsPushesOfASecond(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 20)
      _ = try await start(registry, Self.campaign { $0.throttle = 5 })
      #expect(try await claim(registry).isEmpty)
      #expect(try await claim(registry, at: Self.now.advanced(by: .milliseconds(400))).count == 2)
      #expect(try await claim(registry, at: Self.now.advanced(by: .milliseconds(500))).isEmpty)
      // What was not used for a minute is made up for by a second's worth only.
      #expect(try await claim(registry, at: Self.now.advanced(by: .seconds(60))).count == 5)
      // A clock that another server has a little behind allows nothing more; one that was set back stops nothing.
      #expect(try await claim(registry, "one", at: Self.now.advanced(by: .seconds(58))).isEmpty)
      #expect(try await claim(registry, "one", at: Self.now.advanced(by: .seconds(1))).count == 5)
      #expect(try await claim(registry, "one", at: Self.now.advanced(by: .milliseconds(1_200))).count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func localTimesAreWaves(_ kind: StoreKind) async throws {
    let zones = ["Europe/Vienna", "America/New_York", "Nowhere/Town", nil]
    let rules = try Dictionary(
      uniqueKeysWithValues: zones.prefix(2).compactMap { $0 }.map { zone in
        let bytes = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(zone)"))
        return (zone, try #require(TimeZoneRules(Array(bytes))))
      })
    try await kind.test { registry in
      try await register(registry, 8) { number, registration in
        registration.attributes.timeZone = zones[number % 4]
        registration.given = [.timeZone]
      }
      let request = Self.campaign { $0.localTime = 9 * 60 }
      let estimate = try await registry.changed { store throws(RegistryError) in
        let plan = try store.plan(request, at: Self.now) { rules[$0] }
        _ = try store.addCampaign(request, plan, actor: "test", at: Self.now)
        return plan
      }
      #expect(estimate.devices == 8)
      #expect(
        estimate.waves.map { "\($0.dueAt) \($0.devices)" } == [
          "2026-09-14T09:00:00.000Z 4", "2026-09-14T13:00:00.000Z 2", "2026-09-15T07:00:00.000Z 2",
        ])
      var counts: [Int] = []
      for wave in estimate.waves {
        #expect(try await claim(registry, at: wave.dueAt.advanced(by: .milliseconds(-1))).isEmpty)
        counts.append(try await claim(registry, at: wave.dueAt).count)
      }
      #expect(counts == [4, 2, 2])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func erasureReachesTheJournal(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 3) { number, registration in
        registration.attributes.alias = "user\(number)"
        registration.given = [.alias]
      }
      let message = try await registry.changed { store throws(RegistryError) -> Int64 in
        let message = try store.add(
          .init(.notification, Self.content, lastDue: Self.now), actor: "t", at: Self.now)
        let tokens = try store.devices(
          ofAliases: ["user0", "user1", "none"], Self.content, limit: 10
        ).tokens
        try store.addDeliveries(of: message, Self.content, to: tokens + tokens, at: Self.now)
        return message
      }
      #expect(try await deliveries(registry).count == 2)
      #expect(try await registry.erased(alias: "user0") == 1)
      let left = try await deliveries(registry)
      let hash = registry.hash.token(Self.token(1))
      #expect(left.map(\.token) == [hash, "erased-\(left[1].identifier)"])
      #expect(left.map(\.state) == [.queued, .cancelled])
      let claimed = try await claim(registry)
      #expect(claimed.map(\.token) == [Self.token(1)])
      try await record(registry, [DeliveryOutcome(claimed[0].identifier, .accepted)])
      let (found, progress) = try await self.message(registry, message)
      #expect(found.state == .completed)
      #expect(progress.outcomes == [.accepted: ["": 1], .cancelled: ["": 1]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatASenderDoesNotKnowItHoldsGoesBack(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 3)
      _ = try await start(registry, Self.campaign())
      let first = try await claim(registry)
      try await registry.changed { store throws(RegistryError) in
        try store.putBackUnknown(to: "one", known: [first[0].identifier], at: Self.now)
      }
      let again = try await claim(registry)
      #expect(Set(again.map(\.identifier)) == Set(first.dropFirst().map(\.identifier)))
      #expect(again.allSatisfy { $0.attempts == 1 })
      #expect(try await deliveries(registry).allSatisfy { !$0.isMaybeTwice })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func oldJournalsAreRemoved(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, 2)
      let campaign = try await start(registry, Self.campaign())
      let claimed = try await claim(registry)
      try await record(registry, claimed.map { DeliveryOutcome($0.identifier, .accepted) })
      func prune(_ time: WallTime) async throws -> Bool {
        try await registry.changed { store throws(RegistryError) in
          try store.prune(.init(.seconds(60)), limit: 10, at: time)
        }
      }
      #expect(try await !prune(Self.now.advanced(by: .seconds(60))))
      let later = Self.now.advanced(by: .seconds(2 * 86_400))
      #expect(try await prune(later))
      while try await prune(later) {}
      #expect(try await deliveries(registry).isEmpty)
      let gone = try await registry.answer { store throws(RegistryError) in try store.message(campaign) }
      #expect(gone == nil)
    }
  }
}
