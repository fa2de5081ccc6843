// The calls by their own names: what the system calls, and what the app says.

extension ActivityContinuation {
  /// `willContinueUserActivityWithType`: an activity is on its way.
  public mutating func willContinue(activityType: String, scene: String? = nil) -> Answer {
    handle(.willContinue(activityType: activityType), scene: scene, now: latest)
  }

  /// `continueUserActivity`, and each activity of launch or connection options.
  ///
  /// - Parameters:
  ///   - road: By launch options or by a callback.
  ///   - now: Of a clock that does not go back.
  ///   - scene: The scene that it came to; nil for the app delegate's calls, which fit any.
  public mutating func receive(
    _ activity: IncomingActivity, by road: DeliveryRoad, now: Duration, scene: String? = nil
  ) -> Answer {
    handle(.receive(activity, by: road), scene: scene, now: now)
  }

  /// `openURL`, `openURLContexts` and the URLs of launch or connection options.
  ///
  /// SwiftUI brings universal links here too.
  public mutating func open(
    _ url: String, by road: DeliveryRoad, now: Duration, scene: String? = nil
  ) -> Answer {
    handle(.open(url, by: road), scene: scene, now: now)
  }

  /// The activities and URLs of a scene's connection options, or of launch options.
  ///
  /// The system hands activities over as a set. They are taken in an order of their own: the app's types, then the web,
  /// then Spotlight, each by its content.
  public mutating func connect(
    activities: some Collection<IncomingActivity>, urls: some Collection<String>, now: Duration,
    scene: String? = nil
  ) -> Answer {
    handle(.connect(activities: Array(activities), urls: Array(urls)), scene: scene, now: now)
  }

  /// `didFailToContinueUserActivityWithType`.
  ///
  /// - Parameter isCancelled: The person cancelled; that is not reported.
  public mutating func fail(activityType: String, isCancelled: Bool, scene: String? = nil) -> [Step] {
    handle(.fail(activityType: activityType, isCancelled: isCancelled), scene: scene, now: latest).steps
  }

  /// `didUpdateUserActivity`: the system completes what was announced before it arrives. Keeps the waiting state alive.
  public mutating func update(activityType: String, scene: String? = nil) -> [Step] {
    handle(.update(activityType: activityType), scene: scene, now: latest).steps
  }

  /// The interface and the session can take arrivals from now on; without a scene, all of them can.
  ///
  /// - Parameter now: Of a clock that does not go back; nil for the time of the call before.
  public mutating func interfaceIsReady(scene: String? = nil, now: Duration? = nil) -> [Step] {
    handle(.interfaceIsReady, scene: scene, now: now ?? latest).steps
  }

  /// The interface went, such as at a log-out; what arrives is kept again.
  public mutating func interfaceIsGone(scene: String? = nil) {
    _ = handle(.interfaceIsGone, scene: scene, now: latest)
  }

  /// The app or the scene became active: a second later its deliveries are over, and the same link is a new one.
  public mutating func didBecomeActive(scene: String? = nil, now: Duration) {
    _ = handle(.didBecomeActive, scene: scene, now: now)
  }

  /// The app or the scene is about to become inactive.
  public mutating func willResignActive(scene: String? = nil) {
    _ = handle(.willResignActive, scene: scene, now: latest)
  }

  /// The app or the scene went to the background: the same link is a new one from now on.
  public mutating func didEnterBackground(scene: String? = nil) {
    _ = handle(.didEnterBackground, scene: scene, now: latest)
  }

  /// The scene is gone; what waits for it goes to any other.
  ///
  /// - Returns: What to do: another scene may be ready for it.
  public mutating func didDisconnect(scene: String) -> [Step] {
    handle(.didDisconnect, scene: scene, now: latest).steps
  }

  /// State restoration: the place that the app, or the scene, was at. An arrival is newer than that, and wins.
  ///
  /// - Returns: What to do; nothing when something arrived.
  public mutating func restore(_ activity: IncomingActivity, scene: String? = nil) -> [Step] {
    handle(.restore(activity), scene: scene, now: latest).steps
  }

  /// Lets arrivals through from now on, and those that wait.
  public mutating func open(gate: ArrivalGate, now: Duration? = nil) -> Answer {
    handle(.openGate(gate.name), now: now ?? latest)
  }

  /// Keeps arrivals from now on, such as after a log-out.
  public mutating func close(gate: ArrivalGate) { _ = handle(.closeGate(gate.name), now: latest) }

  /// The person refused: what waits at the gate is given up, and the gate stays closed.
  public mutating func refuse(gate: ArrivalGate, now: Duration? = nil) -> Answer {
    handle(.refuseGate(gate.name), now: now ?? latest)
  }
}
