package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// Idempotency keys of requests that ask APNs before they change the store: a key is reserved first, and has its answer in the
/// transaction that stores what APNs said.
extension RegistryStore {
  /// How long a request may be under way. Ours: APNs is asked for 20 seconds, and once more with a new provider token. After
  /// that its server counts as dead, and the request is made anew.
  private static let reservationAge = Duration.seconds(60)
  /// The status of an answer that is not there yet.
  private static let reserved = 0

  package enum Reservation: Hashable, Sendable {
    /// The request may be made.
    case free
    /// Another request with the key is being made.
    case underWay
    /// The key belongs to another request.
    case otherRequest
    case answered(Replay)
  }

  /// Reserves a key. Of two at the same time one is refused.
  ///
  /// - Parameters:
  ///   - request: SHA-256 of the request.
  ///   - key: SHA-256 of the key.
  package func reserve(
    _ request: String, _ actor: String, key: String, at now: WallTime
  ) throws(RegistryError) -> Reservation {
    guard let replay = try replay(actor, key: key) else {
      try keep(Replay(request: request, status: Self.reserved, body: nil), actor, key: key, at: now)
      return .free
    }
    guard replay.request == request else { return .otherRequest }
    guard replay.status == Self.reserved else { return .answered(replay) }
    let taken = try database.run(
      "UPDATE idempotency_keys SET created_at = $1 WHERE actor = $2 AND key_hash = $3 AND status = 0"
        + " AND created_at < $4 RETURNING status",
      [
        .int(now.milliseconds), .text(actor), .text(key),
        .int(now.advanced(by: .zero - Self.reservationAge).milliseconds),
      ])
    return taken.isEmpty ? .underWay : .free
  }

  /// Gives a reserved key its answer.
  package func settle(_ replay: Replay, _ actor: String, key: String) throws(RegistryError) {
    try database.run(
      "UPDATE idempotency_keys SET status = $1, body = $2, message_id = $3 WHERE actor = $4 AND key_hash = $5"
        + " AND status = 0",
      [
        .int(Int64(replay.status)), .text(replay.body ?? ""), SQLValue(replay.message), .text(actor),
        .text(key),
      ])
  }

  /// Frees a reserved key, since nothing was done.
  package func release(_ actor: String, key: String) throws(RegistryError) {
    try database.run(
      "DELETE FROM idempotency_keys WHERE actor = $1 AND key_hash = $2 AND status = 0",
      [.text(actor), .text(key)])
  }
}
