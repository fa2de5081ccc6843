import LinkspanCore
import PushProvider
import Testing

@testable import PushDelivery

/// Background fetch (push section 7.3), taps (push 7.7), bursts (push 7.14) and the service extension (push 7.16).
@Suite struct BesidePushTests {
  private static let fetching = Phone.traits(modes: ["remote-notification", "fetch"])

  private func phone(_ interval_s: Int64? = 0, plan: HandlerPlan = HandlerPlan()) -> Phone {
    var phone = Phone(Self.fetching)
    phone.set {
      $0.fetch.minimum_ms = interval_s.map { $0 * 1000 }
      $0.fetchPlan = plan
    }
    return phone
  }

  /// Seconds from the start at which the app was woken to fetch.
  private func fetches(_ phone: Phone) -> [Int64] {
    phone.log.filter { $0.kind == .fetched }.map { ($0.time.milliseconds - Phone.start.milliseconds) / 1000 }
  }

  // MARK: - Section 7.3

  @Test func neverIsTheDefault() {
    var phone = phone(nil)
    phone.wait(7 * 86_400)
    #expect(fetches(phone).isEmpty)
  }

  /// The observed floor: a fetch takes 2 s, then 15 minutes pass.
  @Test func fifteenMinutesLieBetweenTwo() {
    var phone = phone(plan: HandlerPlan(result: .noData))
    phone.wait(3600)
    #expect(fetches(phone) == [900, 1802, 2704])
  }

  @Test func theIntervalIsAtLeastWhatTheAppAskedFor() {
    var phone = phone(7200, plan: HandlerPlan(result: .noData))
    phone.wait(5 * 3600)
    #expect(fetches(phone) == [7200, 14_402])
  }

  @Test func withoutTheModeThereIsNone() {
    var phone = Phone()
    phone.set { $0.fetch.minimum_ms = 0 }
    phone.wait(86_400)
    #expect(fetches(phone).isEmpty)
  }

  @Test(arguments: ["force-quit", "refresh off", "foreground", "offline", "critical"])
  func nothingIsFetchedThen(_ situation: String) {
    var phone = phone()
    switch situation {
    case "force-quit": phone.move(.forceQuit)
    case "refresh off": phone.set { $0.allowsBackgroundRefresh = false }
    case "foreground": phone.move(.foreground)
    case "offline": phone.conditions { $0.isOnline = false }
    default: phone.conditions { $0.power = .critical }
    }
    phone.wait(86_400)
    #expect(fetches(phone).isEmpty)
  }

  /// 7.4: failures double the wait, up to four hours.
  @Test func failuresDoubleTheWait() {
    var phone = phone(plan: HandlerPlan(duration_ms: 0, result: .failed))
    phone.wait(15 * 3600)
    let times = fetches(phone)
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(gaps == [1800, 3600, 7200, 14_400, 14_400])
  }

  /// 7.4: an app that finds new data at one hour is woken at that hour.
  @Test func theHourOfNewDataIsLearned() {
    var phone = phone(plan: HandlerPlan(result: .newData))
    phone.wait(3 * 86_400)
    let hours = Set(fetches(phone).map { (Phone.start.milliseconds / 1000 + $0) / 3600 % 24 })
    // 08:00 UTC, at which the phone begins.
    #expect(hours == [8])
  }

  @Test func aFetchSetsBadgeAndNotification() {
    var phone = phone(plan: HandlerPlan(result: .newData, badge: 3, notification: "News"))
    phone.wait(1000)
    #expect(phone.state.badge == 3)
    #expect(phone.state.notifications.map(\.text) == ["News"])
    #expect(phone.state.life == .suspended)
  }

  @Test func aFetchThatNeverEndsKillsTheApp() {
    var phone = phone(plan: HandlerPlan(duration_ms: nil))
    phone.wait(900 + 29)
    #expect(phone.state.life == .background)
    phone.wait(1)
    #expect(phone.state.life == .terminated)
    #expect(phone.events(.killed) == [0])
  }

  // MARK: - 7.7

  @Test func aTapRunsTheHandlerAgain() {
    var phone = Phone()
    phone.send(.both)
    phone.wait(60)
    phone.tap()
    #expect(phone.events(.calledAgain) == [1])
    #expect(phone.state.life == .foreground && phone.state.notifications.isEmpty)
    phone.wait(60)
    #expect(phone.events(.finished) == [1, 1])
  }

  @Test func aTapOnAnOrdinaryAlertOnlyOpensTheApp() {
    var phone = Phone()
    phone.send(.alert)
    phone.tap()
    #expect(phone.events(.calledAgain).isEmpty)
    #expect(phone.state.life == .foreground)
  }

  @Test func withoutANotificationThereIsNothingToTap() {
    var phone = Phone()
    phone.tap()
    #expect(phone.state.life == .suspended)
  }

  // MARK: - 7.14

  @Test func pushesOfLowPriorityComeInBursts() {
    var phone = Phone()
    phone.device.groupsLowPriority = true
    phone.wait(60)
    let number = phone.send(.silent)
    #expect(phone.fate(number) == "push-stored grouped-with-others")
    #expect(phone.log.last?.next == WallTime(milliseconds: Phone.start.milliseconds + 900_000))
    phone.wait(839)
    #expect(phone.events(.woke).isEmpty)
    phone.wait(1)
    #expect(phone.events(.woke) == [number])
  }

  @Test func onesOfPriorityTenDoNotWaitAndTakeOthersAlong() {
    var phone = Phone()
    phone.device.groupsLowPriority = true
    phone.wait(60)
    phone.send(.silent)
    #expect(phone.result(of: .alert) == "push-delivered")
    #expect(phone.fates() == ["push-woke", "push-delivered"])
  }

  // MARK: - 7.16

  private static let mutable = SentPush.read(#"{"aps":{"alert":"Hello","mutable-content":1}}"#)

  @Test func theExtensionChangesTheText() {
    var phone = Phone()
    phone.set { $0.service = ServicePlan(duration_ms: 5000, text: "Anna: Hello") }
    phone.send(Self.mutable)
    #expect(phone.state.notifications.isEmpty)
    phone.wait(5)
    #expect(phone.state.notifications.map(\.text) == ["Anna: Hello"])
  }

  @Test(arguments: [nil, 30_001] as [Int64?])
  func afterThirtySecondsTheOriginalIsShown(_ duration_ms: Int64?) {
    var phone = Phone()
    phone.set { $0.service = ServicePlan(duration_ms: duration_ms, text: "Anna: Hello") }
    phone.send(Self.mutable)
    phone.wait(29)
    #expect(phone.state.notifications.isEmpty)
    phone.wait(1)
    #expect(phone.state.notifications.map(\.text) == ["Hello"])
  }

  @Test(arguments: [
    #"{"aps":{"alert":"Hello"}}"#, #"{"aps":{"badge":3,"mutable-content":1}}"#,
    #"{"aps":{"sound":"default","mutable-content":1}}"#,
    #"{"aps":{"content-available":1,"mutable-content":1}}"#,
  ])
  func forOthersItDoesNotRun(_ payload: String) {
    var phone = Phone()
    phone.set { $0.service = ServicePlan(duration_ms: 5000, text: "Anna: Hello") }
    phone.send(.read(payload))
    phone.wait(10)
    #expect(!phone.state.notifications.contains { $0.text == "Anna: Hello" })
    #expect(phone.fates().count == 1)
  }
}
