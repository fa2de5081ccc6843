package import LinkspanCore

/// Something that happened to a push, or because of one.
package struct DeliveryEvent: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case accepted = "push-accepted"
    case stored = "push-stored"
    case shown = "push-shown"
    case held = "push-held"
    // What ends a push: one of these, once.
    case refused = "push-refused"
    case discarded = "push-discarded"
    case dropped = "push-dropped"
    case delivered = "push-delivered"
    case woke = "push-woke"
    // What the app does then.
    case finished = "handler-finished"
    case killed = "handler-killed"
    case notified = "notification-posted"
    /// The user tapped the notification, so the handler has the push once more.
    case calledAgain = "handler-called-again"
    /// The system woke the app to fetch, without a push.
    case fetched = "fetch-woke"

    /// Whether it is the fate of a push.
    package var isFate: Bool {
      switch self {
      case .refused, .discarded, .dropped, .delivered, .woke: true
      default: false
      }
    }
  }

  package var time: WallTime
  package var kind: Kind
  /// The number of the push, from 1; 0 for what no push began.
  package var push: Int
  /// The bundle identifier.
  package var app: String
  package var reason: DeliveryReason?
  package var provenance: Provenance
  /// When a push that waits is looked at again.
  package var next: WallTime?
  /// More about it, for the trace.
  package var details: [Detail] = []

  package struct Detail: Hashable, Sendable {
    package var name: String
    package var value: String
  }
}

/// How far a push has come.
package struct PushRecord: Hashable, Sendable {
  package var number: Int
  package var app: String
  /// The last event that says where it is.
  package var state: DeliveryEvent.Kind
  package var reason: DeliveryReason?
  package var provenance: Provenance
  /// When it came to be so.
  package var time: WallTime
  package var wasShown = false
}
