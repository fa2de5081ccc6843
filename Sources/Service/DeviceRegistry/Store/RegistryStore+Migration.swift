internal import CLinkspanResources
internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

extension RegistryStore {
  /// The version of the tables that this program reads and writes.
  package static let currentVersion = StoreIdentity.currentVersion
  /// The version that brought keyed hashes.
  private static let hashedVersion = 4
  /// The version since which a file is known to hold no copies of rows in its unused parts.
  private static let cleanVersion = 5
  /// The version since which former aliases are forgotten after a time.
  private static let forgettingVersion = 6

  /// Brings the tables to ``currentVersion``, one version after the other, each in a transaction of its own.
  ///
  /// - Returns: The version that they had; 0 where there were none.
  /// - Throws: That the store is newer, or another program's; nothing is changed then.
  @discardableResult
  func migrate() throws(RegistryError) -> Int {
    let found = try storedVersion()
    var version = found
    while version < Self.currentVersion { version = try stepBesideOthers() }
    try StoreIdentity.refuseNewer(version)
    return found
  }

  /// Checks that there is a registry, and changes nothing.
  ///
  /// - Returns: Its version.
  @discardableResult
  func requireRegistry() throws(RegistryError) -> Int {
    switch try database.identity() {
    case .registry(let version): return version
    case .foreign(let reason): throw foreign(reason)
    case .empty:
      throw RegistryError(
        .cannotOpen, "There is no registry in this database: it has no table '\(StoreIdentity.table)'.",
        help:
          "Check the address. 'linkspan serve', 'token create' and 'registry import' make a new registry.")
    }
  }

  private func foreign(_ reason: String) -> RegistryError {
    let place = database.dialect.isRemote ? "a database or a schema that has no tables" : "a file of its own"
    return RegistryError(
      .cannotOpen, "This database is another program's, not a registry: \(reason).",
      help: "Check the address. A new registry is made in \(place).")
  }

  /// The version of the tables that a start would find, without changing anything; nil where it would make them.
  ///
  /// - Throws: That the store is newer, another program's, or fit for none.
  func foundVersion() throws(RegistryError) -> Int? {
    if try database.identity() == .empty {
      try database.refuseUnfit()
      return nil
    }
    let version = try requireRegistry()
    try StoreIdentity.refuseNewer(version)
    return version
  }

  /// Checks that the tables are there in ``currentVersion``, and changes nothing.
  ///
  /// - Parameter isCopied: Whether the store is only copied. It may be older then.
  /// - Throws: That there are none, or that the store is older or newer.
  func requireReadable(isCopied: Bool) throws(RegistryError) {
    let version = try requireRegistry()
    try StoreIdentity.refuseNewer(version)
    guard version == Self.currentVersion || isCopied && version >= Self.hashedVersion else {
      throw RegistryError(
        .cannotOpen,
        "The registry has version \(version), and this program reads version \(Self.currentVersion).",
        help: "The next start of 'linkspan serve' brings it up to date.")
    }
  }

  /// - Returns: 0 for a store without tables, which has the first one then.
  private func storedVersion() throws(RegistryError) -> Int {
    try transaction { () throws(RegistryError) -> Int in
      try lock()
      switch try database.identity() {
      case .registry(let version): return version
      case .foreign(let reason): throw foreign(reason)
      case .empty:
        try database.refuseUnfit()
        try database.run("CREATE TABLE \(StoreIdentity.table) (version BIGINT NOT NULL)")
        return 0
      }
    }
  }

  private func lock() throws(RegistryError) {
    if let lock = database.dialect.migrationLock { try database.runScript(lock) }
  }

  /// How often a step is made again that is in conflict with servers of an earlier version, which go on meanwhile. Ours.
  private static let conflictLimit = 10

  private func stepBesideOthers() throws(RegistryError) -> Int {
    var conflicts = 0
    while true {
      do throws(RegistryError) {
        return try step()
      } catch {
        conflicts += 1
        guard error.isConflict, conflicts < Self.conflictLimit else { throw error }
      }
    }
  }

  /// Another process may have made the step in the meantime.
  private func step() throws(RegistryError) -> Int {
    try transaction { () throws(RegistryError) -> Int in
      try lock()
      let version = try database.recordedVersion()
      guard version < Self.currentVersion else { return version }
      let sql = Self.schema(version + 1, database.dialect)
      try database.runScript(sql)
      if version + 1 == Self.hashedVersion { try makeHashKey() }
      if version + 1 == Self.cleanVersion { try noteOldPages() }
      if version + 1 == Self.forgettingVersion { try addOldFormerAliases() }
      try database.run("DELETE FROM \(StoreIdentity.table)")
      try database.run("INSERT INTO linkspan_registry (version) VALUES ($1)", [.int(Int64(version + 1))])
      return version + 1
    }
  }

  /// The statements that bring the tables from the version before to this one.
  static func schema(_ version: Int, _ dialect: SQLDialect) -> String {
    var sql = text(linkspan_registry_schema(CInt(version)))
    let more = dialect.isRemote ? linkspan_registry_schema_postgres : linkspan_registry_schema_sqlite
    sql += text(more(CInt(version)))
    // The comment that explains the word keeps it.
    return sql.replacing(" id IDENTIFIER", with: " id \(dialect.identifier)")
  }

  private static func text(_ resource: linkspan_resource) -> String {
    String(decoding: UnsafeBufferPointer(start: resource.bytes, count: resource.count), as: UTF8.self)
  }
}
