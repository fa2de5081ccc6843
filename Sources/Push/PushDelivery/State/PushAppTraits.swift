package import PushTerms

/// What a build of an app says about pushes.
package struct PushAppTraits: Hashable, Sendable {
  package static let remoteNotificationMode = "remote-notification"

  package var bundleIdentifier: String
  /// By the entitlement `aps-environment`; nil without it.
  package var environment: PushEnvironment?
  /// The strings of `UIBackgroundModes`.
  package var backgroundModes: [String]
  package var isTestFlight: Bool
  /// Whether the entitlement was read; else ``environment`` is assumed.
  package var isEnvironmentKnown = true
  /// Whether the Info.plist was read; else ``backgroundModes`` are assumed.
  package var areModesKnown = true

  package init(
    bundleIdentifier: String, environment: PushEnvironment?, backgroundModes: [String],
    isTestFlight: Bool = false
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.environment = environment
    self.backgroundModes = backgroundModes
    self.isTestFlight = isTestFlight
  }
}

/// What the system sees of a handler that ran.
package struct HandlerAnswer: Hashable, Sendable {
  /// What it did, and how long it took.
  package var plan: HandlerPlan
  /// How often it called its completion handler.
  package var calls: Int

  package init(plan: HandlerPlan, calls: Int) {
    self.plan = plan
    self.calls = calls
  }
}

/// What the app does when it is woken.
package struct HandlerPlan: Hashable, Sendable {
  /// What the completion handler is told.
  package enum Result: String, Hashable, Sendable, CaseIterable {
    case newData, noData, failed
  }

  /// How long it takes, in milliseconds; nil when it never calls its completion handler.
  package var duration_ms: Int64?
  package var result: Result
  /// The badge it sets with new data.
  package var badge: Int?
  /// The text of the local notification it posts with new data.
  package var notification: String?

  package init(
    duration_ms: Int64? = 2000, result: Result = .newData, badge: Int? = nil, notification: String? = nil
  ) {
    self.duration_ms = duration_ms
    self.result = result
    self.badge = badge
    self.notification = notification
  }
}
