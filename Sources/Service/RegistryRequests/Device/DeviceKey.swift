package import PushProvider
package import PushTerms

/// What names a device: one app on one device in one environment.
package struct DeviceKey: Hashable, Sendable {
  package var token: DeviceToken
  package var topic: PushTopic
  package var environment: PushEnvironment

  package init(token: DeviceToken, topic: PushTopic, environment: PushEnvironment) {
    self.token = token
    self.topic = topic
    self.environment = environment
  }

  /// The push type that the topic's suffix stands for.
  package var pushKind: String { (topic.impliedType ?? .alert).rawValue }
}
