import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry

/// A sender takes the topics that its key is for, over both stores.
@Suite("Topics of a sender", .timeLimit(.minutes(5)))
struct TopicChoiceTests {
  private static let now = SendingContractTests.now
  private static let other = PushTopic("com.example.other")!
  private let sending = SendingContractTests()

  private func notify(_ registry: Registry, _ topic: PushTopic) async throws -> Int64 {
    try await registry.changed { store throws(RegistryError) in
      var content = SendingContractTests.content
      content.topic = topic
      let message = try store.add(.init(.notification, content, lastDue: Self.now), actor: "t", at: Self.now)
      try store.addDeliveries(of: message, content, to: [SendingContractTests.token(0)], at: Self.now)
      return message
    }
  }

  private func claimed(
    _ registry: Registry, _ topics: TopicChoice, as sender: String, after wait: Duration = .zero
  ) async throws -> Set<Int64> {
    try await registry.changed { store throws(RegistryError) in
      let now = Self.now.advanced(by: wait)
      try store.renewLease(of: sender, for: .seconds(20), at: now)
      return Set(try store.claim(sender, .production, of: topics, limit: 100, at: now).map(\.message))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func eachSenderTakesItsTopics(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 3)
      let own = try await notify(registry, SendingContractTests.content.topic)
      let others = try await notify(registry, Self.other)
      let campaign = try await sending.start(registry, SendingContractTests.campaign())
      #expect(try await claimed(registry, .only([]), as: "none").isEmpty)
      #expect(try await claimed(registry, .only([Self.other]), as: "one") == [others])
      #expect(try await claimed(registry, .except([Self.other]), as: "two") == [own, campaign])
    }
  }

  /// More than SQLite joins in one query; each has its turn.
  @Test(arguments: StoreKind.allCases)
  func hundredsOfTopicsHaveTheirTurn(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 1)
      var all: Set<Int64> = []
      for number in 0..<501 { all.insert(try await notify(registry, PushTopic("com.example.app\(number)")!)) }
      var found: Set<Int64> = []
      for second in 0..<501 where found != all {
        found.formUnion(
          try await claimed(registry, .except([Self.other]), as: "one", after: .seconds(second)))
      }
      #expect(found == all)
    }
  }

  /// What a refused key leaves does not stand before the others' pushes, with and without the index.
  @Test(arguments: StoreKind.allCases)
  func aBacklogOfOthersIsPassedOver(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await sending.register(registry, 1)
      for _ in 0..<300 { _ = try await notify(registry, Self.other) }
      for _ in 0..<2 {
        let own = try await notify(registry, SendingContractTests.content.topic)
        #expect(try await claimed(registry, .except([Self.other]), as: "one") == [own])
        try await registry.changed { store throws(RegistryError) in try store.indexTopics() }
      }
      #expect(try await claimed(registry, .all, as: "two").count == 100)
    }
  }
}
