package import LinkspanCore

/// An app on a device, with what waits for it.
package struct PushApp: Hashable, Sendable {
  /// Whether the app runs, and if not, why.
  package enum Life: String, Hashable, Sendable, CaseIterable {
    case notInstalled = "not-installed"
    case neverLaunched = "never-launched"
    case foreground
    case background
    case suspended
    /// Killed by the system, or not running since the device started.
    case terminated
    /// Swiped away by the user.
    case forceQuit = "force-quit"
  }

  package enum Permission: String, Hashable, Sendable, CaseIterable {
    case authorized
    /// Delivered quietly, without having asked.
    case provisional
    case denied
    /// The app has not asked.
    case notDetermined = "not-determined"
  }

  /// A push that waits, in APNs or on the device.
  struct Waiting: Hashable, Sendable {
    var number: Int
    var push: SentPush
    var reason: DeliveryReason
    /// When APNs or the device got it.
    var since: WallTime
    /// When it is looked at again; nil when only a change of conditions helps.
    var until: WallTime?
  }

  /// A handler that is running.
  struct Run: Hashable, Sendable {
    var number: Int
    var plan: HandlerPlan
    /// How often its code called its completion handler; nil for an app that is nothing but a plan.
    var calls: Int?
    var custom: [String: String]
    /// When it calls its completion handler, or is killed.
    var end: WallTime
    /// Whether it counts against the budgets: in the foreground and under a debugger it doesn't.
    var counts: Bool
  }

  /// An entry of Notification Centre.
  package struct Notification: Hashable, Sendable {
    package var text: String
    /// The number of the push that shows it, or whose handler posted it.
    package var push: Int
    /// Whether the app posted it after a fetch.
    package var isLocal: Bool
    var collapseIdentifier: String?
    /// Whether its push asked for a wake, and what it brought.
    var asksForWake = false
    var custom: [String: String] = [:]
  }

  /// A notification service extension that is running.
  struct ServiceRun: Hashable, Sendable {
    var waiting: Waiting
    /// Of what was decided about showing the push.
    var provenance: Provenance
    var plan: ServicePlan
    /// When it hands its content over, or its time is up.
    var end: WallTime
  }

  /// The most entries that are kept for an app. Ours: more are nobody's expectation.
  static let notificationLimit = 200

  package var traits: PushAppTraits
  package var life = Life.neverLaunched
  package var permission = Permission.authorized
  package var allowsBackgroundRefresh = true
  package var plan = HandlerPlan()
  /// When it fetches without a push.
  package var fetch = FetchModel()
  /// What it does then; nil for the same as when a push wakes it.
  package var fetchPlan: HandlerPlan?
  /// Its notification service extension; nil without one.
  package var service: ServicePlan?
  /// When the user last opened it.
  package var lastOpened: WallTime?
  package var badge = 0
  /// The custom keys of the pushes that brought new data, the latest value of each as JSON.
  package var content: [String: String] = [:]
  /// What ``content`` was when the user last opened the app: what the user saw first.
  package var contentAtOpen: [String: String] = [:]
  package var notifications: [Notification] = []
  var budget = WakeBudget()
  var stored: Waiting?
  var held: Waiting?
  var runs: [Run] = []
  var services: [ServiceRun] = []
  /// Whether the system woke it and nobody opened it since: it is suspended when its handlers are done.
  var isWoken = false
  /// Whether APNs was told that the token is dead, so that it answers 410.
  var isReportedGone = false

  package init(_ traits: PushAppTraits) { self.traits = traits }
}
