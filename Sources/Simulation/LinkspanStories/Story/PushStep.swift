package import LinkspanCore
package import PushDelivery
package import PushTerms
import SimulatedDevices

/// What a story says of an app as a receiver of pushes.
package struct AppPush: Hashable, Sendable {
  /// nil without the entitlement `aps-environment`.
  package var environment: PushEnvironment?
  /// The strings of `UIBackgroundModes`.
  package var modes: [String] = []
  package var plan = HandlerPlan()
  package var permission = PushApp.Permission.authorized
  /// What it asks for with `setMinimumBackgroundFetchInterval`: zero for as often as the system likes, nil for never.
  package var fetchInterval: Duration?
  /// What it does in a background fetch; nil for the same as when a push wakes it.
  package var fetchPlan: HandlerPlan?
  /// Its notification service extension.
  package var service: ServicePlan?

  package init() {}
}

/// A step about pushes. Devices and apps are named by their place in the story.
package enum PushStep: Sendable {
  case send(PushSending)
  case app(PushAppChange)
  case device(PushDeviceChange)
  case expect([PushExpectation])

  package static let verbs = ["push", "app_state", "device_state", "expect_push"]

  /// Where it happens; none for expectations.
  package var devices: [Int] {
    switch self {
    case .send(let sending): sending.devices
    case .app(let change): change.devices
    case .device(let change): change.devices
    case .expect: []
    }
  }
}

/// One push to the same app on some devices.
package struct PushSending: Sendable {
  /// The file it is from; nil for one that stands in the story.
  package var file: String?
  /// The payload as compact JSON, for writing the story again.
  package var payload: JSON
  package var app: Int
  package var devices: [Int]
  /// With an expiry of ``SentPush/Expiry/policy``; ``lifetime`` says the real one.
  package var push: SentPush
  /// From the moment it is sent: zero for one attempt, nil for APNs' policy.
  package var lifetime: Duration?
  package var expectations: [PushExpectation]

  package init(
    file: String? = nil, payload: JSON, app: Int, devices: [Int], push: PushDelivery.SentPush,
    lifetime: Duration? = nil, expectations: [PushExpectation]
  ) {
    self.file = file
    self.payload = payload
    self.app = app
    self.devices = devices
    self.push = push
    self.lifetime = lifetime
    self.expectations = expectations
  }
}

/// What the user does with an app, or what the developer changes about it.
package struct PushAppChange: Sendable {
  package var app: Int
  package var devices: [Int]
  package var life: PushApp.Life?
  /// The user taps its newest notification, which opens it.
  package var tapsNotification = false
  package var permission: PushApp.Permission?
  package var allowsBackgroundRefresh: Bool?
  package var plan: HandlerPlan?

  package init(
    app: Int, devices: [Int], life: PushDelivery.PushApp.Life? = nil, tapsNotification: Bool = false,
    permission: PushDelivery.PushApp.Permission? = nil, allowsBackgroundRefresh: Bool? = nil,
    plan: PushDelivery.HandlerPlan? = nil
  ) {
    self.app = app
    self.devices = devices
    self.life = life
    self.tapsNotification = tapsNotification
    self.permission = permission
    self.allowsBackgroundRefresh = allowsBackgroundRefresh
    self.plan = plan
  }
}

/// What changes about devices; nil leaves it.
package struct PushDeviceChange: Sendable {
  package var devices: [Int]
  package var isOnline: Bool?
  package var power: DeviceConditions.Power?
  package var isInUse: Bool?
  package var hasDebugger: Bool?

  package init(
    devices: [Int], isOnline: Bool? = nil, power: PushDelivery.DeviceConditions.Power? = nil,
    isInUse: Bool? = nil, hasDebugger: Bool? = nil
  ) {
    self.devices = devices
    self.isOnline = isOnline
    self.power = power
    self.isInUse = isInUse
    self.hasDebugger = hasDebugger
  }
}

/// What should have come of the last push to an app.
package struct PushExpectation: Sendable {
  package enum Fate: String, Hashable, Sendable, CaseIterable {
    case woke, delivered, dropped, discarded, refused, stored, held

    package init?(_ kind: DeliveryEvent.Kind) {
      self.init(rawValue: String(kind.rawValue.drop { $0 != "-" }.dropFirst()))
    }
  }

  package var app: Int
  package var devices: [Int]
  package var fate: Fate?
  package var reason: DeliveryReason?
  package var isShown: Bool?
  package var badge: Int?
  /// The text of an entry of Notification Centre.
  package var notification: String?
  /// What the user saw first when opening the app, by custom key, as JSON.
  package var content: [String: String]?
  package var location: Finding.Location
}

extension Story {
  /// Whether anything of it is about pushes.
  package var hasPushes: Bool {
    apps.contains { $0.push != nil }
      || script.contains { step in if case .push = step.action { true } else { false } }
  }

  package var pushProfile: DeliveryProfile { deviceSwitches.pushesAsObserved ? .field : .strict }
}
