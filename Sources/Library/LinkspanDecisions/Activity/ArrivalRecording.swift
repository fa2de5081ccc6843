/// One call of the system or of the app, as ``ActivityContinuation/handle(_:scene:now:)`` takes it.
public enum ArrivalCallback: Sendable, Hashable {
  /// The connection options of a scene, or launch options.
  case connect(activities: [IncomingActivity], urls: [String])
  /// `continueUserActivity`.
  case receive(IncomingActivity, by: DeliveryRoad = .callback)
  /// `openURL`.
  case open(String, by: DeliveryRoad = .callback)
  /// `willContinueUserActivityWithType`.
  case willContinue(activityType: String)
  /// `didUpdateUserActivity`.
  case update(activityType: String)
  /// `didFailToContinueUserActivityWithType`.
  case fail(activityType: String, isCancelled: Bool)
  /// State restoration.
  case restore(IncomingActivity)
  /// The interface and the session can take arrivals.
  case interfaceIsReady
  /// The interface went.
  case interfaceIsGone
  /// From now on every change of the life cycle is told.
  case lifeCycleIsObserved
  /// The app or the scene became active.
  case didBecomeActive
  /// The app or the scene is about to become inactive.
  case willResignActive
  /// The app or the scene went to the background.
  case didEnterBackground
  /// The scene's window was closed, or the system took it back.
  case didDisconnect
  /// A gate lets arrivals through from now on.
  case openGate(String)
  /// A gate keeps arrivals from now on.
  case closeGate(String)
  /// The person refused a gate: what waits there is given up.
  case refuseGate(String)
}

/// What the system and the app called, in order, with its times: a test of the app replays it.
///
/// The text form has one line for each call:
///
/// ```text
/// 0s connect scene=main type=NSUserActivityTypeBrowsingWeb page=https://recipes.example/recipes/42
/// 0.4s interface-is-ready
/// 0.5s did-become-active scene=main
/// ```
///
/// A recording holds the links as they came; treat it like the links.
public struct ArrivalRecording: Sendable, Hashable, CustomStringConvertible {
  /// One call.
  public struct Entry: Sendable, Hashable {
    /// Of the clock that the app gave.
    public var time: Duration
    /// The scene that was named; nil for none.
    public var scene: String?
    /// What was called.
    public var callback: ArrivalCallback

    /// A call.
    public init(at time: Duration, scene: String? = nil, _ callback: ArrivalCallback) {
      self.time = time
      self.scene = scene
      self.callback = callback
    }
  }

  /// In order.
  public var entries: [Entry]

  /// A recording of these calls.
  public init(_ entries: [Entry] = []) { self.entries = entries }

  /// One line for each call; ``init(text:)`` reads it.
  public var description: String { entries.map(\.text).joined(separator: "\n") }

  /// Carries the calls out.
  ///
  /// - Returns: What the app has to do, in order.
  public func replay<Destination>(
    in continuation: inout ActivityContinuation<Destination>
  ) -> [ActivityContinuation<Destination>.Direction] {
    entries.flatMap { continuation.handle($0.callback, scene: $0.scene, now: $0.time).directions }
  }
}
