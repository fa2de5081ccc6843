import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Devices of an export, over both stores: as many statements for a page as for a line, and the same outcome.
@Suite("Import of devices", .timeLimit(.minutes(5)))
struct DeviceImportTests {
  private static let later = WallTime(milliseconds: 9_000)

  private func devices(_ registry: Registry) async throws -> [Device] {
    try await registry.answer { store throws(RegistryError) in try store.devices(DeviceFilter(), limit: 10) }
  }

  private func imported(_ registry: Registry, _ devices: [Device]) async throws -> Int {
    try await registry.changed { store throws(RegistryError) in
      try store.importDevices(devices, at: Self.later)
    }
  }

  /// A page may name a device several times.
  @Test(arguments: StoreKind.allCases)
  func theNewestLineOfADeviceWins(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      _ = try await registry.registered(
        registration(SendingContractTests.token(0), at: 1_000) { $0.attributes.alias = "ann" })
      let known = try #require(try await devices(registry).first)
      func line(_ token: Int, _ alias: String?, _ seen: Int64) -> Device {
        var device = known
        device.token = SendingContractTests.token(token)
        device.attributes.alias = alias
        device.attributes.latitude = 0.5
        device.attributes.tags = ["a \"b\"", "c\\d"]
        device.lastSeenAt = WallTime(milliseconds: seen)
        return device
      }
      let lines = [line(0, "old", 500), line(0, "bob", 2_000), line(1, nil, 10), line(0, "eve", 3_000)]
      #expect(try await imported(registry, lines) == 3)
      #expect(try await imported(registry, lines) == 0)
      let found = try await devices(registry).sorted { $0.token < $1.token }
      #expect(found.map(\.attributes.alias) == ["eve", nil])
      #expect(found.map(\.lastSeenAt.milliseconds) == [3_000, 10])
      #expect(
        found.allSatisfy { $0.attributes.tags == ["a \"b\"", "c\\d"] && $0.attributes.latitude == 0.5 })
      // Whom the device left, so that an erasure finds what it was sent.
      let former = try await registry.changed { store throws(RegistryError) in
        try store.database.run("SELECT alias FROM former_aliases").texts("alias") == [store.hash.alias("ann")]
      }
      #expect(former)
    }
  }

  @Test func aPageCostsAsManyRoundTripsAsALine() async throws {
    let folder = try ScratchFolder()
    guard let address = try StoreKind.postgres.fresh(in: folder), case .postgres(let server) = address
    else { return }
    defer { try? StoreKind.postgres.remove(address) }
    let registry = try Registry(address)
    defer { registry.stop() }
    _ = try await registry.registered(registration(SendingContractTests.token(0), at: 1_000) { _ in })
    let known = try #require(try await devices(registry).first)
    let database = try PostgresDatabase(server, findsByKey: true)
    let store = RegistryStore(database)
    try store.loadHash()
    func roundTrips(_ numbers: Range<Int>) throws -> Int {
      let lines = numbers.map { number in
        var device = known
        device.token = SendingContractTests.token(number)
        return device
      }
      let before = database.roundTripCount
      let count = try store.transaction { () throws(RegistryError) in
        try store.importDevices(lines, at: Self.later)
      }
      #expect(count == numbers.count)
      return database.roundTripCount - before
    }
    _ = try roundTrips(1..<2)
    let line = try roundTrips(2..<3)
    #expect(try roundTrips(3..<1_000) == line)
  }
}
