internal import LinkspanCore
internal import PushProvider
internal import RegistryDatabases
internal import RegistryRequests

/// The two places of a delivery: its line of the journal, written when it is stored and when it has ended, and its row of the
/// queue in between.
extension RegistryStore {
  /// A delivery that is to be stored.
  struct NewLine {
    var message: Int64
    var lane: PushLane
    /// The device token.
    var address: String
    var topic: String
    var environment: String
    var time: WallTime
    /// The sender that sends it at once; nil where it waits.
    var sender: String?
  }

  /// A delivery that was stored.
  struct StoredLine {
    var identifier: Int64
    var messageIdentifier: String
    var line: NewLine

    /// What its sender gets.
    var claimed: ClaimedDelivery {
      ClaimedDelivery(
        identifier: identifier, message: line.message, lane: line.lane, token: line.address,
        messageIdentifier: messageIdentifier, attempts: 1, createdAt: line.time)
    }
  }

  /// Stores deliveries of messages that this transaction has stored, so that no device has one already.
  ///
  /// - Parameter identifiers: One for each line, and the one that every attempt will have.
  func addLines(_ lines: [NewLine], _ identifiers: [Int64]) throws(RegistryError) -> [StoredLine] {
    guard lines.count == identifiers.count else { throw Self.emptyAnswer }
    let names = try drawMessageIdentifiers(lines.count)
    let rows = zip(zip(lines, identifiers), names).map { values(of: $0.0, $1) + [.int($0.1)] }
    try run(given: Self.lineColumns + [.int("id")], rows, Self.newLineStatement, isLater: true)
    return zip(zip(lines, identifiers), names).map {
      StoredLine(identifier: $0.1, messageIdentifier: $1, line: $0.0)
    }
  }

  private func values(of line: NewLine, _ messageIdentifier: String) -> [SQLValue] {
    [
      .int(line.message), .text(hash.token(line.address)), .text(line.address), .text(line.topic),
      .text(line.environment), .int(line.lane.turn(attempts: 0)), .int(line.time.milliseconds),
      .text(messageIdentifier), SQLValue(line.sender),
    ]
  }

  /// Identifiers that every attempt of a delivery has. The store is asked for a seed once: PostgreSQL takes 2 µs for each.
  private func drawMessageIdentifiers(_ count: Int) throws(RegistryError) -> [String] {
    var chance: IdentifierChance
    if let identifierChance { chance = identifierChance } else { chance = try seedOfIdentifiers() }
    let drawn = (0..<count).map { _ in MessageIdentifier.text(chance.high.next(), chance.low.next()) }
    identifierChance = chance
    return drawn
  }

  private func seedOfIdentifiers() throws(RegistryError) -> IdentifierChance {
    let rows = try database.run("SELECT \(database.dialect.messageIdentifier) AS seed")
    let digits = try rows.first?.text("seed").filter { $0 != "-" } ?? ""
    // Between them is what each UUID has.
    guard let high = UInt64(digits.prefix(12), radix: 16), let low = UInt64(digits.suffix(15), radix: 16)
    else { throw Self.emptyAnswer }
    return (SeededGenerator(seed: high), SeededGenerator(seed: low))
  }

  /// Stores deliveries, and with each the identifier that every attempt will have. A device that has one of that message
  /// already is passed over.
  func addLines(_ lines: [NewLine]) throws(RegistryError) -> [ClaimedDelivery] {
    let names = try drawMessageIdentifiers(lines.count)
    let rows = zip(lines, names).map { values(of: $0, $1) }
    if database.dialect.hasArrays {
      return try run(given: Self.lineColumns, rows, Self.lineStatement).decoded(Self.claimed)
    }
    let added = try database.runEach(
      "INSERT INTO deliveries (message_id, day, token, topic, environment, apns_id, state, due_at, attempts,"
        + " maybe_twice, created_at) VALUES ($1, (SELECT created_at / 86400000 FROM messages WHERE id = $1), $2, $3, $4,"
        + " $5, 'queued', $6, 0, 0, $6) ON CONFLICT (day, token, message_id) DO NOTHING RETURNING id",
      rows.map { [$0[0], $0[1], $0[3], $0[4], $0[7], $0[6]] })
    var claimed: [ClaimedDelivery] = []
    var waiting: [[SQLValue]] = []
    for (index, added) in added.enumerated() {
      guard let row = added.first else { continue }
      let (identifier, values) = (try row.int("id"), rows[index])
      let isHeld = lines[index].sender != nil
      let state = isHeld ? DeliveryState.sending : .queued
      waiting.append(
        [.int(identifier), values[0], values[5], .text(state.rawValue), values[8], values[6], values[2]]
          + [values[3], values[4], values[7], .int(isHeld ? 1 : 0)])
      claimed.append(
        StoredLine(identifier: identifier, messageIdentifier: names[index], line: lines[index]).claimed)
    }
    _ = try database.changeEach(
      "INSERT INTO queue (\(Self.queueColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $6)",
      waiting)
    return claimed
  }

  private static let queueColumns =
    "delivery_id, message_id, turn, state, owner, due_at, address, topic, environment, apns_id, attempts, maybe_twice,"
    + " created_at"

  private static let lineColumns: [Given] = [
    .int("message"), .text("hash"), .text("address"), .text("topic"), .text("environment"), .int("turn"),
    .int("time"), .text("apns_id"), .text("sender"),
  ]

  private static let lineStatement =
    ", line AS (INSERT INTO deliveries (message_id, token, topic, environment, apns_id, state, due_at, attempts,"
    + " maybe_twice, created_at) SELECT message, hash, topic, environment, apns_id, 'queued', time, 0, 0, time FROM given"
    + " ON CONFLICT (token, message_id) DO NOTHING RETURNING id, message_id, token, apns_id)"
    + " INSERT INTO queue (\(queueColumns)) SELECT line.id, given.message, given.turn, \(givenState), given.sender,"
    + " given.time, given.address, given.topic, given.environment, line.apns_id,"
    + " \(givenAttempts), 0, given.time FROM line JOIN given ON given.hash = line.token"
    + " AND given.message = line.message_id"
    + " RETURNING delivery_id, message_id, turn, address, apns_id, attempts, created_at"

  private static let newLineStatement =
    ", journal AS (INSERT INTO deliveries (id, message_id, token, topic, environment, apns_id, state, due_at,"
    + " attempts, maybe_twice, created_at) SELECT id, message, hash, topic, environment, apns_id, 'queued', time,"
    + " 0, 0, time FROM given) INSERT INTO queue (\(queueColumns)) SELECT id, message, turn, \(givenState), sender, time,"
    + " address, topic, environment, apns_id, \(givenAttempts), 0, time FROM given"

  private static let givenState = "CASE WHEN given.sender IS NULL THEN 'queued' ELSE 'sending' END"
  private static let givenAttempts = "CASE WHEN given.sender IS NULL THEN 0 ELSE 1 END"

  /// Reads what claims return.
  static func claimed(
    _ columns: SQLColumns
  ) throws(RegistryError) -> (SQLRow) throws(RegistryError) -> ClaimedDelivery {
    let (id, message, address) = try (columns["delivery_id"], columns["message_id"], columns["address"])
    let (messageID, attempts) = try (columns["apns_id"], columns["attempts"])
    let (createdAt, turn) = try (columns["created_at"], columns["turn"])
    return { row throws(RegistryError) in
      ClaimedDelivery(
        identifier: try row.int(id), message: try row.int(message),
        lane: PushLane(turn: try row.int(turn)), token: try row.text(address),
        messageIdentifier: try row.text(messageID), attempts: try row.int(attempts),
        createdAt: try row.time(createdAt))
    }
  }

  // MARK: - The queue

  /// A row of the queue, which this transaction holds.
  struct OpenLine {
    var delivery: Int64
    var message: Int64
    var state: DeliveryState
    var owner: String?
    var attempts: Int64
    var isMaybeTwice: Bool
    var status: Int64?
    var reason: String?
    /// Whether its device is gone.
    var isGone: Bool
    var turn: Int64
    var topic: String
    var environment: String
  }

  /// Locks rows of the queue in their order, and reads them. What has ended is passed over.
  func hold(_ deliveries: [Int64]) throws(RegistryError) -> [OpenLine] {
    let rows = try run(each: deliveries) {
      Self.openLines + " WHERE delivery_id \($0) ORDER BY delivery_id" + database.dialect.locksRow
    }
    return try rows.decoded(Self.openLine)
  }

  /// Takes what a sender is sending out of the queue, with one statement for locking, reading and removing.
  func remove(_ deliveries: [Int64], of sender: String) throws(RegistryError) -> [OpenLine] {
    let rows = try run(each: deliveries, [.text(sender)]) {
      "DELETE FROM queue WHERE owner = $1 AND state = 'sending' AND delivery_id \($0) RETURNING "
        + Self.openColumns
    }
    return try rows.decoded(Self.openLine)
  }

  private static let openColumns =
    "delivery_id, message_id, state, owner, attempts, maybe_twice, status, reason, turn, topic,"
    + " environment, CASE WHEN address IS NULL THEN 1 ELSE 0 END AS is_gone"
  private static let openLines = "SELECT \(openColumns) FROM queue"

  private static func openLine(
    _ columns: SQLColumns
  ) throws(RegistryError) -> (SQLRow) throws(RegistryError) -> OpenLine {
    let (id, message, state) = try (columns["delivery_id"], columns["message_id"], columns["state"])
    let (owner, attempts, twice) = try (columns["owner"], columns["attempts"], columns["maybe_twice"])
    let (status, reason) = try (columns["status"], columns["reason"])
    let (isGone, turn) = try (columns["is_gone"], columns["turn"])
    let (topic, environment) = try (columns["topic"], columns["environment"])
    return { row throws(RegistryError) in
      guard let state = DeliveryState(rawValue: try row.text(state)) else {
        throw RegistryError(.damaged, "A delivery in the queue has a state that does not exist.")
      }
      return OpenLine(
        delivery: try row.int(id), message: try row.int(message), state: state,
        owner: try row.optionalText(owner), attempts: try row.int(attempts),
        isMaybeTwice: try row.int(twice) == 1, status: try row.optionalInt(status),
        reason: try row.optionalText(reason), isGone: try row.int(isGone) == 1, turn: try row.int(turn),
        topic: try row.text(topic), environment: try row.text(environment))
    }
  }

  // MARK: - Ends

  /// Ends deliveries that this transaction holds: takes them out of the queue, writes their lines for the second time, and
  /// counts them.
  ///
  /// - Parameters:
  ///   - lines: Each with a final state.
  ///   - sender: The one that has sent them; empty for none.
  ///   - areRemoved: Whether they have left the queue already.
  func end(
    _ lines: [(line: OpenLine, state: DeliveryState)], by sender: String = "", areRemoved: Bool = false,
    at now: WallTime
  ) throws(RegistryError) {
    guard !lines.isEmpty else { return }
    if !areRemoved {
      try run(each: lines.map(\.line.delivery), isLater: true) { "DELETE FROM queue WHERE delivery_id \($0)" }
    }
    var alike: [LineEnd: [Int64]] = [:]
    var counts: [Counted: Int64] = [:]
    for (line, state) in lines {
      alike[LineEnd(line, state), default: []].append(line.delivery)
      let reason = state == .cancelled ? "" : line.reason ?? ""
      // Of notifications the journal itself is counted.
      guard line.turn >= PushLane.campaign.turn(attempts: 0) else { continue }
      counts[Counted(line.message, state.rawValue, reason), default: 0] += 1
      if line.isMaybeTwice { counts[Counted(line.message, "maybe_twice", ""), default: 0] += 1 }
    }
    for (end, deliveries) in alike.sorted(by: { $0.value[0] < $1.value[0] }) {
      let failed = database.dialect.isRemote && end.isFailed ? ", failed = $1" : ""
      try run(each: deliveries, end.values + [.int(now.milliseconds)], isLater: true) {
        "UPDATE \(table("deliveries", end.part)) SET state = $1, status = $2, reason = $3, attempts = $4,"
          + " maybe_twice = $5, finished_at = $6\(failed) WHERE id \($0)"
      }
    }
    try count(counts)
    try countMinute(lines, by: sender, at: now)
  }

  /// What lines have in common that are written with one statement.
  private struct LineEnd: Hashable {
    var part: JournalPart
    var values: [SQLValue]
    /// Whether it is one of those that `deliveries_failed` holds.
    var isFailed: Bool

    init(_ line: OpenLine, _ state: DeliveryState) {
      part = JournalPart(of: line.message)
      isFailed = state != .accepted
      values = [
        .text(state.rawValue), SQLValue(line.status), SQLValue(line.reason), .int(line.attempts),
        .int(line.isMaybeTwice ? 1 : 0),
      ]
    }
  }
}
