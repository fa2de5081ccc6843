package import LinkspanCore
internal import PushProvider
internal import PushTerms

/// What a campaign would reach, and when.
package struct CampaignPlan: Sendable {
  /// Devices whose pushes are due together.
  package struct Wave: Sendable {
    package var dueAt: WallTime
    package var devices: Int64
    var zones: [String] = []
    /// Whether it is for the devices in none of the zones.
    var excludesZones = false
  }

  /// The earliest first.
  package var waves: [Wave]
  /// The identifiers of the topic's first and last device; nil where it has none.
  var ends: (first: Int64, last: Int64)?

  package var devices: Int64 { waves.reduce(0) { $0 + $1.devices } }
}

extension RegistryStore {
  /// Identifiers of devices in a range, at least, and ranges that devices are divided into, at most. Ours.
  private static let rangeWidth: Int64 = 10_000
  private static let rangeCount: Int64 = 200

  /// Counts the devices of a campaign, and finds when their pushes are due.
  ///
  /// - Parameter zone: The rules of a time zone; nil for one that does not exist. Devices in no known zone count as UTC's.
  package func plan(
    _ request: CampaignRequest, at now: WallTime, zone: (String) -> TimeZoneRules?
  ) throws(RegistryError) -> CampaignPlan {
    var plan = CampaignPlan(waves: try waves(request, at: now, zone: zone))
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
    _ request: CampaignRequest, at now: WallTime, zone: (String) -> TimeZoneRules?
  ) throws(RegistryError) -> [CampaignPlan.Wave] {
    let content = request.content
    let conditions = conditions(
      request.audience.filter(topic: content.topic.text, environment: content.environment))
    guard let minutes = request.localTime else {
      let rows = try database.run(
        "SELECT count(*) AS number FROM devices\(conditions.clause)", conditions.values)
      guard let row = rows.first else { throw Self.emptyAnswer }
      return [.init(dueAt: now, devices: try row.int("number"))]
    }
    let rows = try database.run(
      "SELECT time_zone, count(*) AS number FROM devices\(conditions.clause) GROUP BY time_zone ORDER BY time_zone",
      conditions.values)
    var waves: [WallTime: CampaignPlan.Wave] = [:]
    var known: [String] = []
    var others: Int64 = 0
    for row in rows {
      guard let name = try row.optionalText("time_zone"), let rules = zone(name) else {
        others += try row.int("number")
        continue
      }
      let due = rules.next(minutes, after: now)
      waves[due, default: .init(dueAt: due, devices: 0)].zones.append(name)
      waves[due]?.devices += try row.int("number")
      known.append(name)
    }
    let day: Int64 = 86_400_000
    var rest = now.milliseconds.flooredDivision(by: day) * day + Int64(minutes) * 60_000
    if rest < now.milliseconds { rest += day }
    var all = waves.values.sorted { $0.dueAt < $1.dueAt }
    if others > 0 || known.isEmpty {
      all.append(
        .init(
          dueAt: WallTime(milliseconds: rest), devices: others, zones: known, excludesZones: true))
    }
    return all.sorted { $0.dueAt < $1.dueAt }
  }

  /// Stores a campaign: the message, and the ranges of devices that senders go through.
  ///
  /// - Returns: Its identifier.
  package func addCampaign(
    _ request: CampaignRequest, _ plan: CampaignPlan, actor: String, at now: WallTime
  ) throws(RegistryError) -> Int64 {
    var message = NewMessage(.campaign, request.content, lastDue: plan.waves.last?.dueAt ?? now)
    message.audience = request.audience
    message.localTime = request.localTime
    message.throttle = request.throttle
    message.isPaused = request.isPaused
    message.estimate = plan.devices
    if let throttle = request.throttle {
      // A throttled campaign may last longer than the usual patience.
      message.lastDue = message.lastDue.advanced(by: .seconds(message.estimate / throttle))
    }
    let identifier = try add(message, actor: actor, at: now)
    if message.estimate > 0, let ends = plan.ends {
      try addRanges(of: identifier, plan.waves, first: ends.first, last: ends.last)
    } else {
      try finishMessages(at: now, only: [identifier])
    }
    return identifier
  }

  private func addRanges(
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
