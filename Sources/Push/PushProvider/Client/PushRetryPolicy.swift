package import LinkspanCore

/// How long a sender waits before another attempt, and how often it tries.
package struct PushRetryPolicy: Hashable, Sendable {
  /// Doubles from attempt to attempt, up to a limit; chance adds up to a half, so that senders spread.
  package struct BackOff: Hashable, Sendable {
    package var first: Duration
    package var longest: Duration

    package init(first: Duration, longest: Duration) {
      self.first = first
      self.longest = longest
    }

    /// How long to wait before the next attempt.
    ///
    /// - Parameter attempt: From 1.
    package func delay(after attempt: Int, using generator: inout SeededGenerator) -> Duration {
      let doubled = first.wholeMilliseconds << Int64(min(attempt - 1, 20))
      let delay = min(doubled, longest.wholeMilliseconds)
      return .milliseconds(delay + generator.draw(0...delay / 2))
    }
  }

  /// After a connection that was lost, refused or is being closed. Ours.
  package var connection = BackOff(first: .milliseconds(250), longest: .seconds(30))
  /// After 429: Apple asks for "a delay" without a number. Ours.
  package var rate = BackOff(first: .seconds(2), longest: .seconds(300))
  /// After 5xx: Apple asks for 15 minutes, and allows a back-off.
  package var server = BackOff(first: .seconds(900), longest: .seconds(7_200))
  /// Attempts for one push. Ours.
  package var attempts = 8
  /// Connections in a row that do not come about before the sender gives up. Ours.
  package var connectAttempts = 3

  package init() {}
}
