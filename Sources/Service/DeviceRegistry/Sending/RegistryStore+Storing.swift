package import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

/// Storing messages with their deliveries.
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

    var lane: PushLane { PushLane(kind) }
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
    try add([(message, actor: actor, time: now)])[0]
  }

  /// Stores messages.
  ///
  /// - Returns: Their identifiers, in their order.
  func add(
    _ messages: [(message: NewMessage, actor: String, time: WallTime)]
  ) throws(RegistryError) -> [Int64] {
    let identifiers = try newIdentifiers(messages.map { ($0.message.lane, $0.time) })
    let rows = zip(messages, identifiers).map { new, identifier -> [SQLValue] in
      let (message, content) = (new.message, new.message.content)
      return [
        SQLValue(identifier), .text(message.kind.rawValue), SQLValue(content.name), .text(new.actor),
        .text(content.topic.text), .text(content.environment.rawValue), .text(content.type.rawValue),
        .int(Int64(content.priority.rawValue)), SQLValue(content.expiration),
        SQLValue(content.collapseIdentifier), .text(content.payload), .text(message.audience.json.text),
        SQLValue(message.localTime.map(Int64.init)), SQLValue(message.throttle),
        .int(new.time.milliseconds * 1_000),
        .text(message.state.rawValue), .int(message.estimate),
        .int(new.time.milliseconds), .int(message.lastDue.advanced(by: Self.patience).milliseconds),
        .int(message.lane.number),
      ]
    }
    if database.dialect.isRemote {
      try run(given: Self.messageGiven, rows, Self.messageInsertion + " SELECT * FROM given", isLater: true)
      return identifiers.compactMap { $0 }
    }
    let places = (1...Self.messageGiven.count).map { "$\($0)" }.joined(separator: ", ")
    let added = try database.runEach(Self.messageInsertion + " VALUES (\(places)) RETURNING id", rows)
    return try Array(added.joined()).ints("id")
  }

  private static let messageGiven: [Given] = [
    .int("id"), .text("kind"), .text("name"), .text("actor"), .text("topic"), .text("environment"),
    .text("push_type"), .int("priority"), .int("expiration"), .text("collapse_id"), .text("payload"),
    .text("audience"), .int("local_time"), .int("throttle"), .int("throttle_at"), .text("state"),
    .int("estimate"), .int("created_at"), .int("give_up_at"), .int("lane"),
  ]
  private static let messageInsertion =
    "INSERT INTO messages (\(messageGiven.map(\.name).joined(separator: ", ")))"

  /// Stores a delivery for each token.
  ///
  /// - Returns: How many there are.
  @discardableResult
  package func addDeliveries(
    of message: Int64, _ content: MessageContent, to tokens: [String], at now: WallTime
  ) throws(RegistryError) -> Int {
    let lines = Set(tokens).sorted().map { token in
      NewLine(
        message: message, lane: .transactional, address: token, topic: content.topic.text,
        environment: content.environment.rawValue, time: now)
    }
    return try addDeliveries(lines).count
  }

  /// Stores deliveries of notifications that this transaction has stored.
  func addDeliveries(_ lines: [NewLine]) throws(RegistryError) -> [StoredLine] {
    guard !lines.isEmpty else { return [] }
    let keys = lines.map { line -> [SQLValue] in
      [.text(line.address), .text(line.topic), .text(line.environment)]
    }
    // A server that deletes the device waits until the delivery is there, and cancels it then.
    let devices = Self.devicesOfKeys + database.dialect.sharesDevices
    // One that takes over what a sender holds, and forgets the sender, either comes after this or has left nobody here.
    let senders = Set(lines.compactMap(\.sender)).sorted()
    let live = "SELECT id FROM senders WHERE id"
    let added: [StoredLine]
    let found: [SQLRow]
    if database.dialect.hasArrays {
      var statements = [
        Self.statement(given: Self.deviceKey, keys, devices),
        SQLStatement(sql: Self.deliveryNumbers, values: [.int(Int64(lines.count))]),
      ]
      if !senders.isEmpty {
        statements.append(
          SQLStatement(
            sql: "\(live) = ANY($1::text[])" + database.dialect.holdsRow,
            values: Self.arrays(senders.map { [.text($0)] })))
      }
      let answers = try database.runTogether(statements)
      found = answers[0]
      let held = senders.isEmpty ? [] : try answers[2].texts("id")
      added = try addLines(Self.lines(lines, of: held), answers[1].ints("number"))
    } else {
      found = try run(given: Self.deviceKey, keys, devices)
      let held = try database.runEach("\(live) = $1", senders.map { [.text($0)] })
      let lines = Self.lines(lines, of: try Array(held.joined()).texts("id"))
      // In the same order, without those that were there.
      var rest = lines[...]
      added = try addLines(lines).compactMap { delivery in
        let place = rest.firstIndex { $0.message == delivery.message && $0.address == delivery.token }
        guard let place else { return nil }
        rest = rest[(place + 1)...]
        return StoredLine(
          identifier: delivery.identifier, messageIdentifier: delivery.messageIdentifier, line: lines[place])
      }
    }
    var known: Set<[String]> = []
    for row in found {
      known.insert([try row.text("token"), try row.text("topic"), try row.text("environment")])
    }
    try ascribe(added.filter { !known.contains([$0.line.address, $0.line.topic, $0.line.environment]) })
    return added
  }

  /// Those of senders that are none any more wait.
  private static func lines(_ lines: [NewLine], of senders: [String]) -> [NewLine] {
    lines.map { line in
      var line = line
      if let sender = line.sender, !senders.contains(sender) { line.sender = nil }
      return line
    }
  }

  private static let deliveryNumbers =
    "SELECT nextval('deliveries_number') AS number FROM generate_series(1, $1::bigint)"
  private static let deviceKey: [Given] = [.text("token"), .text("topic"), .text("environment")]
  private static let devicesOfKeys =
    "SELECT token, topic, environment FROM devices WHERE (token, topic, environment) IN"
    + " (SELECT token, topic, environment FROM given)"

  /// Ascribes what was sent to tokens without a device to the alias that each device left last, so that an erasure of that
  /// alias finds it.
  private func ascribe(_ deliveries: [StoredLine]) throws(RegistryError) {
    let rows = deliveries.map { delivery -> [SQLValue] in
      let line = delivery.line
      return [
        .int(delivery.identifier), .int(line.message), .text(hash.token(line.address)), .text(line.topic),
        .text(line.environment),
      ]
    }
    let columns: [Given] = [
      .int("delivery"), .int("message"), .text("hash"), .text("topic"), .text("environment"),
    ]
    let found = try run(
      given: columns, rows,
      "SELECT given.delivery AS delivery, given.message AS message, f.alias AS alias FROM former_aliases AS f"
        + " JOIN given ON f.token = given.hash AND f.topic = given.topic AND f.environment = given.environment"
        + (database.dialect.isRemote ? " ORDER BY given.delivery FOR SHARE OF f" : ""))
    try run(
      given: [.int("delivery"), .int("message"), .text("alias")],
      found.map { row throws(RegistryError) -> [SQLValue] in
        [.int(try row.int("delivery")), .int(try row.int("message")), .text(try row.text("alias"))]
      },
      "INSERT INTO departures (delivery_id, message_id, alias) SELECT delivery, message, alias FROM given WHERE 1 = 1"
        + " ON CONFLICT (delivery_id) DO NOTHING", isLater: true)
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
        if let aliasesNow, !alias.isStored(as: aliasesNow[try row.int("id")]) { continue }
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
  func share(_ devices: [Int64]) throws(RegistryError) -> [Int64: String]? {
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
    try noteUnreached(aliases.map { (message, $0) })
  }
}
