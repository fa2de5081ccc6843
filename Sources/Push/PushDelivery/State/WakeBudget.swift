import LinkspanCore

/// How often the system wakes one app for background pushes: three at once, then one every 20 minutes.
///
/// Apps that finish fast and bring new data refill faster, others slower (push device 6 and 7, inferred from push 7.2,
/// 7.3 and 7.5). Whole numbers only, so that a run repeats on every machine.
struct WakeBudget: Hashable, Sendable {
  /// One wake: 20 minutes in milliseconds at a rate of 100 %.
  private static let wakeUnits: Int64 = 1_200_000 * 100
  static let capacity: Int64 = 3
  /// Ours: neither does an honest app get unlimited wakes, nor does a bad one get none for ever.
  private static let rates_percent: ClosedRange<Int64> = 25...200

  private var units = capacity * wakeUnits
  private(set) var rate_percent: Int64 = 100
  private var updated: WallTime?

  /// - Returns: When there is a whole wake; `now` when there is one.
  mutating func available(at now: WallTime) -> WallTime {
    refill(to: now)
    let missing = Self.wakeUnits - units
    guard missing > 0 else { return now }
    return WallTime(milliseconds: now.milliseconds + (missing + rate_percent - 1) / rate_percent)
  }

  mutating func spend(at now: WallTime) {
    refill(to: now)
    units = max(0, units - Self.wakeUnits)
  }

  mutating func empty(at now: WallTime) {
    refill(to: now)
    units = 0
  }

  mutating func adjust(byPercent change: Int64, at now: WallTime) {
    refill(to: now)
    rate_percent = min(
      max(rate_percent + change, Self.rates_percent.lowerBound), Self.rates_percent.upperBound)
  }

  private mutating func refill(to now: WallTime) {
    if let updated {
      // A year fits: 3·10¹⁰ ms at 200 %.
      let elapsed = min(max(0, now.milliseconds - updated.milliseconds), 31_622_400_000)
      units = min(Self.capacity * Self.wakeUnits, units + elapsed * rate_percent)
    }
    updated = now
  }
}

/// How many background pushes the device serves a day, for all apps together (push 7.8 observed; the numbers are ours).
struct DeviceBudget: Hashable, Sendable {
  private static let wakesPerDay = 60
  private static let dayMilliseconds: Int64 = 86_400_000
  /// Ours: the hour of the reset, in UTC.
  private static let resetMilliseconds: Int64 = 4 * 3_600_000

  private var day: Int64?
  private var used = 0

  /// Halved in Low Power Mode, none when power is critical (push device 6).
  static func limit(_ power: DeviceConditions.Power) -> Int {
    switch power {
    case .normal: wakesPerDay
    case .low: wakesPerDay / 2
    case .critical: 0
    }
  }

  /// - Returns: `now` when a wake is left, else the next reset.
  mutating func available(at now: WallTime, _ power: DeviceConditions.Power) -> WallTime {
    turn(to: now)
    return used < Self.limit(power) ? now : Self.reset(after: now)
  }

  mutating func spend(at now: WallTime, count: Int = 1) {
    turn(to: now)
    used += count
  }

  private mutating func turn(to now: WallTime) {
    let today = Self.day(of: now)
    if day != today { (day, used) = (today, 0) }
  }

  private static func day(of now: WallTime) -> Int64 {
    let shifted = now.milliseconds - resetMilliseconds
    return shifted >= 0 ? shifted / dayMilliseconds : (shifted + 1) / dayMilliseconds - 1
  }

  private static func reset(after now: WallTime) -> WallTime {
    WallTime(milliseconds: (day(of: now) + 1) * dayMilliseconds + resetMilliseconds)
  }
}
