internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

/// The connections of a registry, each for a thread of its own.
extension Registry {
  struct Stores {
    var writer: Confined
    /// Makes the changes of senders; nil where one connection makes all.
    var sender: Confined?
    /// The same for ``JournalKeeper``.
    var keeper: Confined?
    var readers: [Confined] = []
    /// The version of the tables before they were brought to this program's; 0 where there were none, nil where nothing was to do.
    var formerVersion: Int?
    var unfitness: RegistryError?
  }

  /// How long senders wait for another program's lock. Ours: as long as SQLite does. Behind a lock that is held for hours they
  /// would be silent, and no metric would say that nothing is sent.
  private static let senderPatience = Duration.seconds(10)
  /// How long changes and questions of clients wait for one. Ours: a transaction takes milliseconds, and the writer waits three
  /// times in a row at most (`RegistryWriter`), which with the queue before it is less than what the server gives an answer.
  private static let clientPatience = Duration.seconds(4)

  /// - Parameter keeps: Whether this process removes journals, and sends.
  static func stores(
    _ address: RegistryAddress, _ place: RegistryPlace?, makesFile: Bool, for use: Use, readerCount: Int,
    keeps: Bool
  ) throws(RegistryError) -> Stores {
    let onlyReads = use.onlyReads
    let store = RegistryStore(
      try address.open(
        at: place, isReader: onlyReads, makesFile: makesFile && !onlyReads, findsByKey: !onlyReads))
    var formerVersion: Int?
    if onlyReads {
      try store.requireReadable(isCopied: use == .copies)
    } else {
      if !makesFile { try store.requireRegistry() }
      let found = try store.migrate()
      if found < RegistryStore.currentVersion { formerVersion = found }
      try store.rewriteOldPages()
    }
    try store.loadHash()
    // A start waits for the migration of another server.
    try store.database.waitForLocks(atMost: clientPatience)
    let isRemote = store.database.dialect.isRemote
    var stores = Stores(writer: Confined(store))
    stores.formerVersion = formerVersion
    stores.unfitness = store.database.unfitness
    var known = place
    known?.isKnown = true
    func another(
      findsByKey: Bool = false, lockPatience: Duration
    ) throws(RegistryError) -> Confined {
      let other = RegistryStore(
        try address.open(at: known, isReader: true, findsByKey: findsByKey, lockPatience: lockPatience))
      try other.loadHash()
      return Confined(other)
    }
    for _ in 0..<readerCount { stores.readers.append(try another(lockPatience: clientPatience)) }
    if isRemote, !onlyReads, keeps {
      stores.sender = try another(findsByKey: true, lockPatience: senderPatience)
      stores.keeper = try another(lockPatience: senderPatience)
    }
    return stores
  }

  /// Hands a store over to the one thread that uses it from then on.
  ///
  /// `@unchecked Sendable`: whoever makes it lets go of the store.
  final class Confined: @unchecked Sendable {
    private var store: RegistryStore?
    let hash: KeyedHash

    init(_ store: RegistryStore) {
      self.store = store
      hash = store.hash
    }

    /// Asked before it is handed over.
    func hasOldTokens() throws(RegistryError) -> Bool { try store?.hasOldTokens() ?? false }

    func use(_ body: (RegistryStore) -> Void) { if let store { body(store) } }

    /// Hands it over for good.
    func take() -> RegistryStore {
      guard let store else { preconditionFailure("a store is passed on once") }
      self.store = nil
      return store
    }

    func close() { store = nil }
  }
}
