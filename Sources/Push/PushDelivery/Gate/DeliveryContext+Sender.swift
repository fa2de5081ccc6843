import LinkspanCore
import PushProvider
internal import PushTerms

/// What is decided before the push reaches the device.
extension DeliveryContext {
  func answer(_ gate: DeliveryGate, _ push: SentPush, _ app: PushApp) -> GateAnswer {
    switch gate {
    case .payload: payload(push)
    case .entitlement: entitlement(app)
    case .registration: registration(app)
    case .environment: environment(push, app)
    case .topic: topic(push, app)
    case .headers: headers(push)
    case .token: app.isReportedGone ? .stop(.tokenGone) : .yes("the token is active", ["push 4"])
    case .installed:
      app.life == .notInstalled ? .stop(.uninstalled) : .yes("the app is installed", ["push 7.13"])
    case .permission: permission(push, app)
    case .network: network
    case .power: power(push)
    default: deviceAnswer(gate, push, app)
    }
  }

  /// The first gate that does not let the push through.
  func obstacle(_ gates: [DeliveryGate], _ push: SentPush, _ app: PushApp) -> GateAnswer? {
    gates.lazy.map { answer($0, push, app) }.first { $0.stops }
  }

  private func payload(_ push: SentPush) -> GateAnswer {
    let size = push.payload.sizeBytes
    let limit = push.headers.payloadLimitBytes
    if push.headers.payloadRefusal(bytes: size) != nil {
      return .stop(.payloadTooLarge, "it has \(size), and at most \(limit) are allowed")
    }
    return .yes("\(size) of at most \(limit) bytes", ["push 2.2"])
  }

  private func entitlement(_ app: PushApp) -> GateAnswer {
    guard let environment = app.traits.environment else { return .stop(.noEntitlement) }
    guard app.traits.isEnvironmentKnown else {
      return .yes(
        "'aps-environment' is not known, since no entitlements could be read; '\(environment.entitlement)' is assumed",
        ["push 2.3"], .inferred)
    }
    return .yes("'aps-environment' is '\(environment.entitlement)'", ["push 2.3"])
  }

  private func registration(_ app: PushApp) -> GateAnswer {
    app.lastOpened == nil
      ? .stop(.neverLaunched) : .yes("the app was launched there and has a token", ["push 2.3"])
  }

  private func environment(_ push: SentPush, _ app: PushApp) -> GateAnswer {
    guard let environment = app.traits.environment else {
      return .notAsked("there is no token that could belong to an environment", ["push 2.3"])
    }
    if environment != push.server {
      return .stop(
        .wrongEnvironment,
        "the app is signed for '\(environment.entitlement)', and the push goes to the \(push.server.rawValue) server"
      )
    }
    guard app.traits.isEnvironmentKnown else {
      return .yes(
        "whether the \(push.server.rawValue) server is the token's is not known; it is right for the environment that is assumed",
        ["push 1.1", "push 4"], .inferred)
    }
    return .yes(
      "the \(push.server.rawValue) server is right for '\(environment.entitlement)'", ["push 1.1", "push 4"])
  }

  private func topic(_ push: SentPush, _ app: PushApp) -> GateAnswer {
    let bundle = app.traits.bundleIdentifier
    let usual = bundle + push.kind.topicSuffix
    guard let topic = push.topic, topic != usual else {
      return .yes(
        usual == bundle
          ? "the topic is the bundle identifier, '\(bundle)'"
          : "the topic is '\(usual)', the bundle identifier with the suffix of the type", ["push 2.1"])
    }
    if let refusal = push.headers.topicRefusal {
      return .stop(.refusedHeaders, Self.text(refusal) + ", the topic is '\(topic)'")
    }
    return .stop(.wrongTopic, "the topic is '\(topic)', and the app is '\(bundle)'")
  }

  private func headers(_ push: SentPush) -> GateAnswer {
    let priority = push.priority.rawValue
    // The topic has its own gate.
    let refusals = push.headers.refusals(isStrict: profile == .strict).filter {
      $0 != push.headers.topicRefusal
    }
    if let refusal = refusals.first {
      return refusal == push.headers.backgroundRefusal
        ? .stop(.wrongPriority, "it has priority \(priority)") : .stop(.refusedHeaders, Self.text(refusal))
    }
    if push.headers.backgroundRefusal == nil {
      return .yes("push type \(push.kind.rawValue), priority \(priority)", ["push 2.1", "push 7.1"])
    }
    return .yes(
      "a background push of priority \(priority), which Apple calls an error, was seen to wake apps",
      ["push 7.11"], .observed)
  }

  /// `400 BadPriority`
  private static func text(_ refusal: PushRefusal) -> String {
    "it answers \(refusal.reason.status) \(refusal.reason.rawValue)"
  }

  private func permission(_ push: SentPush, _ app: PushApp) -> GateAnswer {
    guard push.payload.isVisible else {
      return .notAsked("the push shows nothing, and needs no permission", ["push 7.13"])
    }
    switch app.permission {
    case .authorized: return .yes("the user allows notifications", ["push 7.13"])
    case .provisional: return .yes("notifications are delivered quietly", ["push 7.13"])
    case .denied: return withoutPermission(push, "")
    case .notDetermined: return withoutPermission(push, "the app has not asked for permission")
    }
  }

  /// That the alert is not shown is documented; what becomes of its 'content-available' nobody documents.
  private func withoutPermission(_ push: SentPush, _ detail: String) -> GateAnswer {
    guard push.payload.asksForWake else { return .stop(.notificationsOff, detail) }
    let more = "that it is discarded as a whole and wakes no app is this project's conclusion"
    var answer = GateAnswer.stop(.notificationsOff, detail.isEmpty ? more : detail + "; " + more)
    answer.certainty = .inferred
    return answer
  }

  private var network: GateAnswer {
    conditions.isOnline ? .yes("the device is online", ["push 7.13"]) : .stop(.offline)
  }

  /// A push of low priority waits for others (push 7.14).
  private var grouped: GateAnswer? {
    groupsLowPriority ? .stop(.grouped, until: nextBurst) : nil
  }

  /// Ours: pushes of low priority that are grouped come together at each quarter of an hour.
  private static let burstMilliseconds: Int64 = 15 * 60_000

  private var nextBurst: WallTime {
    WallTime(milliseconds: (now.milliseconds / Self.burstMilliseconds + 1) * Self.burstMilliseconds)
  }

  private func power(_ push: SentPush) -> GateAnswer {
    if isAwake { return .yes("another push has just woken the device", ["push edge 3"], .inferred) }
    let rules = ["push 7.13", "push edge 3"]
    switch push.priority {
    case .immediate: return .yes("priority 10 is delivered at once", rules)
    case .powerAware:
      if conditions.power != .normal { return .stop(.powerSaving, "power is \(conditions.power.rawValue)") }
      return grouped ?? .yes("priority 5 is delivered while power is normal", rules)
    case .powerFirst:
      if conditions.power == .normal, conditions.isInUse {
        return grouped ?? .yes("priority 1 reaches a device that is in use anyway", rules, .inferred)
      }
      return .stop(.powerSaving, "priority 1 never wakes a device")
    }
  }
}
