import TestSupport
import Testing

@testable import DeviceRegistry

/// What only PostgreSQL can get wrong.
@Suite("PostgreSQL registry", .timeLimit(.minutes(15)))
struct PostgresRegistryTests {
  @Test(arguments: [true, false]) func readingNeverMakesARegistry(onlyReads: Bool) throws {
    let name = onlyReads ? "empty" : "mistyped"
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address(name)
    else { return }
    try PostgresDatabase(server).runScript("CREATE DATABASE \(name)")
    let error = #expect(throws: RegistryError.self) {
      try Registry(.postgres(address), makesFile: false, onlyReads: onlyReads)
    }
    #expect(error?.kind == .cannotOpen)
    #expect(
      error?.message == "There is no registry in this database: it has no table 'linkspan_registry'.")
    #expect(try PostgresDatabase(address).run(SQLDialect.postgres.findsRegistry).isEmpty)
  }
}
