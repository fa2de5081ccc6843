package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// A notification that is to be stored, once for each key.
package struct NotificationOrder: Sendable {
  /// An `Idempotency-Key`, and what it belongs to.
  package struct Key: Hashable, Sendable {
    /// SHA-256 of the key, and of the request.
    package var key: String
    package var request: String

    package init(key: String, request: String) {
      self.key = key
      self.request = request
    }
  }

  /// What a client gets, as it is kept for other requests with the same key.
  package struct Answer: Hashable, Sendable {
    package var status: Int
    package var body: String

    package init(status: Int, body: String) {
      self.status = status
      self.body = body
    }
  }

  package enum Result: Sendable {
    case stored(Message, MessageProgress)
    /// It would reach that many devices; nil for more than a notification may.
    case refused(devices: Int64?)
    /// The same request was answered before.
    case replayed(RegistryStore.Replay)
    /// The key belongs to another request.
    case otherRequest
  }

  package var request: NotificationRequest
  package var actor: String
  package var time: WallTime
  package var key: Key?
  /// Whether a push to that many devices is refused.
  package var isRefused: @Sendable (_ devices: Int64) -> Bool
  /// What is kept for the key; nil for an answer that leaves the key free.
  package var kept: @Sendable (Result) -> Answer?

  package init(
    _ request: NotificationRequest, actor: String, at time: WallTime, _ key: Key?,
    isRefused: @escaping @Sendable (_ devices: Int64) -> Bool,
    kept: @escaping @Sendable (Result) -> Answer?
  ) {
    self.request = request
    self.actor = actor
    self.time = time
    self.key = key
    self.isRefused = isRefused
    self.kept = kept
  }
}
