package import LinkspanCore
package import RegistryDatabases
package import RegistryRequests

/// Where a registry's store is: what follows `--registry`.
package enum RegistryAddress: Sendable {
  case sqlite(path: String)
  /// An address that libpq takes.
  case postgres(ServiceAddress)
  /// A file on the disk of a simulation.
  case simulated(SimulatedPlace)
  /// A database server of a simulation.
  case simulatedServer(SimulatedServer)

  /// - Throws: That the text names no store; nothing of a password is in it.
  package init(_ address: ServiceAddress) throws(RegistryError) {
    let text = address.textWithCredentials
    if text.hasPrefix("sqlite:") {
      var path = text.dropFirst("sqlite:".count)
      // sqlite:///var/lib/… is how other programs spell an absolute path.
      let isURL = path.hasPrefix("//")
      if isURL { path = path.dropFirst(2) }
      // With a user or another scheme it is the address of a server, whose password would be taken for a file's name.
      let place = path.prefix { $0 != "/" }
      let hasUser = place.contains("@") && (isURL || place.contains(":"))
      guard !path.isEmpty, !path.contains("\0"), !path.contains("://"), !hasUser else {
        throw RegistryError(
          .unusableAddress, "'sqlite:' expects the path of a file.",
          help: "For example: --registry sqlite:registry.db")
      }
      self = .sqlite(path: String(path))
    } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
      // libpq quotes what it cannot parse, and what it takes for a host where the password has an '@' of its own.
      guard address.isParsed else {
        throw RegistryError(
          .unusableAddress, "The address '\(address)' of the registry cannot be parsed.",
          help:
            "In the user, the password and the parameters write @ : / ? # and % as %40 %3A %2F %3F %23 and %25, or leave "
            + "the password out of the address: PGPASSWORD and ~/.pgpass have it, too.")
      }
      self = .postgres(address)
    } else {
      throw RegistryError(
        .unusableAddress, "A registry's address begins with 'sqlite:' or 'postgres://'.",
        help: "For example: --registry sqlite:registry.db, or --registry postgres://host/database")
    }
  }

  /// The address without a password.
  package var words: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgres(let address): "\(address)"
    case .simulated(let place): "simulated:\(place.path)"
    case .simulatedServer: "simulated-server:"
    }
  }

  /// Where the store's file lies; nil for PostgreSQL.
  func place() throws(RegistryError) -> RegistryPlace? {
    guard case .sqlite(let path) = self else { return nil }
    return try RegistryPlace(path)
  }

  /// - Parameters:
  ///   - place: What ``place()`` answers.
  ///   - findsByKey: See ``PostgresDatabase``, and so for `lockPatience`.
  func open(
    at place: RegistryPlace?, isReader: Bool = false, makesFile: Bool = true, findsByKey: Bool = false,
    lockPatience: Duration? = nil
  ) throws(RegistryError) -> any SQLDatabase {
    switch (self, place) {
    case (.simulated(let place), _): return try SQLiteDatabase(simulated: place, isReader: isReader)
    case (.simulatedServer(let server), _): return try server.connect().get()
    case (.postgres(let address), _):
      return try PostgresDatabase(address, findsByKey: findsByKey, lockPatience: lockPatience)
    case (.sqlite, let place?): return try SQLiteDatabase(place, isReader: isReader, makesFile: makesFile)
    case (.sqlite, nil): preconditionFailure("an SQLite registry has a place")
    }
  }
}
