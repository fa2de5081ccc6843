internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanDaemon
internal import PushSending
internal import RegistryRequests
internal import SimulatedStores

/// What is checked when the faults are over and everything has drained.
extension ServiceWorld {
  /// Ours: more turns than any story has needed; a retry of APNs' waits for two hours at the longest.
  private static let turnLimit = 2_000

  /// Turns after which somebody resumes campaigns again. Ours.
  private static let resumePeriod = 200

  /// Requests of one credential in a minute, below what the servers let in.
  private static let askedTogether = requestsPerMinute - 5

  /// Lets everything come to its end.
  func drain() {
    place = story.entries.count
    disk.faults = .init()
    postgres?.state = .healthy
    apns.mood = .healthy
    if !configuration.configuration.isGood { configure(0) }
    startServers()
    settle(until: { flights.isEmpty })
    let campaigns = model.notes.values.filter { $0.person == nil }.sorted { $0.word < $1.word }
      .compactMap(\.identifier)
    resume(campaigns)
    var calm = 0
    for turn in 1...Self.turnLimit where calm < 3 && violation == nil {
      settle()
      // One that starts meanwhile pauses where its audience has grown.
      if turn.isMultiple(of: Self.resumePeriod) { resume(campaigns) }
      let isOpen = isSending || !flights.isEmpty || isWaiting
      calm = isOpen ? 0 : calm + 1
      time.advance(isSending ? 50 : 20_000)
    }
    require(calm >= 3, .drains, "after \(Self.turnLimit) turns deliveries are open")
  }

  private func resume(_ campaigns: [String]) {
    for start in stride(from: 0, to: campaigns.count, by: Self.askedTogether) {
      letMinutePass()
      for identifier in campaigns[start..<min(campaigns.count, start + Self.askedTogether)] {
        send("POST", "/v1/campaigns/\(identifier)/resume", for: .control("campaign.resume"))
      }
      settle()
    }
  }

  /// What was asked before counts no more after it. Everybody goes on meanwhile: a sender that does not turn for that long loses
  /// its lease, and with it what APNs asked of it.
  private func letMinutePass() {
    for _ in 0..<13 {
      settle()
      time.advance(5_000)
    }
  }

  private var isSending: Bool { servers.contains { $0?.sender.isBusy ?? false } }

  /// Does what can be done until something is so, or for a while.
  func settle(until isDone: () -> Bool) {
    for _ in 0..<100 where !isDone() {
      settle()
      time.advance(50)
    }
  }

  /// Does what can be done now.
  private func settle() {
    time.begin()
    startServers()
    for index in servers.indices {
      guard let server = running(index) else { continue }
      while server.registry.step() {}
      server.sender.turn()
      server.registry.advanceErasures(to: time.now)
      while server.registry.step() {}
    }
    turnSites()
    hear()
    require(!time.isStuck, .drains, "a loop turns and never ends")
  }

  /// Whether deliveries have not ended, as far as the store answers.
  private var isWaiting: Bool {
    guard let index = anyServer(), let registry = running(index)?.registry else { return true }
    let campaigns = model.notes.values.filter { $0.person == nil }.compactMap {
      $0.identifier.flatMap { Int64($0) }
    }
    let answer = try? registry.askAndWait { store throws(RegistryError) in
      for state in [DeliveryState.queued, .held, .sending] {
        var filter = DeliveryFilter()
        filter.state = state
        if try !store.deliveries(filter, before: nil, limit: 1).isEmpty { return true }
      }
      for campaign in campaigns.sorted() where try store.progress(of: campaign).isExpanding { return true }
      return false
    }
    return answer ?? true
  }

  func checkEnd() {
    guard violation == nil else { return }
    time.advance(61_000)
    for device in tokens.indices { look(device) }
    for _ in 0..<100 where !flights.isEmpty { settle() }
    checkChannels()
    checkRegistryWatches()
    checkSitesAtEnd()
    guard violation == nil, let index = anyServer(), let registry = running(index)?.registry else { return }
    checkNotes(registry)
    checkAudit(registry)
    for text in reports.texts.sorted() { checkReport(text) }
    for fault in postgres?.faults ?? [] { reached.insert("postgres \(fault)") }
    for status in apns.statuses { reached.insert("apns \(status)") }
  }

  private func checkNotes(_ registry: Registry) {
    for note in model.notes.values.sorted(by: { $0.word < $1.word }) {
      let twice = note.accepted.filter { $0.value > 1 }
      guard let identifier = note.identifier else {
        require(
          twice.isEmpty || maySendTwice(note, registry), .deliveryAtMostOnce,
          "'\(note.word)' was accepted twice for device \(twice.keys.min() ?? 0), and no message in the journal "
            + "says that it may be")
        continue
      }
      guard let number = Int64(identifier) else { continue }
      let found = try? registry.askAndWait { store throws(RegistryError) in
        (isThere: try store.message(number) != nil, progress: try store.progress(of: number))
      }
      guard let (isThere, progress) = found, isThere else {
        require(note.mayBeGone, .deliveryStored, "message \(identifier) of '\(note.word)' cannot be read")
        continue
      }
      checkTotal(of: note, progress)
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

  /// Whether the journal says that pushes may have been sent twice, for a message whose number no client was told: its request
  /// ended without an answer. One that was pruned, or erased by a request that also ended without one, cannot be found.
  private func maySendTwice(_ note: ServiceModel.Note, _ registry: Registry) -> Bool {
    let answer = try? registry.askAndWait { store throws(RegistryError) in
      var found = false
      for message in try store.messages(nil, topics: nil, limit: 100_000)
      where message.content.payload.holds(note.word) {
        if try store.progress(of: message.identifier).maybeTwice > 0 { return true }
        found = true
      }
      return !found
    }
    return answer ?? false
  }

  /// As many deliveries as the client was told of have come to an end.
  private func checkTotal(of note: ServiceModel.Note, _ progress: MessageProgress) {
    for state in progress.outcomes.keys { reached.insert("delivery \(state.rawValue)") }
    if progress.maybeTwice > 0 { reached.insert("delivery maybe-twice") }
    guard let expected = note.deliveries else { return }
    let ended = progress.outcomes.values.reduce(0) { $0 + $1.values.reduce(0, +) }
    require(
      Int(progress.open) + Int(ended) == expected, .deliveryStored,
      "'\(note.word)' had \(expected) deliveries, and the journal has \(progress.open) open and \(ended) that ended"
    )
  }

  private func checkAudit(_ registry: Registry) {
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
