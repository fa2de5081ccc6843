import Foundation
import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What is erased with a person, and what is not sent any more, over both stores.
@Suite("Erasure", .timeLimit(.minutes(15)))
struct ErasureTests {
  static let now = WallTime("2026-09-14T08:00:00Z")!

  static func content(_ text: String) -> MessageContent {
    var content = MessageContent(
      topic: PushTopic("com.example.app")!, environment: .production, type: .alert, priority: .immediate,
      payload: #"{"aps":{"alert":"\#(text)"}}"#)
    content.name = "name of \(text)"
    content.collapseIdentifier = "collapse \(text)"
    return content
  }

  func register(_ registry: Registry, _ token: String, _ alias: String?) async throws {
    _ = try await registry.registered(
      registration(token) {
        $0.attributes.alias = alias
        $0.given = [.alias]
      })
  }

  func delete(_ registry: Registry, _ token: String) async throws {
    var filter = DeviceFilter()
    filter.token = token
    _ = try await registry.changed { [filter] store throws(RegistryError) in
      try store.remove(filter, at: Self.now)
    }
  }

  /// Stores a notification as the API does.
  @discardableResult
  func queue(
    _ registry: Registry, _ text: String, aliases: [String] = [], tokens: [String] = []
  ) async throws -> Int64 {
    try await registry.changed { store throws(RegistryError) in
      let content = Self.content(text)
      let named = try store.devices(ofAliases: aliases, content, limit: 10)
      let message = try store.add(.init(.notification, content, lastDue: Self.now), actor: "t", at: Self.now)
      try store.addDeliveries(of: message, content, to: tokens + named.tokens, at: Self.now)
      try store.noteUnreached(named.unreached, of: message)
      try store.finishMessages(at: Self.now, only: [message])
      return message
    }
  }

  func claim(_ registry: Registry, _ sender: String = "one") async throws -> [ClaimedDelivery] {
    try await registry.changed { store throws(RegistryError) in
      try store.renewLease(of: sender, for: .seconds(20), at: Self.now)
      return try store.claim(sender, .production, limit: 100, at: Self.now)
    }
  }

  func record(_ registry: Registry, _ outcomes: [DeliveryOutcome]) async throws {
    _ = try await registry.changed { store throws(RegistryError) in
      try store.record(outcomes, of: "one", at: Self.now)
    }
  }

  func revoked(_ registry: Registry) async throws -> Set<Int64> {
    try await registry.answer { store throws(RegistryError) in try store.revoked(of: "one", claimed: []) }
  }

  func message(_ registry: Registry, _ identifier: Int64) async throws -> Message {
    try await registry.answer { store throws(RegistryError) in
      guard let message = try store.message(identifier) else { throw RegistryStore.emptyAnswer }
      return message
    }
  }

  func journal(_ registry: Registry) async throws -> [Delivery] {
    try await registry.answer { store throws(RegistryError) in
      try store.deliveries(DeliveryFilter(), limit: 100)
    }
  }

  // MARK: - Row 3

  @Test("Row 3: a deleted device gets nothing", arguments: StoreKind.allCases)
  func aDeletedDeviceGetsNothing(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await queue(registry, "private", aliases: ["ann"])
      try await delete(registry, tokenA)
      #expect(try await registry.receipt(alias: "ann").erased == 0)
      #expect(try await claim(registry).isEmpty)
      #expect(try await journal(registry).map(\.state) == [.cancelled])
    }
  }

  @Test("Row 3: a device that moved gets nothing of before", arguments: StoreKind.allCases)
  func aMovedDeviceGetsNothingOfBefore(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await queue(registry, "by alias", aliases: ["ann"])
      try await queue(registry, "by token", tokens: [tokenA])
      try await register(registry, tokenA, "bob")
      #expect(try await claim(registry).isEmpty)
      let later = try await queue(registry, "for bob", aliases: ["bob"])
      #expect(try await claim(registry).map(\.message) == [later])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func signingOutCancelsAndSigningInDoesNot(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, nil)
      let welcome = try await queue(registry, "welcome", tokens: [tokenA])
      try await register(registry, tokenA, "ann")
      #expect(try await journal(registry).map(\.state) == [.queued])
      try await queue(registry, "private", aliases: ["ann"])
      try await register(registry, tokenA, nil)
      #expect(try await journal(registry).map(\.state) == [.cancelled, .cancelled])
      #expect(try await registry.receipt(alias: "ann").redacted == 2)
      #expect(try await message(registry, welcome).isRedacted)
    }
  }

  /// What an activity is called is said of the message that started it.
  @Test(arguments: StoreKind.allCases)
  func anActivityLosesItsNameWithItsMessage(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      let message = try await queue(registry, "private", aliases: ["ann"])
      let activity = try await registry.changed { store throws(RegistryError) in
        try store.addActivity(
          of: "com.example.app", .production, name: "Order of Ann", channel: nil, startedBy: message,
          actor: "test",
          at: WallTime(milliseconds: 0)
        ).identifier
      }
      #expect(try await registry.receipt(alias: "ann").redacted == 1)
      let name = try await registry.answer { store throws(RegistryError) in try store.activity(activity)?.name
      }
      #expect(name == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func registeringAgainWithTheSameAliasCancelsNothing(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await queue(registry, "private", aliases: ["ann"])
      try await register(registry, tokenA, "ann")
      _ = try await registry.registered(registration(tokenA))
      #expect(try await claim(registry).map(\.token) == [tokenA])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func manyMovesInOneTransactionCancel(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let tokens = (10..<30).map { String(repeating: "\($0)", count: 32) }
      for token in tokens { try await register(registry, token, "old\(token.prefix(2))") }
      try await queue(registry, "to all", tokens: tokens)
      let moves = try tokens.enumerated().map { index, token in
        try registration(token) {
          $0.attributes.alias = index % 2 == 0 ? "new" : "old\(token.prefix(2))"
          $0.given = [.alias]
        }
      }
      _ = try await registry.changed { store throws(RegistryError) in try store.register(moves) }
      let left = tokens.indices.filter { $0 % 2 == 1 }.map { tokens[$0] }
      #expect(try await claim(registry).map(\.token).sorted() == left)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anImportThatMovesADeviceCancels(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await queue(registry, "private", aliases: ["ann"])
      var device = try #require(
        try await registry.answer { store throws(RegistryError) in
          try store.devices(DeviceFilter(), limit: 1)
        }.first)
      device.attributes.alias = "bob"
      device.lastSeenAt = Self.now
      _ = try await registry.changed { [device] store throws(RegistryError) in
        try store.importDevices([device], at: Self.now)
      }
      #expect(try await claim(registry).isEmpty)
    }
  }

  // MARK: - Row 4

  @Test("Row 4: a message to the person alone loses what it says", arguments: StoreKind.allCases)
  func aMessageToThePersonAloneIsRedacted(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      for (token, alias) in [(tokenA, "ann"), (tokenB, "bob")] { try await register(registry, token, alias) }
      let alone = try await queue(registry, "private", aliases: ["ann"])
      let both = try await queue(registry, "shared", aliases: ["ann", "bob"])
      let claimed = try await claim(registry)
      try await record(registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) })
      let receipt = try await registry.receipt(alias: "ann")
      #expect(receipt.counts == [1, 0, 1])
      let gone = try await message(registry, alone)
      #expect(gone.isRedacted)
      #expect(gone.content.name == nil)
      #expect(gone.content.collapseIdentifier == nil)
      #expect(gone.content.payload.isEmpty)
      #expect(try await message(registry, both).content.payload == Self.content("shared").payload)
      #expect(try await registry.receipt(alias: "bob").redacted == 1)
      #expect(try await message(registry, both).isRedacted)
    }
  }

  @Test("Row 4: the journal holds no token once a push has ended", arguments: StoreKind.allCases)
  func theJournalHoldsNoTokens(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await queue(registry, "private", aliases: ["ann"])
      let claimed = try await claim(registry)
      try await record(registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) })
      let rows = try await registry.answer { store throws(RegistryError) in
        try store.database.run("SELECT token, (SELECT count(*) FROM queue) AS open FROM deliveries")
      }
      #expect(rows.map(\.values) == [[.text(registry.hash.token(tokenA)), .int(0)]])
      for text in [tokenA, registry.hash.token(tokenA)] {
        var filter = DeliveryFilter()
        filter.token = text
        let found = try await registry.answer { [filter] store throws(RegistryError) in
          try store.deliveries(filter, limit: 10)
        }
        #expect(found.map(\.identifier) == claimed.map(\.identifier))
      }
      try await delete(registry, tokenA)
      #expect(try await registry.receipt(alias: "ann").redacted == 1)
      #expect(try await journal(registry).map(\.token) == ["erased-\(claimed[0].identifier)"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDeviceThatMovedKeepsItsLinesUnderTheNewAlias(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await queue(registry, "for ann", aliases: ["ann"])
      try await register(registry, tokenA, "bob")
      let message = try await queue(registry, "for bob", aliases: ["bob"])
      #expect(try await registry.receipt(alias: "ann").redacted == 1)
      #expect(try await claim(registry).map(\.message) == [message])
      #expect(try await registry.count(DeviceFilter()) == 1)
      let tokens = try await journal(registry).map(\.token)
      #expect(tokens.first == registry.hash.token(tokenA))
      #expect(tokens.last?.hasPrefix("erased-") == true)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aMessageThatReachedNobodyIsFound(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let message = try await queue(registry, "private", aliases: ["ann"])
      #expect(try await registry.receipt(alias: "ann").redacted == 1)
      #expect(try await self.message(registry, message).isRedacted)
      #expect(try await registry.receipt(alias: "ann") == registry.receipt(alias: "ann"))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anErasureKeepsToItsTopics(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      let message = try await queue(registry, "private", aliases: ["ann"])
      let unreached = try await queue(registry, "nobody", aliases: ["eve"])
      try await delete(registry, tokenA)
      for alias in ["ann", "eve"] {
        #expect(try await registry.receipt(alias: alias, topics: ["com.example.other"]).redacted == 0)
      }
      #expect(try await !self.message(registry, message).isRedacted)
      #expect(try await registry.receipt(alias: "ann", topics: ["com.example.app"]).redacted == 1)
      #expect(try await registry.receipt(alias: "eve", topics: ["com.example.app"]).redacted == 1)
      #expect(try await self.message(registry, unreached).isRedacted)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aKeptAnswerForgetsWhatTheMessageSaid(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      let message = try await queue(registry, "private", aliases: ["ann"])
      try await registry.changed { store throws(RegistryError) in
        for (key, identifier) in [("new", message), ("of an earlier version", nil)] {
          try store.keep(
            .init(
              request: "r", status: 202, body: #"{"id":"\#(message)","name":"private"}"#, message: identifier),
            "t", key: key, at: Self.now)
        }
      }
      _ = try await registry.receipt(alias: "ann")
      for key in ["new", "of an earlier version"] {
        let replay = try await registry.answer { store throws(RegistryError) in
          try store.replay("t", key: key)
        }
        #expect(replay == .init(request: "r", status: 202, body: nil, message: message))
      }
    }
  }

  // MARK: - What a server holds

  @Test(arguments: StoreKind.allCases)
  func aSenderIsToldWhatItMustNotSend(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await register(registry, tokenB, "bob")
      try await queue(registry, "private", aliases: ["ann"])
      try await queue(registry, "private", aliases: ["bob"])
      let claimed = try await claim(registry)
      #expect(try await revoked(registry).isEmpty)
      try await delete(registry, tokenA)
      let gone = try #require(claimed.first { $0.token == tokenA })
      #expect(try await revoked(registry) == [gone.identifier])
      // Put back, it ends instead of going out later.
      try await record(registry, [DeliveryOutcome(gone.identifier, .later(Self.now))])
      #expect(try await claim(registry).isEmpty)
      #expect(try await journal(registry).map(\.state) == [.sending, .cancelled])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aReceiptWaitsForWhatIsUnderWay(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await queue(registry, "private", aliases: ["ann"])
      let claimed = try await claim(registry)
      async let receipt = registry.receipt(alias: "ann")
      while try await revoked(registry).isEmpty { await Task.yield() }
      try await record(registry, claimed.map { DeliveryOutcome($0.identifier, .cancelled) })
      let (cancelled, remains) = try await (receipt.cancelled, receipt.remains.map(\.place))
      #expect(cancelled == 1)
      #expect(!remains.contains { $0.contains("push") })
    }
  }

  /// The first erasure leaves nothing that says whose push is under way, and the second answers no sooner.
  @Test(arguments: StoreKind.allCases)
  func aSecondReceiptWaitsForWhatTheFirstWaitsFor(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await queue(registry, "private", aliases: ["ann"])
      let claimed = try await claim(registry).map(\.identifier)
      let erasures = try await registry.changed { store throws(RegistryError) in
        [
          try store.erase(alias: "ann", topics: nil, at: Self.now),
          try store.erase(alias: "ann", topics: nil, at: Self.now),
        ]
      }
      #expect(erasures.map(\.underWay) == [claimed, []])
      #expect(erasures.map(\.nameless) == [[], claimed])
      async let receipt = registry.receipt(alias: "ann")
      try await record(registry, claimed.map { DeliveryOutcome($0, .cancelled) })
      let (counts, remains) = try await (receipt.counts, receipt.remains.map(\.place))
      #expect(counts == [0, 0, 0])
      #expect(!remains.contains { $0.contains("push") })
      let late = try await registry.changed { store throws(RegistryError) in
        try store.erase(alias: "ann", topics: nil, at: Self.now)
      }
      #expect(late.isOver)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func whatADeadServerHeldIsCancelledAndMayHaveGoneOut(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      try await queue(registry, "private", aliases: ["ann"])
      #expect(try await claim(registry).count == 1)
      _ = try await registry.changed { store throws(RegistryError) in
        try store.renewLease(of: "one", for: .seconds(-1), at: Self.now)
      }
      let receipt = try await registry.receipt(alias: "ann")
      #expect(receipt.counts == [1, 1, 1])
      let line = try #require(try await journal(registry).first)
      #expect(line.state == .cancelled)
      #expect(line.isMaybeTwice)
    }
  }

  /// Whether there is anything, a client of some topics does not learn.
  @Test(arguments: StoreKind.allCases)
  func aReceiptNamesTheTopicsItIsAbout(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let some = try await registry.receipt(alias: "ann", topics: ["com.example.b", "com.example.a"])
      let all = try await registry.receipt(alias: "ann")
      let notice = "topics other than com.example.a, com.example.b, if they have devices with the alias"
      #expect(some.remains.map(\.place).contains(notice))
      #expect(all.remains.allSatisfy { !$0.place.contains("topics") })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aCampaignThatGoesOnKeepsItsPayloadUntilItEnds(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await register(registry, tokenA, "ann")
      let campaign = try await registry.changed { store throws(RegistryError) -> Int64 in
        let request = CampaignRequest(
          content: Self.content("campaign"), audience: Audience(), isPaused: false)
        let plan = try store.plan(request, at: Self.now) { _ in nil }
        return try store.addCampaign(request, plan, actor: "test", at: Self.now)
      }
      let claimed = try await registry.changed { store throws(RegistryError) -> [ClaimedDelivery] in
        try store.renewLease(of: "one", for: .seconds(20), at: Self.now)
        return try store.claim("one", .production, limit: 1, at: Self.now)
      }
      #expect(claimed.map(\.token) == [tokenA])
      try await record(registry, claimed.map { DeliveryOutcome($0.identifier, .accepted) })
      let receipt = try await registry.receipt(alias: "ann")
      #expect(receipt.redacted == 0)
      #expect(receipt.remains.first?.place == "campaign \(campaign), which still goes out")
      #expect(try await message(registry, campaign).content.payload == Self.content("campaign").payload)
      // Nobody else is there, so it ends, and nobody but the person was its recipient.
      #expect(try await claim(registry).isEmpty)
      let ended = try await message(registry, campaign)
      #expect(ended.state == .completed)
      #expect(ended.isRedacted)
      #expect(ended.content.payload.isEmpty)
    }
  }

  // MARK: - Journals of before

  @Test(arguments: StoreKind.allCases)
  func tokensOfAnOlderJournalAreHashedBitByBit(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let tokens = (10..<20).map { String(repeating: "\($0)", count: 32) }
      for token in tokens { try await register(registry, token, "ann") }
      try await queue(registry, "shared", tokens: tokens)
      let claimed = try await claim(registry)
      try await record(registry, claimed.map { DeliveryOutcome($0.identifier, .accepted) })
      // As version 3 wrote it.
      try await registry.changed { store throws(RegistryError) in
        for delivery in claimed {
          try store.database.run(
            "UPDATE deliveries SET token = $1 WHERE id = $2",
            [.text(delivery.token), .int(delivery.identifier)])
        }
        try store.database.run(
          "INSERT INTO unhashed_deliveries (last_id) VALUES ($1)",
          [.int(claimed.map(\.identifier).max() ?? 0)])
      }
      let notice = "journal of an earlier version, until every token in it is replaced by its keyed hash"
      #expect(try await registry.receipt(alias: "eve").remains.map(\.place).contains(notice))
      try await delete(registry, tokens[0])
      for count in [4, 4, 2] {
        let before = try await hashes(registry)
        _ = try await registry.changed { store throws(RegistryError) in try store.hashOldTokens(limit: 4) }
        #expect(try await hashes(registry) == before + count)
      }
      while try await registry.changed({ store throws(RegistryError) in try store.hashOldTokens(limit: 4) }) {
      }
      #expect(Set(try await journal(registry).map(\.token)) == Set(tokens.map(registry.hash.token)))
      #expect(try await !registry.receipt(alias: "ann").remains.map(\.place).contains(notice))
      #expect(try await journal(registry).allSatisfy { $0.token.hasPrefix("erased-") })
    }
  }

  /// Without a key for APNs, too.
  @Test(arguments: StoreKind.allCases)
  func everyProgramThatOpensARegistryHashesItsOldJournal(_ kind: StoreKind) async throws {
    let folder = try ScratchFolder()
    guard let address = try kind.fresh(in: folder) else { return }
    var registry = try Registry(address)
    try await queue(registry, "private", tokens: [tokenA, tokenB])
    let claimed = try await claim(registry)
    try await record(registry, claimed.map { DeliveryOutcome($0.identifier, .accepted) })
    try await registry.changed { store throws(RegistryError) in
      for delivery in claimed {
        try store.database.run(
          "UPDATE deliveries SET token = $1 WHERE id = $2",
          [.text(delivery.token), .int(delivery.identifier)])
      }
      try store.database.run(
        "INSERT INTO unhashed_deliveries (last_id) VALUES ($1)", [.int(claimed[1].identifier)])
    }
    registry.stop()
    registry = try Registry(address)
    while try await hashes(registry) < 2 { await Task.yield() }
    registry.stop()
  }

  private func hashes(_ registry: Registry) async throws -> Int {
    try await journal(registry).count { KeyedHash.isHash($0.token) }
  }

  @Test(arguments: StoreKind.allCases)
  func bothDatabasesHashAsThisProgramDoes(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let row = try await registry.answer { store throws(RegistryError) in
        try store.database.run(
          "SELECT \(store.database.dialect.tokenHash("token")) FROM (SELECT '\(tokenA)' AS token) AS one")
      }
      #expect(row.map(\.values) == [[.text(registry.hash.token(tokenA))]])
    }
  }
}

extension ErasureReceipt {
  fileprivate var counts: [Int] { [erased, cancelled, redacted] }
}

/// RFC 2104 by the cases of RFC 4231.
@Suite("Keyed hash")
struct KeyedHashTests {
  @Test func isTheStartOfAnHMAC() {
    // RFC 4231, 4.3: the key 'Jefe'.
    let hash = KeyedHash(key: Array("Jefe".utf8))
    #expect(hash.token("what do ya want for nothing?") == "hmac-5bdcc146bf60754e6a042426089575c7")
    #expect(KeyedHash.isHash(hash.token(tokenA)))
    #expect(hash.alias(tokenA) != hash.token(tokenA))
    #expect(!KeyedHash.isHash(tokenA))
    #expect(!KeyedHash.isHash("hmac-5BDCC146BF60754E6A042426089575C7"))
  }
}
