import LinkspanCore
internal import LinkspanSpecification
internal import PushProvider

/// What the device does with a push that reached it.
extension PushDevice {
  mutating func deliver(_ waiting: PushApp.Waiting, _ bundle: String) {
    guard let app = apps[bundle] else { return }
    if let obstacle = context.obstacle([.pushType], waiting.push, app) {
      return settle(waiting.number, bundle, .dropped, obstacle.reason, obstacle.provenance)
    }
    let display = context.answer(.display, waiting.push, app)
    if display.verdict == .yes, !extend(waiting, bundle, display.provenance) {
      show(waiting, bundle, display.provenance)
    }
    offer(waiting, bundle, isAlreadyHeld: false, display: display)
  }

  /// Wakes the app, keeps the push for later, or ends it.
  ///
  /// - Parameter display: What was decided about its visible part, when that was just now.
  private mutating func offer(
    _ waiting: PushApp.Waiting, _ bundle: String, isAlreadyHeld: Bool, display: GateAnswer? = nil
  ) {
    guard let app = apps[bundle] else { return }
    guard let obstacle = context.obstacle(DeliveryGate.ofWake, waiting.push, app) else {
      if isAlreadyHeld { apps[bundle]?.held = nil }
      return wake(waiting, bundle)
    }
    if obstacle.verdict == .later { return hold(waiting, bundle, obstacle) }
    if isAlreadyHeld { apps[bundle]?.held = nil }
    // An ordinary notification asks for no wake, so there is no reason to give.
    guard waiting.push.payload.asksForWake else {
      return settle(
        waiting.number, bundle, .delivered, display?.reason, display?.provenance ?? obstacle.provenance)
    }
    end(waiting, bundle, obstacle.reason, obstacle.provenance)
  }

  /// Ends a push that wakes nobody.
  private mutating func end(
    _ waiting: PushApp.Waiting, _ bundle: String, _ reason: DeliveryReason?, _ provenance: Provenance
  ) {
    let wasShown = records[waiting.number]?.wasShown ?? false
    settle(waiting.number, bundle, wasShown ? .delivered : .dropped, reason, provenance)
  }

  /// - Parameters:
  ///   - text: What is shown instead of the alert's text.
  ///   - author: Who decided about the text, where that was not the payload.
  mutating func show(
    _ waiting: PushApp.Waiting, _ bundle: String, _ provenance: Provenance, text: String? = nil,
    by author: String? = nil
  ) {
    let payload = waiting.push.payload
    var details: [DeliveryEvent.Detail] = author.map { [.init(name: "by", value: $0)] } ?? []
    if let badge = payload.badge {
      apps[bundle]?.badge = badge
      details.append(.init(name: "badge", value: "\(badge)"))
    }
    if let alert = text ?? payload.alert {
      details.append(.init(name: "text", value: alert))
      add(
        PushApp.Notification(
          text: alert, push: waiting.number, isLocal: false,
          collapseIdentifier: waiting.push.collapseIdentifier, asksForWake: payload.asksForWake,
          custom: payload.custom), bundle)
    }
    note(.shown, waiting.number, bundle, nil, provenance, details: details)
  }

  /// Adds an entry to Notification Centre, in place of the one with the same collapse identifier (push edge 4).
  private mutating func add(_ notification: PushApp.Notification, _ bundle: String) {
    if let collapse = notification.collapseIdentifier {
      apps[bundle]?.notifications.removeAll { $0.collapseIdentifier == collapse }
    }
    apps[bundle]?.notifications.append(notification)
    let excess = (apps[bundle]?.notifications.count ?? 0) - PushApp.notificationLimit
    if excess > 0 { apps[bundle]?.notifications.removeFirst(excess) }
  }

  // MARK: - Held

  private mutating func hold(_ waiting: PushApp.Waiting, _ bundle: String, _ obstacle: GateAnswer) {
    guard let reason = obstacle.reason else { return }
    var waiting = waiting
    let older = apps[bundle]?.held
    waiting.until = obstacle.until
    let isSame = older?.number == waiting.number
    let isNews = !isSame || older?.reason != reason || older?.until != obstacle.until
    if let older, !isSame { end(older, bundle, .replaced, DeliveryReason.replaced.facts.provenance) }
    waiting.reason = reason
    apps[bundle]?.held = waiting
    if isNews { note(.held, waiting.number, bundle, reason, obstacle.provenance, next: obstacle.until) }
  }

  /// Looks again at what the device holds for an app.
  mutating func reconsider(_ bundle: String) {
    guard let held = apps[bundle]?.held else { return }
    offer(held, bundle, isAlreadyHeld: true)
  }

  /// What the device holds for an app is lost.
  mutating func loseHeld(_ bundle: String, _ reason: DeliveryReason) {
    guard let held = apps[bundle]?.held else { return }
    apps[bundle]?.held = nil
    end(held, bundle, reason, reason.facts.provenance)
  }

  // MARK: - The handler

  /// push 7.5: so long the app has to call its completion handler.
  package static let handlerLimitMilliseconds: Int64 = 30_000
  /// Ours: handlers that take longer are woken later.
  private static let slowMilliseconds: Int64 = 10_000

  private mutating func wake(_ waiting: PushApp.Waiting, _ bundle: String) {
    guard let app = apps[bundle] else { return }
    let isForeground = app.life == .foreground
    let counts = !isForeground && !conditions.hasDebugger
    if counts {
      apps[bundle]?.budget.spend(at: now)
      deviceBudget.spend(at: now)
    }
    if !isForeground, app.life != .background {
      apps[bundle]?.life = .background
      apps[bundle]?.isWoken = true
    }
    beginRun(waiting.number, app.plan, custom: waiting.push.payload.custom, counts: counts, bundle)
    let rules = isForeground ? ["push 7.7", "push device 1"] : ["push 7.1", "push device 6"]
    settle(
      waiting.number, bundle, .woke, nil, Provenance(citing: rules),
      details: [.init(name: "app_was", value: app.life.rawValue)])
  }

  /// A handler begins, by the app's code where there is any.
  mutating func beginRun(
    _ number: Int, _ plan: HandlerPlan, custom: [String: String] = [:], counts: Bool = false, _ bundle: String
  ) {
    let answer = handlers[bundle]?(plan, now)
    let plan = answer?.plan ?? plan
    let length = min(plan.duration_ms ?? .max, Self.handlerLimitMilliseconds)
    apps[bundle]?.runs.append(
      PushApp.Run(
        number: number, plan: plan, calls: answer?.calls, custom: custom,
        end: WallTime(milliseconds: now.milliseconds + length), counts: counts))
  }

  /// A handler has called its completion handler, or its time is up.
  mutating func finishRun(_ bundle: String) {
    guard let app = apps[bundle],
      let place = app.runs.indices.min(by: { app.runs[$0].end < app.runs[$1].end })
    else { return }
    let run = app.runs[place]
    let takesTooLong = (run.plan.duration_ms ?? .max) > Self.handlerLimitMilliseconds
    if takesTooLong, app.life != .foreground { return timeOut(bundle) }
    apps[bundle]?.runs.remove(at: place)
    let result = takesTooLong ? "none" : run.plan.result.rawValue
    note(
      .finished, run.number, bundle, nil, Provenance(citing: ["push 7.5", "push device 7"]),
      details: [.init(name: "result", value: result)]
        + (run.calls.map { [.init(name: "completion_calls", value: "\($0)")] } ?? []))
    if run.number == 0, !takesTooLong {
      apps[bundle]?.fetch.note(run.plan.result, at: now)
      apps[bundle]?.fetch.plan(after: now)
    }
    if !takesTooLong { apply(run, bundle) }
    if let app = apps[bundle], app.isWoken, app.runs.isEmpty, app.life == .background {
      apps[bundle]?.life = .suspended
      apps[bundle]?.isWoken = false
    }
  }

  private mutating func apply(_ run: PushApp.Run, _ bundle: String) {
    if run.counts {
      let change: Int64 =
        switch run.plan.result {
        case .newData: 10
        case .noData: -10
        case .failed: -25
        }
      let isSlow = (run.plan.duration_ms ?? 0) > Self.slowMilliseconds
      apps[bundle]?.budget.adjust(byPercent: change - (isSlow ? 10 : 0), at: now)
    }
    guard run.plan.result == .newData, let app = apps[bundle] else { return }
    apps[bundle]?.content.merge(run.custom) { $1 }
    guard app.permission == .authorized || app.permission == .provisional else { return }
    if let badge = run.plan.badge { apps[bundle]?.badge = badge }
    var details: [DeliveryEvent.Detail] = []
    if let badge = run.plan.badge { details.append(.init(name: "badge", value: "\(badge)")) }
    if let text = run.plan.notification, app.life != .foreground {
      details.append(.init(name: "text", value: text))
      add(PushApp.Notification(text: text, push: run.number, isLocal: true, collapseIdentifier: nil), bundle)
    }
    if !details.isEmpty {
      note(
        .notified, run.number, bundle, nil, Provenance(citing: ["push 7.1"], atMost: .inferred),
        details: details)
    }
  }

  /// The system kills the app, and wakes it late from now on (push 7.5, push device 7).
  private mutating func timeOut(_ bundle: String) {
    let facts = DeliveryReason.handlerTimeout.facts
    for run in apps[bundle]?.runs ?? [] {
      note(.killed, run.number, bundle, .handlerTimeout, facts.provenance)
      if run.number == 0 { apps[bundle]?.fetch.note(.failed, at: now) }
    }
    apps[bundle]?.runs = []
    apps[bundle]?.life = .terminated
    apps[bundle]?.isWoken = false
    apps[bundle]?.budget.empty(at: now)
    loseHeld(bundle, .quitWhileHeld)
  }
}
