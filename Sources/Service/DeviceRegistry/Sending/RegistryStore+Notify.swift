internal import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
internal import RegistryRequests

/// Many notifications with as few statements as one.
extension RegistryStore {
  /// Stores notifications, each once for its key.
  ///
  /// - Returns: What came of each, in their order.
  func notify(_ orders: [NotificationOrder]) throws(RegistryError) -> [NotificationOrder.Result] {
    var results = [NotificationOrder.Result?](repeating: nil, count: orders.count)
    var rest = Array(orders.indices)
    while !rest.isEmpty {
      // Of the same key only the first: the others are answered by it.
      var keys: Set<[String]> = []
      var (chosen, later): ([Int], [Int]) = ([], [])
      for index in rest {
        let order = orders[index]
        let isFirst = order.key.map { keys.insert([order.actor, $0.key]).inserted } ?? true
        if isFirst { chosen.append(index) } else { later.append(index) }
      }
      for (index, result) in zip(chosen, try notifyOnce(chosen.map { orders[$0] })) {
        results[index] = result
      }
      rest = later
    }
    return results.compactMap { $0 }
  }

  /// The keys of the orders are different.
  private func notifyOnce(
    _ orders: [NotificationOrder]
  ) throws(RegistryError) -> [NotificationOrder.Result] {
    let replays = try replays(orders)
    var results = orders.map { order -> NotificationOrder.Result? in
      guard let key = order.key, let replay = replays[[order.actor, key.key]] else { return nil }
      return replay.request == key.request ? .replayed(replay) : .otherRequest
    }
    let open = results.indices.filter { results[$0] == nil }
    let named = try devicesNamed(by: open.map { orders[$0] })
    var accepted: [(index: Int, tokens: [String], unreached: [String])] = []
    for (index, devices) in zip(open, named) {
      let order = orders[index]
      let tokens = Set(order.request.tokens.map(\.text) + devices.tokens)
      if order.request.tokens.count + devices.tokens.count > MessageReader.targetLimit {
        results[index] = .refused(devices: nil)
      } else if order.isRefused(Int64(tokens.count)) {
        results[index] = .refused(devices: Int64(tokens.count))
      } else {
        accepted.append((index, tokens.sorted(), devices.unreached))
      }
    }
    let stored = try store(accepted.map { (orders[$0.index], $0.tokens, $0.unreached) })
    for (index, stored) in zip(accepted.map(\.index), stored) {
      results[index] = .stored(stored.message, stored.progress)
    }
    let all = results.compactMap { $0 }
    try keep(zip(orders, all).filter { $0.0.key != nil })
    return all
  }

  // MARK: - Storing

  private func store(
    _ orders: [(order: NotificationOrder, tokens: [String], unreached: [String])]
  ) throws(RegistryError) -> [(message: Message, progress: MessageProgress)] {
    guard !orders.isEmpty else { return [] }
    let messages = orders.map { order, tokens, _ in
      var message = NewMessage(.notification, order.request.content, lastDue: order.time)
      message.estimate = Int64(tokens.count)
      return (message: message, actor: order.actor, time: order.time)
    }
    let identifiers = try add(messages)
    var lines: [NewLine] = []
    var seats: [Int64: SenderDesk] = [:]
    for (identifier, (order, tokens, _)) in zip(identifiers, orders) {
      let content = order.request.content
      let seat = tokens.isEmpty ? nil : desks?.reserve(tokens.count, of: content)
      if let seat { handover.keep(tokens.count, at: seat.desk) }
      seats[identifier] = seat?.desk
      lines += tokens.map { token in
        NewLine(
          message: identifier, lane: .transactional, address: token, topic: content.topic.text,
          environment: content.environment.rawValue, time: order.time, sender: seat?.sender)
      }
    }
    let deliveries = try addDeliveries(lines)
    var counts: [Int64: Int] = [:]
    for delivery in deliveries { counts[delivery.line.message, default: 0] += 1 }
    try noteUnreached(
      zip(identifiers, orders).flatMap { message, order in order.unreached.map { (message, $0) } })
    for (identifier, order) in zip(identifiers, orders) where counts[identifier] == nil {
      try finishMessages(at: order.order.time, only: [identifier])
    }
    try audit(
      zip(identifiers, orders).map { identifier, order in
        AuditEntry(
          time: order.order.time, actor: order.order.actor, action: "notification.create",
          subject: "\(identifier)", affected: counts[identifier] ?? 0)
      })
    var stored: [Int64: Message] = [:]
    let results = zip(zip(identifiers, messages), orders).map { new, order in
      var progress = MessageProgress()
      progress.open = Int64(counts[new.0] ?? 0)
      let message = new.1.message.message(new.0, at: order.order.time, isOpen: progress.open > 0)
      if seats[new.0] != nil { stored[new.0] = message }
      return (message, progress)
    }
    for delivery in deliveries {
      guard let sender = delivery.line.sender, let message = stored[delivery.line.message],
        let desk = seats[delivery.line.message]
      else { continue }
      handover.add(.init(sender: sender, delivery: delivery.claimed, message: message), to: desk)
    }
    return results
  }

  /// Remembers for whom notifications were meant that had no device, so that an erasure finds them.
  func noteUnreached(_ aliases: [(message: Int64, alias: String)]) throws(RegistryError) {
    let columns: [Given] = [.int("message"), .text("alias")]
    try run(
      given: columns, aliases.map { [.int($0.message), .text(hash.alias($0.alias))] },
      "INSERT INTO unreached_aliases (message_id, alias) SELECT message, alias FROM given WHERE 1 = 1"
        + " ON CONFLICT (message_id, alias) DO NOTHING", isLater: true)
  }

  // MARK: - Keys

  private func replays(_ orders: [NotificationOrder]) throws(RegistryError) -> [[String]: Replay] {
    let keys = orders.compactMap { order in order.key.map { [SQLValue.text(order.actor), .text($0.key)] } }
    let isSame = "k.key_hash = given.key"
    #if PLANTED_BUGS
      let isOwn = ServiceBug.keyAcrossCredentials.isPlanted ? "" : " AND k.actor = given.actor"
    #else
      let isOwn = " AND k.actor = given.actor"
    #endif
    let rows = try run(
      given: [.text("actor"), .text("key")], keys,
      "SELECT given.actor AS actor, k.key_hash AS key_hash, k.request_hash AS request_hash, k.status AS status,"
        + " k.body AS body, k.message_id AS message_id FROM given JOIN idempotency_keys AS k"
        + " ON \(isSame)\(isOwn)")
    var replays: [[String]: Replay] = [:]
    for row in rows { replays[[try row.text("actor"), try row.text("key_hash")]] = try Replay(row) }
    return replays
  }

  private func keep(
    _ orders: [(NotificationOrder, NotificationOrder.Result)]
  ) throws(RegistryError) {
    var rows: [[SQLValue]] = []
    for (order, result) in orders {
      guard let key = order.key, let answer = order.kept(result) else { continue }
      let message: Int64? = if case .stored(let message, _) = result { message.identifier } else { nil }
      rows.append([
        .text(order.actor), .text(key.key), .text(key.request), .int(Int64(answer.status)),
        .text(answer.body), .int(order.time.milliseconds), SQLValue(message),
      ])
    }
    guard let time = orders.map({ $0.0.time }).max(), !rows.isEmpty else { return }
    try forgetOldKeys(at: time)
    let columns: [Given] = [
      .text("actor"), .text("key_hash"), .text("request_hash"), .int("status"), .text("body"),
      .int("created_at"), .int("message_id"),
    ]
    let names = columns.map(\.name).joined(separator: ", ")
    try run(
      given: columns, rows, "INSERT INTO idempotency_keys (\(names)) SELECT \(names) FROM given",
      isLater: true)
  }

  // MARK: - Aliases

  /// Whom the aliases of orders mean, in their order. The devices stay as they are until this transaction ends.
  private func devicesNamed(by orders: [NotificationOrder]) throws(RegistryError) -> [AliasDevices] {
    let limit = MessageReader.targetLimit + 1
    guard database.dialect.hasArrays else {
      return try orders.map { order throws(RegistryError) in
        try devices(ofAliases: order.request.aliases, order.request.content, limit: limit)
      }
    }
    // By bytes, as the store compares them.
    func key(_ name: [String]) -> [[UInt8]] { name.map { Array($0.utf8) } }
    var names: [[[UInt8]]: [String]] = [:]
    for order in orders {
      let content = order.request.content
      for alias in order.request.aliases {
        let name = [alias, content.topic.text, content.environment.rawValue]
        names[key(name)] = name
      }
    }
    let sorted = names.sorted { left, right in
      left.key.lexicographicallyPrecedes(right.key) { $0.lexicographicallyPrecedes($1) }
    }
    let columns: [Given] = [.text("alias"), .text("topic"), .text("environment")]
    let rows = try run(
      given: columns, sorted.map { $0.value.map(SQLValue.text) },
      "SELECT found.id, found.token, given.alias, given.topic, given.environment FROM given CROSS JOIN LATERAL"
        + " (SELECT id, token FROM devices WHERE alias = given.alias AND topic = given.topic"
        + " AND environment = given.environment AND unregistered_at IS NULL ORDER BY id LIMIT $4) AS found"
        + " ORDER BY found.id", others: [.int(Int64(limit))])
    let now = try share(rows.ints("id")) ?? [:]
    var tokens: [[[UInt8]]: [String]] = [:]
    for row in rows {
      let alias = try row.text("alias")
      guard alias.isStored(as: now[try row.int("id")]) else { continue }
      let name = [alias, try row.text("topic"), try row.text("environment")]
      tokens[key(name), default: []].append(try row.text("token"))
    }
    return orders.map { order in
      let content = order.request.content
      var devices = AliasDevices()
      for alias in order.request.aliases {
        let found = tokens[key([alias, content.topic.text, content.environment.rawValue])] ?? []
        if found.isEmpty { devices.unreached.append(alias) }
        devices.tokens += found
      }
      return devices
    }
  }
}

extension RegistryStore.NewMessage {
  /// What is stored of a notification.
  fileprivate func message(_ identifier: Int64, at now: WallTime, isOpen: Bool) -> Message {
    Message(
      identifier: identifier, kind: kind, content: content, audience: audience,
      state: isOpen ? .running : .completed,
      estimate: estimate, createdAt: now, finishedAt: isOpen ? nil : now,
      giveUpAt: lastDue.advanced(by: RegistryStore.patience))
  }
}
