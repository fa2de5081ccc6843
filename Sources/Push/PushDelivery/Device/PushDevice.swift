package import LinkspanCore
internal import LinkspanSpecification
internal import PushProvider
internal import PushTerms

/// One device with its apps, and what APNs keeps for it.
///
/// A value on virtual time: whoever owns it says what happens and when, and ``advance(to:)`` does what falls due in
/// between. Every push ends in exactly one fate, and wakes its app at most once.
///
/// - Source: push 7.1 to 7.16 and push device 1 to 7; the numbers of the budgets are inferred.
package struct PushDevice: Sendable {
  /// How long APNs keeps a push without an expiration (push 7.12).
  private static let storageMilliseconds: Int64 = 30 * 86_400_000

  package let profile: DeliveryProfile
  /// By bundle identifier.
  package internal(set) var apps: [String: PushApp] = [:]
  package internal(set) var conditions = DeviceConditions()
  /// By number.
  package internal(set) var records: [Int: PushRecord] = [:]
  /// The code of apps that have any, by bundle identifier. It is given what its app wants to do, and the time, and runs to
  /// its end on a clock of its own. Of other apps the plan is what the system sees.
  package var handlers: [String: @Sendable (HandlerPlan, WallTime) -> HandlerAnswer] = [:]
  var bootedAt: WallTime
  var networkBackAt: WallTime?
  var deviceBudget = DeviceBudget()
  var now: WallTime
  /// Whether pushes of priority 5 and 1 wait for one another, as Apple says they may (push 7.14).
  package var groupsLowPriority = false
  /// When what is grouped is delivered; nil while nothing is.
  var burstAt: WallTime?
  var chance: SeededGenerator
  private var events: [DeliveryEvent] = []

  /// - Parameter start: The device has been on for long then.
  package init(start: WallTime, profile: DeliveryProfile = .strict, chance: SeededGenerator) {
    now = start
    self.profile = profile
    self.chance = chance
    bootedAt = WallTime(milliseconds: start.milliseconds - 86_400_000)
  }

  var context: DeliveryContext {
    DeliveryContext(
      profile: profile, conditions: conditions, bootedAt: bootedAt, networkBackAt: networkBackAt,
      deviceBudget: deviceBudget, now: now, groupsLowPriority: groupsLowPriority)
  }

  /// What happened since the last call, in order.
  package mutating func takeEvents() -> [DeliveryEvent] {
    defer { events = [] }
    return events
  }

  // MARK: - Sending

  /// A push arrives at APNs.
  ///
  /// - Parameters:
  ///   - number: Of this push alone.
  ///   - bundle: The app whose token it is sent to.
  package mutating func send(_ push: SentPush, number: Int, to bundle: String, at moment: WallTime) {
    advance(to: moment)
    precondition(records[number] == nil, "a push is sent once")
    // An app that was never there has no token.
    let app =
      apps[bundle]
      ?? PushApp(PushAppTraits(bundleIdentifier: bundle, environment: .production, backgroundModes: []))
    if let obstacle = context.obstacle(DeliveryGate.ofSender, push, app) {
      return settle(number, bundle, .refused, obstacle.reason, obstacle.provenance)
    }
    note(
      .accepted, number, bundle, nil, Provenance(citing: ["push 4"]),
      details: [
        .init(name: "push_type", value: push.kind.rawValue),
        .init(name: "priority", value: "\(push.priority.rawValue)"),
      ])
    if let obstacle = context.obstacle(DeliveryGate.ofStore, push, app) {
      if obstacle.reason == .uninstalled { apps[bundle]?.isReportedGone = true }
      return settle(number, bundle, .discarded, obstacle.reason, obstacle.provenance)
    }
    let waiting = PushApp.Waiting(number: number, push: push, reason: .offline, since: now)
    if let obstacle = context.obstacle(DeliveryGate.ofAttempt, push, app) {
      return store(waiting, bundle, obstacle)
    }
    deliver(waiting, bundle)
    if push.priority == .immediate { for other in apps.keys.sorted() { retry(other, isAwake: true) } }
  }

  /// Puts a push into the one slot that APNs has for the app on this device.
  private mutating func store(_ waiting: PushApp.Waiting, _ bundle: String, _ obstacle: GateAnswer) {
    var waiting = waiting
    switch waiting.push.expiry {
    case .oneAttempt:
      return settle(waiting.number, bundle, .discarded, .expired, DeliveryReason.expired.facts.provenance)
    case .at(let end) where end <= now:
      return settle(waiting.number, bundle, .discarded, .expired, DeliveryReason.expired.facts.provenance)
    case .at(let end): waiting.until = min(end, storageEnd)
    case .policy: waiting.until = storageEnd
    }
    waiting.reason = obstacle.reason ?? .offline
    if let older = apps[bundle]?.stored {
      let isBurst = now.milliseconds - older.since.milliseconds <= 1000
      // Which of two is kept is not promised; that the older one wins is rare (push edge 2, inferred).
      if profile == .field, isBurst, chance.chance(1, in: 20) {
        return settle(
          waiting.number, bundle, .discarded, .overwritten, DeliveryReason.overwritten.facts.provenance)
      }
      settle(older.number, bundle, .discarded, .overwritten, DeliveryReason.overwritten.facts.provenance)
    }
    apps[bundle]?.stored = waiting
    if waiting.reason == .grouped { burstAt = burstAt ?? obstacle.until }
    note(
      .stored, waiting.number, bundle, waiting.reason, obstacle.provenance,
      next: waiting.reason == .grouped ? burstAt : waiting.until)
  }

  private var storageEnd: WallTime { WallTime(milliseconds: now.milliseconds + Self.storageMilliseconds) }

  /// Tries again to deliver what APNs keeps for an app.
  mutating func retry(_ bundle: String, isAwake: Bool = false) {
    guard var waiting = apps[bundle]?.stored, let app = apps[bundle] else { return }
    if let obstacle = context.obstacle(DeliveryGate.ofStore, waiting.push, app) {
      apps[bundle]?.stored = nil
      if obstacle.reason == .uninstalled { apps[bundle]?.isReportedGone = true }
      return settle(waiting.number, bundle, .discarded, obstacle.reason, obstacle.provenance)
    }
    var context = context
    context.isAwake = isAwake
    if let obstacle = context.obstacle(DeliveryGate.ofAttempt, waiting.push, app) {
      guard let reason = obstacle.reason, reason != waiting.reason else { return }
      waiting.reason = reason
      apps[bundle]?.stored = waiting
      if reason == .grouped { burstAt = burstAt ?? obstacle.until }
      return note(.stored, waiting.number, bundle, reason, obstacle.provenance, next: waiting.until)
    }
    apps[bundle]?.stored = nil
    deliver(waiting, bundle)
  }

  /// What APNs keeps has expired.
  mutating func expire(_ bundle: String) {
    guard let waiting = apps[bundle]?.stored else { return }
    apps[bundle]?.stored = nil
    // What was to live for longer than APNs stores anything has not expired.
    var reason = DeliveryReason.storedTooLong
    if case .at(let end) = waiting.push.expiry, end <= now { reason = .expired }
    settle(waiting.number, bundle, .discarded, reason, reason.facts.provenance)
  }

  // MARK: - Records

  /// Records the fate of a push, which it has only one of.
  mutating func settle(
    _ number: Int, _ bundle: String, _ fate: DeliveryEvent.Kind, _ reason: DeliveryReason?,
    _ provenance: Provenance, details: [DeliveryEvent.Detail] = []
  ) {
    precondition(fate.isFate, "only a final state ends a push")
    precondition(records[number]?.state.isFate != true, "push \(number) has ended already")
    note(fate, number, bundle, reason, provenance, details: details)
  }

  mutating func note(
    _ kind: DeliveryEvent.Kind, _ number: Int, _ bundle: String, _ reason: DeliveryReason?,
    _ provenance: Provenance, next: WallTime? = nil, details: [DeliveryEvent.Detail] = []
  ) {
    events.append(
      DeliveryEvent(
        time: now, kind: kind, push: number, app: bundle, reason: reason, provenance: provenance, next: next,
        details: details))
    switch kind {
    case .shown: records[number]?.wasShown = true
    case .finished, .killed, .notified, .calledAgain, .fetched: break
    default:
      let wasShown = records[number]?.wasShown ?? false
      records[number] = PushRecord(
        number: number, app: bundle, state: kind, reason: reason, provenance: provenance, time: now,
        wasShown: wasShown)
    }
  }
}
