internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanDaemon

/// What is checked when the faults are over and everything has drained.
extension ServiceWorld {
  /// Ours: more turns than any story has needed; a retry of APNs' waits for two hours at the longest.
  private static let turnLimit = 2_000

  /// Lets everything come to its end.
  func drain() {
    place = story.entries.count
    disk.faults = .init()
    apns.mood = .healthy
    startServer()
    for campaign in model.notes.values.sorted(by: { $0.word < $1.word }) where campaign.person == nil {
      if let identifier = campaign.identifier {
        send("POST", "/v1/campaigns/\(identifier)/resume", for: .control("campaign.resume"))
      }
    }
    var calm = 0
    for _ in 0..<Self.turnLimit where calm < 3 && violation == nil {
      settle()
      let isOpen = openCount != 0 || server?.sender.underWay ?? 0 > 0 || !flights.isEmpty
      calm = isOpen ? 0 : calm + 1
      time.advance(server?.sender.underWay ?? 0 > 0 ? 50 : 20_000)
    }
    require(calm >= 3, .drains, "after \(Self.turnLimit) turns \(openCount ?? -1) deliveries are open")
  }

  /// Does what can be done now.
  private func settle() {
    guard let server else { return startServer() }
    while server.registry.step() {}
    server.sender.turn()
    server.registry.advanceErasures(to: time.now)
    while server.registry.step() {}
    hear()
  }

  /// Deliveries that have not ended; nil where the store does not answer.
  private var openCount: Int? {
    guard let registry = server?.registry else { return nil }
    let campaigns = model.notes.values.filter { $0.person == nil }.compactMap {
      $0.identifier.flatMap { Int64($0) }
    }
    return try? registry.askAndWait { store throws(RegistryError) in
      var count = 0
      for state in [DeliveryState.queued, .held, .sending] {
        var filter = DeliveryFilter()
        filter.state = state
        count += try store.deliveries(filter, before: nil, limit: 1_000).count
      }
      for campaign in campaigns.sorted() where try store.progress(of: campaign).isExpanding { count += 1 }
      return count
    }
  }

  func checkEnd() {
    guard violation == nil, server != nil else { return }
    for device in tokens.indices { look(device) }
    for _ in 0..<100 where !flights.isEmpty { settle() }
    checkNotes()
    checkAudit()
    for text in reports.texts { checkSecrets(text, "a message to the operator") }
  }

  private func checkNotes() {
    for note in model.notes.values.sorted(by: { $0.word < $1.word }) {
      let twice = note.accepted.filter { $0.value > 1 }
      guard let identifier = note.identifier else {
        require(
          twice.isEmpty, .deliveryAtMostOnce,
          "'\(note.word)' was accepted twice for device \(twice.keys.min() ?? 0), and no client was told its message"
        )
        continue
      }
      guard let registry = server?.registry, let number = Int64(identifier) else { continue }
      let found = try? registry.askAndWait { store throws(RegistryError) in try store.progress(of: number) }
      guard let progress = found else {
        require(false, .deliveryStored, "message \(identifier) of '\(note.word)' cannot be read")
        continue
      }
      require(
        twice.isEmpty || progress.maybeTwice > 0, .deliveryAtMostOnce,
        "'\(note.word)' was accepted twice for device \(twice.keys.min() ?? 0), and the journal does not say that it may be"
      )
      require(
        progress.count(.accepted) <= note.accepted.count, .acceptedIsTrue,
        "the journal counts \(progress.count(.accepted)) accepted pushes of '\(note.word)', APNs accepted "
          + "\(note.accepted.count)")
    }
  }

  private func checkAudit() {
    guard let registry = server?.registry else { return }
    let entries = try? registry.askAndWait { store throws(RegistryError) in try store.auditLog(limit: 100_000)
    }
    guard let entries else { return require(false, .auditComplete, "the audit log cannot be read") }
    for (actions, count) in model.audited.sorted(by: { $0.key < $1.key }) {
      let known = actions.split(separator: " ").map(String.init)
      let found = entries.count { known.contains($0.action) }
      require(
        (count.certain...count.possible).contains(found), .auditComplete,
        "'\(actions)' has \(found) lines in the audit log; expected \(count.certain) to \(count.possible)")
    }
  }
}
