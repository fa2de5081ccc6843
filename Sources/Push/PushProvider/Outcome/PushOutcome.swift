package import LinkspanCore

/// How a push ended.
package enum PushOutcome: Hashable, Sendable {
  /// APNs took it, which does not say that it was delivered.
  case accepted(uniqueIdentifier: String?)
  /// As it is, it will never be accepted.
  case rejected(Rejection)
  /// It may be accepted later.
  case notNow(Delay)

  package struct Rejection: Hashable, Sendable {
    package var status: Int
    /// The string that APNs gave.
    package var reason: String?
    package var step: RejectionStep
    package var advice: String
    /// When APNs confirmed that the token is dead.
    package var timestamp: WallTime?
  }

  /// What decided when another attempt makes sense.
  package enum Wait: Hashable, Sendable {
    /// APNs, or the rules for its answer.
    case usual
    /// The rule for a 5xx that came alone. Should others fail after it, an outage is the reason and its end the moment.
    case alone
    /// An outage: the next probe.
    case outage
  }

  package struct Delay: Hashable, Sendable {
    /// nil without an answer.
    package var status: Int?
    package var reason: String
    /// The earliest moment at which another attempt makes sense.
    package var retryAt: WallTime
    package var wait = Wait.usual
    /// Whether a person has to mend something first: which certificates are trusted, or with status 403 the key.
    package var needsFix = false

    package init(
      status: Int?, reason: String, retryAt: WallTime, wait: Wait = .usual, needsFix: Bool = false
    ) {
      self.status = status
      self.reason = reason
      self.retryAt = retryAt
      self.wait = wait
      self.needsFix = needsFix
    }
  }
}

/// A push's outcome and how it came about.
package struct PushResult: Hashable, Sendable {
  package var token: DeviceToken
  package var outcome: PushOutcome
  /// The same for every attempt.
  package var messageIdentifier: String
  /// How often it was sent.
  package var attemptCount: Int
  /// Whether a connection died under an attempt whose answer never came, and another attempt followed or may: APNs may
  /// have accepted the push more than once.
  package var isPossibleDuplicate: Bool
}
