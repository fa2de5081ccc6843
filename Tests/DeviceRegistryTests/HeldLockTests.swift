import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Locks of another program that stay: a migration, or a transaction that somebody left open.
@Suite("Held locks", .serialized, .timeLimit(.minutes(15)))
struct HeldLockTests {
  fileprivate static let entry = AuditEntry(time: WallTime(milliseconds: 0), actor: "test", action: "test")

  /// Changes that write into the audit log.
  private struct Audits {
    /// How often one of them began.
    let runs = LockedState(0)
    /// How many failed behind a lock.
    let locked = LockedState(0)

    func changes(
      _ count: Int, _ more: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Void
    ) -> [Registry.Change] {
      (0..<count).map { _ in
        .other(
          .init(
            body: { store throws(RegistryError) in
              runs.withLock { $0 += 1 }
              try store.audit([HeldLockTests.entry])
              try more(store)
              return {}
            }, isErasure: false, fail: { error in if error.isLocked { locked.withLock { $0 += 1 } } }))
      }
    }
  }

  /// A database whose locks are waited for shortly, with a registry in it.
  private func address(_ name: String) throws -> RegistryAddress? {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address(name) else {
      return nil
    }
    let admin = try PostgresDatabase(ServiceAddress(server))
    try admin.runScript("CREATE DATABASE \(name)")
    try Registry(.postgres(ServiceAddress(address))).stop()
    try admin.runScript("ALTER DATABASE \(name) SET lock_timeout = '50ms'")
    return .postgres(ServiceAddress(address))
  }

  @Test func clientsDoNotWaitForeverForALock() async throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("waits")
    else { return }
    try PostgresDatabase(ServiceAddress(server)).runScript("CREATE DATABASE waits")
    let registry = try Registry(.postgres(ServiceAddress(address)), readerCount: 1)
    defer { registry.stop() }
    let ask = { @Sendable (store: RegistryStore) throws(RegistryError) in
      try store.database.run("SELECT current_setting('lock_timeout') AS patience").first?.text("patience")
    }
    #expect(try await registry.changed(ask) == "4s")
    #expect(try await registry.answer(ask) == "4s")
  }

  /// Nothing of what fails is made, and what follows the lock is made as ever.
  @Test func behindALockedTableChangesAndQuestionsFailAndNothingIsMade() async throws {
    guard let address = try address("locked") else { return }
    let registry = try Registry(address, readerCount: 1)
    defer { registry.stop() }
    let other = try address.open()
    try other.runScript("BEGIN; LOCK TABLE devices IN ACCESS EXCLUSIVE MODE")
    let change = await #expect(throws: RegistryError.self) {
      try await registry.registered(registration(tokenA))
    }
    let question = await #expect(throws: RegistryError.self) { try await registry.count(DeviceFilter()) }
    for error in [change, question] {
      #expect(error?.kind == .unavailable && error?.isLocked == true)
      #expect(
        error?.message
          == "Another program holds a lock in the registry's PostgreSQL: canceling statement due to lock timeout."
      )
    }
    try other.runScript("ROLLBACK")
    #expect(try await registry.count(DeviceFilter()) == 0)
    _ = try await registry.registered(registration(tokenA))
    #expect(try await registry.count(DeviceFilter()) == 1)
  }

  /// What one transaction made of many changes fails, and they are made one by one: those of other rows.
  @Test func aLockedRowHoldsUpTheChangesOfThatRowAlone() async throws {
    guard let address = try address("locked_row") else { return }
    let registry = try Registry(address, readerCount: 1)
    defer { registry.stop() }
    _ = try await registry.registered(registration(tokenA))
    let other = try address.open()
    try other.runScript("BEGIN; SELECT 1 FROM devices FOR UPDATE")
    let store = try SecondServer.store(address)
    try store.database.runScript("SET lock_timeout = '50ms'")
    let results = LockedState<[String]>([])
    let changes = try [tokenA, tokenB].map { token in
      Registry.Change.register(try registration(token), actor: "test") { result in
        let word =
          if case .failure(let error) = result { error.isLocked ? "locked" : "failed" } else { "made" }
        results.withLock { $0.append(word) }
      }
    }
    RegistryWriter(store).make(changes)
    try other.runScript("ROLLBACK")
    #expect(results.withLock { $0 } == ["locked", "made"])
    #expect(try await registry.count(DeviceFilter()) == 2)
  }

  /// Somebody ends the server's connections to get a lock.
  @Test func behindALockThatFollowsALostConnectionFewChangesWaitOneByOne() throws {
    guard let address = try address("locked_after_loss") else { return }
    let store = try SecondServer.store(address)
    let other = try address.open()
    try other.runScript(
      """
      BEGIN; LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
    let audits = Audits()
    RegistryWriter(store).make(audits.changes(20) { _ in })
    try other.runScript("ROLLBACK")
    #expect(audits.locked.withLock { $0 } == 20)
    #expect(audits.runs.withLock { $0 } <= 3, "the rest is refused without waiting")
  }

  /// Each waits for the lock by itself: behind two of them the others are refused without waiting, or a thousand would wait for
  /// an hour.
  @Test func behindALockedTableFewChangesWaitOneByOne() throws {
    guard let address = try address("locked_many") else { return }
    let store = try SecondServer.store(address)
    try store.database.runScript("SET lock_timeout = '50ms'")
    let other = try address.open()
    try other.runScript("BEGIN; LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE")
    let audits = Audits()
    RegistryWriter(store).make(
      audits.changes(100) { store throws(RegistryError) in _ = try store.auditLog(limit: 1) })
    try other.runScript("ROLLBACK")
    #expect(audits.locked.withLock { $0 } == 100)
    #expect(audits.runs.withLock { $0 } == 3, "once together, and twice alone")
  }

  /// A store, and a queue by a clock that the test moves.
  private static func timed(
    _ folder: ScratchFolder
  ) throws -> (RegistryStore, LockedState<ContinuousClock.Instant>, WorkQueue<Registry.Change>) {
    let store = RegistryStore(try RegistryAddress.sqlite(path: folder.path("registry.db")).open())
    try store.migrate()
    try store.loadHash()
    let time = LockedState(ContinuousClock.now)
    return (store, time, WorkQueue(limit: 10) { time.withLock { $0 } })
  }

  /// What the histogram of the metrics is made of: from when a change came to when it was durable, or refused.
  @Test func howLongEachChangeWaitedIsNoted() throws {
    let folder = try ScratchFolder()
    let (store, time, queue) = try Self.timed(folder)
    func add(_ seconds: Int64) {
      let change = Registry.Change.Other(
        body: { _ in
          time.withLock { $0 += .seconds(seconds) }
          return {}
        }, isErasure: false, isAwaited: true, fail: { _ in })
      #expect(queue.add(.other(change)))
    }
    add(0)
    time.withLock { $0 += RegistryWriter.queuePatience }
    add(0)
    time.withLock { $0 += .seconds(1) }
    add(3)
    queue.close()
    var times = TimeHistogram([1_000, 5_000])
    RegistryWriter(store, note: { for time in $0 { times.note(time.wholeMilliseconds) } }).run(queue)
    #expect(times.counts == [0, 2, 1], "3 s, 4 s, and what was refused after its patience")
    #expect(times.sumMilliseconds == 3_000 + 4_000 + RegistryWriter.queuePatience.wholeMilliseconds)
    times.note(-5)
    #expect(times.counts == [1, 2, 1])
  }

  /// A client that was answered no finds that nothing was made of it, and what nobody is answered about is made however late.
  @Test func aChangeThatIsTakenTooLateIsRefused() throws {
    let folder = try ScratchFolder()
    let (store, time, queue) = try Self.timed(folder)
    let told = LockedState<[String]>([])
    func add(_ name: String, isAwaited: Bool) {
      let change = Registry.Change.Other(
        body: { _ in { told.withLock { $0.append("\(name) made") } } }, isErasure: false,
        isAwaited: isAwaited, fail: { error in told.withLock { $0.append("\(name) \(error.kind)") } })
      #expect(queue.add(.other(change)))
    }
    add("old", isAwaited: true)
    add("own", isAwaited: false)
    time.withLock { $0 += RegistryWriter.queuePatience }
    add("new", isAwaited: true)
    queue.close()
    RegistryWriter(store).run(queue)
    #expect(told.withLock { $0 } == ["old overloaded", "own made", "new made"])
  }
}
