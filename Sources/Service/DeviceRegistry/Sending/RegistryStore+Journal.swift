package import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

/// Which lines of the journal: every condition that is given has to hold.
package struct DeliveryFilter: Sendable {
  /// The topics that may be seen; nil for every topic.
  package var visibleTopics: [String]?
  package var notification: Int64?
  package var campaign: Int64?
  package var topic: String?
  package var state: DeliveryState?
  package var reason: String?
  /// A device token or its keyed hash.
  package var token: String?
  package var isMaybeTwice: Bool?

  package init() {}
}

extension RegistryStore {
  /// Deliveries, the newest first.
  ///
  /// - Parameter before: The identifier of the last one of the page before; nil for the first page.
  package func deliveries(
    _ filter: DeliveryFilter, before: Int64? = nil, limit: Int
  ) throws(RegistryError) -> [Delivery] {
    var conditions = SQLFilter()
    if let topics = filter.visibleTopics { conditions.add("d.topic", in: topics) }
    for (kind, identifier) in [
      (Message.Kind.notification, filter.notification), (.campaign, filter.campaign),
    ] {
      guard let identifier else { continue }
      conditions.add("d.message_id = ?", [.int(identifier)])
      conditions.add("m.kind = ?", [.text(kind.rawValue)])
    }
    if let topic = filter.topic { conditions.add("d.topic = ?", [.text(topic)]) }
    if let state = filter.state {
      let isFailed = [.rejected, .expired, .cancelled].contains(state)
      let column = isFailed ? failedColumn : DeliveryState.final.contains(state) ? "d.state" : "q.state"
      conditions.add("\(column) = ?", [.text(state.rawValue)])
      if isFailed { conditions.add(isFailedLine) }
    }
    if let token = filter.token {
      // Deliveries that an earlier version finished hold the token itself until they are hashed.
      conditions.add(
        onEachDay(of: "d") + "d.token IN (?, ?)",
        [.text(token), .text(KeyedHash.isHash(token) ? token : hash.token(token))])
    }
    if let isMaybeTwice = filter.isMaybeTwice {
      conditions.add("COALESCE(q.maybe_twice, d.maybe_twice) = ?", [.int(isMaybeTwice ? 1 : 0)])
    }
    if let before { conditions.add("d.id < ?", [.int(before)]) }
    if let reason = filter.reason {
      // Of those that have ended, then of those that wait for another attempt: each has an index or is short.
      return try newest(
        ["d.reason = ?", "d.id IN (SELECT delivery_id FROM queue WHERE reason = ?)"].map {
          ($0, .text(reason))
        },
        conditions, limit: limit)
    }
    if let topic = filter.topic, filter.notification == nil, filter.campaign == nil, filter.token == nil,
      let messages = try messages(ofRareTopic: topic)
    {
      return try newest(messages.map { ("d.message_id = ?", .int($0)) }, conditions, limit: limit)
    }
    return try deliveries(conditions, limit: limit)
  }

  /// Messages of a topic whose deliveries are looked for message by message. Ours: where a topic has more, its last
  /// deliveries are among the last of all.
  private static let rareMessages = 100

  /// The messages of a topic that has few; nil for others.
  private func messages(ofRareTopic topic: String) throws(RegistryError) -> [Int64]? {
    let rows = try database.run(
      "SELECT id FROM messages WHERE topic = $1 ORDER BY id DESC LIMIT $2",
      [.text(topic), .int(Int64(Self.rareMessages) + 1)])
    return rows.count > Self.rareMessages ? nil : try rows.ints("id")
  }

  /// The newest deliveries that fulfil one of these conditions, each of which has an index.
  private func newest(
    _ parts: [(condition: String, value: SQLValue)], _ conditions: SQLFilter, limit: Int
  ) throws(RegistryError) -> [Delivery] {
    var found: [Delivery] = []
    for part in parts {
      var conditions = conditions
      conditions.add(part.condition, [part.value])
      found += try deliveries(conditions, limit: limit)
    }
    return Array(found.sorted { $0.identifier > $1.identifier }.prefix(limit))
  }

  private func deliveries(_ conditions: SQLFilter, limit: Int) throws(RegistryError) -> [Delivery] {
    var conditions = conditions
    let limit = conditions.place(.int(Int64(limit)))
    let rows = try database.run(
      "SELECT \(Self.deliveryColumns) FROM \(Self.journal)\(conditions.clause) ORDER BY d.id DESC LIMIT \(limit)",
      conditions.values)
    return try rows.decoded(Self.delivery)
  }

  /// The column and the condition of the index `deliveries_failed`, so that it is used.
  private var failedColumn: String { database.dialect.isRemote ? "d.failed" : "d.state" }
  private var isFailedLine: String {
    database.dialect.isRemote ? "d.failed IS NOT NULL" : "d.state IN ('rejected', 'expired', 'cancelled')"
  }

  /// The journal's lines, with what the queue says of those that are open.
  static let journal =
    "deliveries AS d JOIN messages AS m ON m.id = d.message_id LEFT JOIN queue AS q ON q.delivery_id = d.id"

  static let deliveryColumns =
    "d.id, d.message_id, m.kind, d.token, d.topic, d.environment, d.apns_id, d.created_at, d.finished_at, "
    + ["state", "attempts", "maybe_twice", "status", "reason", "due_at"].map { column in
      "COALESCE(q.\(column),d.\(column)) AS \(column)"
    }.joined(separator: ", ")

  /// Reads deliveries by the names in ``deliveryColumns``.
  static func delivery(
    _ columns: SQLColumns
  ) throws(RegistryError) -> (SQLRow) throws(RegistryError) -> Delivery {
    let (id, message, kind) = try (columns["id"], columns["message_id"], columns["kind"])
    let (token, topic, environment) = try (columns["token"], columns["topic"], columns["environment"])
    let (messageID, state, attempts) = try (columns["apns_id"], columns["state"], columns["attempts"])
    let (maybeTwice, status, reason) = try (columns["maybe_twice"], columns["status"], columns["reason"])
    let (due, created, finished) = try (columns["due_at"], columns["created_at"], columns["finished_at"])
    return { row throws(RegistryError) in
      guard let kind = Message.Kind(rawValue: try row.text(kind)),
        let state = DeliveryState(rawValue: try row.text(state))
      else { throw RegistryError(.damaged, "A delivery in the registry has a state that does not exist.") }
      return Delivery(
        identifier: try row.int(id), message: try row.int(message), kind: kind, token: try row.text(token),
        topic: try row.text(topic), environment: try row.text(environment),
        messageIdentifier: try row.text(messageID), state: state, attempts: try row.int(attempts),
        isMaybeTwice: try row.int(maybeTwice) == 1, status: try row.optionalInt(status),
        reason: try row.optionalText(reason), dueAt: try row.time(due), createdAt: try row.time(created),
        finishedAt: try row.optionalTime(finished))
    }
  }

  /// Open messages among which the oldest push is looked for, the oldest first. Ours: an outage makes one for each request.
  private static let searchedMessages = 64

  /// When the oldest open push of each message was stored: of a notification with the message itself. Each search for a
  /// campaign's is one step in the index `queue_message`, however many pushes wait.
  static let oldestOpen =
    "SELECT CASE WHEN m.lane = 0 THEN m.created_at ELSE (SELECT created_at FROM queue WHERE message_id = m.id"
    + " AND turn >= \(PushLane.campaign.turn(attempts: 0)) ORDER BY created_at LIMIT 1) END AS created_at"
    + " FROM (SELECT id, lane, created_at FROM messages WHERE finished_at IS NULL AND state = $1 ORDER BY id LIMIT $2) AS m"

  /// When the oldest push of each turn is due, each found in one step.
  private static let oldestDue = (0..<turnWeights.count).map { turn in
    "SELECT (SELECT min(due_at) FROM queue WHERE state = 'queued' AND environment = $1 AND turn = \(turn)"
      + " AND due_at <= $2) AS due_at"
  }.joined(separator: " UNION ALL ")

  /// When the oldest push was due that has not ended, also while it waits for another attempt; nil where there is none.
  /// Those of paused campaigns do not count, and of the 65th and later open message only pushes that are due at this moment.
  package func oldestUnfinishedDue(at now: WallTime) throws(RegistryError) -> WallTime? {
    // A push is due when it is stored.
    let firsts = try database.run(
      Self.oldestOpen,
      [.text(Message.State.running.rawValue), .int(Int64(Self.searchedMessages))])
    var oldest: Int64?
    for row in firsts { oldest = [oldest, try row.optionalInt("created_at")].compactMap { $0 }.min() }
    for environment in PushEnvironment.allCases {
      let rows = try database.run(
        Self.oldestDue, [.text(environment.rawValue), .int(now.milliseconds)])
      for row in rows { oldest = [oldest, try row.optionalInt("due_at")].compactMap { $0 }.min() }
    }
    return oldest.map(WallTime.init(milliseconds:))
  }

  // MARK: - Idempotency keys

  /// An answer that was given before.
  package struct Replay: Hashable, Sendable {
    /// SHA-256 of the request.
    package var request: String
    package var status: Int
    /// nil where the message was redacted since.
    package var body: String?
    /// The message that the answer describes.
    package var message: Int64?

    package init(request: String, status: Int, body: String?, message: Int64? = nil) {
      self.request = request
      self.status = status
      self.body = body
      self.message = message
    }

    init(_ row: SQLRow) throws(RegistryError) {
      let body = try row.text("body")
      self.init(
        request: try row.text("request_hash"), status: Int(try row.int("status")),
        body: body.isEmpty ? nil : body, message: try row.optionalInt("message_id"))
    }
  }

  /// - Parameter key: SHA-256 of the key.
  package func replay(_ actor: String, key: String) throws(RegistryError) -> Replay? {
    let rows = try database.run(
      "SELECT request_hash, status, body, message_id FROM idempotency_keys WHERE actor = $1 AND key_hash = $2",
      [.text(actor), .text(key)])
    return try rows.first.map { row throws(RegistryError) in try Replay(row) }
  }

  /// How long keys are kept. Ours.
  private static let keyAge = Duration.seconds(24 * 3_600)

  /// Keeps an answer for requests with the same key, and forgets old ones. Of two at the same time one is refused.
  package func keep(
    _ replay: Replay, _ actor: String, key: String, at now: WallTime
  ) throws(RegistryError) {
    try forgetOldKeys(at: now)
    try database.run(
      "INSERT INTO idempotency_keys (actor, key_hash, request_hash, status, body, created_at, message_id)"
        + " VALUES ($1, $2, $3, $4, $5, $6, $7)",
      [
        .text(actor), .text(key), .text(replay.request), .int(Int64(replay.status)), .text(replay.body ?? ""),
        .int(now.milliseconds), SQLValue(replay.message),
      ])
  }

  func forgetOldKeys(at now: WallTime) throws(RegistryError) {
    try database.run(
      "DELETE FROM idempotency_keys WHERE created_at < $1",
      [.int(now.advanced(by: .zero - Self.keyAge).milliseconds)])
  }

  /// Empties the answers that name what a redacted message said. A request with such a key is still done once.
  func forgetAnswers(about messages: [Int64]) throws(RegistryError) {
    guard !messages.isEmpty else { return }
    _ = try database.runEach(
      "UPDATE idempotency_keys SET body = '' WHERE message_id = $1", messages.map { [.int($0)] })
    try forgetOptions(of: messages)
    // Answers that an earlier version kept begin with the message's identifier and name, as those about channels and activities
    // do not; they are forgotten after a day.
    _ = try database.runEach(
      "UPDATE idempotency_keys SET body = '', message_id = $1 WHERE message_id IS NULL AND body LIKE $2",
      messages.map { [.int($0), .text("{\"id\":\"\($0)\",\"name\":%")] })
  }
}
