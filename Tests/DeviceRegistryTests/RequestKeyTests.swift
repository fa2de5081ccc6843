import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Keys of requests that ask APNs first, over both stores.
@Suite("Keys that are reserved", .timeLimit(.minutes(5)))
struct RequestKeyTests {
  private static let now = SendingContractTests.now

  private func reserve(
    _ registry: Registry, _ request: String = "request", as actor: String = "one", after seconds: Int = 0
  ) async throws -> RegistryStore.Reservation {
    let now = Self.now.advanced(by: .seconds(seconds))
    return try await registry.changed { store throws(RegistryError) in
      try store.reserve(request, actor, key: "key", at: now)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aReservedKeyIsFreeForNobodyElse(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      #expect(try await reserve(registry) == .free)
      #expect(try await reserve(registry) == .underWay)
      #expect(try await reserve(registry, "other") == .otherRequest)
      #expect(try await reserve(registry, as: "two") == .free)
      // Nothing was done.
      try await registry.changed { store throws(RegistryError) in try store.release("one", key: "key") }
      #expect(try await reserve(registry, "other") == .free)
    }
  }

  /// A server that died in between is replaced after a while, and an answer stays.
  @Test(arguments: StoreKind.allCases)
  func aKeyHasItsAnswerOnce(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      #expect(try await reserve(registry) == .free)
      #expect(try await reserve(registry, after: 60) == .underWay)
      #expect(try await reserve(registry, after: 61) == .free)
      #expect(try await reserve(registry, after: 61) == .underWay)
      let answer = RegistryStore.Replay(request: "request", status: 201, body: "{}")
      try await registry.changed { store throws(RegistryError) in
        try store.settle(answer, "one", key: "key")
        try store.release("one", key: "key")
      }
      #expect(try await reserve(registry, after: 500) == .answered(answer))
      let late = RegistryStore.Replay(request: "request", status: 500, body: nil)
      try await registry.changed { store throws(RegistryError) in
        try store.settle(late, "one", key: "key")
      }
      #expect(try await reserve(registry, after: 500) == .answered(answer))
    }
  }
}
