/// Carries out what ``ActivityContinuation`` decides, on the main actor.
///
/// UIKit's and SwiftUI's callbacks come here by the adapters; code without them calls the same methods.
@MainActor
public final class ActivityCoordinator<Destination: Sendable> {
  /// What an app does for each step.
  @MainActor
  public struct Actions {
    /// Shows a place.
    public var go: (Arrival<Destination>) -> Void
    /// Opens a link in the browser.
    public var openInBrowser: (String) -> Void
    /// Shows or hides that something is on its way; nil hides.
    public var showWaiting: (String?) -> Void
    /// Shows an alert.
    public var report: (AlertContent) -> Void

    /// Actions. Only an app with Handoff has something to wait for; a link or an error that nobody sees is a defect of any
    /// app, so the others have no default.
    public init(
      go: @escaping (Arrival<Destination>) -> Void, openInBrowser: @escaping (String) -> Void,
      showWaiting: @escaping (String?) -> Void = { _ in }, report: @escaping (AlertContent) -> Void
    ) {
      self.go = go
      self.openInBrowser = openInBrowser
      self.showWaiting = showWaiting
      self.report = report
    }
  }

  private var continuation: ActivityContinuation<Destination>
  private let actions: Actions
  private let now: () -> Duration

  /// - Parameter now: A clock that does not go back; the adapters pass the system's uptime.
  public init(
    continuation: ActivityContinuation<Destination>, now: @escaping () -> Duration, actions: Actions
  ) {
    self.continuation = continuation
    self.now = now
    self.actions = actions
  }

  /// For `willContinueUserActivityWithType`; return its answer.
  public func willContinue(activityType: String) -> Bool {
    perform(continuation.willContinue(activityType: activityType))
  }

  /// For `continueUserActivity`; return its answer.
  @discardableResult
  public func receive(_ activity: IncomingActivity, by road: DeliveryRoad = .callback) -> Bool {
    perform(continuation.receive(activity, by: road, now: now()))
  }

  /// For `openURL`; return its answer.
  @discardableResult
  public func open(_ url: String, by road: DeliveryRoad = .callback) -> Bool {
    perform(continuation.open(url, by: road, now: now()))
  }

  /// For launch options and connection options.
  @discardableResult
  public func connect(activities: [IncomingActivity], urls: [String]) -> Bool {
    perform(continuation.connect(activities: activities, urls: urls, now: now()))
  }

  /// For `didFailToContinueUserActivityWithType`.
  public func fail(activityType: String, error: any Error) {
    let content = AlertContent(error)
    for step in continuation.fail(activityType: activityType, isCancelled: content == nil) {
      if case .reportFailure = step, let content { actions.report(content) } else { perform(step) }
    }
  }

  /// For `didUpdateUserActivity`.
  public func update(activityType: String) {
    continuation.update(activityType: activityType).forEach(perform)
  }

  /// Once the interface and the session can take arrivals.
  public func interfaceIsReady() { continuation.interfaceIsReady().forEach(perform) }

  /// When the interface goes, such as at a log-out.
  public func interfaceIsGone() { continuation.interfaceIsGone() }

  /// For `didEnterBackground`.
  public func didEnterBackground() { continuation.didEnterBackground() }

  /// For state restoration, after the launch's arrivals.
  public func restore(_ activity: IncomingActivity) { continuation.restore(activity).forEach(perform) }

  private func perform(_ answer: ActivityContinuation<Destination>.Answer) -> Bool {
    answer.steps.forEach(perform)
    return answer.isHandled
  }

  private func perform(_ step: ActivityContinuation<Destination>.Step) {
    switch step {
    case .go(let arrival): actions.go(arrival)
    case .showWaiting(let activityType): actions.showWaiting(activityType)
    case .hideWaiting: actions.showWaiting(nil)
    case .openInBrowser(let url, _): actions.openInBrowser(url)
    case .report(let miss): if let content = AlertContent(miss) { actions.report(content) }
    case .reportFailure: break
    }
  }
}
