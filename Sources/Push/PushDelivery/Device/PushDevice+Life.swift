package import LinkspanCore
internal import LinkspanSpecification

/// What the user and the system do.
extension PushDevice {
  // MARK: - Time

  /// What falls due next, and when.
  private enum Due: Int {
    case handler, expiry, held, service, burst, fetch
  }

  private var nextDue: (moment: WallTime, due: Due, app: String)? {
    var all: [(moment: WallTime, due: Due, app: String)] = []
    for (bundle, app) in apps {
      if let end = app.runs.map({ $0.end }).min() { all.append((end, .handler, bundle)) }
      if let end = app.stored?.until { all.append((end, .expiry, bundle)) }
      if let end = app.held?.until { all.append((end, .held, bundle)) }
      if let end = app.services.map({ $0.end }).min() { all.append((end, .service, bundle)) }
      if let time = app.fetch.next { all.append((time, .fetch, bundle)) }
    }
    if let burstAt { all.append((burstAt, .burst, "")) }
    return all.min { ($0.moment, $0.due.rawValue, $0.app) < ($1.moment, $1.due.rawValue, $1.app) }
  }

  /// When something falls due that nobody has to ask for; nil when nothing waits.
  package var nextMoment: WallTime? { nextDue?.moment }

  /// Lets time pass, and does what falls due until then.
  ///
  /// - Parameter moment: Not before the last one.
  package mutating func advance(to moment: WallTime) {
    precondition(moment >= now, "time passes forward")
    while let (at, due, bundle) = nextDue, at <= moment {
      now = max(now, at)
      switch due {
      case .handler: finishRun(bundle)
      case .expiry: expire(bundle)
      case .held: reconsider(bundle)
      case .service: finishService(bundle)
      case .burst: deliverBurst()
      case .fetch: beginFetch(bundle)
      }
    }
    now = moment
  }

  // MARK: - The user

  /// Puts an app on the device; one that is there already is updated, which ends its process.
  package mutating func install(_ traits: PushAppTraits, at moment: WallTime) {
    advance(to: moment)
    let bundle = traits.bundleIdentifier
    if let old = apps[bundle], old.life != .notInstalled {
      // An update ends the process; that it does not wake what the user quit is inferred.
      stop(bundle, old.life == .forceQuit ? .forceQuit : .terminated, held: .quitWhileHeld)
      apps[bundle]?.traits = traits
      return
    }
    // A push that APNs still keeps was sent to the old token.
    dropStored(bundle)
    apps[bundle] = PushApp(traits)
  }

  package mutating func delete(_ bundle: String, at moment: WallTime) {
    advance(to: moment)
    guard apps[bundle] != nil else { return }
    stop(bundle, .notInstalled, held: .deletedWhileHeld)
    apps[bundle]?.notifications = []
    apps[bundle]?.services = []
    apps[bundle]?.fetch.next = nil
    apps[bundle]?.content = [:]
    apps[bundle]?.badge = 0
    // What APNs keeps finds no app at the next attempt; an online device tells it at once.
    if conditions.isOnline { dropStored(bundle) }
  }

  private mutating func dropStored(_ bundle: String) {
    guard let stored = apps[bundle]?.stored else { return }
    apps[bundle]?.stored = nil
    settle(
      stored.number, bundle, .discarded, .uninstalled, DeliveryReason.uninstalled.facts.provenance)
  }

  /// Puts an app into a state; the foreground means that the user opens it.
  package mutating func move(_ bundle: String, to life: PushApp.Life, at moment: WallTime) {
    advance(to: moment)
    guard let app = apps[bundle], app.life != .notInstalled else { return }
    switch life {
    case .notInstalled: return delete(bundle, at: moment)
    case .neverLaunched: return
    case .foreground: open(bundle)
    case .background, .suspended:
      if app.lastOpened == nil { apps[bundle]?.lastOpened = now }
      // While a handler runs the app is in the background; it is suspended afterwards.
      let waits = life == .suspended && !app.runs.isEmpty
      apps[bundle]?.life = waits ? .background : life
      apps[bundle]?.isWoken = waits
      reconsider(bundle)
    case .terminated, .forceQuit:
      if app.lastOpened == nil { apps[bundle]?.lastOpened = now }
      stop(bundle, life, held: .quitWhileHeld)
    }
    planFetch(bundle)
  }

  /// The user opens the app: it asks for its token, and gets what the device holds (push 7.4).
  private mutating func open(_ bundle: String) {
    apps[bundle]?.life = .foreground
    apps[bundle]?.lastOpened = now
    apps[bundle]?.isWoken = false
    let content = apps[bundle]?.content ?? [:]
    apps[bundle]?.contentAtOpen = content
    reconsider(bundle)
  }

  /// Ends the process of an app.
  private mutating func stop(_ bundle: String, _ life: PushApp.Life, held: DeliveryReason) {
    let neverLaunched = apps[bundle]?.life == .neverLaunched && life == .terminated
    if !neverLaunched { apps[bundle]?.life = life }
    apps[bundle]?.isWoken = false
    loseRuns(bundle)
    loseHeld(bundle, held)
  }

  /// Handlers end without having called their completion handlers.
  private mutating func loseRuns(_ bundle: String) {
    for run in apps[bundle]?.runs ?? [] {
      note(.killed, run.number, bundle, nil, Provenance(citing: ["push 7.4"], atMost: .inferred))
    }
    apps[bundle]?.runs = []
  }

  // MARK: - Settings and surroundings

  /// Changes what the user or the developer sets for an app.
  package mutating func change(_ bundle: String, at moment: WallTime, _ change: (inout PushApp) -> Void) {
    advance(to: moment)
    guard var app = apps[bundle] else { return }
    let interval = app.fetch.minimum_ms
    change(&app)
    if app.fetch.minimum_ms != interval { app.fetch.next = nil }
    apps[bundle] = app
    planFetch(bundle)
    reconsider(bundle)
  }

  /// Changes the device's surroundings, and tries again what waits for them.
  package mutating func change(to conditions: DeviceConditions, at moment: WallTime) {
    advance(to: moment)
    if conditions.isOnline, !self.conditions.isOnline { networkBackAt = now }
    self.conditions = conditions
    for bundle in apps.keys.sorted() {
      retry(bundle)
      reconsider(bundle)
    }
  }

  /// Restarts the device: nothing runs any more, and a force-quit is forgotten (push 7.6).
  package mutating func reboot(at moment: WallTime) {
    advance(to: moment)
    for bundle in apps.keys.sorted() {
      switch apps[bundle]?.life {
      case .notInstalled, .neverLaunched, nil: continue
      default: stop(bundle, .terminated, held: .restartedWhileHeld)
      }
    }
    bootedAt = now
  }
}
