import LinkspanCore
import PushCampaigns
import PushProvider
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import RegistryRequests

/// Two aliases that look alike, "é" in one character and in two, are two persons to a store, which compares bytes; Swift's `==`
/// takes one for the other.
@Suite("Texts that look alike", .timeLimit(.minutes(15)))
struct SimilarTextsTests {
  private static let now = SendingContractTests.now
  private static let aliases = ["jos\u{E9}", "jose\u{301}"]
  private let histories = ErasureTests()

  private func order(_ aliases: [String]) -> NotificationOrder {
    NotificationOrder(
      NotificationRequest(
        content: SendingContractTests.content, tokens: [], aliases: aliases, confirmed: nil),
      actor: "test", at: Self.now, nil, isRefused: { _ in false }, kept: { _ in nil })
  }

  @Test(arguments: StoreKind.allCases)
  func eachPersonGetsItsOwnNotification(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      for (token, alias) in zip([tokenA, tokenB], Self.aliases) {
        try await histories.register(registry, token, alias)
      }
      // In one transaction, as of clients that ask at the same time.
      let orders = [order([Self.aliases[0]]), order([Self.aliases[1]]), order(Self.aliases)]
      _ = try await registry.changed { store throws(RegistryError) in try store.notify(orders) }
      let claimed = try await histories.claim(registry).sorted { $0.message < $1.message }
      #expect(claimed.map(\.token).prefix(2) == [tokenA, tokenB])
      #expect(claimed.map(\.token).dropFirst(2).sorted() == [tokenA, tokenB].sorted())
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDeviceThatMovesToTheOtherGetsNothingOfBefore(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await histories.register(registry, tokenA, Self.aliases[0])
      try await histories.queue(registry, "private", aliases: [Self.aliases[0]])
      try await histories.register(registry, tokenA, Self.aliases[1])
      #expect(try await histories.claim(registry).isEmpty)
      #expect(try await registry.receipt(alias: Self.aliases[0]).redacted == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anImportThatGivesADeviceTheOtherIsADeparture(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await histories.register(registry, tokenA, Self.aliases[0])
      try await histories.queue(registry, "private", aliases: [Self.aliases[0]])
      let found = try await registry.answer { store throws(RegistryError) in
        try store.devices(DeviceFilter(), limit: 1)
      }
      var device = try #require(found.first)
      device.attributes.alias = Self.aliases[1]
      device.lastSeenAt = Self.now.advanced(by: .seconds(60))
      let devices = [device]
      _ = try await registry.changed { store throws(RegistryError) in
        try store.importDevices(devices, at: Self.now)
      }
      #expect(try await histories.claim(registry).isEmpty)
    }
  }

  @Test func aTemplateAsksForATagAsAQueryDoes() throws {
    var device = DeviceTraits(token: tokenA)
    device.tags = [Self.aliases[1]]
    let text = "{\"a\":\"{{#if tag:\(Self.aliases[0])}}yes{{else}}no{{/if}}\"}"
    #expect(try PayloadTemplate.reading(text).get().text(for: device.values) == #"{"a":"no"}"#)
  }
}
