internal import DeviceRegistry
internal import LinkspanServer
internal import PushProvider

/// What `serve` is told about its registry.
struct RegistrySettings: Hashable, Sendable {
  /// `sqlite:PATH` or `postgres://…`, which may hold a password.
  var address: String
  var legacyTopic: String?
  var legacyEnvironment: String?
  var legacyOpen = false

  /// - Throws: Options that do not go together.
  func options() throws(DaemonError) -> RegistryAPI.Options {
    var options = RegistryAPI.Options()
    guard legacyTopic != nil || legacyEnvironment != nil || legacyOpen else { return options }
    guard let topic = legacyTopic else {
      throw .usage("the routes of 2013 need '--legacy-topic', the app's bundle identifier")
    }
    guard PushTopic(topic) != nil else {
      throw .usage("'--legacy-topic': '\(topic)' is not a bundle identifier")
    }
    guard let environment = legacyEnvironment.flatMap({ DeviceEnvironment(rawValue: $0) }) else {
      throw .usage("'--legacy-environment': expected 'production' or 'sandbox'")
    }
    options.legacy = RegistryAPI.Legacy(topic: topic, environment: environment, isOpen: legacyOpen)
    return options
  }
}
