package import LinkspanCore
package import PushProvider
package import PushTerms

/// The push itself, the same for every device.
package struct MessageContent: Sendable {
  package var name: String?
  /// The topic of the devices, and of the push: with the suffix of its push type.
  package var topic: PushTopic
  package var environment: PushEnvironment
  package var type: PushType
  package var priority: PushPriority
  /// Seconds since 1970; 0 for one attempt of APNs', nil to leave storage to APNs.
  package var expiration: Int64?
  package var collapseIdentifier: String?
  /// JSON, sent byte for byte.
  package var payload: String

  package init(
    name: String? = nil, topic: PushTopic, environment: PushEnvironment, type: PushType,
    priority: PushPriority, expiration: Int64? = nil, collapseIdentifier: String? = nil, payload: String
  ) {
    self.name = name
    self.topic = topic
    self.environment = environment
    self.type = type
    self.priority = priority
    self.expiration = expiration
    self.collapseIdentifier = collapseIdentifier
    self.payload = payload
  }

  /// The push to one device.
  package func push(to token: DeviceToken) -> PushNotification {
    var push = PushNotification(
      token: token, topic: topic, type: type, priority: priority, payload: Array(payload.utf8))
    push.expiration = expiration.map { Int($0) }
    push.collapseIdentifier = collapseIdentifier
    return push
  }

  /// Whether APNs would throw the push away at once.
  package func isExpired(at now: WallTime) -> Bool {
    expiration.map { $0 > 0 && $0 * 1_000 <= now.milliseconds } ?? false
  }
}
