package import LinkspanCore

/// That a push has expired before it is sent, which no rule says, since rules know no clock.
package enum ExpirationWarning {
  package static let text = "It is in the past, so no device gets the push."

  /// - Parameter expiration: The value of `apns-expiration`, in Unix seconds; 0 stands for one attempt.
  package static func applies(to expiration: Int64, at now: WallTime) -> Bool {
    expiration > 0 && expiration <= now.milliseconds / 1_000
  }
}
