internal import DeviceRegistry
internal import LinkspanCore
internal import PushProvider

/// What an attempt's result means for its delivery, its device and its sender.
struct SenderVerdict {
  var outcome: DeliveryOutcome
  /// Why APNs refuses the sender itself; nil where it does not.
  var refusal: String?

  /// Refusals that are about the sender's key, and would be the same for every push.
  private static let refusalsOfSender: Set<RejectionReason> = [
    .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .invalidProviderToken,
    .missingProviderToken, .unrelatedKeyIdentifier, .badEnvironmentKeyIdentifier,
  ]
  /// Ours: attempts count those of senders that died as well, so the pause grows less than the usual policy lets it.
  private static let longestRatePause = Duration.seconds(60)
  /// Ours: how long a push waits that went out with a key that APNs refused.
  private static let refusalPause = Duration.seconds(10)

  init(
    _ result: PushResult, _ flight: SenderLane.Flight, _ settings: SenderSettings, at now: WallTime,
    _ seed: UInt64
  ) {
    switch result.outcome {
    case .accepted:
      outcome = DeliveryOutcome(flight.delivery, .accepted, status: 200)
    case .rejected(let rejection):
      let reason = rejection.reason ?? "status \(rejection.status)"
      outcome = DeliveryOutcome(flight.delivery, .rejected, status: rejection.status, reason: reason)
      let known = rejection.reason.flatMap(RejectionReason.init(rawValue:))
      if let known, Self.refusalsOfSender.contains(known) {
        refusal = reason
        outcome.end = Self.later(now.advanced(by: Self.refusalPause), flight)
      } else {
        outcome.news = Self.news(known, rejection, flight)
        outcome.address = flight.token.text
      }
    case .notNow(let delay):
      outcome = DeliveryOutcome(flight.delivery, .unsent, status: delay.status, reason: delay.reason)
      var chance = SeededGenerator(seed: seed)
      let policy = PushRetryPolicy()
      let backOff: PushRetryPolicy.BackOff =
        switch delay.status {
        case nil: policy.connection
        case 429: .init(first: policy.rate.first, longest: Self.longestRatePause)
        default: SenderLane.serverBackOff(settings)
        }
      let time = now.advanced(by: backOff.delay(after: Int(clamping: flight.attempts), using: &chance))
      // APNs may ask for a longer pause.
      outcome.end = Self.later(max(time, delay.retryAt), flight)
    }
    // An answer says what became of this attempt, but not of those that were lost before it.
    outcome.isMaybeTwice = result.isPossibleDuplicate
  }

  private static func later(_ time: WallTime, _ flight: SenderLane.Flight) -> DeliveryOutcome.End {
    time < flight.giveUpAt ? .later(time) : .expired
  }

  /// Push notes, 4: a token is dead only if it was not registered after APNs' timestamp.
  private static func news(
    _ reason: RejectionReason?, _ rejection: PushOutcome.Rejection, _ flight: SenderLane.Flight
  ) -> DeliveryOutcome.TokenNews? {
    switch reason {
    case .unregistered, .expiredToken: .dead(since: rejection.timestamp ?? flight.sentAt)
    case .deviceTokenNotForTopic: .dead(since: flight.sentAt)
    case .badDeviceToken: .suspect
    default: rejection.status == 410 ? .dead(since: rejection.timestamp ?? flight.sentAt) : nil
    }
  }
}
