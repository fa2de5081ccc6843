package import DeviceRegistry
internal import LinkspanCore

extension Registry {
  /// Opens the registry that `--registry` names.
  ///
  /// - Throws: What is wrong with the address or the store.
  package static func open(_ address: String) throws(DaemonError) -> Registry {
    do throws(RegistryError) {
      return try Registry(try RegistryAddress(address))
    } catch {
      throw DaemonError(error)
    }
  }

  /// Makes a change and waits until it is durable.
  package func changeNow<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) throws(DaemonError) -> Answer {
    do throws(RegistryError) {
      return try changeAndWait(body)
    } catch {
      throw DaemonError(error)
    }
  }

  /// Asks and waits for the answer.
  package func askNow<Answer: Sendable>(
    _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) throws(DaemonError) -> Answer {
    do throws(RegistryError) {
      return try askAndWait(body)
    } catch {
      throw DaemonError(error)
    }
  }

  /// Erases a person's data and waits until that is durable.
  package func eraseNow(alias: String, _ entry: AuditEntry) throws(DaemonError) -> Int {
    do throws(RegistryError) {
      return try eraseAndWait(alias: alias, entry)
    } catch {
      throw DaemonError(error)
    }
  }
}

extension DaemonError {
  init(_ error: RegistryError) { self.init(error.message, help: error.help) }
}
