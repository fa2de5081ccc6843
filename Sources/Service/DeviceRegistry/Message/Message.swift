package import LinkspanCore
package import RegistryRequests

/// What is sent: a notification to devices that are named, or a campaign to those that fit a query.
package struct Message: Sendable {
  package enum Kind: String, Hashable, Sendable {
    case notification, campaign
  }

  package enum State: String, Hashable, Sendable, CaseIterable {
    /// It waits for its starting time.
    case scheduled
    case running, paused, cancelled, completed
  }

  package var identifier: Int64
  package var kind: Kind
  package var content: MessageContent
  package var audience: Audience
  /// Minutes after midnight in each device's time zone; nil to send at once.
  package var localTime: Int?
  /// Pushes a second over all senders; nil for as many as possible.
  package var throttle: Int64?
  package var state: State
  /// Devices that fitted when it was made; of a notification the device tokens it was for, 0 from an earlier version.
  package var estimate: Int64
  package var createdAt: WallTime
  package var finishedAt: WallTime?
  /// After that, what APNs has not taken is given up.
  package var giveUpAt: WallTime
  /// Whether its only recipient was erased, and its name, payload and collapse identifier with them.
  package var isRedacted = false
}

/// How far a message is.
package struct MessageProgress: Hashable, Sendable {
  /// Deliveries that are not final.
  package var open: Int64 = 0
  /// By final state and, below it, by reason; reasons are empty where APNs gave none.
  package var outcomes: [DeliveryState: [String: Int64]] = [:]
  /// Deliveries, final or not, whose push APNs may have accepted twice.
  package var maybeTwice: Int64 = 0
  /// Whether devices are left for which there is no delivery yet.
  package var isExpanding = false
  /// nil for a notification, and for a campaign without options.
  package var details: CampaignDetails?

  package func count(_ state: DeliveryState) -> Int64 { outcomes[state]?.values.reduce(0, +) ?? 0 }

  /// Whether there is no delivery, and there will be none.
  package var isEmpty: Bool {
    open == 0 && !isExpanding && DeliveryState.final.allSatisfy { count($0) == 0 }
  }
}

package enum DeliveryState: String, Hashable, Sendable, CaseIterable {
  case queued, held, sending
  case accepted, rejected, expired, cancelled

  package static let final: [DeliveryState] = [.accepted, .rejected, .expired, .cancelled]
}

/// One push to one device: a line of the journal.
package struct Delivery: Hashable, Sendable {
  package var identifier: Int64
  package var message: Int64
  package var kind: Message.Kind
  /// The device token's keyed hash, or `erased-…`.
  package var token: String
  package var topic: String
  package var environment: String
  package var messageIdentifier: String
  package var state: DeliveryState
  package var attempts: Int64
  package var isMaybeTwice: Bool
  package var status: Int64?
  package var reason: String?
  package var dueAt: WallTime
  package var createdAt: WallTime
  package var finishedAt: WallTime?

  package var json: JSON {
    .object([
      ("id", .string("\(identifier)")), (kind.rawValue, .string("\(message)")), ("token", .string(token)),
      ("topic", .string(topic)), ("environment", .string(environment)),
      ("apns_id", .string(messageIdentifier)), ("state", .string(state.rawValue)),
      ("status", JSON(status.map { Int($0) })), ("reason", JSON(reason)), ("attempts", .int(Int(attempts))),
      ("maybe_twice", .bool(isMaybeTwice)), ("due_at", .string("\(dueAt)")),
      ("created_at", .string("\(createdAt)")), ("finished_at", JSON(finishedAt.map { "\($0)" })),
    ])
  }
}

extension Message {
  /// JSON pointers to what this build does not understand of a campaign, by which it must not send it.
  package func unread(_ details: CampaignDetails?) -> [String] {
    audience.unread + (details?.options.unread ?? [])
  }
}
