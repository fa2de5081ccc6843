internal import DeviceRegistry
internal import LinkspanCore
internal import PushProvider
internal import RegistryRequests

/// What an attempt's result means for its delivery, its device and its sender.
struct SenderVerdict {
  var outcome: DeliveryOutcome
  /// Whether it waits as long as Apple asks after a 5xx that comes alone; an outage that is found out later shortens that.
  var isAlone = false

  init(_ result: PushResult, _ flight: SenderLane.Flight, at now: WallTime, seed: UInt64) {
    switch result.outcome {
    case .accepted:
      outcome = DeliveryOutcome(flight.delivery, .accepted, status: 200)
    case .rejected(let rejection):
      let reason = rejection.reason ?? "status \(rejection.status)"
      outcome = DeliveryOutcome(flight.delivery, .rejected, status: rejection.status, reason: reason)
      let known = rejection.reason.flatMap(RejectionReason.init(rawValue:))
      if known?.isAboutCredential == true {
        // Nothing is sent before APNs takes the key.
        outcome.end = Self.later(now, flight)
      } else {
        outcome.news = Self.news(known, rejection, flight)
        outcome.address = flight.token.text
      }
    case .notNow(let delay):
      outcome = DeliveryOutcome(flight.delivery, .unsent, status: delay.status, reason: delay.reason)
      isAlone = delay.wait == .alone
      #if PLANTED_BUGS
        if ServiceBug.lostAnswerCounted.isPlanted, result.attemptCount > 0, delay.status == nil {
          outcome.end = .accepted
          return
        }
      #endif
      if result.attemptCount > 0 || delay.status == nil {
        outcome.end = Self.later(Self.due(delay, flight, at: now, seed), flight)
      }
    }
    // An answer says what became of this attempt, but not of those that were lost before it.
    outcome.isMaybeTwice = result.isPossibleDuplicate
  }

  /// When the next attempt is due. While APNs fails nothing is taken from the store, so that everything is due at once when
  /// it works again.
  private static func due(
    _ delay: PushOutcome.Delay, _ flight: SenderLane.Flight, at now: WallTime, _ seed: UInt64
  ) -> WallTime {
    if delay.wait == .outage { return now }
    guard delay.status == nil else { return delay.retryAt }
    var chance = SeededGenerator(seed: seed)
    let backOff = PushRetryPolicy().connection
    return max(
      delay.retryAt, now.advanced(by: backOff.delay(after: Int(clamping: flight.attempts), using: &chance)))
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
