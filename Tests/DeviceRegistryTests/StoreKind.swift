import Foundation
import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests
import Synchronization
import TestSupport

@testable import DeviceRegistry
@testable import RegistryDatabases

/// The two stores; every test of the contract runs over both.
enum StoreKind: String, CaseIterable, Sendable {
  case sqlite, postgres

  private static let number = Atomic<Int>(0)

  /// An empty store, or nil where PostgreSQL is not installed; the reason is printed then.
  func fresh(in folder: ScratchFolder) throws -> RegistryAddress? {
    switch self {
    case .sqlite: return .sqlite(path: folder.path("registry.db"))
    case .postgres:
      guard let server = PostgresServer.address("postgres") else { return nil }
      let name = "test\(Self.number.add(1, ordering: .relaxed).newValue)"
      try PostgresDatabase(ServiceAddress(server)).runScript("CREATE DATABASE \(name)")
      return PostgresServer.address(name).map { .postgres(ServiceAddress($0)) }
    }
  }

  /// Removes what ``fresh(in:)`` made outside of the folder.
  func remove(_ address: RegistryAddress) throws {
    guard case .postgres(let database) = address, let server = PostgresServer.address("postgres") else {
      return
    }
    let name = try PostgresDatabase(database).run("SELECT current_database()::text AS name")[0].text("name")
    try PostgresDatabase(ServiceAddress(server)).runScript("DROP DATABASE \(name) WITH (FORCE)")
  }

  /// Runs a test over an empty registry.
  func test(_ body: (Registry) async throws -> Void) async throws {
    let folder = try ScratchFolder()
    guard let address = try fresh(in: folder) else { return }
    let registry = try Registry(address)
    defer { registry.stop() }
    try await body(registry)
  }
}

extension RegistryAddress {
  func open() throws -> any SQLDatabase { try open(at: place()) }
}

extension SQLiteDatabase {
  convenience init(
    _ path: String, isReader: Bool = false, sizes: SQLiteCheckpoints.Sizes = SQLiteCheckpoints.Sizes()
  ) throws {
    try self.init(RegistryPlace(path), isReader: isReader, sizes: sizes)
  }
}

extension Registry {
  func registered(_ registration: DeviceRegistration, actor: String = "test") async throws -> RegisteredDevice
  {
    try await withCheckedThrowingContinuation { continuation in
      register(registration, actor: actor) { continuation.resume(with: $0) }
    }
  }

  func changed<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      change(body) { continuation.resume(with: $0) }
    }
  }

  func answer<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      ask(body) { continuation.resume(with: $0) }
    }
  }

  func count(_ filter: DeviceFilter) async throws -> Int64 {
    try await answer { store throws(RegistryError) in try store.count(filter) }
  }

  func erased(alias: String, topics: [String]? = nil) async throws -> Int {
    try await receipt(alias: alias, topics: topics).erased
  }

  func receipt(alias: String, topics: [String]? = nil) async throws -> ErasureReceipt {
    try await withCheckedThrowingContinuation { continuation in
      erase(
        alias: alias, topics: topics,
        AuditEntry(time: WallTime("2026-09-14T08:00:00Z")!, actor: "test", action: "alias.erase")
      ) { continuation.resume(with: $0) }
    }
  }
}

/// A registration with short names.
func registration(
  _ token: String, topic: String = "com.example.app", environment: PushEnvironment = .production,
  at milliseconds: Int64 = 1_000, _ set: (inout DeviceRegistration) -> Void = { _ in }
) throws -> DeviceRegistration {
  var registration = DeviceRegistration(
    key: DeviceKey(token: try DeviceToken(token), topic: PushTopic(topic)!, environment: environment),
    time: WallTime(milliseconds: milliseconds))
  set(&registration)
  return registration
}

let tokenA = String(repeating: "a1", count: 32)
let tokenB = String(repeating: "b2", count: 32)
