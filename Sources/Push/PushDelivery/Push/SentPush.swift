package import LinkspanCore
package import PushTerms

/// A push as its sender hands it to APNs: the payload with the headers that decide about its delivery.
package struct SentPush: Hashable, Sendable {
  /// The push types whose way to the device is simulated; the others do not wake apps in the background.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case alert
    case background

    /// What `linkspan push send` chooses for a payload: `background` when it asks for a wake and shows nothing.
    package init(of payload: ReceivedPayload) {
      self = payload.asksForWake && !payload.isVisible ? .background : .alert
    }

    /// A background push must have 5 (push 2.1).
    package var usualPriority: Priority { self == .background ? .powerAware : .immediate }
  }

  /// `apns-priority`.
  package enum Priority: Int, Hashable, Sendable, CaseIterable {
    /// Power comes first; the device is never woken for it.
    case powerFirst = 1
    /// When it costs the device little power.
    case powerAware = 5
    case immediate = 10
  }

  /// `apns-expiration`.
  package enum Expiry: Hashable, Sendable {
    /// No header: stored by APNs' policy, up to 30 days.
    case policy
    /// 0: one attempt, never stored.
    case oneAttempt
    case at(WallTime)
  }

  package var payload: ReceivedPayload
  package var kind: Kind
  package var priority: Priority
  package var expiry = Expiry.policy
  package var collapseIdentifier: String?
  /// `apns-topic`; nil means the bundle identifier of the app.
  package var topic: String?
  package var server: PushEnvironment

  /// - Parameters:
  ///   - kind: nil for what the payload looks like.
  ///   - priority: nil for the usual one of the kind.
  package init(
    _ payload: ReceivedPayload, kind: Kind? = nil, priority: Priority? = nil,
    server: PushEnvironment = .production
  ) {
    self.payload = payload
    self.kind = kind ?? Kind(of: payload)
    self.priority = priority ?? self.kind.usualPriority
    self.server = server
  }
}
