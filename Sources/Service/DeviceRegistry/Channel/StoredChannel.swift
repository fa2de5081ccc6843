package import LinkspanCore
package import PushProvider
package import PushTerms

/// A broadcast channel that this registry knows.
package struct StoredChannel: Hashable, Sendable {
  package var identifier: Int64
  /// As APNs names it.
  package var channel: String
  package var topic: String
  package var environment: PushEnvironment
  package var storage: ChannelRequest.Storage
  package var name: String?
  package var createdAt: WallTime
  package var endedAt: WallTime?
  package var broadcasts: Int64
  package var sentAt: WallTime?

  package var json: JSON {
    .object([
      ("id", .string("\(identifier)")), ("channel", .string(channel)), ("topic", .string(topic)),
      ("environment", .string(environment.rawValue)), ("storage", .string(storage.rawValue)),
      ("name", JSON(name)), ("state", .string(endedAt == nil ? "active" : "deleted")),
      ("created_at", .string("\(createdAt)")), ("deleted_at", JSON(endedAt.map { "\($0)" })),
      ("broadcasts", .int(Int(broadcasts))), ("last_broadcast_at", JSON(sentAt.map { "\($0)" })),
    ])
  }
}

/// A Live Activity, on however many devices it is shown.
package struct StoredActivity: Hashable, Sendable {
  package var identifier: Int64
  package var topic: String
  package var environment: PushEnvironment
  package var name: String?
  package var channel: Int64?
  package var message: Int64?
  package var startedAt: WallTime
  package var updatedAt: WallTime
  package var updates: Int64
  package var endedAt: WallTime?

  /// What its devices are registered with.
  package var tag: String { Self.tag(identifier) }

  static func tag(_ identifier: Int64) -> String { "activity:\(identifier)" }

  package var members: [(String, JSON)] {
    [
      ("id", .string("\(identifier)")), ("topic", .string(topic)),
      ("environment", .string(environment.rawValue)), ("name", JSON(name)),
      ("state", .string(endedAt == nil ? "active" : "ended")), ("tag", .string(tag)),
      ("channel", JSON(channel.map { "\($0)" })), ("started_by", JSON(message.map { "\($0)" })),
      ("started_at", .string("\(startedAt)")), ("updated_at", .string("\(updatedAt)")),
      ("updates", .int(Int(updates))), ("ended_at", JSON(endedAt.map { "\($0)" })),
    ]
  }
}
