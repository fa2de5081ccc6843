internal import DeviceRegistry
internal import LinkspanCore
internal import PushCampaigns
internal import RegistryRequests

/// Days of a series that are other days where its devices are.
extension RegistryAPI {
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// That a rule names days of the week, or has the day of the month or year that it starts on, and that the push of such a day
  /// is due on another day of a time zone. A series keeps its days, so that every later push is on the other day as well.
  static func dayWarnings(
    _ plan: CampaignPlan, _ request: CampaignRequest, _ zone: (String) -> TimeZoneRules?
  ) -> [InputProblem] {
    guard let rule = request.options.recurrence, rule.keepsTimeOfDay,
      let first = request.options.firstStart?.time
    else { return [] }
    let weekdayCount = Set(rule.weekdays.map(\.number)).count
    let hasDate = weekdayCount == 0 && [.monthly, .yearly].contains(rule.frequency)
    // All seven days are the same ones a day later, and so are those of a rule that names none.
    guard hasDate || (1...6).contains(weekdayCount) else { return [] }
    let named = TimeZoneRules(fixedOffset: request.options.offsetSeconds).day(at: first)
    var others: [(zone: String, day: Int64)] = []
    for wave in plan.waves where wave.devices > 0 {
      for name in wave.excludesZones ? ["UTC"] : wave.zones {
        guard let rules = wave.excludesZones ? .utc : zone(name) else { continue }
        let day = rules.day(at: wave.dueAt)
        // Without a local time the moment is meant, unless quiet hours put it off.
        let isPutOff = request.localTime != nil || day != rules.day(at: first)
        if isPutOff, hasDate ? day != named : (day - named) % 7 != 0 { others.append((name, day)) }
      }
    }
    guard let other = others.first else { return [] }
    let more = others.count > 1 ? " and \((others.count - 1).counted("other time zone"))" : ""
    let (from, to) = hasDate ? (date(named), date(other.day)) : (name(of: named), name(of: other.day))
    let counts = hasDate ? "without 'BYDAY' a rule has the day" : "'BYDAY' counts the days"
    return [
      InputProblem(
        "/repeat",
        "The push of \(from) is due on \(to) in '\(other.zone)'\(more), and so is every later one:"
          + " \(counts) of the starting time, in \(clock(request.options.offsetSeconds)). Choose another"
          + " starting time.")
    ]
  }

  /// Of a day that is counted from 1970-01-01.
  private static func date(_ day: Int64) -> String {
    String(WallTime(milliseconds: day * 86_400_000).description.prefix(10))
  }

  /// Of a day that is counted from 1970-01-01, a Thursday.
  private static func name(of day: Int64) -> String { weekdays[Int(((day + 3) % 7 + 7) % 7)] }

  private static func clock(_ offsetSeconds: Int64) -> String {
    guard offsetSeconds != 0 else { return "UTC" }
    return "UTC" + (offsetSeconds < 0 ? "-" : "+") + ClockTime.text(Int(abs(offsetSeconds) / 60))
  }
}
