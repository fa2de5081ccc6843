import LinkspanCore
import PushProvider
import PushTerms
import Testing

@testable import PushDelivery

/// The rules push 7.1 to 7.16, push edge and push device, by their numbers.
@Suite struct DeliveryRuleTests {
  // MARK: - APNs' store (7.12, 7.13, edge 1 to 5)

  /// Row 34: expiration 0, device offline.
  @Test func oneAttemptIsNeverStored() {
    var phone = Phone()
    phone.conditions { $0.isOnline = false }
    let push = phone.send(.alert.expiring(.oneAttempt))
    #expect(phone.fate(push) == "push-discarded expired")
    phone.conditions { $0.isOnline = true }
    #expect(phone.events(.shown).isEmpty)
  }

  /// Row 35 and 36: expiration in 60 s, back after 30 s or 90 s.
  @Test(arguments: [(30, "push-delivered"), (90, "push-discarded expired")] as [(Int64, String)])
  func aStoredPushWaitsUntilItExpires(_ row: (seconds: Int64, fate: String)) {
    var phone = Phone()
    phone.conditions { $0.isOnline = false }
    let end = WallTime(milliseconds: phone.now.milliseconds + 60_000)
    let push = phone.send(.alert.expiring(.at(end)))
    #expect(phone.fate(push) == "push-stored offline")
    phone.wait(row.seconds)
    phone.conditions { $0.isOnline = true }
    #expect(phone.fate(push) == row.fate)
  }

  /// Row 37: two sends while offline.
  @Test func oneSlotKeepsTheNewest() {
    var phone = Phone()
    phone.conditions { $0.isOnline = false }
    phone.send(.alert)
    phone.wait(5)
    phone.send(.alert)
    phone.conditions { $0.isOnline = true }
    #expect(phone.fates() == ["push-discarded overwritten-by-newer", "push-delivered"])
  }

  /// Edge 2: which of two in the same second is kept is not promised.
  @Test func theFieldProfileSometimesKeepsTheOlder() {
    var kept = 0
    for seed in 1...400 as ClosedRange<UInt64> {
      var phone = Phone(profile: .field, seed: seed)
      phone.conditions { $0.isOnline = false }
      phone.send(.alert)
      phone.send(.alert)
      phone.conditions { $0.isOnline = true }
      if phone.fate(1) == "push-delivered" { kept += 1 }
    }
    #expect((5...45).contains(kept))
  }

  /// 7.12, edge 5.
  @Test func nothingIsStoredBeyond30Days() {
    var phone = Phone()
    phone.conditions { $0.isOnline = false }
    let push = phone.send(.alert)
    phone.wait(30 * 86_400 - 1)
    #expect(phone.fate(push) == "push-stored offline")
    phone.wait(1)
    #expect(phone.fate(push) == "push-discarded stored-30-days")
  }

  /// 7.12: a longer life than APNs gives ends with its storage, and a later expiration would change nothing.
  @Test(arguments: [(29, "expired"), (30, "expired"), (31, "stored-30-days"), (60, "stored-30-days")])
  func theStorageEndsBeforeALongLife(days: Int64, reason: String) {
    var phone = Phone()
    phone.conditions { $0.isOnline = false }
    var alert = SentPush.alert
    alert.expiry = .at(phone.now.advanced(by: .seconds(days * 86_400)))
    let push = phone.send(alert)
    phone.wait(31 * 86_400)
    #expect(phone.fate(push) == "push-discarded \(reason)")
  }

  /// Row 39, edge 4.
  @Test func theSameCollapseIdentifierIsOneEntry() {
    var phone = Phone()
    phone.send(.alert.collapsing("score"))
    phone.send(.alert.collapsing("score"))
    phone.send(.alert)
    #expect(phone.state.notifications.map(\.push) == [2, 3])
  }

  /// Row 58, edge 1.
  @Test func aDeletedAppIsUnregisteredAfterOnePush() {
    var phone = Phone()
    phone.delete()
    phone.send(.alert)
    phone.send(.alert)
    #expect(phone.fates() == ["push-discarded uninstalled", "push-refused token-unregistered"])
    // Row 59: the app registers again.
    phone.install()
    phone.move(.foreground)
    phone.move(.suspended)
    #expect(phone.result(of: .alert) == "push-delivered")
  }

  /// 7.13, edge 1.
  @Test func aUserWhoDeniesNotificationsStillGetsSilentPushes() {
    var phone = Phone()
    phone.set { $0.permission = .denied }
    phone.send(.alert)
    phone.send(.both)
    phone.send(.silent)
    #expect(
      phone.fates() == [
        "push-discarded notifications-off", "push-discarded notifications-off", "push-woke",
      ])
  }

  /// V8, edge 3.
  @Test func lowPowerStoresPriority5AndPriority10Flushes() {
    var phone = Phone()
    phone.conditions { $0.power = .low }
    let low = phone.send(.read(#"{"aps":{"alert":"later"}}"#, priority: .powerAware))
    #expect(phone.fate(low) == "push-stored power-saving")
    let high = phone.send(.alert)
    #expect(phone.fate(high) == "push-delivered")
    #expect(phone.fate(low) == "push-delivered")
  }

  /// Edge 3: priority 1 never wakes a device.
  @Test func priority1WaitsForSomebodyToUseTheDevice() {
    var phone = Phone()
    let push = phone.send(.read(#"{"aps":{"alert":"x"}}"#, priority: .powerFirst))
    #expect(phone.fate(push) == "push-stored power-saving")
    phone.conditions { $0.isInUse = true }
    #expect(phone.fate(push) == "push-delivered")
  }

  // MARK: - The device (7.1 to 7.11, device 1 to 8)

  /// 7.7, device 1.
  @Test func theForegroundNeedsNoBudget() {
    var phone = Phone(Phone.traits(modes: []), life: .foreground)
    for _ in 1...20 { phone.send(.silent) }
    #expect(Set(phone.fates()) == ["push-woke"])
  }

  /// V4, 7.6, device 2.
  @Test func afterAForceQuitTheAlertIsShownAndNothingWakes() {
    var phone = Phone()
    phone.move(.forceQuit)
    let push = phone.send(.both)
    #expect(phone.fate(push) == "push-delivered force-quit")
    #expect(phone.events(.shown) == [push])
    #expect(phone.result(of: .silent) == "push-dropped force-quit")
  }

  /// 7.6: until the user opens it or the device restarts.
  @Test func aRestartEndsTheForceQuit() {
    var phone = Phone()
    phone.move(.forceQuit)
    phone.reboot()
    phone.wait(301)
    #expect(phone.result(of: .silent) == "push-woke")
  }

  /// V9, device 3.
  @Test func backgroundRefreshOffDrops() {
    var phone = Phone()
    phone.set { $0.allowsBackgroundRefresh = false }
    #expect(phone.result(of: .silent) == "push-dropped background-refresh-off")
  }

  /// 7.8, device 3.
  @Test(arguments: [(14, "push-woke"), (15, "push-dropped not-opened-lately")] as [(Int64, String)])
  func anAppThatNobodyOpensIsNotWoken(_ row: (days: Int64, fate: String)) {
    var phone = Phone()
    phone.wait(row.days * 86_400)
    #expect(phone.result(of: .silent) == row.fate)
  }

  /// V7, device 4.
  @Test func aDebuggerLiftsTheBudget() {
    var phone = Phone()
    phone.conditions { $0.hasDebugger = true }
    for _ in 1...20 { phone.send(.silent) }
    #expect(Set(phone.fates()) == ["push-woke"])
  }

  /// V5, 7.9, device 5.
  @Test func afterARestartItIsHeldFor300Seconds() {
    var phone = Phone()
    phone.reboot()
    phone.wait(100)
    let push = phone.send(.silent)
    #expect(phone.fate(push) == "push-held just-started")
    phone.wait(199)
    #expect(phone.fate(push) == "push-held just-started")
    phone.wait(1)
    #expect(phone.fate(push) == "push-woke")
  }

  /// 7.9, device 5.
  @Test func afterTheNetworkCameBackItIsHeldWhileTheDeviceIsInUse() {
    var phone = Phone()
    phone.conditions { ($0.isOnline, $0.isInUse) = (false, true) }
    phone.wait(7200)
    phone.conditions { $0.isOnline = true }
    let push = phone.send(.silent)
    #expect(phone.fate(push) == "push-held network-just-back")
    phone.conditions { $0.isInUse = false }
    #expect(phone.fate(push) == "push-woke")
  }

  /// V1, 7.2, 7.4, device 6.
  @Test func sixInTenMinutesWakeThreeTimesAndHoldTheLast() {
    var phone = Phone()
    for _ in 1...6 {
      phone.send(.silent)
      phone.wait(100)
    }
    #expect(
      phone.fates() == [
        "push-woke", "push-woke", "push-woke", "push-dropped replaced-by-newer",
        "push-dropped replaced-by-newer", "push-held app-budget-spent",
      ])
    phone.wait(1200)
    #expect(phone.fate(6) == "push-woke")
  }

  /// V2, 7.4.
  @Test func aHeldPushIsGoneAfterAForceQuit() {
    var phone = Phone()
    for _ in 1...4 { phone.send(.silent) }
    phone.move(.forceQuit)
    #expect(phone.fate(4) == "push-dropped quit-while-held")
  }

  /// V3, 7.4, device 8.
  @Test func aHeldPushIsDeliveredWhenTheUserOpensTheApp() {
    var phone = Phone()
    for _ in 1...4 { phone.send(.silent) }
    phone.move(.foreground)
    #expect(phone.fate(4) == "push-woke")
  }

  /// V6, 7.5, device 7.
  @Test func aHandlerThatNeverCompletesIsKilledAndTheNextWakeWaits() {
    var phone = Phone()
    phone.plan(HandlerPlan(duration_ms: nil))
    phone.send(.silent)
    phone.wait(29)
    #expect(phone.state.life == .background)
    phone.wait(1)
    #expect(phone.state.life == .terminated)
    #expect(phone.events(.killed) == [1])
    #expect(phone.result(of: .silent) == "push-held app-budget-spent")
  }

  /// 7.5: the limit is met at 30 s and missed after it.
  @Test(arguments: [(30_000, false), (30_001, true)] as [(Int64, Bool)])
  func thirtySecondsAreEnough(_ row: (duration_ms: Int64, isKilled: Bool)) {
    var phone = Phone()
    phone.plan(HandlerPlan(duration_ms: row.duration_ms))
    phone.send(.silent)
    phone.wait(60)
    #expect(phone.events(.killed).isEmpty == !row.isKilled)
  }

  /// Device 7: what the app reports decides when it is woken again.
  @Test func honestAppsAreWokenSooner() {
    func waitAfter(_ result: HandlerPlan.Result, _ duration_ms: Int64) -> Int64 {
      var phone = Phone()
      phone.plan(HandlerPlan(duration_ms: duration_ms, result: result))
      for _ in 1...3 {
        phone.send(.silent)
        phone.wait(30)
      }
      phone.send(.silent)
      var waited: Int64 = 0
      while phone.fate(4) != "push-woke", waited < 10_000 {
        phone.wait(10)
        waited += 10
      }
      return waited
    }
    let times = [
      waitAfter(.newData, 2000), waitAfter(.newData, 20_000), waitAfter(.noData, 2000),
      waitAfter(.failed, 2000),
    ]
    #expect(times == times.sorted())
    #expect(Set(times).count == times.count)
  }

  /// V10, device 6: 60 wakes a day for all apps of the device; half in Low Power Mode.
  @Test(arguments: [(DeviceConditions.Power.normal, 60), (.low, 30), (.critical, 0)])
  func theDeviceHasABudgetOfItsOwn(_ row: (power: DeviceConditions.Power, count: Int)) {
    var phone = Phone()
    for number in 1...40 {
      let bundle = "com.example.other\(number)"
      phone.device.install(
        PushAppTraits(
          bundleIdentifier: bundle, environment: .production, backgroundModes: ["remote-notification"]),
        at: phone.now)
      phone.device.move(bundle, to: .suspended, at: phone.now)
    }
    phone.conditions { $0.isInUse = true }
    let silent = SentPush.read(#"{"aps":{"content-available":1}}"#)
    for _ in 1...2 { for number in 1...40 { phone.send(silent, to: "com.example.other\(number)") } }
    // In Low Power Mode APNs stores what has priority 5, so the power changes on the device only.
    var limited = phone
    limited.wait(86_400)
    limited.conditions { $0.power = row.power }
    #expect(phone.events(.woke).count == 60)
    #expect(phone.fate(80) == "push-held device-budget-spent")
    #expect(limited.fate(80) == "push-woke")
    #expect(DeviceBudget.limit(row.power) == row.count)
  }

  /// 7.10, observed.
  @Test func theFieldProfileRefusesTestFlightBuilds() {
    for (profile, fate) in [
      (DeliveryProfile.strict, "push-woke"), (.field, "push-dropped testflight-push-disallowed"),
    ] {
      var phone = Phone(Phone.traits(isTestFlight: true), profile: profile)
      #expect(phone.result(of: .silent) == fate)
    }
  }

  /// Rows 30 and 31, 7.11.
  @Test func aSilentPushOfPriority10IsRefusedOrWakes() {
    for (profile, fate) in [
      (DeliveryProfile.strict, "push-refused background-priority-10"), (.field, "push-woke"),
    ] {
      var phone = Phone(profile: profile)
      #expect(
        phone.result(of: (.read(#"{"aps":{"content-available":1}}"#, priority: .immediate))) == fate)
    }
  }

  /// Row 32, 7.11.
  @Test func aBackgroundPushWithAnAlertIsDroppedOrWakesAndShowsNothing() {
    let push = SentPush.read(#"{"aps":{"alert":"x","content-available":1}}"#, kind: .background)
    for (profile, fate) in [(DeliveryProfile.strict, "push-dropped type-mismatch"), (.field, "push-woke")] {
      var phone = Phone(profile: profile)
      #expect(phone.result(of: (push)) == fate)
      #expect(phone.events(.shown).isEmpty)
    }
  }

  /// 7.11: content-available 0 never wakes.
  @Test func contentAvailable0NeverWakes() {
    for profile in DeliveryProfile.allCases {
      var phone = Phone(profile: profile)
      let push = SentPush.read(#"{"aps":{"content-available":0}}"#, kind: .background)
      #expect(phone.result(of: (push)) == "push-dropped nothing-to-do")
    }
  }

  // MARK: - What the user sees

  /// The step counter: new content, badge and notification are there before the user opens the app.
  @Test func theFetchUpdatesContentBeforeTheUserOpensTheApp() {
    var phone = Phone()
    phone.plan(HandlerPlan(duration_ms: 4000, badge: 1, notification: "4021 steps so far"))
    phone.send(.silent)
    phone.wait(3)
    #expect(phone.state.badge == 0)
    phone.wait(1)
    #expect(phone.state.badge == 1)
    #expect(phone.state.notifications.map(\.text) == ["4021 steps so far"])
    #expect(phone.state.life == .suspended)
    phone.move(.foreground)
    #expect(phone.state.contentAtOpen == ["steps": "4021"])
  }

  @Test func aHeldPushBringsItsContentTooLate() {
    var phone = Phone()
    phone.reboot()
    phone.send(.silent)
    phone.move(.foreground)
    phone.wait(5)
    #expect(phone.state.content == ["steps": "4021"])
    #expect(phone.state.contentAtOpen.isEmpty)
  }

  @Test func inTheForegroundAnAlertGoesToTheApp() {
    var phone = Phone(life: .foreground)
    #expect(phone.result(of: .alert) == "push-delivered app-in-foreground")
    #expect(phone.state.notifications.isEmpty)
  }

  @Test func aBadgeAloneChangesTheBadge() {
    var phone = Phone()
    #expect(phone.result(of: .badge) == "push-delivered")
    #expect(phone.state.badge == 3)
  }

  @Test func withoutPermissionTheAppSetsNoBadge() {
    var phone = Phone()
    phone.set { $0.permission = .denied }
    phone.plan(HandlerPlan(badge: 1, notification: "x"))
    phone.send(.silent)
    phone.wait(10)
    #expect(phone.state.badge == 0)
    #expect(phone.state.notifications.isEmpty)
    #expect(phone.state.content == ["steps": "4021"])
  }

  @Test(arguments: [PushApp.Permission.authorized, .provisional])
  func whoeverMayShowSetsABadge(_ permission: PushApp.Permission) {
    var phone = Phone()
    phone.set { $0.permission = permission }
    phone.plan(HandlerPlan(badge: 7, notification: "News"))
    phone.send(.silent)
    phone.wait(10)
    #expect(phone.state.badge == 7 && phone.state.notifications.map(\.text) == ["News"])
  }

  /// The user looks at the app, which needs no entry of its own.
  @Test func inTheForegroundTheHandlerSetsTheBadgeAlone() {
    var phone = Phone(life: .foreground)
    phone.plan(HandlerPlan(badge: 7, notification: "News"))
    phone.send(.silent)
    phone.wait(10)
    #expect(phone.state.badge == 7 && phone.state.notifications.isEmpty)
    #expect(phone.log.last { $0.kind == .notified }?.details.map(\.name) == ["badge"])
  }

  @Test func whatBringsNothingNewSetsNothing() {
    var phone = Phone()
    phone.plan(HandlerPlan(result: .noData, badge: 7, notification: "News"))
    phone.send(.silent)
    phone.wait(10)
    #expect(phone.state.badge == 0 && phone.state.notifications.isEmpty && phone.state.content.isEmpty)
  }

  /// 7.9, device 5: for 15 minutes, to the second.
  @Test func theNetworkIsJustBackForFifteenMinutes() {
    var phone = Phone()
    phone.conditions { ($0.isOnline, $0.isInUse) = (false, true) }
    phone.wait(7_200)
    phone.conditions { $0.isOnline = true }
    let push = phone.send(.silent)
    phone.wait(899)
    #expect(phone.fate(push) == "push-held network-just-back")
    phone.wait(1)
    #expect(phone.fate(push) == "push-woke")
  }

  /// Row 34: an expiration that has come is none any more.
  @Test(arguments: [
    (-1, "push-discarded expired"), (0, "push-discarded expired"), (1, "push-stored offline"),
  ])
  func anExpirationIsAMoment(milliseconds: Int, fate: String) {
    var phone = Phone()
    phone.conditions { $0.isOnline = false }
    let end = phone.now.advanced(by: .milliseconds(milliseconds))
    #expect(phone.result(of: .alert.expiring(.at(end))) == fate)
  }

  @Test func theNewestTwoHundredEntriesAreKept() {
    var phone = Phone()
    for _ in 1...200 { phone.send(.alert) }
    #expect(phone.state.notifications.map(\.push) == Array(1...200))
    phone.send(.alert)
    #expect(phone.state.notifications.map(\.push) == Array(2...201))
  }
}
