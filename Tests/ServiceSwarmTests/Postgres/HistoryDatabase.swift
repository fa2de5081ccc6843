import LinkspanCore
import RegistryRequests
import TestSupport

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import ServiceSwarm
@testable import SimulatedStores

/// A database that histories are played against: the model, or a real server's.
final class HistoryDatabase {
  let address: RegistryAddress
  /// Ends every connection, as a restart of the server does.
  let endConnections: () throws -> Void

  private init(_ address: RegistryAddress, endConnections: @escaping () throws -> Void) {
    self.address = address
    self.endConnections = endConnections
  }

  static let now = WallTime("2026-09-14T08:00:00Z")!
  /// A registry's key is drawn when it is made; here both have this one.
  private static let key = [UInt8](repeating: 0x5C, count: 32)

  private static let setsKey: String = {
    let block = key + [UInt8](repeating: 0, count: 32)
    let (inner, outer) = (block.map { $0 ^ 0x36 }, block.map { $0 ^ 0x5C })
    return
      "UPDATE hash_key SET key = '\(ASCII.hexText(key))', inner_block = '\(ASCII.hexText(inner))', outer_block = '\(ASCII.hexText(outer))'"
  }()

  /// A registry that nobody has used, in the model.
  static func modelled() throws -> HistoryDatabase {
    let server = NewRegistry.server(SeededGenerator(seed: 1), SimulatedTime(now, SeededGenerator(seed: 1)))
    let database = HistoryDatabase(server.address { _ in }) { server.endConnections() }
    try database.address.open(at: nil).run(setsKey)
    return database
  }

  // MARK: - The real one

  private static let template = "histories"

  /// A connection to the real server, which has a template with a registry that nobody has used; nil where there is none. One
  /// test has it.
  nonisolated(unsafe) static let server: PostgresDatabase? = {
    guard let address = PostgresServer.address("postgres"), let registry = PostgresServer.address(template)
    else { return nil }
    do {
      let server = try PostgresDatabase(ServiceAddress(address))
      try server.runScript("CREATE DATABASE \(template)")
      try Registry(.postgres(ServiceAddress(registry)), readerCount: 1).stop()
      try PostgresDatabase(ServiceAddress(registry)).run(setsKey)
      return server
    } catch {
      preconditionFailure("a template cannot be made: \(error)")
    }
  }()

  /// - Returns: nil where there is no PostgreSQL.
  static func real(_ name: String) throws -> HistoryDatabase? {
    guard let server, let address = PostgresServer.address(name) else { return nil }
    try server.runScript("CREATE DATABASE \(name) TEMPLATE \(template)")
    return HistoryDatabase(.postgres(ServiceAddress(address))) {
      try server.run(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1", [.text(name)])
    }
  }

  static func remove(_ name: String) throws { try server?.runScript("DROP DATABASE \(name) WITH (FORCE)") }

  // MARK: - What it holds

  /// The tables that the registry has, but for the key and the version.
  private static let tables = [
    "devices", "access_tokens", "audit_log", "idempotency_keys", "messages", "ranges", "deliveries",
    "senders", "outcome_counts", "departures", "unreached_aliases", "unhashed_deliveries", "former_aliases",
    "unclean_pages", "queue", "journal_counts", "campaign_options", "campaign_arms", "campaign_reach",
    "capped_topics", "outcome_minutes", "journal_exports", "channels", "activities", "site_orders",
    "site_order_count", "journal_parts",
  ]

  /// Every row, a line each; times of the server's own clock left out.
  func content() throws -> [String] {
    let inspector = try address.open(at: nil)
    var lines: [String] = []
    for table in Self.tables {
      let rows = try inspector.run("SELECT * FROM \(table)").map { row in
        let cells = zip(row.columns.names, row.values).filter { $0.0 != "lease_until" }.sorted { $0.0 < $1.0 }
        return cells.map { "\($0.0)=\(Self.text($0.1))" }.joined(separator: " ")
      }
      lines += rows.sorted { Self.order($0) < Self.order($1) }.map { "\(table): \($0)" }
    }
    return lines
  }

  /// Random identifiers are compared by their places.
  private static func order(_ line: String) -> String { HistoryText.withoutIdentifiers(line) }

  private static func text(_ value: SQLValue) -> String {
    switch value {
    case .null: "NULL"
    case .int(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text)'"
    case .list(let elements): "{\(elements.map(Self.text).joined(separator: ","))}"
    }
  }
}
