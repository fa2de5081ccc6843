internal import DeviceRegistry
internal import LinkspanCore
internal import PushCampaigns
internal import RegistryRequests

/// Days of a series that are other days where its devices are.
extension RegistryAPI {
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// That a rule names days of the week, and that the push of such a day is due on another day of a time zone. A series keeps its
  /// days, so that every later push is on the other day as well.
  static func dayWarnings(
    _ plan: CampaignPlan, _ request: CampaignRequest, _ zone: (String) -> TimeZoneRules?
  ) -> [InputProblem] {
    guard let rule = request.options.recurrence, rule.keepsTimeOfDay,
      let first = request.options.firstStart?.time
    else { return [] }
    // All seven days, or none, are the same ones a day later.
    guard (1...6).contains(Set(rule.weekdays.map(\.number)).count) else { return [] }
    let named = TimeZoneRules(fixedOffset: request.options.offsetSeconds).day(at: first)
    var others: [(zone: String, day: Int64)] = []
    for wave in plan.waves where wave.devices > 0 {
      for name in wave.excludesZones ? ["UTC"] : wave.zones {
        guard let rules = wave.excludesZones ? .utc : zone(name) else { continue }
        let day = rules.day(at: wave.dueAt)
        // Without a local time the moment is meant, unless quiet hours put it off.
        let isPutOff = request.localTime != nil || day != rules.day(at: first)
        if isPutOff, (day - named) % 7 != 0 { others.append((name, day)) }
      }
    }
    guard let other = others.first else { return [] }
    let more = others.count > 1 ? " and \((others.count - 1).counted("other time zone"))" : ""
    return [
      InputProblem(
        "/repeat",
        "The push of \(name(of: named)) is due on \(name(of: other.day)) in '\(other.zone)'\(more), and so is every later one:"
          + " 'BYDAY' counts the days of the starting time, in \(clock(request.options.offsetSeconds)). Choose another"
          + " starting time.")
    ]
  }

  /// Of a day that is counted from 1970-01-01, a Thursday.
  private static func name(of day: Int64) -> String { weekdays[Int(((day + 3) % 7 + 7) % 7)] }

  private static func clock(_ offsetSeconds: Int64) -> String {
    guard offsetSeconds != 0 else { return "UTC" }
    return "UTC" + (offsetSeconds < 0 ? "-" : "+") + ClockTime.text(Int(abs(offsetSeconds) / 60))
  }
}
