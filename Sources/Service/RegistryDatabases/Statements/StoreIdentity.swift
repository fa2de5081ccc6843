package import RegistryRequests

/// Whose a database is, as its tables say.
package enum StoreIdentity: Hashable, Sendable {
  /// It has no tables.
  case empty
  /// A registry with tables of this version; 0 before the first ones are made.
  case registry(version: Int)
  /// Another program's; the reason completes a sentence about it.
  case foreign(String)

  /// The version of the tables that this program reads and writes.
  package static let currentVersion = 18
  /// The table that a registry begins with; holds its version.
  package static let table = "linkspan_registry"

  /// The tables that each version brought.
  fileprivate static let tables: [[String]] = [
    ["devices", "access_tokens", "audit_log", "idempotency_keys"],
    ["messages", "ranges", "deliveries", "senders", "outcome_counts"],
    [],
    ["hash_key", "departures", "unreached_aliases", "unhashed_deliveries"],
    ["former_aliases", "unclean_pages"],
    [],
    ["queue", "journal_counts"],
    ["campaign_options", "campaign_arms", "campaign_reach", "capped_topics"],
    ["outcome_minutes"],
    [],
    ["journal_exports"],
    ["channels", "activities"],
    ["site_orders", "site_order_count"],
    [],
    [],
    [],
    [],
    [],
  ]

  /// Why a registry is not opened that lost a table.
  fileprivate static func incomplete(_ version: Int, _ table: String) -> RegistryError {
    RegistryError(
      .cannotOpen, "The registry is not whole: it has version \(version), but no table '\(table)'.",
      help: "Stop the servers and restore a backup, as Documentation/registry.md shows. Nothing was changed.")
  }

  /// - Throws: That a newer program wrote a store of this version.
  package static func refuseNewer(_ version: Int) throws(RegistryError) {
    guard version <= currentVersion else {
      throw RegistryError(
        .newerStore,
        "The registry has version \(version), and this program knows versions up to \(currentVersion).",
        help: "Start the newer program again; a store is never changed back.")
    }
  }
}

extension SQLDatabase {
  /// Tells a registry from another program's database, and changes nothing. Tables of others beside a registry's own are
  /// allowed: replication tools keep theirs there.
  ///
  /// - Throws: Also where a registry has lost a table.
  package func identity() throws(RegistryError) -> StoreIdentity {
    let name = StoreIdentity.table
    let count = try run(dialect.countsTables).first?.int("number") ?? 0
    guard try has(name) else {
      guard count > 0 else { return .empty }
      return .foreign("it has \(count == 1 ? "a table" : "\(count) tables"), but no table '\(name)'")
    }
    let version: Int
    do throws(RegistryError) {
      version = try recordedVersion()
    } catch {
      guard error.kind == .damaged else { throw error }
      return .foreign("its table '\(name)' is not a registry's")
    }
    guard version > 0 else {
      guard count <= 1 else {
        return .foreign("its table '\(name)' has no version, and there are tables of others")
      }
      return .registry(version: 0)
    }
    // A newer version may have replaced them.
    guard version <= StoreIdentity.currentVersion else { return .registry(version: version) }
    for table in StoreIdentity.tables.prefix(version).joined() where try !has(table) {
      throw StoreIdentity.incomplete(version, table)
    }
    return .registry(version: version)
  }

  package func has(_ table: String) throws(RegistryError) -> Bool {
    try !run(dialect.findsTable, [.text(table)]).isEmpty
  }

  /// The version of a registry's tables; 0 without one.
  package func recordedVersion() throws(RegistryError) -> Int {
    let rows = try run("SELECT version FROM \(StoreIdentity.table)")
    return try rows.first.map { row throws(RegistryError) in Int(try row.int("version")) } ?? 0
  }
}
