package import LinkspanCore
internal import LinkspanSpecification

/// A place on the way of a push where it may stop, in the order in which they are passed.
package enum DeliveryGate: String, Hashable, Sendable, CaseIterable {
  case payload
  case entitlement
  case registration
  case environment
  case topic
  case headers
  case token
  case installed
  case permission
  case network
  case power
  case pushType = "push-type"
  case display
  case contentAvailable = "content-available"
  case appState = "app-state"
  case backgroundMode = "background-mode"
  case backgroundRefresh = "background-refresh"
  case recentUse = "recent-use"
  case build
  case startup
  case budget

  /// Before APNs accepts the push.
  static let ofSender: [DeliveryGate] = [
    .payload, .entitlement, .registration, .environment, .topic, .headers, .token,
  ]
  /// What APNs looks at once.
  static let ofStore: [DeliveryGate] = [.installed, .permission]
  /// What APNs looks at at every attempt.
  static let ofAttempt: [DeliveryGate] = [.network, .power]
  /// Between the arrival on the device and the app's handler; ``display`` stands apart.
  static let ofWake: [DeliveryGate] = [
    .contentAvailable, .appState, .backgroundMode, .backgroundRefresh, .recentUse, .build, .startup, .budget,
  ]
}

/// What a gate says to one push.
package struct GateAnswer: Hashable, Sendable, HasProvenance {
  package enum Verdict: String, Hashable, Sendable {
    case yes
    case no
    /// The push waits.
    case later
    /// There is nothing to decide, because the push does not ask for it.
    case notAsked = "not-asked"
    /// Nothing documents what happens. The simulated device drops the push.
    case unknown
  }

  package var verdict: Verdict
  package var reason: DeliveryReason?
  /// When a push that waits is looked at again; nil when only a change of conditions helps.
  package var until: WallTime?
  /// A clause without capital letter and full stop.
  package var message: String
  /// Whether the push gets no further than here, as far as anything is known.
  package var stops: Bool { verdict == .no || verdict == .later || verdict == .unknown }
  package var rules: [String]
  package var certainty: Certainty

  static func yes(_ message: String, _ rules: [String], _ certainty: Certainty = .documented) -> GateAnswer {
    GateAnswer(verdict: .yes, message: message, Provenance(citing: rules, atMost: certainty))
  }

  static func notAsked(_ message: String, _ rules: [String]) -> GateAnswer {
    GateAnswer(verdict: .notAsked, message: message, Provenance(citing: rules))
  }

  /// - Parameter detail: What is known beyond the sentence of the reason.
  static func unknown(_ reason: DeliveryReason, _ detail: String) -> GateAnswer {
    var answer = stop(reason, detail)
    answer.verdict = .unknown
    return answer
  }

  /// - Parameter detail: What is known beyond the sentence of the reason.
  static func stop(_ reason: DeliveryReason, until: WallTime? = nil, _ detail: String = "") -> GateAnswer {
    let facts = reason.facts
    let waits = facts.effect == .stored || facts.effect == .held
    return GateAnswer(
      verdict: waits ? .later : .no, reason: reason, until: until,
      message: facts.sentence + (detail.isEmpty ? "" : "; " + detail), facts.provenance)
  }

  private init(
    verdict: Verdict, reason: DeliveryReason? = nil, until: WallTime? = nil, message: String,
    _ provenance: Provenance
  ) {
    self.verdict = verdict
    self.reason = reason
    self.until = until
    self.message = message
    rules = provenance.rules
    certainty = provenance.certainty
  }
}

/// Everything besides push and app that decides at one moment.
struct DeliveryContext: Sendable {
  var profile: DeliveryProfile
  var conditions: DeviceConditions
  var bootedAt: WallTime
  var networkBackAt: WallTime?
  var deviceBudget: DeviceBudget
  var now: WallTime
  /// Something else has just woken the device's radio (push edge 3).
  var isAwake = false
  var groupsLowPriority = false
}
