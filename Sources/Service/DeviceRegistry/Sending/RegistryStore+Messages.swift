package import LinkspanCore
internal import PushProvider
internal import PushTerms

extension RegistryStore {
  /// Until when a push is tried that APNs neither takes nor refuses. Ours; the expiration ends it earlier.
  static let patience = Duration.seconds(24 * 60 * 60)

  /// A message that is to be stored.
  package struct NewMessage: Sendable {
    package var kind: Message.Kind
    package var content: MessageContent
    package var audience = Audience()
    package var localTime: Int?
    package var throttle: Int64?
    package var isPaused = false
    /// Whether it waits for its starting time.
    package var isScheduled = false
    package var estimate: Int64 = 0
    /// When its last deliveries are due.
    package var lastDue: WallTime

    var state: Message.State { isPaused ? .paused : isScheduled ? .scheduled : .running }

    package init(_ kind: Message.Kind, _ content: MessageContent, lastDue: WallTime) {
      self.kind = kind
      self.content = content
      self.lastDue = lastDue
    }
  }

  /// Stores a message.
  ///
  /// - Returns: Its identifier.
  package func add(
    _ message: NewMessage, actor: String, at now: WallTime
  ) throws(RegistryError) -> Int64 {
    let content = message.content
    let rows = try database.run(
      "INSERT INTO messages (kind, name, actor, topic, environment, push_type, priority, expiration,"
        + " collapse_id, payload, audience, local_time, throttle, throttle_at, state, estimate, created_at,"
        + " give_up_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
        + " RETURNING id",
      [
        .text(message.kind.rawValue), SQLValue(content.name), .text(actor), .text(content.topic.text),
        .text(content.environment.rawValue), .text(content.type.rawValue),
        .int(Int64(content.priority.rawValue)), SQLValue(content.expiration),
        SQLValue(content.collapseIdentifier), .text(content.payload), .text(message.audience.json.text),
        SQLValue(message.localTime.map(Int64.init)), SQLValue(message.throttle),
        .int(now.milliseconds * 1_000),
        .text(message.state.rawValue), .int(message.estimate),
        .int(now.milliseconds), .int(message.lastDue.advanced(by: Self.patience).milliseconds),
      ])
    guard let row = rows.first else { throw Self.emptyAnswer }
    return try row.int("id")
  }

  /// Stores a delivery for each token, and with it the identifier that every attempt will have.
  package func addDeliveries(
    of message: Int64, _ content: MessageContent, to tokens: [String], at now: WallTime
  ) throws(RegistryError) {
    let rows = tokens.sorted().map { token -> [SQLValue] in
      [
        .int(message), .text(hash.token(token)), .text(token), .text(content.topic.text),
        .text(content.environment.rawValue), .int(now.milliseconds),
      ]
    }
    let columns =
      "(message_id, token, address, topic, environment, apns_id, state, due_at, attempts, maybe_twice, created_at)"
    let values =
      "CAST($1 AS BIGINT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT),"
      + " \(database.dialect.messageIdentifier), 'queued', CAST($6 AS BIGINT), 0, 0, CAST($6 AS BIGINT)"
    // A server that deletes the device waits until the delivery is there, and cancels it then.
    let source =
      database.dialect.isRemote
      ? "SELECT \(values) WHERE (SELECT count(*) FROM (SELECT 1 FROM devices WHERE token = $3 AND topic = $4"
        + " AND environment = $5\(database.dialect.sharesRow)) AS held) >= 0"
      : "VALUES (\(values))"
    _ = try database.runEach(
      "INSERT INTO deliveries \(columns) \(source) ON CONFLICT (token, message_id) DO NOTHING", rows)
    try ascribe(message)
  }

  /// Ascribes what was sent to tokens without a device to the alias that each device left last, so that an erasure of that
  /// alias finds it.
  private func ascribe(_ message: Int64) throws(RegistryError) {
    func same(_ other: String, _ token: String = "token") -> String {
      "\(other).token = d.\(token) AND \(other).topic = d.topic AND \(other).environment = d.environment"
    }
    try database.run(
      "INSERT INTO departures (delivery_id, alias) SELECT d.id, f.alias FROM deliveries AS d"
        + " JOIN former_aliases AS f ON \(same("f")) WHERE d.message_id = $1"
        + " AND NOT EXISTS (SELECT 1 FROM devices WHERE \(same("devices", "address")))"
        + "\(database.dialect.sharesRow) ON CONFLICT (delivery_id) DO NOTHING", [.int(message)])
  }

  /// Whom aliases mean.
  package struct AliasDevices: Hashable, Sendable {
    /// Of live devices.
    package var tokens: [String] = []
    /// Aliases without one.
    package var unreached: [String] = []
  }

  /// The live devices with one of the aliases, which stay as they are until this transaction ends.
  package func devices(
    ofAliases aliases: [String], _ content: MessageContent, limit: Int
  ) throws(RegistryError) -> AliasDevices {
    var devices = AliasDevices()
    guard !aliases.isEmpty else { return devices }
    let answers = try database.runEach(
      "SELECT id, token FROM devices WHERE alias = $1 AND topic = $2 AND environment = $3"
        + " AND unregistered_at IS NULL ORDER BY id LIMIT $4",
      aliases.map {
        [
          .text($0), .text(content.topic.text), .text(content.environment.rawValue), .int(Int64(limit)),
        ]
      })
    let aliasesNow = try share(Array(answers.joined()).ints("id"))
    for (alias, rows) in zip(aliases, answers) {
      var tokens: [String] = []
      for row in rows {
        if let aliasesNow, aliasesNow[try row.int("id")] != alias { continue }
        tokens.append(try row.text("token"))
      }
      if tokens.isEmpty { devices.unreached.append(alias) }
      devices.tokens += tokens
    }
    return devices
  }

  /// Locks devices, so that they stay as they are until this transaction ends.
  ///
  /// - Returns: The aliases that they have now, by their identifiers, of those that are live; nil where nobody else writes.
  private func share(_ devices: [Int64]) throws(RegistryError) -> [Int64: String]? {
    guard database.dialect.isRemote, !devices.isEmpty else { return nil }
    let rows = try database.run(
      "SELECT id, alias FROM devices WHERE id = ANY($1::bigint[]) AND alias IS NOT NULL"
        + " AND unregistered_at IS NULL" + database.dialect.sharesDevices,
      Self.arrays(devices.map { [.int($0)] }))
    var aliases: [Int64: String] = [:]
    for row in rows { aliases[try row.int("id")] = try row.text("alias") }
    return aliases
  }

  /// Remembers for whom a notification was meant that had no device, so that an erasure finds it.
  package func noteUnreached(_ aliases: [String], of message: Int64) throws(RegistryError) {
    guard !aliases.isEmpty else { return }
    _ = try database.runEach(
      "INSERT INTO unreached_aliases (message_id, alias) VALUES ($1, $2) ON CONFLICT (message_id, alias) DO NOTHING",
      aliases.map { [.int(message), .text(hash.alias($0))] })
  }

  // MARK: - Finding

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
    if let kind { filter.add("kind = ?", [.text(kind.rawValue)]) }
    if let topics { filter.add("topic", in: topics) }
    if let state { filter.add("state = ?", [.text(state.rawValue)]) }
    if let identifier { filter.add("id = ?", [.int(identifier)]) }
    if let before { filter.add("id < ?", [.int(before)]) }
    let limit = filter.place(.int(Int64(limit)))
    let rows = try database.run(
      "SELECT \(Self.messageColumns) FROM messages\(filter.clause) ORDER BY id DESC LIMIT \(limit)",
      filter.values)
    return try rows.decoded(Self.message)
  }

  package func progress(of message: Int64) throws(RegistryError) -> MessageProgress {
    var progress = MessageProgress()
    for row in try database.run(
      "SELECT outcome, reason, number FROM outcome_counts WHERE message_id = $1", [.int(message)])
    {
      let (outcome, reason, number) = (try row.text("outcome"), try row.text("reason"), try row.int("number"))
      if let state = DeliveryState(rawValue: outcome) {
        progress.outcomes[state, default: [:]][reason] = number
      } else {
        progress.maybeTwice = number
      }
    }
    let open = try database.run(
      "SELECT count(*) AS number FROM deliveries WHERE message_id = $1 AND finished_at IS NULL",
      [.int(message)])
    progress.open = try open.first.map { row throws(RegistryError) in try row.int("number") } ?? 0
    progress.details = try campaignDetails(of: message)
    progress.isExpanding = try !database.run(
      "SELECT 1 FROM ranges WHERE message_id = $1 LIMIT 1", [.int(message)]
    ).isEmpty
    return progress
  }

  // MARK: - Changing

  /// What a change of a campaign's state came to.
  package enum StateChange: Sendable {
    case unknown
    /// It has ended, so it stays as it is.
    case refused(Message.State)
    case done
  }

  /// Pauses, resumes or cancels a campaign. What is under way still ends.
  package func change(
    _ identifier: Int64, to state: Message.State, topics: [String]?, at now: WallTime
  ) throws(RegistryError) -> StateChange {
    try hold(
      "message_id = ANY($1::bigint[]) AND finished_at IS NULL AND state <> 'sending'", [[.int(identifier)]])
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
    guard old == .running || old == .paused || old == .scheduled else { return .refused(old) }
    let state = try changeSchedule(of: identifier, from: old, to: state, at: now)
    try database.run(
      "UPDATE messages SET state = $1 WHERE id = $2", [.text(state.rawValue), .int(identifier)])
    switch state {
    case .paused:
      try database.run(
        "UPDATE deliveries SET state = 'held' WHERE message_id = $1 AND finished_at IS NULL"
          + " AND state = 'queued'", [.int(identifier)])
    case .running:
      try database.run(
        "UPDATE deliveries SET state = 'queued' WHERE message_id = $1 AND finished_at IS NULL"
          + " AND state = 'held'", [.int(identifier)])
      // What the throttle did not allow during the pause is not made up for.
      try database.run(
        "UPDATE messages SET throttle_at = $1 WHERE id = $2",
        [.int(now.milliseconds * 1_000), .int(identifier)])
    case .cancelled:
      try database.run("DELETE FROM ranges WHERE message_id = $1", [.int(identifier)])
      let cancelled = try database.run(
        "UPDATE deliveries SET state = 'cancelled', finished_at = $1, address = NULL WHERE message_id = $2"
          + " AND finished_at IS NULL AND state <> 'sending' RETURNING message_id",
        [.int(now.milliseconds), .int(identifier)])
      try count([Counted(identifier, "cancelled", ""): Int64(cancelled.count)])
      try finishMessages(at: now, only: [identifier])
    case .completed, .scheduled: break
    }
    return .done
  }

  /// A line of the counts of outcomes.
  struct Counted: Hashable, Comparable {
    let message: Int64
    let outcome: String
    let reason: String

    init(_ message: Int64, _ outcome: String, _ reason: String) {
      self.message = message
      self.outcome = outcome
      self.reason = reason
    }

    static func < (left: Self, right: Self) -> Bool {
      (left.message, left.outcome, left.reason) < (right.message, right.outcome, right.reason)
    }
  }

  /// Adds to the counts, in one order, so that two senders do not wait for each other in a circle.
  func count(_ counts: [Counted: Int64]) throws(RegistryError) {
    let rows = counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    guard !rows.isEmpty else { return }
    _ = try database.runEach(
      "INSERT INTO outcome_counts (message_id, outcome, reason, number) VALUES ($1, $2, $3, $4)"
        + " ON CONFLICT (message_id, outcome, reason) DO UPDATE"
        + " SET number = outcome_counts.number + excluded.number",
      rows.map { [.int($0.key.message), .text($0.key.outcome), .text($0.key.reason), .int($0.value)] })
  }

  /// Ends messages whose deliveries are all final and whose ranges are used up. One whose recipients were all erased
  /// loses its content then.
  ///
  /// - Parameter only: The messages to look at; nil for every one that is open.
  package func finishMessages(at now: WallTime, only: [Int64]? = nil) throws(RegistryError) {
    let isForNobody = "redaction = \(Redaction.partial.rawValue) AND \(Self.hasNoRecipient)"
    let statement =
      "UPDATE messages SET state = CASE state WHEN 'cancelled' THEN 'cancelled' ELSE 'completed' END,"
      + " finished_at = $1, \(Self.contentRemoved(if: isForNobody)) WHERE finished_at IS NULL"
      + " AND state IN ('running', 'cancelled')"
      + " AND NOT EXISTS (SELECT 1 FROM ranges WHERE message_id = messages.id) AND NOT EXISTS"
      + " (SELECT 1 FROM deliveries WHERE message_id = messages.id AND finished_at IS NULL)"
    let returning = " RETURNING id, redaction"
    let rows =
      if let only {
        try database.runEach(
          statement + " AND id = $2" + returning, only.sorted().map { [.int(now.milliseconds), .int($0)] }
        ).flatMap { $0 }
      } else {
        try database.run(statement + returning, [.int(now.milliseconds)])
      }
    var redacted: [Int64] = []
    for row in rows where try row.int("redaction") == Int64(Redaction.done.rawValue) {
      redacted.append(try row.int("id"))
    }
    try forgetAnswers(about: redacted)
  }
}
