package import LinkspanCore
package import PushCampaigns
internal import PushProvider
package import PushTerms
internal import RegistryDatabases
package import RegistryRequests

extension RegistryStore {
  /// Ranges that one claim looks at. Ours: enough to pass over campaigns whose throttle allows nothing now.
  private static let rangesPerClaim = 16
  /// How long a throttle may be unused and still be made up for. Ours.
  private static let burstMicroseconds: Int64 = 1_000_000
  /// How far the clocks of a registry's servers may differ. Ours.
  private static let skewMicroseconds: Int64 = 10_000_000

  /// How much later each turn's next push is claimed, where several turns have more than a claim takes: three first attempts of
  /// the transactional lane go with one of its other attempts, and one push of a campaign goes with eight. Ours.
  static let turnWeights = [1, 3, 8, 12]

  /// Takes deliveries that are due, and stores that they are going out, so that another sender that finds them after this
  /// one's end knows that APNs may have them. The transactional lane goes first, and no turn starves.
  ///
  /// - Parameters:
  ///   - topics: Of which topics.
  ///   - limit: How many at most.
  ///   - zone: The rules of a time zone, for quiet hours; nil for one that does not exist.
  package func claim(
    _ sender: String, _ environment: PushEnvironment, of topics: TopicChoice = .all, limit: Int,
    at now: WallTime, zone: (String) -> TimeZoneRules? = { _ in nil }
  ) throws(RegistryError) -> [ClaimedDelivery] {
    let campaigns = try campaignsWithRanges(sender, environment, topics, at: now)
    // A part stays free for campaigns that have just begun.
    let first = campaigns.isEmpty ? limit : limit - limit / 8
    var claimed = try claimDue(sender, environment, topics, limit: first, at: now)
    let isFull = claimed.count >= first
    var passed: [Int64] = []
    while claimed.count < limit, passed.count < Self.rangesPerClaim {
      guard let range = try takeRange(sender, of: campaigns, besides: passed, at: now) else { break }
      passed.append(range.identifier)
      claimed += try expand(range, sender, limit: limit - claimed.count, at: now, zone: zone)
    }
    let all = try personalised(claimed, of: sender, at: now, zone: zone)
    guard isFull, claimed.count < limit else { return all }
    let more = try claimDue(sender, environment, topics, limit: limit - claimed.count, at: now)
    return all + (try personalised(more, of: sender, at: now, zone: zone))
  }

  /// `$1` to `$4`: sender, environment, now, limit.
  private func claimStatement() -> String {
    let turns = Self.turnWeights.enumerated().map { turn, weight in
      "SELECT delivery_id, \(weight) * row_number() OVER () AS place FROM (SELECT delivery_id FROM queue"
        + " WHERE state = 'queued' AND environment = $2 AND turn = \(turn) AND due_at <= $3 AND address IS NOT NULL"
        + " ORDER BY due_at LIMIT $4\(database.dialect.skipsLocked)) AS turn_\(turn)"
    }
    return claimStatement(
      due:
        "SELECT delivery_id FROM (\(turns.joined(separator: " UNION ALL "))) AS due ORDER BY place LIMIT $4")
  }

  /// - Parameter due: A query for deliveries.
  func claimStatement(due: String) -> String {
    // As an array, so that PostgreSQL looks for the rows by their key.
    let isDue = database.dialect.hasArrays ? "= ANY(ARRAY(\(due)))" : "IN (\(due))"
    return
      "UPDATE queue SET state = 'sending', owner = $1, attempts = attempts + 1 WHERE delivery_id \(isDue)"
      + " RETURNING delivery_id, message_id, turn, address, apns_id, attempts, created_at"
  }

  private func claimDue(
    _ sender: String, _ environment: PushEnvironment, _ topics: TopicChoice, limit: Int, at now: WallTime
  ) throws(RegistryError) -> [ClaimedDelivery] {
    guard limit > 0 else { return [] }
    var (text, values) = (
      claimStatement(),
      [SQLValue.text(sender), .text(environment.rawValue), .int(now.milliseconds), .int(Int64(limit))]
    )
    if topics != .all {
      let waiting = topics.chosen(of: try queuedTopics(environment))
      guard !waiting.isEmpty else { return [] }
      (text, values) = claimStatement(of: waiting, sender, environment, limit: limit, at: now)
    }
    let rows = try database.run(text, values)
    let claimed = try rows.decoded(Self.claimed)
    // A pause or an end that came in between. Nobody pauses a notification.
    let states = try states(of: Set(claimed.filter { $0.lane == .campaign }.map(\.message)))
    let isStopped = { (delivery: ClaimedDelivery) in
      delivery.lane == .campaign && states[delivery.message] != .running
    }
    try putBack(claimed.filter(isStopped), of: sender, at: now)
    return claimed.filter { !isStopped($0) }
  }

  /// The states of messages, by their identifiers.
  func states(of messages: Set<Int64>) throws(RegistryError) -> [Int64: Message.State] {
    let rows = try run(eachMessage: messages) { "SELECT id, state FROM \($0) WHERE id \($1)" }
    var states: [Int64: Message.State] = [:]
    for row in rows { states[try row.int("id")] = Message.State(rawValue: try row.text("state")) }
    return states
  }

  /// Asks which of the deliveries that a sender holds must not go out any more, although it holds them: their devices
  /// have left since, or while they were claimed.
  ///
  /// A sender asks when its claim is committed and before it sends: another server may have deleted a device while this
  /// one made deliveries of a campaign, and neither transaction saw the other.
  ///
  /// - Parameter claimed: Deliveries of campaigns that it has just claimed. For others the transaction that removes a device
  ///   sees the delivery, and takes the address out.
  package func revoked(of sender: String, claimed: [Int64]) throws(RegistryError) -> Set<Int64> {
    let sent = "SELECT delivery_id FROM queue WHERE owner = $1 AND state = 'sending' AND"
    var statements = [SQLStatement(sql: "\(sent) address IS NULL", values: [.text(sender)])]
    if database.dialect.isRemote, !claimed.isEmpty {
      statements.append(
        SQLStatement(
          sql:
            "\(sent) delivery_id = ANY($2::bigint[]) AND (SELECT id FROM devices WHERE token = queue.address"
            + " AND topic = queue.topic AND environment = queue.environment LIMIT 1) IS NULL",
          values: [.text(sender)] + Self.arrays(claimed.map { [.int($0)] })))
    }
    return Set(try database.runTogether(statements).flatMap { $0 }.ints("delivery_id"))
  }

  // MARK: - Ranges

  struct HeldRange {
    var identifier: Int64
    var message: Int64
    var zones: [String]
    var excludesZones: Bool
    var cursor: Int64
    var last: Int64
  }

  /// Running campaigns with ranges that are due and that this sender may take.
  private func campaignsWithRanges(
    _ sender: String, _ environment: PushEnvironment, _ topics: TopicChoice, at now: WallTime
  ) throws(RegistryError) -> [Int64] {
    let due = try database.run(
      "SELECT DISTINCT message_id FROM ranges WHERE due_at <= $1 AND (owner = $2 OR owner IS NULL)",
      [.int(now.milliseconds), .text(sender)])
    let rows = try run(eachMessage: due.ints("message_id"), [.text(environment.rawValue)]) {
      "SELECT id FROM \($0) WHERE finished_at IS NULL AND state = 'running' AND environment = $1\(topics.condition) AND id \($1)"
    }
    return try understood(rows.ints("id"), at: now)
  }

  /// A range of a running campaign: one that this sender holds already, or one that nobody holds, which it then does.
  private func takeRange(
    _ sender: String, of campaigns: [Int64], besides passed: [Int64], at now: WallTime
  ) throws(RegistryError) -> HeldRange? {
    guard !campaigns.isEmpty else { return nil }
    var filter = SQLFilter()
    filter.add("due_at <= ?", [.int(now.milliseconds)])
    filter.add("(owner = ? OR owner IS NULL)", [.text(sender)])
    filter.add(
      "message_id IN (\(campaigns.map { _ in "?" }.joined(separator: ", ")))", campaigns.map(SQLValue.int))
    if !passed.isEmpty {
      filter.add("id NOT IN (\(passed.map { _ in "?" }.joined(separator: ", ")))", passed.map(SQLValue.int))
    }
    let rows = try database.run(
      "SELECT id, message_id, zones, excludes_zones, cursor_id, last_id, owner FROM ranges\(filter.clause)"
        + " ORDER BY CASE WHEN owner IS NULL THEN 1 ELSE 0 END, due_at, id LIMIT 1"
        + database.dialect.skipsLocked, filter.values)
    guard let row = rows.first else { return nil }
    let range = HeldRange(
      identifier: try row.int("id"), message: try row.int("message_id"),
      zones: try row.text("zones").split(separator: "\u{1F}").map(String.init),
      excludesZones: try row.int("excludes_zones") == 1, cursor: try row.int("cursor_id"),
      last: try row.int("last_id"))
    if try row.optionalText("owner") == nil {
      try database.run(
        "UPDATE ranges SET owner = $1 WHERE id = $2", [.text(sender), .int(range.identifier)])
    }
    return range
  }

  /// Makes deliveries for the next devices of a range, which go out at once.
  private func expand(
    _ range: HeldRange, _ sender: String, limit: Int, at now: WallTime, zone: (String) -> TimeZoneRules?
  ) throws(RegistryError) -> [ClaimedDelivery] {
    guard let message = try message(range.message), let range = try awake(range, at: now, zone: zone),
      try !isCappedElsewhere(message)
    else { return [] }
    let limit = try allowance(of: message, limit: limit, at: now)
    guard limit > 0 else { return [] }
    let content = message.content
    let audience = message.audience.filter(
      topic: content.topic.text, environment: content.environment, at: now)
    var choice: DeviceChoice?
    func conditions(to last: Int64) -> SQLFilter {
      var conditions = self.conditions(audience)
      if range.excludesZones {
        let places = range.zones.map { _ in "?" }.joined(separator: ", ")
        let known = range.zones.isEmpty ? "1 = 1" : "time_zone NOT IN (\(places))"
        conditions.add("(time_zone IS NULL OR \(known))", range.zones.map(SQLValue.text))
      } else if !range.zones.isEmpty {
        conditions.add("time_zone", in: range.zones)
      }
      conditions.add("id > ?", [.int(range.cursor)])
      conditions.add("id <= ?", [.int(last)])
      if let choice { pass(over: choice.skipped.keys.sorted(), in: &conditions) }
      return conditions
    }
    var chosen = conditions(to: range.last)
    let place = chosen.place(.int(Int64(limit)))
    let ends = try database.run(
      "SELECT max(id) AS last, count(*) AS number FROM (SELECT id FROM devices\(chosen.clause) ORDER BY id LIMIT \(place))"
        + " AS chosen", chosen.values)
    guard let row = ends.first, let end = try row.optionalInt("last") else {
      try advance(range, to: nil, isEmpty: true, at: now)
      return []
    }
    var count = try row.int("number")
    choice = try choose(for: message, conditions(to: end), at: now)
    let skipped = Int64(choice?.skipped.count ?? 0)
    let devices = conditions(to: end)
    // A deletion or an erasure that comes now waits for this. A device that one is removing is passed over.
    let found = try database.run(
      "SELECT token, topic, environment FROM devices\(devices.clause) ORDER BY id\(database.dialect.holdsRow)",
      devices.values)
    let claimed = try addLines(
      found.map { row throws(RegistryError) in
        NewLine(
          message: range.message, lane: PushLane(message.kind), address: try row.text("token"),
          topic: try row.text("topic"), environment: try row.text("environment"), time: now,
          sender: sender)
      })
    var cursor = end
    if claimed.count < count - skipped,
      let passed = try firstWithoutDelivery(of: range.message, conditions(to: end))
    {
      // It stays if its removal fails.
      cursor = passed - 1
      count = Int64(limit)
    }
    if let choice { try note(choice, for: message, upTo: cursor, claimed, at: now) }
    try advance(range, to: count < limit ? nil : cursor, isEmpty: claimed.isEmpty, at: now)
    return claimed
  }

  /// Moves a range on, or removes it when it is used up.
  ///
  /// - Parameters:
  ///   - cursor: The last device that was looked at; nil when there are no more.
  ///   - isEmpty: Whether nothing was made of the last part, so that the message may have ended.
  private func advance(
    _ range: HeldRange, to cursor: Int64?, isEmpty: Bool, at now: WallTime
  ) throws(RegistryError) {
    guard let cursor else {
      try database.run("DELETE FROM ranges WHERE id = $1", [.int(range.identifier)])
      if isEmpty { try finishMessages(at: now, only: [range.message]) }
      return
    }
    try database.run(
      "UPDATE ranges SET cursor_id = $1 WHERE id = $2", [.int(cursor), .int(range.identifier)])
  }

  /// The first of the devices that a claim has passed over because another server is removing it.
  private func firstWithoutDelivery(
    of message: Int64, _ devices: SQLFilter
  ) throws(RegistryError) -> Int64? {
    guard database.dialect.isRemote else { return nil }
    var devices = devices
    devices.add(
      "NOT EXISTS (SELECT 1 FROM deliveries WHERE message_id = ?"
        + " AND deliveries.token = \(database.dialect.tokenHash("devices.token")))", [.int(message)])
    let rows = try database.run("SELECT min(id) AS first FROM devices\(devices.clause)", devices.values)
    return try rows.first.flatMap { row throws(RegistryError) in try row.optionalInt("first") }
  }

  /// How many pushes a campaign's throttle allows now, which are then counted as sent.
  private func allowance(
    of message: Message, limit: Int, at now: WallTime
  ) throws(RegistryError) -> Int {
    guard let throttle = message.throttle else { return limit }
    let rows = try database.run(
      "SELECT throttle_at FROM messages WHERE id = $1\(database.dialect.skipsLocked)",
      [.int(message.identifier)])
    // Another server counts just now.
    guard let row = rows.first else { return 0 }
    let time = now.milliseconds * 1_000
    let (counted, earliest) = (try row.int("throttle_at"), time - Self.burstMicroseconds)
    // What was counted far ahead was counted before the clock was set back: the campaign would stand still until it catches up.
    let since = counted > time + Self.skewMicroseconds ? earliest : max(counted, earliest)
    let allowed = min(Int64(limit), (time - since) * throttle / 1_000_000)
    guard allowed > 0 else { return 0 }
    try database.run(
      "UPDATE messages SET throttle_at = $1 WHERE id = $2",
      [.int(since + allowed * 1_000_000 / throttle), .int(message.identifier)])
    return Int(allowed)
  }
}
