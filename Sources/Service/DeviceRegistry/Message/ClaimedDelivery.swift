package import LinkspanCore
package import PushProvider

/// A delivery that a sender holds, to be sent now.
package struct ClaimedDelivery: Hashable, Sendable {
  package var identifier: Int64
  package var message: Int64
  package var lane: PushLane
  package var token: String
  package var messageIdentifier: String
  /// This one included.
  package var attempts: Int64
  /// When it was due first.
  package var createdAt: WallTime
  /// What this device gets instead of the message's payload.
  package var payload: String?

  package init(
    identifier: Int64, message: Int64, lane: PushLane, token: String, messageIdentifier: String,
    attempts: Int64, createdAt: WallTime
  ) {
    self.identifier = identifier
    self.message = message
    self.lane = lane
    self.token = token
    self.messageIdentifier = messageIdentifier
    self.attempts = attempts
    self.createdAt = createdAt
  }
}
