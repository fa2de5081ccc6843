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

  /// A server that goes down at once says so and closes. Then libpq cannot write, and holds the connection for a good one.
  @Test func whatCannotBeWrittenIsAskedAgainOverANewConnection() async throws {
    guard let server = PostgresServer.address("postgres"), let folder = PostgresServer.folder
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript("CREATE DATABASE going_down")
    let proxy = try PostgresProxy(to: folder)
    let address = "postgres:///going_down?host=\(proxy.folder)&user=tests"
    let registry = try Registry(.postgres(ServiceAddress(address)), readerCount: 1)
    defer { registry.stop() }
    _ = try await registry.registered(registration(tokenA))
    for _ in 0..<3 {
      #expect(try await registry.count(DeviceFilter()) == 1)
      proxy.goDown()
    }
    // One that is prepared first.
    let lines = try await registry.answer { store throws(RegistryError) in try store.auditLog(limit: 5) }
    #expect(lines.map(\.action) == ["device.register"])
    // Of a change nobody knows whether it was made; the store is not damaged.
    for _ in 0..<3 {
      proxy.goDown()
      do {
        try await registry.changed { store throws(RegistryError) in try store.touch() }
      } catch let error as RegistryError {
        #expect(error.kind == .uncertain && error.isDisconnected, "\(error)")
      }
    }
    let database = try PostgresDatabase(ServiceAddress(address))
    proxy.goDown()
    for _ in 0..<2 {
      let error = #expect(throws: RegistryError.self) { try database.runScript("SELECT 1") }
      #expect(error?.isDisconnected == true)
      #expect(
        error?.message
          == "The connection to the registry's PostgreSQL is lost: server closed the connection unexpectedly."
      )
    }
    try database.recover()
    try database.runScript("SELECT 1")
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

  /// A change that came while another waited had waited 5 s before its own 5 s began.
  @Test func noChangeWaitsLongerThanFiveSecondsForALostConnection() throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("full")
    else { return }
    let admin = try PostgresDatabase(ServiceAddress(server))
    try admin.runScript("CREATE DATABASE \"full\"")
    try Registry(.postgres(ServiceAddress(address))).stop()
    let store = RegistryStore(try PostgresDatabase(ServiceAddress(address)))
    try admin.runScript("ALTER DATABASE \"full\" ALLOW_CONNECTIONS false")
    try admin.run("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = 'full'")
    let (time, waited) = (LockedState(ContinuousClock.now), LockedState<[Duration]>([]))
    let now = { @Sendable in time.withLock { $0 } }
    let queue = WorkQueue<Registry.Change>(limit: 10, now: now)
    func add() {
      let start = now()
      let change = Registry.Change.Other(
        body: { store throws(RegistryError) in
          try store.audit([AuditEntry(time: WallTime(milliseconds: 0), actor: "test", action: "test")])
          return {}
        }, isErasure: false, isAwaited: true,
        fail: { _ in waited.withLock { $0.append(now() - start) } })
      #expect(queue.add(.other(change)))
    }
    add()
    // Each attempt takes 50 ms; the second change comes with the third.
    var (attempts, looks) = (0, 0)
    let writer = RegistryWriter(
      store,
      wait: { pause in
        attempts += 1
        if attempts == 3 { add() }
        if attempts == 4 { queue.close() }
        time.withLock { $0 += pause }
      },
      now: {
        // Before an attempt and after it.
        looks += 1
        if looks.isMultiple(of: 2) { time.withLock { $0 += .milliseconds(50) } }
        return time.withLock { $0 }
      })
    writer.run(queue)
    try admin.runScript("ALTER DATABASE \"full\" ALLOW_CONNECTIONS true")
    let longest = waited.withLock { $0 }.max() ?? .zero
    #expect(waited.withLock { $0.count } == 2)
    #expect(longest > .seconds(4) && longest <= .milliseconds(5_100), "\(longest)")
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
