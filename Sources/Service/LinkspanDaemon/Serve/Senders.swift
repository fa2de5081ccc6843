internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import PushProvider
internal import PushSending
internal import PushTerms
internal import RegistryRequests
internal import ServiceConfiguration

/// The senders of a process: one for each key in each of its environments, so that a key that APNs refuses stops its own
/// topics and no other ones.
final class Senders {
  typealias Maker = (SenderSettings, PushEnvironment, SenderAccount) throws(LinkspanError) -> PushSender

  private var senders: [SenderPlace: PushSender] = [:]
  /// The keys that the log named last; nil while it says that the previous ones are used still.
  private var told: [SenderKey]?
  private let registry: Registry
  private let channels: ChannelDesk
  private let counters: SenderCounters
  private let log: ServerLog
  private let make: Maker

  /// - Parameter make: Starts a sender.
  init(
    _ registry: Registry, _ channels: ChannelDesk, _ counters: SenderCounters, _ log: ServerLog,
    make: @escaping Maker
  ) {
    self.registry = registry
    self.channels = channels
    self.counters = counters
    self.log = log
    self.make = make
  }

  /// Starts the senders of all keys.
  ///
  /// - Throws: What is wrong with a key, the server or the authorities, or that there is no thread.
  func start(_ settings: SenderSettings) throws(LinkspanError) {
    let accounts = try settings.accounts()
    prepare(settings)
    channels.replace(settings, accounts)
    do throws(LinkspanError) {
      try add(accounts, settings)
    } catch {
      stop()
      throw error
    }
    tell(settings)
  }

  /// Reads the keys again; what is sent from now on is proved by them. A new key's topics are sent with it, and the senders of
  /// a key that is gone end.
  ///
  /// - Returns: Why the previous keys are used still; nil when they are not.
  func reload(_ settings: SenderSettings?) -> String? {
    guard let settings else { return nil }
    do throws(LinkspanError) {
      let accounts = try settings.accounts()
      channels.replace(settings, accounts)
      let gone = senders.filter { accounts[$0.key] == nil }
      for sender in gone.values { sender.askToStop() }
      for (place, account) in accounts { senders[place]?.replaceAccount(account) }
      for (place, sender) in gone {
        sender.stop()
        senders[place] = nil
      }
      let added = accounts.filter { senders[$0.key] == nil }
      if !added.isEmpty { prepare(settings) }
      try add(added, settings)
      log.debug("the key for provider tokens was read again")
      if settings.keys != told { tell(settings) }
      return nil
    } catch {
      told = nil
      log.error("still sending with the previous key: \(error)")
      return "Pushes are sent with the previous key: \(error.text)"
    }
  }

  private func prepare(_ settings: SenderSettings) {
    guard settings.keys.count > 1 else { return }
    do throws(RegistryError) {
      try registry.changeAsSender { store throws(RegistryError) in try store.indexTopics() }
    } catch {
      // Senders work without the index, and slower.
      log.error("the queue has no index of topics: \(error.message)")
    }
  }

  private func add(
    _ accounts: [SenderPlace: SenderAccount], _ settings: SenderSettings
  ) throws(LinkspanError) {
    // All of them first: what APNs refuses at once is told with its key where there are several.
    for (place, account) in accounts {
      counters.show(underWay: 0, nil, of: account.signer.identity, place.environment)
    }
    for (place, account) in accounts { senders[place] = try make(settings, place.environment, account) }
  }

  private func tell(_ settings: SenderSettings) {
    told = settings.keys
    let server = settings.server?.description ?? "Apple"
    for key in settings.keys {
      let topics =
        key.topics.isEmpty ? "pushes" : "pushes of " + key.topics.map(\.text).joined(separator: ", ")
      let environment = key.environment.map { " (\($0.rawValue))" } ?? ""
      log.info("sending \(topics) to \(server)\(environment) with key \(key.identifier) of team \(key.team)")
    }
  }

  func stop() {
    for sender in senders.values { sender.askToStop() }
    for sender in senders.values { sender.stop() }
    senders = [:]
  }
}
