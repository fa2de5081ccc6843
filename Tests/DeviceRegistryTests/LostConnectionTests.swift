import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Connections that PostgreSQL has ended while nobody used them, as all of them after its restart.
@Suite("Lost connection", .timeLimit(.minutes(15)))
struct LostConnectionTests {
  @Test func theFirstReadIsAskedAgainOverANewConnection() async throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("reader")
    else { return }
    let admin = try PostgresDatabase(ServiceAddress(server))
    try admin.runScript("CREATE DATABASE reader")
    let registry = try Registry(.postgres(ServiceAddress(address)), readerCount: 1)
    defer { registry.stop() }
    _ = try await registry.registered(registration(tokenA))
    for _ in 0..<3 {
      try admin.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'reader'")
      #expect(try await registry.count(DeviceFilter()) == 1)
    }
  }

  /// A change that begins on a connection which is known to be lost was told to be uncertain at its commit.
  @Test func afterALossAtACommitTheNextChangeIsMade() async throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("committing")
    else { return }
    let admin = try PostgresDatabase(ServiceAddress(server))
    try admin.runScript("CREATE DATABASE committing")
    let registry = try Registry(.postgres(ServiceAddress(address)), readerCount: 1)
    defer { registry.stop() }
    let entry = AuditEntry(time: WallTime(milliseconds: 0), actor: "test", action: "test")
    let audit = { @Sendable (store: RegistryStore) throws(RegistryError) in try store.audit([entry]) }
    // Its statements are prepared, so that nothing is asked before the commit.
    try await registry.changed(audit)
    let error = await #expect(throws: RegistryError.self) {
      try await registry.changed { store throws(RegistryError) in
        try store.renewLease(of: "one", for: .seconds(20), at: WallTime(milliseconds: 0))
        try PostgresDatabase(ServiceAddress(server)).run(
          "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = 'committing'")
      }
    }
    #expect(error?.kind == .uncertain)
    try await registry.changed(audit)
    #expect(
      try await registry.answer { store throws(RegistryError) in try store.auditLog(limit: 5).count } == 2)
  }

  @Test func aReadWithoutAServerSaysThatTheConnectionIsLost() async throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("closed")
    else { return }
    let admin = try PostgresDatabase(ServiceAddress(server))
    try admin.runScript("CREATE DATABASE closed")
    let registry = try Registry(.postgres(ServiceAddress(address)), readerCount: 1)
    defer { registry.stop() }
    try admin.runScript("ALTER DATABASE closed ALLOW_CONNECTIONS false")
    try admin.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'closed'")
    let error = await #expect(throws: RegistryError.self) { try await registry.count(DeviceFilter()) }
    #expect(error?.isDisconnected == true)
    #expect(error?.message.hasPrefix("The connection to the registry's PostgreSQL is lost: ") == true)
    try admin.runScript("ALTER DATABASE closed ALLOW_CONNECTIONS true")
    #expect(try await registry.count(DeviceFilter()) == 0)
  }
}
