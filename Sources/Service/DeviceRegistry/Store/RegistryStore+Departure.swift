internal import LinkspanCore

/// A device that leaves an alias: it is deleted, or registers with another one.
struct Departure: Hashable, Sendable {
  var token: String
  var topic: String
  var environment: String
  /// The alias that it had; nil for none.
  var alias: String?
}

/// What was cancelled.
struct Cancellation: Hashable, Sendable {
  /// Deliveries.
  var count = 0
  var messages: Set<Int64> = []

  mutating func add(_ other: Cancellation) {
    count += other.count
    messages.formUnion(other.messages)
  }
}

extension RegistryStore {
  /// Cancels the open deliveries of devices that leave, in the transaction in which they do, and remembers whose they were,
  /// so that an erasure of that alias finds them.
  ///
  /// What a server is sending goes on, and is not sent again.
  func depart(_ devices: [Departure], at now: WallTime) throws(RegistryError) {
    guard !devices.isEmpty else { return }
    let named = devices.filter { $0.alias != nil }
    _ = try database.runEach(
      "INSERT INTO former_aliases (token, topic, environment, alias, left_at) VALUES ($1, $2, $3, $4, $5)"
        + " ON CONFLICT (token, topic, environment) DO UPDATE SET alias = excluded.alias, left_at = excluded.left_at",
      named.map { device in
        [
          .text(hash.token(device.token)), .text(device.topic), .text(device.environment),
          .text(hash.alias(device.alias ?? "")), .int(now.milliseconds),
        ]
      })
    try cancelOpen(devices, at: now)
    // Deliveries that an earlier version finished hold the token itself until they are hashed.
    _ = try database.runEach(
      "INSERT INTO departures (delivery_id, alias) SELECT id, CAST($1 AS TEXT) FROM deliveries"
        + " WHERE token IN ($2, $3) AND topic = $4 AND environment = $5 ON CONFLICT (delivery_id) DO NOTHING",
      named.map { device in
        [
          .text(hash.alias(device.alias ?? "")), .text(hash.token(device.token)), .text(device.token),
          .text(device.topic), .text(device.environment),
        ]
      })
  }

  /// Takes the tokens out of the open deliveries of devices, and cancels those that no server is sending.
  @discardableResult
  func cancelOpen(_ devices: [Departure], at now: WallTime) throws(RegistryError) -> Cancellation {
    let keys = devices.map { device -> [SQLValue] in
      [.text(hash.token(device.token)), .text(device.topic), .text(device.environment)]
    }
    try hold(Self.isOfKeys + " AND finished_at IS NULL", keys)
    return try cancelOpen("token = $3 AND topic = $4 AND environment = $5", keys, at: now)
  }

  /// Deliveries to keys that arrays hold: the token's hash, topic and environment.
  static let isOfKeys =
    "(token, topic, environment) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))"

  /// - Parameters:
  ///   - condition: Chooses deliveries by `$3` and what follows.
  ///   - rows: The values of each choice.
  func cancelOpen(
    _ condition: String, _ rows: [[SQLValue]], at now: WallTime
  ) throws(RegistryError) -> Cancellation {
    // A server whose lease has ended sends nothing more; what it held may have gone out.
    let isUnderWay =
      "state = 'sending' AND owner IN (SELECT id FROM senders WHERE lease_until >= $1)"
    let clock = SQLValue.int(try leaseClock(now).milliseconds)
    let answers = try database.runEach(
      "UPDATE deliveries SET address = NULL,"
        + " state = CASE WHEN \(isUnderWay) THEN state ELSE 'cancelled' END,"
        + " owner = CASE WHEN \(isUnderWay) THEN owner END,"
        + " maybe_twice = CASE WHEN state = 'sending' AND NOT (\(isUnderWay)) THEN 1 ELSE maybe_twice END,"
        + " finished_at = CASE WHEN \(isUnderWay) THEN NULL ELSE CAST($2 AS BIGINT) END"
        + " WHERE \(condition) AND finished_at IS NULL RETURNING id, message_id, state, maybe_twice",
      rows.map { [clock, .int(now.milliseconds)] + $0 })
    var cancellation = Cancellation()
    var counts: [Counted: Int64] = [:]
    for row in answers.joined() {
      let message = try row.int("message_id")
      guard try row.text("state") == DeliveryState.cancelled.rawValue else { continue }
      cancellation.count += 1
      cancellation.messages.insert(message)
      counts[Counted(message, "cancelled", ""), default: 0] += 1
      if try row.int("maybe_twice") == 1 { counts[Counted(message, "maybe_twice", ""), default: 0] += 1 }
    }
    try count(counts)
    if !cancellation.messages.isEmpty { try finishMessages(at: now, only: Array(cancellation.messages)) }
    return cancellation
  }

  /// The devices that a filter chooses, which nobody else changes before this transaction ends.
  func departures(_ filter: DeviceFilter) throws(RegistryError) -> [Departure] {
    let conditions = self.conditions(filter)
    precondition(!conditions.conditions.isEmpty, "removing every device is never meant")
    let rows = try database.run(
      "SELECT token, topic, environment, alias FROM devices\(conditions.clause)\(database.dialect.locksDevices)",
      conditions.values)
    return try rows.map { row throws(RegistryError) in
      Departure(
        token: try row.text("token"), topic: try row.text("topic"), environment: try row.text("environment"),
        alias: try row.optionalText("alias"))
    }
  }
}
