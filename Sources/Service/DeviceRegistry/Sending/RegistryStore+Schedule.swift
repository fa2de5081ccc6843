package import LinkspanCore
package import PushCampaigns
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

/// Campaigns that start at a time, and again and again.
extension RegistryStore {
  /// Campaigns that are started at a time. Ours.
  private static let startLimit = 16
  /// How late a campaign may start and still count its local times from its starting time. Ours: later it waits for the next
  /// local time instead of sending all that was missed at once.
  private static let startPatience = Duration.seconds(3_600)
  /// How long before its time a later campaign of a series with local times begins: clocks that have been put forward since
  /// the first show those times earlier. No zone puts its clocks forward by more than two hours.
  private static let clockChange = Duration.seconds(7_200)
  /// A campaign that has grown by more than one device in this many pauses.
  private static let growth: Int64 = 10

  /// Stores a campaign: the message, its options, and the ranges of devices that senders go through once it starts.
  ///
  /// - Returns: Its identifier.
  package func addCampaign(
    _ request: CampaignRequest, _ plan: CampaignPlan, actor: String, at now: WallTime
  ) throws(RegistryError) -> Int64 {
    let options = request.options
    let start = options.firstStart ?? .init(now, number: 1)
    var message = NewMessage(.campaign, request.content, lastDue: plan.lastDue(request, start.time))
    message.audience = request.audience
    message.localTime = request.localTime
    message.throttle = request.throttle
    message.isPaused = request.isPaused
    message.isScheduled = start.time > now
    message.estimate = plan.devices
    let identifier = try add(message, actor: actor, at: now)
    if !options.isEmpty {
      try add(
        options, of: identifier, startsAt: message.isScheduled ? start.time : nil,
        series: options.recurrence == nil ? nil : identifier, occurrence: start.number)
    }
    if options.cap != nil { try countCampaigns(like: request.content, from: start.time) }
    guard !message.isScheduled else { return identifier }
    try begin(identifier, plan, at: now)
    if options.recurrence != nil {
      try addSuccessor(of: identifier, start, options, series: identifier, actor: actor, at: now)
    }
    return identifier
  }

  private func begin(_ message: Int64, _ plan: CampaignPlan, at now: WallTime) throws(RegistryError) {
    if plan.devices > 0 || plan.awaitsDevices, let ends = plan.ends {
      try addRanges(of: message, plan.waves, first: ends.first, last: ends.last)
    } else {
      try finishMessages(at: now, only: [message])
    }
  }

  private func add(
    _ options: CampaignOptions, of message: Int64, startsAt: WallTime?, series: Int64?, occurrence: Int64
  ) throws(RegistryError) {
    try database.run(
      "INSERT INTO campaign_options (message_id, options, starts_at, series_id, occurrence)"
        + " VALUES ($1, $2, $3, $4, $5)",
      [
        .int(message), .text(options.stored), SQLValue(startsAt?.milliseconds), SQLValue(series),
        .int(occurrence),
      ])
  }

  /// Stores the next campaign of a series, which waits for its time.
  ///
  /// - Returns: Whether there is none although the rule goes on, so that the series ends for another reason than its rule.
  @discardableResult
  private func addSuccessor(
    of message: Int64, _ occurrence: Recurrence.Occurrence, _ options: CampaignOptions, series: Int64,
    actor: String, at now: WallTime
  ) throws(RegistryError) -> Bool {
    // What nobody could start in time, because no server ran, is left out, but for the last of it.
    var current = occurrence
    var next = options.following(current)
    while let found = next, let later = options.following(found), later.time <= now {
      (current, next) = (found, later)
    }
    guard let next else {
      guard options.breaksOff(after: current) else { return false }
      try audit([
        AuditEntry(time: now, actor: "schedule", action: "campaign.series_end", subject: "\(message)")
      ])
      return true
    }
    let copied =
      "kind, name, topic, environment, push_type, priority, expiration, collapse_id, payload, audience, local_time,"
      + " throttle"
    let identifier = try newIdentifiers([(.campaign, now)])[0]
    let rows = try database.run(
      "INSERT INTO messages (id, lane, \(copied), actor, throttle_at, state, estimate, created_at, give_up_at)"
        + " SELECT CAST($1 AS BIGINT), lane, \(copied), CAST($2 AS TEXT), CAST($3 AS BIGINT), 'scheduled', estimate,"
        + " CAST($4 AS BIGINT), CAST($5 AS BIGINT) FROM messages WHERE id = $6 AND redaction = 0 RETURNING id",
      [
        SQLValue(identifier), .text(actor), .int(now.milliseconds * 1_000), .int(now.milliseconds),
        .int(next.time.advanced(by: Self.patience).milliseconds), .int(message),
      ])
    guard let row = rows.first else { return false }
    try add(
      options, of: try row.int("id"), startsAt: next.time, series: series, occurrence: next.number)
    return false
  }

  // MARK: - Starting

  /// Starts the campaigns whose time has come. One that fits a tenth more devices than it was confirmed for pauses instead.
  ///
  /// - Parameter zone: The rules of a time zone; nil for one that does not exist.
  package func startDue(
    at now: WallTime, zone: (String) -> TimeZoneRules?
  ) throws(RegistryError) -> [StartedCampaign] {
    let rows = try database.run(
      "SELECT message_id FROM campaign_options WHERE starts_at <= $1 AND message_id IN"
        + " (SELECT id FROM messages WHERE state = 'scheduled' AND (campaign_options.starts_at <= $2"
        + " OR local_time IS NOT NULL AND campaign_options.occurrence > 1)) ORDER BY starts_at, message_id"
        + " LIMIT \(Self.startLimit)\(database.dialect.skipsLocked)",
      [.int(now.advanced(by: Self.clockChange).milliseconds), .int(now.milliseconds)])
    var started: [StartedCampaign] = []
    for identifier in try rows.ints("message_id") {
      if let campaign = try start(identifier, at: now, zone: zone) { started.append(campaign) }
    }
    return started
  }

  private func start(
    _ identifier: Int64, at now: WallTime, zone: (String) -> TimeZoneRules?
  ) throws(RegistryError) -> StartedCampaign? {
    guard let message = try message(identifier), message.state == .scheduled,
      let details = try campaignDetails(of: identifier), let time = details.startsAt
    else { return nil }
    guard message.unread(details).isEmpty else {
      // It keeps its starting time, and so starts once it is resumed and understood.
      try pauseMisunderstood(message, at: now)
      return nil
    }
    var request = CampaignRequest(
      content: message.content, audience: message.audience, isPaused: false, options: details.options)
    request.localTime = message.localTime
    request.throttle = message.throttle
    let isLate = time.advanced(by: Self.startPatience) < now
    let plan = try plan(request, at: isLate ? now : time, isLate: isLate, zone: zone)
    let hasGrown = plan.devices > message.estimate + message.estimate / Self.growth
    let giveUp = plan.lastDue(request, now).advanced(by: Self.patience)
    try database.run(
      "UPDATE messages SET state = $1, give_up_at = $2, throttle_at = $3 WHERE id = $4",
      [
        .text((hasGrown ? Message.State.paused : .running).rawValue), .int(giveUp.milliseconds),
        .int(now.milliseconds * 1_000), .int(identifier),
      ])
    try database.run(
      "UPDATE campaign_options SET starts_at = NULL, grown_to = $1 WHERE message_id = $2",
      [hasGrown ? .int(plan.devices) : .null, .int(identifier)])
    knownOptions[identifier] = nil
    var endsSeries = false
    if let series = details.series {
      // With the number that was confirmed.
      endsSeries = try addSuccessor(
        of: identifier, .init(time, number: details.occurrence), details.options, series: series,
        actor: "schedule", at: now)
    }
    if details.options.cap != nil { try countCampaigns(like: message.content, from: now) }
    if !hasGrown {
      try database.run(
        "UPDATE messages SET estimate = $1 WHERE id = $2", [.int(plan.devices), .int(identifier)])
    }
    try audit([
      AuditEntry(
        time: now, actor: "schedule", action: hasGrown ? "campaign.grown" : "campaign.start",
        subject: "\(identifier)", affected: Int(plan.devices))
    ])
    try begin(identifier, plan, at: now)
    return StartedCampaign(
      identifier: identifier, topic: message.content.topic.text, expected: message.estimate,
      devices: plan.devices, isPaused: hasGrown, endsSeries: endsSeries)
  }

  // MARK: - Changing

  /// What a change of a campaign's state means for its starting time and its series.
  ///
  /// - Returns: The state that it gets.
  func changeSchedule(
    of identifier: Int64, from old: Message.State, to state: Message.State, at now: WallTime
  ) throws(RegistryError) -> Message.State {
    guard let details = try campaignDetails(of: identifier) else { return state }
    switch state {
    case .running:
      if details.startsAt != nil { return .scheduled }
      if let devices = details.grownTo { try confirm(devices, identifier, details.series) }
      return .running
    case .cancelled:
      try database.run(
        "UPDATE campaign_options SET starts_at = NULL WHERE message_id = $1", [.int(identifier)])
      if let series = details.series { try endSeries(series, besides: identifier, at: now) }
    default: break
    }
    return state
  }

  /// A person has resumed a campaign that had grown: so many devices are meant, now and the next time.
  private func confirm(_ devices: Int64, _ message: Int64, _ series: Int64?) throws(RegistryError) {
    try database.run("UPDATE messages SET estimate = $1 WHERE id = $2", [.int(devices), .int(message)])
    try database.run("UPDATE campaign_options SET grown_to = NULL WHERE message_id = $1", [.int(message)])
    guard let series else { return }
    try database.run(
      "UPDATE messages SET estimate = $1 WHERE state = 'scheduled' AND id IN"
        + " (SELECT message_id FROM campaign_options WHERE series_id = $2)", [.int(devices), .int(series)])
  }

  func waitingOfSeries(of message: Int64) throws(RegistryError) -> Int64? {
    let rows = try database.run(
      "SELECT max(next.message_id) AS id FROM campaign_options AS one JOIN campaign_options AS next"
        + " ON next.series_id = one.series_id WHERE one.message_id = $1 AND next.starts_at IS NOT NULL",
      [.int(message)])
    return try rows.first?.optionalInt("id")
  }

  /// Cancels what a series would still send.
  private func endSeries(_ series: Int64, besides message: Int64, at now: WallTime) throws(RegistryError) {
    let rows = try database.run(
      "UPDATE messages SET state = 'cancelled' WHERE state IN ('scheduled', 'paused') AND id <> $1 AND id IN"
        + " (SELECT message_id FROM campaign_options WHERE series_id = $2 AND starts_at IS NOT NULL) RETURNING id",
      [.int(message), .int(series)])
    let ended = try rows.ints("id")
    _ = try database.runEach(
      "UPDATE campaign_options SET starts_at = NULL WHERE message_id = $1", ended.map { [.int($0)] })
    try finishMessages(at: now, only: ended)
  }

  // MARK: - Finding

  /// - Returns: nil for a campaign without options.
  package func campaignDetails(of message: Int64) throws(RegistryError) -> CampaignDetails? {
    try campaignDetails(ofEach: [message])[message]
  }

  /// The details of campaigns with options, by their identifiers.
  func campaignDetails(ofEach messages: [Int64]) throws(RegistryError) -> [Int64: CampaignDetails] {
    let rows = try run(each: messages) {
      "SELECT message_id, options, starts_at, series_id, occurrence, grown_to FROM campaign_options"
        + " WHERE message_id \($0)"
    }
    var found: [Int64: CampaignDetails] = [:]
    for row in rows {
      let starts = try row.optionalInt("starts_at").map { WallTime(milliseconds: $0) }
      found[try row.int("message_id")] = CampaignDetails(
        options: CampaignOptions(stored: try row.text("options")), startsAt: starts,
        series: try row.optionalInt("series_id"), occurrence: try row.int("occurrence"),
        grownTo: try row.optionalInt("grown_to"))
    }
    let arms = try run(each: found.keys.sorted()) {
      "SELECT message_id, arm, devices FROM campaign_arms WHERE message_id \($0)"
    }
    for row in arms {
      found[try row.int("message_id")]?.devices[try row.text("arm")] = try row.int("devices")
    }
    return found
  }

  /// Removes what campaigns say besides their payload.
  func forgetOptions(of messages: [Int64]) throws(RegistryError) {
    _ = try database.runEach(
      "UPDATE campaign_options SET options = '{}' WHERE message_id = $1", messages.map { [.int($0)] })
    for message in messages { knownOptions[message] = nil }
  }
}

extension CampaignPlan {
  /// When its last deliveries are due. A throttled campaign may last longer than the usual patience.
  fileprivate func lastDue(_ request: CampaignRequest, _ start: WallTime) -> WallTime {
    let last = waves.last?.dueAt ?? start
    return request.throttle.map { last.advanced(by: .seconds(devices / $0)) } ?? last
  }
}

extension CampaignOptions {
  /// When a campaign with a starting time or a recurrence begins; nil for at once, and where it never does.
  package var firstStart: Recurrence.Occurrence? {
    guard let startsAt else { return nil }
    guard let recurrence else { return .init(startsAt, number: 1) }
    return recurrence.first(from: startsAt, offset: offsetSeconds)
  }

  /// How often each device gets it at most within 24 hours from its first start on.
  package var timesInDay: Int64 {
    guard let recurrence, let firstStart else { return 1 }
    return recurrence.timesInDay(from: firstStart, offset: offsetSeconds)
  }

  /// How far in the past a campaign may be said to start; clocks differ. Ours.
  private static let startTolerance = Duration.seconds(300)

  /// Local times and quiet hours of any time zone put a push off for less; ours.
  private static let longestDelay = Duration.seconds(3 * 86_400)

  /// How far ahead a starting time is told without being asked: it may be mistyped. Ours: a year.
  private static let usualDays: Int64 = 366

  /// That a campaign starts so late that its year may be mistyped; nil where it does not.
  package func lateness(at now: WallTime) -> InputProblem? {
    guard let startsAt else { return nil }
    let days = (startsAt.milliseconds - now.milliseconds) / 86_400_000
    guard days > Self.usualDays else { return nil }
    return InputProblem("/starts_at", "It starts in \(days) days, at \(startsAt). Is the year right?")
  }

  /// Settles when a campaign that repeats begins: now, where the request says nothing.
  ///
  /// - Returns: What is wrong with its starting time.
  package mutating func schedule(at now: WallTime) -> InputProblem? {
    if recurrence != nil, startsAt == nil {
      startsAt = WallTime(milliseconds: now.milliseconds.flooredDivision(by: 1_000) * 1_000)
    }
    if let startsAt, startsAt < now.advanced(by: .zero - Self.startTolerance) {
      return InputProblem("/starts_at", "It is in the past. Leave it out to start at once.")
    }
    if let startsAt, startsAt > WallTime.last {
      return InputProblem("/starts_at", "It is after the year 9999, in which times of day end (RFC 3339).")
    }
    if let startsAt, startsAt > WallTime.last.advanced(by: .zero - Self.longestDelay) {
      return InputProblem(
        "/starts_at",
        "It is so near to the end of the year 9999 that local times and quiet hours could be after it.")
    }
    guard let startsAt, let recurrence else { return nil }
    return recurrence.problem(from: startsAt, offset: offsetSeconds).map { InputProblem("/repeat", $0) }
  }

  /// Whether a series ends with an occurrence although its rule goes on.
  fileprivate func breaksOff(after last: Recurrence.Occurrence) -> Bool {
    guard let startsAt, let recurrence else { return false }
    return recurrence.breaksOff(after: last, start: startsAt, offset: offsetSeconds)
  }

  /// The occurrence after another one.
  fileprivate func following(_ occurrence: Recurrence.Occurrence) -> Recurrence.Occurrence? {
    guard let startsAt else { return nil }
    return recurrence?.following(occurrence, start: startsAt, offset: offsetSeconds)
  }
}
