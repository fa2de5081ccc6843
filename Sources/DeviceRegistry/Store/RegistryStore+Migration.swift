internal import CLinkspanResources

extension RegistryStore {
  /// The version of the tables that this program reads and writes.
  package static let currentVersion = 3

  /// Brings the tables to ``currentVersion``, one version after the other, each in a transaction of its own.
  ///
  /// - Throws: That the store is newer, or was not made by this program.
  func migrate() throws(RegistryError) {
    var version = try storedVersion()
    while version < Self.currentVersion { version = try step() }
    try refuseNewer(version)
  }

  private func refuseNewer(_ version: Int) throws(RegistryError) {
    guard version <= Self.currentVersion else {
      throw RegistryError(
        .newerStore,
        "The registry has version \(version), and this program knows versions up to \(Self.currentVersion).",
        help: "Start the newer program again; a store is never changed back.")
    }
  }

  /// Checks that there is a registry, of whatever version, and changes nothing.
  func requireRegistry() throws(RegistryError) {
    guard try !database.run(database.dialect.findsRegistry).isEmpty else {
      throw RegistryError(
        .cannotOpen, "There is no registry in this database: it has no table 'linkspan_registry'.",
        help: "Check the address. 'linkspan serve', 'token create' and 'registry import' make a new registry."
      )
    }
  }

  /// Checks that the tables are there in ``currentVersion``, and changes nothing.
  ///
  /// - Throws: That there are none, or that the store is older or newer.
  func requireCurrentVersion() throws(RegistryError) {
    try requireRegistry()
    let version = try recordedVersion()
    try refuseNewer(version)
    guard version == Self.currentVersion else {
      throw RegistryError(
        .cannotOpen,
        "The registry has version \(version), and this program reads version \(Self.currentVersion).",
        help: "The next start of 'linkspan serve' brings it up to date.")
    }
  }

  /// - Returns: 0 for a store without tables.
  private func storedVersion() throws(RegistryError) -> Int {
    try transaction { () throws(RegistryError) -> Int in
      try lock()
      try database.run("CREATE TABLE IF NOT EXISTS linkspan_registry (version BIGINT NOT NULL)")
      return try recordedVersion()
    }
  }

  private func lock() throws(RegistryError) {
    if let lock = database.dialect.migrationLock { try database.runScript(lock) }
  }

  private func recordedVersion() throws(RegistryError) -> Int {
    let rows = try database.run("SELECT version FROM linkspan_registry")
    return try rows.first.map { row throws(RegistryError) in Int(try row.int(0)) } ?? 0
  }

  /// Another process may have made the step in the meantime.
  private func step() throws(RegistryError) -> Int {
    try transaction { () throws(RegistryError) -> Int in
      try lock()
      let version = try recordedVersion()
      guard version < Self.currentVersion else { return version }
      let resource = linkspan_registry_schema(CInt(version + 1))
      let bytes = UnsafeBufferPointer(start: resource.bytes, count: resource.count)
      var sql = String(decoding: bytes, as: UTF8.self)
      // The comment that explains the word keeps it.
      sql.replace(" id IDENTIFIER", with: " id \(database.dialect.identifier)")
      try database.runScript(sql)
      try database.run("DELETE FROM linkspan_registry")
      try database.run("INSERT INTO linkspan_registry (version) VALUES ($1)", [.int(Int64(version + 1))])
      return version + 1
    }
  }
}
