internal import LinkspanCore
internal import LinkspanServer
internal import PushConnections
package import PushProvider
package import PushTerms
package import RegistryServer
internal import ServiceConfiguration

/// Asks APNs about channels with the key that each app has, as it is after the last reload.
package final class ChannelDesk: Sendable {
  private struct Keys {
    var settings: SenderSettings
    var clients: [SenderPlace: ChannelClient]
  }

  private let keys = LockedState<Keys?>(nil)

  package init() {}

  package func replace(_ settings: SenderSettings, _ accounts: [SenderPlace: SenderAccount]) {
    let clients = accounts.mapValues { account in
      ChannelClient(
        account.signer, trust: account.trust,
        server: account.place.map { .init(scheme: $0.scheme, authority: $0.authority) })
    }
    keys.withLock { $0 = Keys(settings: settings, clients: clients) }
  }

  package var route: RegistryAPI.ChannelRoute {
    { [self] request, app, environment, completion in
      guard let client = client(app, environment) else {
        return completion(
          .failure(.init("This server has no key for \(app) in \(environment.rawValue).")))
      }
      client.ask(request, of: app, in: environment) { result in
        completion(result.mapError { .init($0.text) })
      }
    }
  }

  /// Whether there is a key for a topic; before the first keys are there, nobody knows better.
  package func hasKey(for topic: PushTopic, _ environment: PushEnvironment) -> Bool {
    keys.withLock { $0?.settings.key(for: topic, environment) != nil || $0 == nil }
  }

  private func client(_ app: String, _ environment: PushEnvironment) -> ChannelClient? {
    guard let keys = keys.withLock({ $0 }), let topic = PushTopic(app + PushType.liveactivity.topicSuffix)
    else { return nil }
    let key = keys.settings.key(for: topic, environment)
    return key.flatMap { keys.clients[SenderPlace($0.name, environment)] }
  }
}
