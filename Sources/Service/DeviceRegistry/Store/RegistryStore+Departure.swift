internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

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
      "INSERT INTO departures (delivery_id, message_id, alias) SELECT id, message_id, CAST($1 AS TEXT) FROM deliveries"
        + " WHERE \(onEachDay())token IN ($2, $3) AND topic = $4 AND environment = $5 ON CONFLICT (delivery_id) DO NOTHING",
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
    let open = try database.runEach(
      "SELECT id FROM deliveries WHERE \(onEachDay())token = $1 AND topic = $2 AND environment = $3"
        + " AND finished_at IS NULL", keys)
    return try cancelOpen(Array(open.joined()).ints("id"), at: now)
  }

  /// Cancels deliveries that are open and that no server is sending; those under way lose the token, and are not sent again.
  func cancelOpen(_ deliveries: [Int64], at now: WallTime) throws(RegistryError) -> Cancellation {
    var cancellation = Cancellation()
    let lines = try hold(Set(deliveries).sorted())
    guard !lines.isEmpty else { return cancellation }
    // A server whose lease has ended sends nothing more; what it held may have gone out.
    let live = try database.run(
      "SELECT id FROM senders WHERE lease_until >= $1", [.int(try leaseClock(now).milliseconds)])
    let senders = Set(try live.texts("id"))
    let isUnderWay = { (line: OpenLine) in
      line.state == .sending && line.owner.map(senders.contains) ?? false
    }
    try run(each: lines.filter(isUnderWay).map(\.delivery)) {
      "UPDATE queue SET address = NULL WHERE delivery_id \($0)"
    }
    let ends = lines.filter { !isUnderWay($0) }.map { line -> (line: OpenLine, state: DeliveryState) in
      var line = line
      line.isMaybeTwice = line.isMaybeTwice || line.state == .sending
      return (line, .cancelled)
    }
    try end(ends, at: now)
    cancellation.count = ends.count
    cancellation.messages = Set(ends.map(\.line.message))
    try finishMessages(at: now, only: Array(cancellation.messages))
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
