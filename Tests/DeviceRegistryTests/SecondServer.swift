import LinkspanCore
import LinkspanSystem
import RegistryRequests
import TestSupport

@testable import DeviceRegistry
@testable import RegistryDatabases

/// Another server on the same PostgreSQL, whose transactions a test holds open.
struct SecondServer {
  let address: RegistryAddress
  /// Begins and ends when the test says so.
  let database: any SQLDatabase

  init(_ address: RegistryAddress) throws {
    self.address = address
    database = try address.open()
  }

  /// A store over a connection of its own. Where it waits although it must not, its statement fails.
  static func store(_ address: RegistryAddress) throws(RegistryError) -> RegistryStore {
    let store = RegistryStore(try address.open(at: nil))
    try store.loadHash()
    try store.database.runScript("SET lock_timeout = '20s'")
    return store
  }

  /// Whether a statement that locks rows gets them at once.
  func gets(_ sql: String, _ values: [SQLValue] = []) throws -> Bool {
    do {
      return try !database.run(sql + " FOR UPDATE NOWAIT", values).isEmpty
    } catch let error where error.message.contains("could not obtain lock") {
      return false
    }
  }

  /// Has the first server change something meanwhile, until that waits for a lock or is done.
  func whileWaiting<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) async throws -> Waiting<Answer> {
    let waiting = try Waiting(address, body)
    let watcher = try address.open()
    while waiting.isOpen {
      let blocked = try watcher.run(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
      if !blocked.isEmpty { break }
      await Task.yield()
    }
    return waiting
  }

  /// A transaction on a thread of its own.
  final class Waiting<Answer: Sendable>: Sendable {
    private let answer = LockedState<Result<Answer, RegistryError>?>(nil)
    private let thread: JoinableThread

    init(
      _ address: RegistryAddress,
      _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
    ) throws {
      thread = try JoinableThread { [answer] in
        let result = Result { () throws(RegistryError) -> Answer in
          let store = try SecondServer.store(address)
          return try store.transaction { () throws(RegistryError) in try body(store) }
        }
        answer.withLock { $0 = result }
        answer.signal(all: true)
      }
    }

    deinit { thread.join() }

    var isOpen: Bool { answer.withLock { $0 == nil } }

    func get() throws(RegistryError) -> Answer { try answer.wait { $0 }.get() }
  }
}
