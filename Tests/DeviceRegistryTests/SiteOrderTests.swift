import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Orders about hosts, over both stores.
@Suite struct SiteOrderTests {
  private static let now = WallTime("2026-09-14T08:00:00Z")!

  private static func order(_ host: String?, _ kind: SiteOrder.Kind, _ byte: UInt8 = 0x61) -> SiteOrder {
    SiteOrder(
      host: host, kind: kind, associationFile: [byte, 0x00, 0xFF], assetLinks: nil, servesRootName: true,
      replaced: ["d1", nil], actor: "console:ada", since: now)
  }

  @Test(arguments: StoreKind.allCases) func keepsEveryMember(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let given = [Self.order("Shop.example", .rollback), Self.order(nil, .removalHeld)]
      let stored = try await registry.changed { store throws(RegistryError) in try store.add(given) }
      #expect(stored.map(\.revision) == [1, 2])
      let read = try await registry.answer { store throws(RegistryError) in try store.siteOrders(after: 0) }
      #expect(read == stored)
      #expect(read.map(\.host) == ["shop.example", nil])
      #expect(read[0].replaced == ["d1", nil])
    }
  }

  @Test(arguments: StoreKind.allCases) func aLaterOrderTakesThePlaceOfAnEarlierOne(_ kind: StoreKind)
    async throws
  {
    try await kind.test { registry in
      for (word, byte) in [(SiteOrder.Kind.rollback, UInt8(1)), (.released, 2), (.pin, 3)] {
        _ = try await registry.changed { store throws(RegistryError) in
          try store.add([Self.order("a.example", word, byte)])
        }
      }
      let read = try await registry.answer { store throws(RegistryError) in try store.siteOrders(after: 1) }
      #expect(read.map(\.kind) == [.pin])
      #expect(read.map(\.revision) == [3])
      let none = try await registry.answer { store throws(RegistryError) in try store.siteOrders(after: 3) }
      #expect(none.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func anEndIsNewsAndAFolderMoreIsNone(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let order = try await registry.changed { store throws(RegistryError) in
        try store.add([Self.order("a.example", .rollback)])
      }[0]
      for digest in ["d2", "d1", nil] {
        try await registry.changed { store throws(RegistryError) in
          try store.note(digest, replacedBy: order)
        }
      }
      let noted = try await registry.answer { store throws(RegistryError) in try store.siteOrders(after: 0) }
      #expect(noted.map(\.replaced) == [["d1", nil, "d2"]])
      #expect(noted.map(\.revision) == [1] && !noted[0].hasEnded)
      try await registry.changed { store throws(RegistryError) in try store.end(order, at: Self.now) }
      let ended = try await registry.answer { store throws(RegistryError) in try store.siteOrders(after: 1) }
      #expect(ended.map(\.hasEnded) == [true])
      // Of an order that has a successor nothing is changed.
      let later = try await registry.changed { store throws(RegistryError) in
        try store.add([Self.order("a.example", .pin)])
      }
      for earlier in [order, ended[0]] {
        try await registry.changed { store throws(RegistryError) in
          try store.note("d9", replacedBy: earlier)
          try store.end(earlier, at: Self.now)
        }
      }
      let last = try await registry.answer { store throws(RegistryError) in try store.siteOrders(after: 0) }
      #expect(last == later)
    }
  }

  /// No person has ordered it.
  @Test(arguments: StoreKind.allCases) func aHeldRemovalTakesThePlaceOfNoOrderThatItsServerDoesNotKnow(
    _ kind: StoreKind
  ) async throws {
    try await kind.test { registry in
      func stored(_ orders: [SiteOrder]) async throws -> [SiteOrder] {
        try await registry.changed { store throws(RegistryError) in try store.add(orders) }
      }
      let removed = try await stored([Self.order("a.example", .removed)])[0]
      var held = [Self.order("a.example", .removalHeld), Self.order("b.example", .removalHeld)]
      #expect(try await stored(held).map(\.host) == ["b.example"])
      held[0].revision = removed.revision
      #expect(try await stored(held).map(\.host) == ["a.example"])
    }
  }

  /// A server that asks for what is new never misses an order whose transaction ended later than that of a higher revision.
  @Test func revisionsAreSeenInTheirOrder() throws {
    let folder = try ScratchFolder()
    guard let address = try StoreKind.postgres.fresh(in: folder) else { return }
    try Registry(address).stop()
    let (other, store) = (try SecondServer(address), try SecondServer.store(address))
    let count = "SELECT revision FROM site_order_count"
    try store.database.runScript("BEGIN")
    _ = try store.add([Self.order("b.example", .pin)])
    #expect(try !other.gets(count), "another server waits for its revision")
    try store.database.runScript("COMMIT")
    #expect(try other.gets(count))
  }
}
