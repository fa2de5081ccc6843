package import LinkspanCore
internal import LinkspanSpecification
internal import PushProvider

/// What happens beside the way of a push: background fetch, the notification service extension, a tap on a notification, and
/// the bursts of pushes of low priority.
extension PushDevice {
  // MARK: - Background fetch

  /// Plans the next fetch of an app that asked for any; nothing changes while one is planned.
  mutating func planFetch(_ bundle: String) {
    guard let app = apps[bundle] else { return }
    guard app.fetch.minimum_ms != nil, app.traits.backgroundModes.contains(FetchModel.mode),
      app.life != .notInstalled, app.life != .neverLaunched
    else {
      apps[bundle]?.fetch.next = nil
      return
    }
    if app.fetch.next == nil { apps[bundle]?.fetch.plan(after: now) }
  }

  /// A fetch is due: the system wakes the app, or leaves it for another time.
  mutating func beginFetch(_ bundle: String) {
    guard let app = apps[bundle] else { return }
    apps[bundle]?.fetch.plan(after: now)
    // Nothing wakes what the user quit (push 7.6); the budget of the device is that of the pushes (push 7.8).
    guard app.allowsBackgroundRefresh, app.runs.isEmpty,
      app.life == .background || app.life == .suspended || app.life == .terminated,
      conditions.isOnline, conditions.hasDebugger || deviceBudget.available(at: now, conditions.power) <= now
    else { return }
    if !conditions.hasDebugger { deviceBudget.spend(at: now) }
    apps[bundle]?.life = .background
    apps[bundle]?.isWoken = true
    beginRun(0, app.fetchPlan ?? app.plan, bundle)
    note(
      .fetched, 0, bundle, nil, Provenance(citing: ["push section 7.3"]),
      details: [.init(name: "app_was", value: app.life.rawValue)])
  }

  // MARK: - Notifications

  /// Has the extension of an app work on a push before it is shown.
  ///
  /// - Returns: False when it is not run: without one, for a push that does not ask for it or has no alert (push 7.16).
  mutating func extend(_ waiting: PushApp.Waiting, _ bundle: String, _ provenance: Provenance) -> Bool {
    let payload = waiting.push.payload
    guard let plan = apps[bundle]?.service, payload.isMutable, payload.alert != nil else { return false }
    let length = min(plan.duration_ms ?? .max, ServicePlan.limitMilliseconds)
    apps[bundle]?.services.append(
      PushApp.ServiceRun(
        waiting: waiting, provenance: provenance, plan: plan,
        end: WallTime(milliseconds: now.milliseconds + length)))
    records[waiting.number]?.wasShown = true
    return true
  }

  /// The extension is done with a push, or its time is up.
  mutating func finishService(_ bundle: String) {
    guard let app = apps[bundle],
      let place = app.services.indices.min(by: { app.services[$0].end < app.services[$1].end })
    else { return }
    let run = app.services[place]
    apps[bundle]?.services.remove(at: place)
    let isInTime = (run.plan.duration_ms ?? .max) <= ServicePlan.limitMilliseconds
    let provenance = Provenance(run.provenance.rules + ["push 7.16"], run.provenance.certainty)
    show(
      run.waiting, bundle, provenance, text: isInTime ? run.plan.text : nil,
      by: isInTime ? "extension" : "system, after the extension's time was up")
  }

  /// The user taps the newest notification of an app that a push shows: the app opens, and its handler runs again for a push
  /// that asked for a wake (push 7.7).
  package mutating func tapNotification(_ bundle: String, at moment: WallTime) {
    advance(to: moment)
    guard let app = apps[bundle], app.life != .notInstalled,
      let place = app.notifications.lastIndex(where: { !$0.isLocal })
    else { return }
    let notification = app.notifications[place]
    apps[bundle]?.notifications.remove(at: place)
    if notification.asksForWake, app.traits.backgroundModes.contains(PushAppTraits.remoteNotificationMode) {
      beginRun(notification.push, app.plan, custom: notification.custom, bundle)
      note(.calledAgain, notification.push, bundle, nil, Provenance(citing: ["push 7.7"]))
    }
    move(bundle, to: .foreground, at: now)
  }

  // MARK: - Bursts

  /// Delivers what was grouped, for all apps at once (push 7.14).
  mutating func deliverBurst() {
    for bundle in apps.keys.sorted() where apps[bundle]?.stored?.reason == .grouped {
      retry(bundle, isAwake: true)
    }
    burstAt = nil
  }
}
