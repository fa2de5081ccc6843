/// Where a registry's store is: what follows `--registry`.
package enum RegistryAddress: Sendable {
  case sqlite(path: String)
  /// An address that libpq takes. It may hold a password.
  case postgres(String)

  /// - Throws: That the text names no store.
  package init(_ text: String) throws(RegistryError) {
    if text.hasPrefix("sqlite:") {
      var path = text.dropFirst("sqlite:".count)
      // sqlite:///var/lib/… is how other programs spell an absolute path.
      if path.hasPrefix("//") { path = path.dropFirst(2) }
      guard !path.isEmpty, !path.contains("\0") else {
        throw RegistryError(
          .unusableAddress, "'sqlite:' names no file.", help: "For example: --registry sqlite:registry.db")
      }
      self = .sqlite(path: String(path))
    } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
      self = .postgres(text)
    } else {
      throw RegistryError(
        .unusableAddress, "A registry's address begins with 'sqlite:' or 'postgres://'.",
        help: "For example: --registry sqlite:registry.db, or --registry postgres://user@host/database")
    }
  }

  /// The address without a password.
  package var words: String {
    switch self {
    case .sqlite(let path): return "sqlite:\(path)"
    case .postgres(let address):
      guard let end = address.firstRange(of: "://")?.upperBound else { return "postgres://…" }
      let rest = address[end...].prefix { $0 != "?" }
      return "postgres://" + (rest.split(separator: "@").last.map(String.init) ?? "")
    }
  }

  func open(isReader: Bool = false, makesFile: Bool = true) throws(RegistryError) -> any SQLDatabase {
    switch self {
    case .sqlite(let path): try SQLiteDatabase(path, isReader: isReader, makesFile: makesFile)
    case .postgres(let address): try PostgresDatabase(address)
    }
  }
}
