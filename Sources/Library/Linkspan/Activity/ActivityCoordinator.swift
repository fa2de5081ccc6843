/// Carries out what ``ActivityContinuation`` decides, on the main actor.
///
/// UIKit's and SwiftUI's callbacks come here by the adapters; code without them calls the same methods. Where there is UIKit
/// it follows the life cycle of the app and of its scenes by itself.
@MainActor
public final class ActivityCoordinator<Destination: Sendable> {
  /// What an app does for each step.
  @MainActor
  public struct Actions {
    /// Shows a place.
    public var go: (Arrival<Destination>) -> Void
    /// Shows a place in a scene; when it is nil, ``go`` does, whatever the scene.
    public var goInScene: ((Arrival<Destination>, _ scene: String?) -> Void)?
    /// Opens a link in the browser.
    public var openInBrowser: (String) -> Void
    /// Shows or hides that something is on its way; nil hides.
    public var showWaiting: (String?) -> Void
    /// Shows an alert.
    public var report: (AlertContent) -> Void
    /// Learns what became of an arrival that could not be shown at once: shows the log-in for one that waits at its gate.
    public var notice: (ArrivalNotice<Destination>) -> Void
    /// Takes a link of the app's own that has no place in it. True: the app showed something of its own, and neither the
    /// browser opens nor an alert comes.
    public var takeUnknown: (RoutingMiss) -> Bool

    /// Actions. Only an app with Handoff has something to wait for, and only one with gates has notices; a link or an error
    /// that nobody sees is a defect of any app, so the others have no default.
    public init(
      go: @escaping (Arrival<Destination>) -> Void,
      goInScene: ((Arrival<Destination>, _ scene: String?) -> Void)? = nil,
      openInBrowser: @escaping (String) -> Void, showWaiting: @escaping (String?) -> Void = { _ in },
      report: @escaping (AlertContent) -> Void,
      notice: @escaping (ArrivalNotice<Destination>) -> Void = { _ in },
      takeUnknown: @escaping (RoutingMiss) -> Bool = { _ in false }
    ) {
      self.go = go
      self.goInScene = goInScene
      self.openInBrowser = openInBrowser
      self.showWaiting = showWaiting
      self.report = report
      self.notice = notice
      self.takeUnknown = takeUnknown
    }
  }

  private var continuation: ActivityContinuation<Destination>
  private let actions: Actions
  private let now: () -> Duration
  /// What was decided and is still to be done, in order.
  private var pending: [() -> Void] = []
  private var isCarryingOut = false
  private var recordingLimit = 0
  /// The latest calls, since ``record(limit:)``.
  public private(set) var recording = ArrivalRecording()
  /// Keeps the observers of the life cycle, where there are any.
  var lifeCycle: AnyObject?

  /// - Parameters:
  ///   - now: A clock that does not go back and goes on while the device sleeps, so that a gate's expiry means time; the
  ///     adapters pass the system's continuous clock.
  ///   - gate: Every arrival waits until it is open; a route's own gate comes on top.
  public init(
    continuation: ActivityContinuation<Destination>, now: @escaping () -> Duration, actions: Actions,
    gate: ArrivalGate? = nil
  ) {
    self.continuation = gate.map { continuation.gated(by: $0) } ?? continuation
    self.now = now
    self.actions = actions
    #if canImport(UIKit) && !os(watchOS)
      observeLifeCycle()
    #endif
  }

  // MARK: - What the system calls

  /// For `willContinueUserActivityWithType`; return its answer.
  public func willContinue(activityType: String, scene: String? = nil) -> Bool {
    handle(.willContinue(activityType: activityType), scene: scene)
  }

  /// For `continueUserActivity`; return its answer.
  ///
  /// - Parameter scene: The scene that it came to, by its session's `persistentIdentifier`; nil for the app delegate's call.
  /// - Returns: True when the activity is the app's, even if the browser gets it; after false iOS opens the browser too.
  @discardableResult
  public func receive(
    _ activity: IncomingActivity, by road: DeliveryRoad = .callback, scene: String? = nil
  ) -> Bool {
    handle(.receive(activity, by: road), scene: scene)
  }

  /// For `openURL`; return its answer.
  @discardableResult
  public func open(_ url: String, by road: DeliveryRoad = .callback, scene: String? = nil) -> Bool {
    handle(.open(url, by: road), scene: scene)
  }

  /// For launch options and connection options.
  @discardableResult
  public func connect(activities: [IncomingActivity], urls: [String], scene: String? = nil) -> Bool {
    handle(.connect(activities: activities, urls: urls), scene: scene)
  }

  /// For `didFailToContinueUserActivityWithType`.
  public func fail(activityType: String, error: any Error, scene: String? = nil) {
    let content = AlertContent(error)
    handle(.fail(activityType: activityType, isCancelled: content == nil), scene: scene)
    if let content { carryOut([{ [actions] in actions.report(content) }]) }
  }

  /// For `didUpdateUserActivity`.
  public func update(activityType: String, scene: String? = nil) {
    handle(.update(activityType: activityType), scene: scene)
  }

  /// For `didBecomeActive`, where no adapter observes it.
  public func didBecomeActive(scene: String? = nil) { handle(.didBecomeActive, scene: scene) }

  /// For `willResignActive`, where no adapter observes it.
  public func willResignActive(scene: String? = nil) { handle(.willResignActive, scene: scene) }

  /// For `didEnterBackground`, where no adapter observes it.
  public func didEnterBackground(scene: String? = nil) { handle(.didEnterBackground, scene: scene) }

  /// For `sceneDidDisconnect`, where no adapter observes it.
  public func didDisconnect(scene: String) { handle(.didDisconnect, scene: scene) }

  /// For state restoration, after the launch's arrivals.
  public func restore(_ activity: IncomingActivity, scene: String? = nil) {
    handle(.restore(activity), scene: scene)
  }

  // MARK: - What the app says

  /// Once the interface and the session can take arrivals.
  public func interfaceIsReady(scene: String? = nil) { handle(.interfaceIsReady, scene: scene) }

  /// When the interface goes, such as at a log-out.
  public func interfaceIsGone(scene: String? = nil) { handle(.interfaceIsGone, scene: scene) }

  /// Lets arrivals through from now on, and those that wait: the person logged in.
  public func open(gate: ArrivalGate) { handle(.openGate(gate.name)) }

  /// Keeps arrivals from now on: the person logged out.
  public func close(gate: ArrivalGate) { handle(.closeGate(gate.name)) }

  /// Gives up what waits at the gate: the person cancelled the log-in. The gate stays closed.
  public func refuse(gate: ArrivalGate) { handle(.refuseGate(gate.name)) }

  // MARK: - Recordings

  /// Keeps the latest calls in ``recording``, to replay them in a test. They hold the links as they came.
  ///
  /// - Parameter limit: How many calls; 0 stops recording and forgets them.
  public func record(limit: Int) {
    recordingLimit = max(0, limit)
    recording.entries = recording.entries.suffix(recordingLimit)
  }

  /// Carries recorded calls out, at their own times.
  public func replay(_ recording: ArrivalRecording) {
    for entry in recording.entries {
      _ = perform(continuation.handle(entry.callback, scene: entry.scene, now: entry.time))
    }
  }

  // MARK: - Steps

  /// The one way in.
  @discardableResult
  package func handle(_ callback: ArrivalCallback, scene: String? = nil) -> Bool {
    let now = now()
    if recordingLimit > 0 {
      recording.entries.append(ArrivalRecording.Entry(at: now, scene: scene, callback))
      recording.entries = recording.entries.suffix(recordingLimit)
    }
    return perform(continuation.handle(callback, scene: scene, now: now))
  }

  private func perform(_ answer: ActivityContinuation<Destination>.Answer) -> Bool {
    carryOut(
      answer.notices.map { notice in { [actions] in actions.notice(notice) } }
        + answer.directions.map { direction in { [unowned self] in perform(direction) } })
    return answer.isHandled
  }

  /// An action may call the coordinator, as one that opens a gate at once does. What follows from that comes behind what was
  /// decided before, so that a waiting view is gone before the place is shown.
  private func carryOut(_ steps: [() -> Void]) {
    pending += steps
    guard !isCarryingOut else { return }
    isCarryingOut = true
    defer { isCarryingOut = false }
    while !pending.isEmpty { pending.removeFirst()() }
  }

  private func perform(_ direction: ActivityContinuation<Destination>.Direction) {
    switch direction.step {
    case .go(let arrival):
      if let goInScene = actions.goInScene {
        goInScene(arrival, direction.scene)
      } else {
        actions.go(arrival)
      }
    case .showWaiting(let activityType): actions.showWaiting(activityType)
    case .hideWaiting: actions.showWaiting(nil)
    case .openInBrowser(let url, let miss): if !actions.takeUnknown(miss) { actions.openInBrowser(url) }
    case .report(let miss):
      if !actions.takeUnknown(miss), let content = AlertContent(miss) { actions.report(content) }
    // The caller of 'fail' has the error that says why.
    case .reportFailure: break
    }
  }
}
