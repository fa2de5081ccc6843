import LinkspanCore
import Testing

@testable import PushDelivery

/// How often an app is woken, and the device for all apps together, to the millisecond (push 7.2, 7.8, device 6 and 7).
@Suite struct BudgetTests {
  private static let now = Phone.start

  private static func later(_ milliseconds: Int64) -> WallTime {
    now.advanced(by: .milliseconds(milliseconds))
  }

  /// Three at once, then one every 20 minutes at 100 %; the rate is from 25 % to 200 %.
  @Test(
    arguments: [
      (0, 1_200_000), (10, 1_090_910), (-10, 1_333_334), (-25, 1_600_000), (99, 603_016), (100, 600_000),
      (101, 600_000), (-74, 4_615_385), (-75, 4_800_000), (-76, 4_800_000),
    ] as [(Int64, Int64)])
  func theFourthWakeWaits(change: Int64, wait_ms: Int64) {
    var budget = WakeBudget()
    for _ in 1...3 {
      #expect(budget.available(at: Self.now) == Self.now)
      budget.spend(at: Self.now)
    }
    budget.adjust(byPercent: change, at: Self.now)
    let due = Self.later(wait_ms)
    #expect(budget.available(at: Self.now) == due)
    #expect(budget.available(at: Self.later(wait_ms - 1)) == due)
    #expect(budget.available(at: due) == due)
  }

  @Test func noRestSavesMoreThanThree() {
    var budget = WakeBudget()
    #expect(budget.available(at: Self.now) == Self.now)
    let later = Self.later(30 * 86_400_000)
    for _ in 1...3 { budget.spend(at: later) }
    #expect(budget.available(at: later) == later.advanced(by: .milliseconds(1_200_000)))
    // A clock that was set back takes nothing away.
    #expect(budget.available(at: Self.now) == Self.later(1_200_000))
  }

  @Test func anEmptyBudgetFillsFromNothing() {
    var budget = WakeBudget()
    budget.empty(at: Self.now)
    #expect(budget.available(at: Self.now) == Self.later(1_200_000))
    budget.spend(at: Self.later(600_000))
    #expect(budget.available(at: Self.later(600_000)) == Self.later(1_800_000))
  }

  /// The day begins at 04:00 UTC, 20 hours after 08:00.
  @Test(arguments: [(DeviceConditions.Power.normal, 60), (.low, 30)])
  func theDeviceServesSoManyADay(power: DeviceConditions.Power, count: Int) {
    var budget = DeviceBudget()
    let reset = Self.later(20 * 3_600_000)
    budget.spend(at: Self.now, count: count - 1)
    #expect(budget.available(at: Self.now, power) == Self.now)
    budget.spend(at: Self.now)
    #expect(budget.available(at: Self.now, power) == reset)
    #expect(budget.available(at: Self.later(20 * 3_600_000 - 1), power) == reset)
    #expect(budget.available(at: reset, power) == reset)
  }

  @Test func aDeviceWithoutPowerServesNone() {
    var budget = DeviceBudget()
    #expect(budget.available(at: Self.now, .critical) == Self.later(20 * 3_600_000))
  }

  /// Of the years before 1970, too.
  @Test(arguments: [
    ("1970-01-01T03:59:59.999Z", "1970-01-01T04:00:00.000Z"),
    ("1970-01-01T04:00:00.000Z", "1970-01-02T04:00:00.000Z"),
    ("1969-12-31T03:59:59.999Z", "1969-12-31T04:00:00.000Z"),
    ("1969-12-31T04:00:00.000Z", "1970-01-01T04:00:00.000Z"),
  ])
  func theResetIsAtFour(now: String, reset: String) throws {
    var budget = DeviceBudget()
    #expect(budget.available(at: try #require(WallTime(now)), .critical).description == reset)
  }

  /// What a handler reports changes how fast its app is woken again, and more so after ten seconds (device 7).
  @Test(
    arguments: [
      (.newData, 10_000, 110), (.newData, 10_001, 100), (.noData, 10_000, 90), (.noData, 10_001, 80),
      (.failed, 10_000, 75), (.failed, 10_001, 65), (.newData, 30_001, 100),
    ] as [(HandlerPlan.Result, Int64, Int64)])
  func aReportChangesTheRate(result: HandlerPlan.Result, duration_ms: Int64, rate_percent: Int64) {
    var phone = Phone()
    phone.plan(HandlerPlan(duration_ms: duration_ms, result: result))
    phone.send(.silent)
    #expect(phone.state.budget.rate_percent == 100)
    phone.wait(31)
    #expect(phone.state.budget.rate_percent == rate_percent)
  }

  /// 7.7 and 7.8: what costs nothing changes nothing.
  @Test(arguments: [true, false]) func whatDoesNotCountChangesNoRate(isForeground: Bool) {
    var phone = Phone(life: isForeground ? .foreground : .suspended)
    if !isForeground { phone.conditions { $0.hasDebugger = true } }
    phone.plan(HandlerPlan(duration_ms: 1_000, result: .failed))
    phone.send(.silent)
    phone.wait(2)
    #expect(phone.events(.finished) == [1] && phone.state.budget.rate_percent == 100)
  }
}
