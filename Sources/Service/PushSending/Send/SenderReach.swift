package import LinkspanCore
package import PushProvider

/// Whether an environment of APNs can be reached, as its answers and failures show it: one change each way, however many
/// pushes fail in between.
package struct SenderReach {
  package enum Change: Hashable, Sendable {
    /// - Parameter needsFix: Whether the server is there, and a person has to mend the connection.
    case unreachable(reason: String, needsFix: Bool)
    case reachable
  }

  /// How long nothing must have been answered. Ours: one connection of several may break.
  private static let quiet = Duration.seconds(5)

  private var isReachable = true
  private var answeredAt = WallTime(milliseconds: .min)

  /// Takes an attempt's result.
  ///
  /// - Parameter sentAt: When it was handed over.
  /// - Returns: What is new to an operator.
  package mutating func take(_ result: PushResult, sentAt: WallTime, at now: WallTime) -> Change? {
    guard case .notNow(let delay) = result.outcome, delay.status == nil else {
      answeredAt = now
      defer { isReachable = true }
      return isReachable ? nil : .reachable
    }
    // A push without an answer may have met a connection that was just closed.
    let isSure = !result.isPossibleDuplicate || sentAt.advanced(by: Self.quiet) <= now
    guard isReachable, isSure, answeredAt.milliseconds + Self.quiet.wholeMilliseconds <= now.milliseconds
    else { return nil }
    isReachable = false
    return .unreachable(reason: delay.reason, needsFix: delay.needsFix)
  }
}
