package import LinkspanCore
package import PushCampaigns
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

/// What a campaign would reach, and when.
package struct CampaignPlan: Sendable {
  /// Devices whose pushes are due together.
  package struct Wave: Sendable {
    package var dueAt: WallTime
    package var devices: Int64
    package var zones: [String] = []
    /// Whether it is for the devices in none of the zones.
    package var excludesZones = false
  }

  /// The earliest first.
  package var waves: [Wave]
  /// The identifiers of the topic's first and last device; nil where it has none.
  var ends: (first: Int64, last: Int64)?
  /// Why the campaign's expiration does not go with its times.
  package var expirationProblem: String?

  package var devices: Int64 { waves.reduce(0) { $0 + $1.devices } }

  /// Whether the topic has a device in the environment, whatever the audience.
  package var hasDevices: Bool { ends != nil }

  /// Whether devices may fit by the time that their pushes are due that do not fit yet.
  package fileprivate(set) var awaitsDevices = false

  /// How many devices name a time zone that does not exist here, and one such name: they count as UTC's.
  package fileprivate(set) var strange: (devices: Int64, zone: String)?
}

extension RegistryStore {
  /// Identifiers of devices in a range, at least, and ranges that devices are divided into, at most. Ours.
  private static let rangeWidth: Int64 = 10_000
  private static let rangeCount: Int64 = 200

  /// Counts the devices of a campaign, and finds when their pushes are due.
  ///
  /// - Parameters:
  ///   - now: When it starts; before its starting time that counts.
  ///   - isLate: Whether it starts so late that its local times count from now, and not from its day in the series.
  ///   - zone: The rules of a time zone; nil for one that does not exist. Devices in no known zone count as UTC's.
  package func plan(
    _ request: CampaignRequest, at now: WallTime, isLate: Bool = false, zone: (String) -> TimeZoneRules?
  ) throws(RegistryError) -> CampaignPlan {
    let first = request.options.firstStart?.time
    let start = max(now, first ?? now)
    let times = CampaignTimes(request: request, start: start, first: isLate ? start : first ?? start)
    var plan = try waves(times, countedAt: now, zone: zone)
    let rows = try database.run(
      "SELECT min(id) AS first, max(id) AS last FROM devices WHERE topic = $1 AND environment = $2",
      [.text(request.content.topic.text), .text(request.content.environment.rawValue)])
    if let row = rows.first, let first = try row.optionalInt("first"), let last = try row.optionalInt("last")
    {
      plan.ends = (first, last)
    }
    return plan
  }

  private func waves(
    _ times: CampaignTimes, countedAt today: WallTime, zone: (String) -> TimeZoneRules?
  ) throws(RegistryError) -> CampaignPlan {
    let (request, content) = (times.request, times.request.content)
    let conditions = conditions(
      request.audience.filter(topic: content.topic.text, environment: content.environment, at: today))
    guard request.localTime != nil || request.options.quietHours != nil else {
      let rows = try database.run(
        "SELECT count(*) AS number FROM devices\(conditions.clause)", conditions.values)
      guard let row = rows.first else { throw Self.emptyAnswer }
      var plan = CampaignPlan(waves: [.init(dueAt: times.start, devices: try row.int("number"))])
      plan.note(request.expirationProblem(due: times.start, in: .utc, called: "UTC"))
      return plan
    }
    var rows = try zones(conditions)
    var plan = CampaignPlan(waves: [])
    if let later = request.audience.later {
      // A device that was seen a moment ago may fit when its push is due, and its zone needs a wave of its own for that.
      let counts = rows
      rows = try zones(
        self.conditions(
          later.filter(topic: content.topic.text, environment: content.environment, at: today))
      ).map { zone in (zone.name, counts.first { $0.name == zone.name }?.devices ?? 0) }
      plan.awaitsDevices = request.audience.notSeenFor != nil && !rows.isEmpty
    }
    var waves: [WallTime: CampaignPlan.Wave] = [:]
    var known: [String] = []
    var others: Int64 = 0
    for row in rows {
      guard let name = row.name, let rules = zone(name) else {
        others += row.devices
        if let name = row.name, row.devices > 0 {
          plan.strange = (row.devices + (plan.strange?.devices ?? 0), name)
        }
        continue
      }
      let due = times.due(in: rules)
      if row.devices > 0 || plan.awaitsDevices {
        plan.note(request.expirationProblem(due: due, in: rules, called: name))
      }
      waves[due, default: .init(dueAt: due, devices: 0)].zones.append(name)
      waves[due]?.devices += row.devices
      known.append(name)
    }
    let due = times.due(in: .utc)
    if others > 0 { plan.note(request.expirationProblem(due: due, in: .utc, called: "UTC")) }
    plan.waves = waves.values.sorted { $0.dueAt < $1.dueAt }
    if others > 0 || known.isEmpty || plan.awaitsDevices {
      plan.waves.append(.init(dueAt: due, devices: others, zones: known, excludesZones: true))
    }
    plan.waves.sort { $0.dueAt < $1.dueAt }
    return plan
  }

  /// How many devices each time zone has, in the order of their names.
  private func zones(_ conditions: SQLFilter) throws(RegistryError) -> [(name: String?, devices: Int64)] {
    let rows = try database.run(
      "SELECT time_zone, count(*) AS number FROM devices\(conditions.clause) GROUP BY time_zone ORDER BY time_zone",
      conditions.values)
    return try rows.map { row throws(RegistryError) in
      (try row.optionalText("time_zone"), try row.int("number"))
    }
  }

  func addRanges(
    of message: Int64, _ waves: [CampaignPlan.Wave], first: Int64, last: Int64
  ) throws(RegistryError) {
    let width = max(Self.rangeWidth, (last - first) / Self.rangeCount + 1)
    var rows: [[SQLValue]] = []
    for wave in waves {
      for start in stride(from: first - 1, to: last, by: Int(width)) {
        rows.append([
          .int(message), .int(wave.dueAt.milliseconds), .text(Self.stored(wave.zones)),
          .int(wave.excludesZones ? 1 : 0), .int(start), .int(min(last, start + width)),
        ])
      }
    }
    _ = try database.runEach(
      "INSERT INTO ranges (message_id, due_at, zones, excludes_zones, cursor_id, last_id)"
        + " VALUES ($1, $2, $3, $4, $5, $6)", rows)
  }
}

extension CampaignPlan {
  fileprivate mutating func note(_ problem: String?) { expirationProblem = expirationProblem ?? problem }
}

/// A campaign, and the times that its devices' are counted from.
private struct CampaignTimes {
  var request: CampaignRequest
  var start: WallTime
  /// When the first campaign of its series started; ``start`` where that does not count.
  var first: WallTime

  /// When devices in a zone get it.
  func due(in zone: TimeZoneRules) -> WallTime {
    let time = request.localTime.map { localTime($0, in: zone) } ?? start
    return request.options.quietHours?.sendingTime(at: time, in: zone) ?? time
  }

  /// The next moment at which clocks there show a time of day. In a series it is on the day that follows from the series'
  /// first: a change of clocks may put it before the start, and the next moment would be a day later.
  private func localTime(_ minutes: Int, in zone: TimeZoneRules) -> WallTime {
    let next = zone.next(minutes, after: first)
    guard start > first else { return next }
    guard request.options.recurrence?.keepsTimeOfDay == true else { return zone.next(minutes, after: start) }
    let calendar = TimeZoneRules(fixedOffset: request.options.offsetSeconds)
    let days = calendar.day(at: start) - calendar.day(at: first)
    return zone.moment(minutes, onDay: zone.day(at: next) + days)
  }
}

extension CampaignRequest {
  /// - Returns: Why the expiration does not go with the quiet hours and the local time; nil where it does.
  fileprivate func expirationProblem(due: WallTime, in zone: TimeZoneRules, called name: String) -> String? {
    guard let expiration = content.expiration, expiration > 0 else { return nil }
    let end = WallTime(milliseconds: expiration * 1_000)
    let clock = ClockTime.text(zone.minuteOfDay(at: end))
    guard let quiet = options.quietHours else {
      return due >= end
        ? "The push expires at \(end), and in \(name) it is not due before \(due), so no device there gets it."
          + " Choose a later expiration."
        : nil
    }
    let hours = "\(ClockTime.text(quiet.from)) to \(ClockTime.text(quiet.to))"
    if quiet.contain(end, in: zone) {
      return
        "The push expires at \(clock) in \(name), in the quiet hours from \(hours), when APNs could still"
        + " deliver it to a device that comes online. Choose an expiration outside the quiet hours of every time zone."
    }
    guard due >= end else { return nil }
    return "The push expires at \(clock) in \(name), before the quiet hours from \(hours) let it out there at"
      + " \(due). Choose a later expiration."
  }
}
