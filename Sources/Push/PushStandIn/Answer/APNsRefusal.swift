package import LinkspanCore
internal import PushProvider

/// A "no" of the stand-in: a reason, and with 410 the moment at which the token was confirmed dead.
package struct APNsRefusal: Error, Hashable, Sendable {
  package var status: Int
  /// Nil for a status that a rule gives without a reason.
  package var reason: APNsReason?
  package var timestamp: WallTime?
  package var retryAfterSeconds: Int?

  package init(_ reason: APNsReason, timestamp: WallTime? = nil) {
    status = reason.status
    self.reason = reason
    self.timestamp = timestamp
  }

  /// What follows from the headers and the size alone.
  init(_ refusal: PushRefusal) {
    guard let reason = APNsReason(rawValue: refusal.reason.rawValue) else {
      preconditionFailure("the stand-in knows every reason of APNs")
    }
    self.init(reason)
  }

  init(status: Int, reason: APNsReason?) {
    self.status = status
    self.reason = reason
  }

  /// The body: `reason`, and `timestamp` in milliseconds with 410 and nowhere else (push notes, 4).
  func body(at now: WallTime) -> [UInt8] {
    guard let reason else { return [] }
    var members: [(String, JSON)] = [("reason", .string(reason.rawValue))]
    if status == 410 { members.append(("timestamp", .int(Int((timestamp ?? now).milliseconds)))) }
    return JSON.object(members).bytes
  }
}
