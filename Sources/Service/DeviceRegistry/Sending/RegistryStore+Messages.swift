package import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

extension RegistryStore {
  static let messageColumns =
    "id, kind, name, topic, environment, push_type, priority, expiration, collapse_id, payload, audience,"
    + " local_time, throttle, state, estimate, created_at, finished_at, give_up_at, redaction"

  /// Reads messages by the names in ``messageColumns``.
  static func message(
    _ columns: SQLColumns
  ) throws(RegistryError) -> (SQLRow) throws(RegistryError) -> Message {
    let (id, kind, state) = try (columns["id"], columns["kind"], columns["state"])
    let (audience, localTime) = try (columns["audience"], columns["local_time"])
    let (throttle, estimate) = try (columns["throttle"], columns["estimate"])
    let (created, finished) = try (columns["created_at"], columns["finished_at"])
    let (giveUp, redaction) = try (columns["give_up_at"], columns["redaction"])
    let content = try content(columns)
    return { row throws(RegistryError) in
      guard let kind = Message.Kind(rawValue: try row.text(kind)),
        let state = Message.State(rawValue: try row.text(state))
      else { throw strangeMessage }
      return Message(
        identifier: try row.int(id), kind: kind, content: try content(row),
        audience: Audience(stored: try row.text(audience)),
        localTime: try row.optionalInt(localTime).map { Int($0) }, throttle: try row.optionalInt(throttle),
        state: state, estimate: try row.int(estimate), createdAt: try row.time(created),
        finishedAt: try row.optionalTime(finished), giveUpAt: try row.time(giveUp),
        isRedacted: try row.int(redaction) == Int64(Redaction.done.rawValue))
    }
  }

  private static func content(
    _ columns: SQLColumns
  ) throws(RegistryError) -> (SQLRow) throws(RegistryError) -> MessageContent {
    let (name, topic, environment) = try (columns["name"], columns["topic"], columns["environment"])
    let (type, priority) = try (columns["push_type"], columns["priority"])
    let (expiration, collapse) = try (columns["expiration"], columns["collapse_id"])
    let payload = try columns["payload"]
    return { row throws(RegistryError) in
      guard let topic = PushTopic(try row.text(topic)),
        let environment = PushEnvironment(rawValue: try row.text(environment)),
        let type = PushType(rawValue: try row.text(type)),
        let priority = PushPriority(rawValue: Int(try row.int(priority)))
      else { throw strangeMessage }
      return MessageContent(
        name: try row.optionalText(name), topic: topic, environment: environment, type: type,
        priority: priority, expiration: try row.optionalInt(expiration),
        collapseIdentifier: try row.optionalText(collapse), payload: try row.text(payload))
    }
  }

  private static let strangeMessage = RegistryError(
    .damaged, "A message in the registry has a value that does not exist.")

  /// - Parameter topics: The topics that may be seen; nil for every topic.
  package func message(
    _ identifier: Int64, _ kind: Message.Kind? = nil, topics: [String]? = nil
  ) throws(RegistryError) -> Message? {
    try messages(kind, topics: topics, identifier: identifier, limit: 1).first
  }

  /// Messages, the newest first.
  ///
  /// - Parameter before: The identifier of the last message of the page before; nil for the first page.
  package func messages(
    _ kind: Message.Kind?, topics: [String]?, state: Message.State? = nil, identifier: Int64? = nil,
    before: Int64? = nil, limit: Int
  ) throws(RegistryError) -> [Message] {
    var filter = SQLFilter()
    if kind == .campaign { filter.add(try areCampaigns()) }
    if kind == .notification { filter.add("kind = 'notification'") }
    if let topics { filter.add("topic", in: topics) }
    if let state {
      filter.add("state = ?", [.text(state.rawValue)])
      // Which has an index: a day may have millions that have ended.
      if ![.completed, .cancelled].contains(state) { filter.add("finished_at IS NULL") }
    }
    if let identifier { filter.add("id = ?", [.int(identifier)]) }
    if let before { filter.add("id < ?", [.int(before)]) }
    let limit = filter.place(.int(Int64(limit)))
    let rows = try database.run(
      "SELECT \(Self.messageColumns) FROM messages\(filter.clause) ORDER BY id DESC LIMIT \(limit)",
      filter.values)
    return try rows.decoded(Self.message)
  }

  /// Messages with identifiers; those that are gone are left out.
  package func messages(_ identifiers: Set<Int64>) throws(RegistryError) -> [Message] {
    let rows = try run(eachMessage: identifiers) { "SELECT \(Self.messageColumns) FROM \($0) WHERE id \($1)" }
    return try rows.decoded(Self.message)
  }

  package func progress(of message: Int64) throws(RegistryError) -> MessageProgress {
    var progress = MessageProgress()
    let lanes = try database.run("SELECT lane FROM messages WHERE id = $1", [.int(message)])
    let isCounted = try lanes.first?.int("lane") == PushLane.campaign.number
    for row in try database.run(isCounted ? Self.countedOutcomes : Self.journalOutcomes, [.int(message)]) {
      let (outcome, reason, number) = (try row.text("outcome"), try row.text("reason"), try row.int("number"))
      if let state = DeliveryState(rawValue: outcome) {
        progress.outcomes[state, default: [:]][reason, default: 0] += number
        if !isCounted { progress.maybeTwice += try row.int("maybe_twice") }
      } else {
        progress.maybeTwice = number
      }
    }
    let open = try database.run(isCounted ? Self.openInQueue : Self.openInJournal, [.int(message)])
    progress.open = try open.first.map { row throws(RegistryError) in try row.int("number") } ?? 0
    progress.details = try campaignDetails(of: message)
    progress.isExpanding = try !database.run(
      "SELECT 1 FROM ranges WHERE message_id = $1 LIMIT 1", [.int(message)]
    ).isEmpty
    return progress
  }

  /// Campaigns alone are looked for by their message in the queue.
  static let isCampaigns = "message_id = $1 AND turn >= \(PushLane.campaign.turn(attempts: 0))"
  private static let openInQueue = "SELECT count(*) AS number FROM queue WHERE \(isCampaigns)"
  private static let openInJournal =
    "SELECT count(*) AS number FROM deliveries AS line JOIN queue AS open ON open.delivery_id = line.id"
    + " WHERE line.message_id = $1 AND line.finished_at IS NULL"
  private static let countedOutcomes =
    "SELECT outcome, reason, number FROM outcome_counts WHERE message_id = $1"
  private static let journalOutcomes =
    "SELECT state AS outcome, CASE WHEN state = 'cancelled' THEN '' ELSE COALESCE(reason, '') END AS reason,"
    + " count(*) AS number, CAST(sum(maybe_twice) AS BIGINT) AS maybe_twice FROM deliveries WHERE message_id = $1"
    + " AND finished_at IS NOT NULL GROUP BY 1, 2"

  // MARK: - Changing

  /// What a change of a campaign's state came to.
  package enum StateChange: Sendable {
    case unknown
    /// It has ended, so it stays as it is; the campaign that waits of its series.
    case refused(Message.State, next: Int64?)
    case done
  }

  /// Pauses, resumes or cancels a campaign. What is under way still ends. A part of what waits is settled at once, and the rest
  /// by ``settleWaiting(of:limit:at:)``.
  package func change(
    _ identifier: Int64, to state: Message.State, topics: [String]?, at now: WallTime
  ) throws(RegistryError) -> StateChange {
    // What waits is locked before its campaign, as by those who record outcomes.
    let waiting = try waitingPart(of: identifier, for: state)
    var filter = SQLFilter()
    filter.add("id = ?", [.int(identifier)])
    filter.add("kind = 'campaign'")
    if let topics { filter.add("topic", in: topics) }
    let rows = try database.run(
      "SELECT state FROM messages\(filter.clause)\(database.dialect.locksRow)", filter.values)
    guard let row = rows.first, let old = Message.State(rawValue: try row.text("state")) else {
      return .unknown
    }
    if old == state { return .done }
    guard old == .running || old == .paused || old == .scheduled else {
      return .refused(old, next: try waitingOfSeries(of: identifier))
    }
    let state = try changeSchedule(of: identifier, from: old, to: state, at: now)
    try database.run(
      "UPDATE messages SET state = $1 WHERE id = $2", [.text(state.rawValue), .int(identifier)])
    switch state {
    case .running:
      // What the throttle did not allow during the pause is not made up for.
      try database.run(
        "UPDATE messages SET throttle_at = $1 WHERE id = $2",
        [.int(now.milliseconds * 1_000), .int(identifier)])
    case .cancelled:
      try database.run("DELETE FROM ranges WHERE message_id = $1", [.int(identifier)])
    case .paused, .completed, .scheduled: break
    }
    try settle(waiting, of: identifier, in: state, at: now)
    return .done
  }
}
