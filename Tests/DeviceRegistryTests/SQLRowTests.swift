import LinkspanCore
import PushProvider
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Rows are read by the names of their columns, over both stores.
@Suite("SQL rows", .timeLimit(.minutes(15)))
struct SQLRowTests {
  private func reversed(_ columns: String) -> String {
    columns.split(separator: ", ").reversed().joined(separator: ", ")
  }

  @Test(arguments: StoreKind.allCases)
  func columnsMayComeInAnyOrder(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      _ = try await registry.registered(
        registration(tokenA) {
          $0.attributes.alias = "ann"
          $0.attributes.tags = ["x", "y"]
          $0.attributes.locale = "de_AT"
          $0.attributes.latitude = 0.5
          $0.given = .all
        })
      try await ErasureTests().queue(registry, "private", aliases: ["ann"])
      let (devices, messages) = (reversed(RegistryStore.columns), reversed(RegistryStore.messageColumns))
      let deliveries = reversed(RegistryStore.deliveryColumns)
      try await registry.answer { store throws(RegistryError) in
        let database = store.database
        #expect(
          try database.run("SELECT \(devices) FROM devices").decoded(RegistryStore.device)
            == store.devices(DeviceFilter(), limit: 10))
        #expect(
          try "\(database.run("SELECT \(messages) FROM messages").decoded(RegistryStore.message))"
            == "\(store.messages(nil, topics: nil, limit: 10))")
        #expect(
          try database.run(
            "SELECT \(deliveries) FROM \(RegistryStore.journal)"
          ).decoded(RegistryStore.delivery) == store.deliveries(DeliveryFilter(), limit: 10))
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aColumnThatIsMissingIsNamed(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      _ = try await registry.registered(registration(tokenA))
      let error = await #expect(throws: RegistryError.self) {
        try await registry.answer { store throws(RegistryError) in
          _ = try store.database.run("SELECT token, badge FROM devices").decoded(RegistryStore.device)
        }
      }
      #expect(
        error?.message == "An answer of the registry's store has no column 'id'; it has 'token', 'badge'.")
      #expect(error?.kind == .damaged)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aValueOfAnotherTypeIsNamed(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      _ = try await registry.registered(registration(tokenA))
      let error = await #expect(throws: RegistryError.self) {
        try await registry.answer { store throws(RegistryError) in
          _ = try store.database.run("SELECT token FROM devices").first?.int("token")
        }
      }
      #expect(
        error?.message == "The registry's store has no whole number in column 'token' of an answer.")
    }
  }

  /// The names are those of the statement, also when it runs many times and when it answers nothing.
  @Test(arguments: StoreKind.allCases)
  func eachStatementHasItsNames(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let rows = try await registry.answer { store throws(RegistryError) in
        let one = "SELECT CAST($1 AS BIGINT) AS one, 2 AS two"
        let none = try store.database.run("SELECT token FROM devices").texts("no such name")
        #expect(none.isEmpty)
        return try store.database.runEach(one, [[.int(1)], [.int(3)]]).map { rows throws(RegistryError) in
          try rows.ints("one") + rows.ints("two")
        }
      }
      #expect(rows == [[1, 2], [3, 2]])
    }
  }
}
