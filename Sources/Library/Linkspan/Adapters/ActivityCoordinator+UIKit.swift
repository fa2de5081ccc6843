#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  extension ActivityCoordinator {
    /// A coordinator for an app: opens the browser, and reads the system's uptime.
    ///
    /// - Parameters:
    ///   - go: Shows a place.
    ///   - showWaiting: Shows that something comes, or hides it with nil.
    ///   - report: Shows an alert.
    public convenience init(
      continuation: ActivityContinuation<Destination>, go: @escaping (Arrival<Destination>) -> Void,
      showWaiting: @escaping (String?) -> Void = { _ in }, report: @escaping (AlertContent) -> Void
    ) {
      self.init(
        continuation: continuation, now: { .seconds(ProcessInfo.processInfo.systemUptime) },
        actions: Actions(
          go: go,
          openInBrowser: { text in
            guard let url = URL(string: text) else { return }
            // From inside the app a universal link of its own opens the browser.
            UIApplication.shared.open(url, options: [:], completionHandler: nil)
          }, showWaiting: showWaiting, report: report))
    }

    /// For `scene(_:willConnectTo:options:)`, where a cold start's links and activities are.
    @discardableResult
    public func connect(_ options: UIScene.ConnectionOptions) -> Bool {
      connect(
        activities: options.userActivities.map { IncomingActivity($0) },
        urls: options.urlContexts.map(\.url.absoluteString))
    }

    /// For `scene(_:continue:)`, and for `application(_:continue:restorationHandler:)`, which returns the answer.
    @discardableResult
    public func `continue`(_ activity: NSUserActivity) -> Bool { receive(IncomingActivity(activity)) }

    /// For `scene(_:openURLContexts:)`.
    public func open(_ contexts: Set<UIOpenURLContext>) {
      for url in contexts.map(\.url.absoluteString).sorted() { open(url) }
    }

    /// For `application(_:didFinishLaunchingWithOptions:)` of an app without scenes.
    public func launch(_ options: [UIApplication.LaunchOptionsKey: Any]?) {
      let dictionary = options?[.userActivityDictionary] as? [AnyHashable: Any]
      let activities = (dictionary ?? [:]).values.compactMap { $0 as? NSUserActivity }
      let url = options?[.url] as? URL
      connect(
        activities: activities.map { IncomingActivity($0) }, urls: url.map { [$0.absoluteString] } ?? [])
    }

    /// For `scene(_:didUpdate:)` and `application(_:didUpdate:)`.
    public func update(_ activity: NSUserActivity) { update(activityType: activity.activityType) }

    /// For state restoration: `session.stateRestorationActivity`, after ``connect(_:)``.
    public func restore(_ activity: NSUserActivity?) {
      if let activity { restore(IncomingActivity(activity)) }
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
