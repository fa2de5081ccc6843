package import LinkspanCore

/// A push about to be sent to one app on one device: the question that is explained.
package struct PushSituation: Sendable {
  package var push: SentPush
  package var app: PushApp
  package var conditions = DeviceConditions()
  package var profile = DeliveryProfile.strict
  /// When the push is sent.
  package var now: WallTime
  /// Background pushes that woke the app just before.
  package var wakesBefore = 0
  /// Since the device started and since its network came back; nil when that is long ago.
  package var secondsSinceBoot: Int64?
  package var secondsSinceNetwork: Int64?

  /// - Parameters:
  ///   - life: Decides whether the app has a token, too.
  ///   - daysSinceOpened: How long ago the user opened the app.
  package init(
    _ push: SentPush, to traits: PushAppTraits, life: PushApp.Life = .suspended, at now: WallTime,
    daysSinceOpened: Int64 = 0
  ) {
    self.push = push
    self.now = now
    app = PushApp(traits)
    app.life = life
    if life != .neverLaunched {
      app.lastOpened = WallTime(milliseconds: now.milliseconds - daysSinceOpened * 86_400_000)
    }
  }

  /// The gates' view of it.
  var context: DeliveryContext {
    func ago(_ seconds: Int64) -> WallTime { WallTime(milliseconds: now.milliseconds - seconds * 1000) }
    var budget = DeviceBudget()
    budget.spend(at: now, count: wakesBefore)
    return DeliveryContext(
      profile: profile, conditions: conditions, bootedAt: ago(secondsSinceBoot ?? 86_400),
      networkBackAt: secondsSinceNetwork.map(ago), deviceBudget: budget, now: now)
  }

  /// The app with the wakes it has used.
  var usedApp: PushApp {
    var app = app
    for _ in 0..<min(wakesBefore, Int(WakeBudget.capacity)) { app.budget.spend(at: now) }
    return app
  }

  package var explained: PushExplanation { PushExplanation(self) }
}
