import LinkspanCore
import PushProvider

/// What the device decides: whether the push is displayed, and whether it wakes the app.
extension DeliveryContext {
  /// push 7.8 observed, the number ours.
  private static let staleMilliseconds: Int64 = 14 * 86_400_000
  /// push 7.9, observed.
  private static let pauseAfterBootMilliseconds: Int64 = 300_000
  private static let pauseAfterNetworkMilliseconds: Int64 = 900_000

  func deviceAnswer(_ gate: DeliveryGate, _ push: SentPush, _ app: PushApp) -> GateAnswer {
    switch gate {
    case .pushType: return type(push)
    case .display: return display(push, app)
    case .contentAvailable: return contentAvailable(push)
    case .appState: return life(app)
    default: break
    }
    if app.life == .foreground {
      return .yes("not needed: the app is in the foreground", ["push 7.7", "push device 1"])
    }
    switch gate {
    case .backgroundMode: return backgroundMode(app)
    case .backgroundRefresh:
      return app.allowsBackgroundRefresh
        ? .yes("background app refresh is on", ["push device 3"], .inferred) : .stop(.backgroundRefreshOff)
    case .recentUse: return recentUse(app)
    case .build:
      if app.traits.isTestFlight, profile == .field { return .stop(.testFlight) }
      return .yes("the kind of build is no obstacle", ["push 7.10"], .observed)
    case .startup: return startup
    default: return budget(app)
    }
  }

  private func type(_ push: SentPush) -> GateAnswer {
    let payload = push.payload
    let decision = push.decision
    guard push.isSimulated else {
      return .unknown(.otherType, "its type is \(push.kind.rawValue)")
    }
    if profile == .strict {
      // An empty sound is silent, and counts all the same.
      if push.kind == .background, payload.isVisible || decision.errors.contains(where: Self.isShown) {
        return .stop(.typeMismatch, "it is a background push with an alert, a badge or a sound")
      }
      if push.kind == .alert, payload.asksForWake, !payload.isVisible {
        return .stop(
          .typeMismatch, "it is an alert that shows nothing; reports say that it wakes all the same")
      }
    }
    if !payload.isVisible, !payload.asksForWake {
      let finding =
        payload.namesVisible ? (decision.errors.first ?? decision.findings.first).map(Self.text) : nil
      return .stop(.nothingToDo, payload.misplacedKey.map { "there is \($0)" } ?? finding ?? "")
    }
    if let error = decision.error(.unknown) { return .unknown(.payloadError, Self.text(error)) }
    if let error = decision.error(.valueOnly) {
      return .yes("the error concerns its own value only: \(Self.text(error))", ["push 5.1"], .inferred)
    }
    let fits = push.kind == payload.type || payload.isVisible && push.kind == .alert
    return fits
      ? .yes("the payload fits the push type \(push.kind.rawValue)", ["push 2.1"])
      : .yes("the payload does not fit the push type, and was seen to wake apps", ["push 7.11"], .observed)
  }

  private static func isShown(_ error: Finding) -> Bool { error.rule == "push.background-shown" }

  /// `push.badge: the badge is not an integer ≥ 0`
  private static func text(_ error: Finding) -> String { "\(error.rule): \(error.message.dropLast())" }

  private func display(_ push: SentPush, _ app: PushApp) -> GateAnswer {
    guard push.payload.isVisible else {
      return .notAsked("the payload has no alert, badge or sound", ["push 5.1"])
    }
    if push.kind == .background { return .stop(.typeMismatch, "a background push shows nothing") }
    if app.life == .foreground { return .stop(.inForeground) }
    return .yes("the system displays it, whatever the app does", ["push 7.11", "push 5.1"])
  }

  private func contentAvailable(_ push: SentPush) -> GateAnswer {
    let payload = push.payload
    let rules = ["push 5.1", "push 7.1"]
    switch payload.contentAvailable {
    case .one: return .yes("\"content-available\": 1 is inside \"aps\"", rules)
    case .yes:
      return .yes(
        "\"content-available\" is true, and is read as 1; Apple documents the number only", rules, .inferred)
    case .other(let text): return .stop(.notAskedFor, "its value is \(text)")
    case .absent: return .stop(.notAskedFor, payload.misplacedKey.map { "there is \($0)" } ?? "")
    }
  }

  private func life(_ app: PushApp) -> GateAnswer {
    switch app.life {
    case .foreground: .yes("the app is in the foreground: its handler is called at once", ["push 7.7"])
    case .forceQuit: .stop(.forceQuit)
    case .notInstalled: .stop(.uninstalled)
    case .neverLaunched: .stop(.neverLaunched)
    case .background, .suspended: .yes("the app is in memory, \(app.life.rawValue)", ["push 7.1"])
    case .terminated: .yes("the app does not run; the system launches it in the background", ["push 7.6"])
    }
  }

  private func backgroundMode(_ app: PushApp) -> GateAnswer {
    guard app.traits.backgroundModes.contains(PushAppTraits.remoteNotificationMode) else {
      let others = app.traits.backgroundModes.map { "'\($0)'" }.joined(separator: ", ")
      return .stop(.noBackgroundMode, others.isEmpty ? "" : "it lists \(others)")
    }
    guard app.traits.areModesKnown else {
      return .yes(
        "whether UIBackgroundModes lists 'remote-notification' is not known, since no Info.plist could be read; it is assumed",
        ["push 7.1", "push section 7.2"], .inferred)
    }
    return .yes("UIBackgroundModes lists 'remote-notification'", ["push 7.1", "push section 7.2"])
  }

  private func recentUse(_ app: PushApp) -> GateAnswer {
    guard let opened = app.lastOpened else { return .stop(.neverLaunched) }
    let days = (now.milliseconds - opened.milliseconds) / 86_400_000
    if now.milliseconds - opened.milliseconds > Self.staleMilliseconds {
      return .stop(.notOpenedLately, "that was \(days) days ago; 14 is this program's guess")
    }
    let when = days == 0 ? "today" : "\(Int(days).counted("day")) ago"
    return .yes("the user opened it \(when)", ["push 7.8"], .observed)
  }

  private var startup: GateAnswer {
    if conditions.hasDebugger {
      return .yes("a debugger is attached: nothing is held", ["push 7.8"], .observed)
    }
    let booted = WallTime(milliseconds: bootedAt.milliseconds + Self.pauseAfterBootMilliseconds)
    if now < booted { return .stop(.justStarted, until: booted) }
    if let networkBackAt, conditions.isInUse {
      let end = WallTime(milliseconds: networkBackAt.milliseconds + Self.pauseAfterNetworkMilliseconds)
      if now < end { return .stop(.networkJustBack, until: end) }
    }
    return .yes("the device neither just started nor just found its network", ["push 7.9"], .observed)
  }

  private func budget(_ app: PushApp) -> GateAnswer {
    if conditions.hasDebugger {
      return .yes("a debugger is attached: there is no budget", ["push 7.8"], .observed)
    }
    var (ofDevice, ofApp) = (deviceBudget, app.budget)
    let reset = ofDevice.available(at: now, conditions.power)
    if reset > now { return .stop(.deviceBudget, until: reset) }
    let next = ofApp.available(at: now)
    if next > now { return .stop(.appBudget, until: next) }
    return .yes("app and device have a wake left", ["push 7.2", "push 7.8", "push device 6"], .observed)
  }
}
