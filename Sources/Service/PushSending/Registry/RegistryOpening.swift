package import DeviceRegistry
package import LinkspanCore
internal import LinkspanFiles
internal import RegistryDatabases
package import RegistryRequests

extension Registry {
  /// Opens the registry that `--registry` names. Root opens and closes an SQLite file with the rights of the user that owns
  /// its folder, so that what is planted there leads no further than that user's own rights, and its files are that user's.
  ///
  /// - Parameters:
  ///   - makesFile: Whether a registry is made where there is none.
  ///   - use: What for; it says whether an older registry is brought to this program's version.
  ///   - retention: How long this process keeps the journal; nil where it removes nothing.
  /// - Throws: What is wrong with the address or the store.
  package static func open(
    _ address: ServiceAddress, makesFile: Bool = true, for use: Use = .changes,
    keeping retention: RegistryStore.Retention? = nil
  ) throws(LinkspanError) -> Registry {
    do throws(RegistryError) {
      return try Registry(
        try RegistryAddress(address), makesFile: makesFile, for: use,
        keeping: retention.map { .init($0) { CurrentTime.now } }, asOwner: asOwner)
    } catch {
      throw LinkspanError(error)
    }
  }

  /// Looks at the registry that `--registry` names as a start would, and changes nothing.
  ///
  /// - Returns: The version of its tables; nil where a start would make a registry.
  /// - Throws: What a start would fail on.
  package static func foundVersion(_ address: ServiceAddress) throws(LinkspanError) -> Int? {
    do throws(RegistryError) {
      return try foundVersion(try RegistryAddress(address), asOwner: asOwner)
    } catch {
      throw LinkspanError(error)
    }
  }

  private static let asOwner: OwnerRights = { place, body throws(RegistryError) in
    do throws(LinkspanError) {
      try Privileges.asUser(place.owner, of: place.folder, body)
    } catch {
      throw RegistryError(.cannotOpen, error.message, help: error.help)
    }
  }

  /// Makes a change and waits until it is durable.
  package func changeNow<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) throws(LinkspanError) -> Answer {
    do throws(RegistryError) {
      return try changeAndWait(body)
    } catch {
      throw LinkspanError(error)
    }
  }

  /// Asks and waits for the answer.
  package func askNow<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) throws(LinkspanError) -> Answer {
    do throws(RegistryError) {
      return try askAndWait(body)
    } catch {
      throw LinkspanError(error)
    }
  }

  /// Writes a consistent copy of an SQLite store to a new file, and waits until it is on the disk. Root writes it with the
  /// rights of the user that owns the copy's folder.
  package func backUpNow(to path: String) throws(LinkspanError) {
    let place: RegistryPlace
    do throws(RegistryError) {
      place = try RegistryPlace(path, isCopy: true)
    } catch {
      throw LinkspanError(error)
    }
    // On the thread that writes it, since rights are a thread's.
    try askNow { store throws(RegistryError) in
      var outcome = Result<Void, RegistryError>.success(())
      try Self.asOwner(place) {
        outcome = Result { () throws(RegistryError) in try store.backUp(to: place) }
      }
      try outcome.get()
    }
  }

  /// Erases a person's data and waits until that is durable.
  package func eraseNow(alias: String, _ entry: AuditEntry) throws(LinkspanError) -> ErasureReceipt {
    do throws(RegistryError) {
      return try eraseAndWait(alias: alias, entry)
    } catch {
      throw LinkspanError(error)
    }
  }
}

extension LinkspanError {
  package init(_ error: RegistryError) {
    switch error.kind {
    case .unavailable, .overloaded: self = .temporary(error.message, help: error.help)
    case .uncertain: self = .temporary(error.message, isUncertain: true, help: error.help)
    case .unusableAddress, .cannotOpen, .newerStore, .unfinishedErasure, .refused, .damaged:
      self.init(error.message, help: error.help)
    }
  }
}
