#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  extension ActivityCoordinator {
    /// A coordinator for an app: opens the browser, and reads the continuous clock, which goes on while the device sleeps.
    ///
    /// - Parameters:
    ///   - go: Shows a place.
    ///   - showWaiting: Shows that something comes, or hides it with nil.
    ///   - report: Shows an alert.
    ///   - gate: Every arrival waits until it is open; a route's own gate comes on top.
    public convenience init(
      continuation: ActivityContinuation<Destination>, go: @escaping (Arrival<Destination>) -> Void,
      showWaiting: @escaping (String?) -> Void = { _ in }, report: @escaping (AlertContent) -> Void,
      gate: ArrivalGate? = nil, notice: @escaping (ArrivalNotice<Destination>) -> Void = { _ in }
    ) {
      let start = ContinuousClock.now
      self.init(
        continuation: continuation, now: { start.duration(to: .now) },
        actions: Actions(
          go: go,
          openInBrowser: { text in
            guard let url = URL(string: text) else { return }
            // From inside the app a universal link of its own opens the browser.
            UIApplication.shared.open(url, options: [:], completionHandler: nil)
          }, showWaiting: showWaiting, report: report, notice: notice), gate: gate)
    }

    /// For `scene(_:willConnectTo:options:)`, where a cold start's links and activities are.
    ///
    /// - Parameter scene: The scene that connects; an app with one window may leave it out.
    @discardableResult
    public func connect(_ options: UIScene.ConnectionOptions, scene: UIScene? = nil) -> Bool {
      connect(
        activities: options.userActivities.map { IncomingActivity($0) },
        urls: options.urlContexts.map(\.url.absoluteString), scene: scene?.session.persistentIdentifier)
    }

    /// For `scene(_:continue:)`, and for `application(_:continue:restorationHandler:)`, which returns the answer.
    ///
    /// - Returns: True when the activity is the app's, even if the browser gets it; after false iOS opens the browser too.
    @discardableResult
    public func `continue`(_ activity: NSUserActivity, scene: UIScene? = nil) -> Bool {
      receive(IncomingActivity(activity), scene: scene?.session.persistentIdentifier)
    }

    /// For `scene(_:openURLContexts:)`.
    public func open(_ contexts: Set<UIOpenURLContext>, scene: UIScene? = nil) {
      for url in contexts.map(\.url.absoluteString).sorted() {
        open(url, scene: scene?.session.persistentIdentifier)
      }
    }

    /// For `application(_:open:options:)`, which returns the answer.
    @discardableResult
    public func open(_ url: URL) -> Bool { open(url.absoluteString) }

    /// For `application(_:didFinishLaunchingWithOptions:)` of an app without scenes.
    public func launch(_ options: [UIApplication.LaunchOptionsKey: Any]?) {
      let dictionary = options?[.userActivityDictionary] as? [AnyHashable: Any]
      let activities = (dictionary ?? [:]).values.compactMap { $0 as? NSUserActivity }
      let url = options?[.url] as? URL
      connect(
        activities: activities.map { IncomingActivity($0) }, urls: url.map { [$0.absoluteString] } ?? [])
    }

    /// For `scene(_:didUpdate:)` and `application(_:didUpdate:)`.
    public func update(_ activity: NSUserActivity, scene: UIScene? = nil) {
      update(activityType: activity.activityType, scene: scene?.session.persistentIdentifier)
    }

    /// For state restoration: `session.stateRestorationActivity`, after ``connect(_:scene:)``.
    public func restore(_ activity: NSUserActivity?, scene: UIScene? = nil) {
      if let activity { restore(IncomingActivity(activity), scene: scene?.session.persistentIdentifier) }
    }

    /// Follows the life cycle of the app and of each of its scenes: when one delivery ends and a new tap begins.
    func observeLifeCycle() {
      handle(.lifeCycleIsObserved)
      let observer = LifeCycleObserver { [weak self] callback, scene in self?.handle(callback, scene: scene) }
      observer.start()
      lifeCycle = observer
    }
  }

  /// Passes the notifications of the app and of its scenes on, as long as it lives.
  @MainActor
  private final class LifeCycleObserver {
    private var observers: [any NSObjectProtocol] = []
    private let handle: (ArrivalCallback, _ scene: String?) -> Void

    init(handle: @escaping (ArrivalCallback, _ scene: String?) -> Void) { self.handle = handle }

    deinit { observers.forEach { NotificationCenter.default.removeObserver($0) } }

    func start() {
      let events: [(Notification.Name, ArrivalCallback)] = [
        (UIApplication.didBecomeActiveNotification, .didBecomeActive),
        (UIApplication.willResignActiveNotification, .willResignActive),
        (UIApplication.didEnterBackgroundNotification, .didEnterBackground),
        (UIScene.didActivateNotification, .didBecomeActive),
        (UIScene.willDeactivateNotification, .willResignActive),
        (UIScene.didEnterBackgroundNotification, .didEnterBackground),
        (UIScene.didDisconnectNotification, .didDisconnect),
      ]
      observers = events.map { name, callback in
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
          [weak self] notification in
          let scene = notification.object as? UIScene
          // UIKit posts these on the main thread.
          MainActor.assumeIsolated { self?.handle(callback, scene?.session.persistentIdentifier) }
        }
      }
    }
  }

  extension AlertContent {
    /// The alert, ready to be presented.
    ///
    /// - Parameter chosen: Gets the action; hand it to ``recover(from:choosing:)``.
    @MainActor
    public func alertController(chosen: @escaping (Action) -> Void = { _ in }) -> UIAlertController {
      let alert = UIAlertController(title: title, message: message, preferredStyle: .alert)
      for action in actions {
        let style: UIAlertAction.Style = action.recoveryOption == nil ? .cancel : .default
        alert.addAction(UIAlertAction(title: action.title, style: style) { _ in chosen(action) })
      }
      return alert
    }
  }
#endif
