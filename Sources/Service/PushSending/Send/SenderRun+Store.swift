internal import DeviceRegistry
internal import LinkspanCore
internal import PushCampaigns
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
internal import RegistryRequests

/// What a sender and the store tell each other.
extension SenderRun {
  /// Deliveries of dead senders that are freed at a time. Ours.
  private static let takeOverCount = 1_000
  /// How often campaigns are started whose time has come. Ours.
  private static let startPause = Duration.seconds(1)
  /// How often a sender asks whether what it holds may still go out. Ours: an erasure waits that long at least.
  private static let askingPause = Duration.milliseconds(100)
  /// Messages that are kept in memory. Ours: 5 KB each.
  private static let messageCount = 500

  private struct Question: Sendable {
    var identity: String
    var environment: PushEnvironment
    var pending: [Pending]
    /// Deliveries that fall due now.
    var forward: [Int64]
    /// Deliveries that this sender knows it holds; nil where it is sure.
    var known: Set<Int64>?
    /// Whether the lease is to be renewed, and what goes with it.
    var lease: Duration?
    var limit: Int
    var topics: TopicChoice
    var knownMessages: Set<Int64>
    var startsCampaigns: Bool
    var zone: @Sendable (String) -> TimeZoneRules?
    /// The last message of which it was looked whether it has ended.
    var sweptTo: Int64
    /// Whether more of campaigns that were cancelled or go on waits than the last exchange has settled.
    var settlesCampaigns: Bool
    var now: WallTime
  }

  private struct Exchanged: Sendable {
    var recorded: [RegistryStore.Recorded] = []
    var claimed: [ClaimedDelivery] = []
    var messages: [Message] = []
    var started: [StartedCampaign] = []
    var misunderstood: [MisunderstoodCampaign] = []
    var freedCount = 0
    var sweptTo: Int64 = 0
    var hasUnsettled = false
    var oldestUnfinishedDue: WallTime?
  }

  /// Records what is known and takes what is due, in one transaction.
  package mutating func exchange() {
    // What it holds without knowing is asked for when everything has arrived that it will know of.
    let settles = isUncertain && desk.close()
    if settles { receive() }
    let now = sender.surroundings.now()
    let lease = Int64(sender.settings.leaseSeconds) * 1_000
    let renews = Self.isOver(.milliseconds(lease / 4), since: renewedAt, at: now)
    let room = full - underWay
    let known = Set(
      ((lane?.flights.values).map(Array.init) ?? []).map(\.delivery)
        + leaving.flatMap { $0.flights.values.map(\.delivery) })
    let startsCampaigns = Self.isOver(Self.startPause, since: startedAt, at: now)
    let question = Question(
      identity: identity, environment: sender.environment, pending: pending, forward: forward,
      known: settles ? known : nil, lease: renews ? .milliseconds(lease) : nil,
      limit: room >= full / 4 ? min(room, appetite(at: now)) : 0, topics: account?.topics ?? .all,
      knownMessages: Set(messages.keys),
      startsCampaigns: startsCampaigns, zone: sender.zone, sweptTo: sweptTo,
      settlesCampaigns: hasUnsettled, now: now)
    do throws(RegistryError) {
      let exchanged = try sender.registry.changeAsSender { store throws(RegistryError) in
        try Self.answer(question, store)
      }
      if settles { isUncertain = false }
      pending = []
      forward = []
      pendingSince = nil
      if renews { renewedAt = now }
      if startsCampaigns { startedAt = now }
      take(exchanged, question)
    } catch {
      isUncertain = isUncertain || error.kind == .uncertain
      #if PLANTED_BUGS
        if ServiceBug.storeAwayBeforeOutcome.isPlanted { pending = [] }
        if ServiceBug.uncertainClaimForgotten.isPlanted { isUncertain = false }
      #endif
      sender.counters.noteStoreFailure()
      sender.noteFailure(error)
      wait(after: now)
    }
  }

  /// Pushes that it holds at most.
  private var full: Int { window * sender.settings.connections }

  private func appetite(at now: WallTime) -> Int {
    sender.isStopping ? 0 : lane?.appetite(at: now) ?? 0
  }

  // MARK: - The desk

  /// Takes what this process has stored for it. What it cannot send is given free.
  mutating func receive() {
    let (handed, isUncertain) = desk.take()
    self.isUncertain = self.isUncertain || isUncertain
    guard !handed.isEmpty else { return }
    let now = sender.surroundings.now()
    let mayGo = appetite(at: now) > 0
    for item in handed {
      let takes = account?.topics.takes(item.message.content.topic.text) ?? false
      guard mayGo, takes, item.sender == identity else {
        add([DeliveryOutcome(item.delivery.identifier, .unsent)], of: item.sender)
        continue
      }
      submit(item.delivery, of: item.message, at: now)
    }
  }

  /// Says for how much it has room: a quarter is kept for what waits in the queue, and while more waits there than it takes, nothing
  /// overtakes it.
  mutating func openDesk() {
    let now = sender.surroundings.now()
    let room = isBehind || isUncertain ? 0 : min(full - full / 4 - underWay, appetite(at: now))
    guard room > 0, let lane, let account else {
      desk.close()
      return
    }
    desk.open(.init(identity, room: room, topics: account.topics, wake: lane.alarm))
  }

  private static func answer(
    _ question: Question, _ store: RegistryStore
  ) throws(RegistryError) -> Exchanged {
    var exchanged = Exchanged()
    let now = question.now
    for pending in question.pending {
      exchanged.recorded.append(try store.record(pending.outcomes, of: pending.owner, at: now))
    }
    try store.bringForward(question.forward, to: now)
    if let known = question.known {
      try store.putBackUnknown(to: question.identity, known: known, at: now)
    }
    if let lease = question.lease {
      try store.renewLease(of: question.identity, for: lease, at: now)
      exchanged.freedCount = try store.takeOver(limit: takeOverCount, at: now)
      exchanged.oldestUnfinishedDue = try store.oldestUnfinishedDue(at: now)
      exchanged.sweptTo = try store.finishMessages(at: now, after: question.sweptTo)
    }
    if question.lease != nil || question.settlesCampaigns {
      exchanged.hasUnsettled = try store.settleWaiting(at: now)
    }
    if question.startsCampaigns { exchanged.started = try store.startDue(at: now, zone: question.zone) }
    if question.limit > 0 {
      exchanged.claimed = try store.claim(
        question.identity, question.environment, of: question.topics, limit: question.limit, at: now,
        zone: question.zone)
    }
    exchanged.misunderstood = store.takeMisunderstood()
    let unknown = Set(exchanged.claimed.map(\.message)).subtracting(question.knownMessages)
    exchanged.messages = try store.messages(unknown)
    return exchanged
  }

  private mutating func take(_ exchanged: Exchanged, _ question: Question) {
    for recorded in exchanged.recorded {
      sender.counters.note(recorded)
      if !recorded.ends.isEmpty { window = min(window * 2, PushSender.window) }
    }
    if question.lease != nil {
      sweptTo = exchanged.sweptTo
      sender.counters.noteTakenOver(exchanged.freedCount)
      let lag = exchanged.oldestUnfinishedDue.map { question.now.milliseconds - $0.milliseconds } ?? 0
      sender.counters.show(lag: .milliseconds(lag))
      measure()
    }
    hasUnsettled = exchanged.hasUnsettled
    for campaign in exchanged.started { sender.noteStart(campaign) }
    for campaign in exchanged.misunderstood { sender.note(campaign) }
    if question.limit > 0 { isBehind = exchanged.claimed.count >= question.limit }
    if messages.count > Self.messageCount { messages = [:] }
    for message in exchanged.messages { messages[message.identifier] = message }
    askAgain(before: exchanged.claimed, at: question.now)
    let isBusy = !exchanged.claimed.isEmpty || question.limit == 0 && underWay > 0
    let outcomes = question.pending.reduce(0) { $0 + $1.outcomes.count }
    rest(
      after: question.now, pushes: outcomes + exchanged.claimed.count,
      isBusy: isBusy || exchanged.freedCount > 0)
  }

  /// Has the store counted by a thread that reads, for the page of metrics.
  private func measure() {
    let (counters, environment) = (sender.counters, sender.environment)
    sender.registry.ask({ store throws(RegistryError) in try store.size(environment) }) { answer in
      // What cannot be counted now is counted with the next lease; a store that fails is told of elsewhere.
      if case .success(let size) = answer { counters.show(size, of: environment) }
    }
  }

  /// Sends what was claimed, except for devices that have left in the meantime, and takes back what waits for such ones. It
  /// asks once for each batch of campaigns that it has claimed, and now and then while it holds any. Of a notification the
  /// claim itself has seen that its device is there: who removes one waits for the delivery.
  private mutating func askAgain(before claimed: [ClaimedDelivery], at now: WallTime) {
    let isTime = underWay > 0 && Self.isOver(Self.askingPause, since: askedAt, at: now)
    guard isTime || claimed.contains(where: { $0.lane == .campaign }) else { return submit(claimed) }
    let identity = identity
    let campaigns = claimed.filter { $0.lane == .campaign }.map(\.identifier)
    do throws(RegistryError) {
      let revoked = try sender.registry.askAndWait { store throws(RegistryError) in
        try store.revoked(of: identity, claimed: campaigns)
      }
      askedAt = now
      cancel(revoked, of: claimed)
      submit(claimed.filter { !revoked.contains($0.identifier) })
    } catch {
      // Nothing goes out unasked.
      add(claimed.map { DeliveryOutcome($0.identifier, .unsent) })
      sender.counters.noteStoreFailure()
      sender.noteFailure(error)
    }
  }

  private mutating func cancel(_ revoked: Set<Int64>, of claimed: [ClaimedDelivery]) {
    guard !revoked.isEmpty else { return }
    var withdrawn = lane?.withdraw(revoked) ?? []
    for index in leaving.indices { withdrawn += leaving[index].withdraw(revoked) }
    let unsent = claimed.map(\.identifier).filter(revoked.contains) + withdrawn.map(\.delivery)
    add(unsent.map { DeliveryOutcome($0, .cancelled) })
  }

  private mutating func submit(_ claimed: [ClaimedDelivery]) {
    let now = sender.surroundings.now()
    for delivery in claimed {
      guard let message = messages[delivery.message] else {
        // It was forgotten a moment ago, and is read again with the next claim.
        add([DeliveryOutcome(delivery.identifier, .unsent)])
        continue
      }
      submit(delivery, of: message, at: now)
    }
  }

  private mutating func submit(_ delivery: ClaimedDelivery, of message: Message, at now: WallTime) {
    guard !message.content.isExpired(at: now), now < message.giveUpAt else {
      return add([DeliveryOutcome(delivery.identifier, .overdue)])
    }
    do throws(DeviceTokenError) {
      let token = try DeviceToken(delivery.token)
      var push = message.content.push(to: token)
      push.messageIdentifier = delivery.messageIdentifier
      if let payload = delivery.payload { push.payload = Array(payload.utf8) }
      lane?.submit(
        push,
        .init(
          delivery: delivery.identifier, token: token,
          series: .init(message.content, message.kind), attempts: delivery.attempts,
          giveUpAt: message.giveUpAt, createdAt: delivery.createdAt, sentAt: now))
    } catch {
      // No push can go there.
      add([DeliveryOutcome(delivery.identifier, .cancelled)])
    }
  }

  /// Ends: what was not sent is given free, and answers that come soon are recorded.
  package mutating func stop() {
    let end = sender.surroundings.now().advanced(by: Self.stopPatience)
    withdrawAll()
    while !desk.close() || underWay > 0, sender.surroundings.now() < end { pump() }
    receive()
    sender.registry.remove(desk)
    var attempts = 0
    while !pending.isEmpty, attempts < 10 {
      exchange()
      attempts += 1
      if !pending.isEmpty { pump() }
    }
    let identity = identity
    do throws(RegistryError) {
      try sender.registry.changeAsSender { store throws(RegistryError) in try store.endLease(of: identity) }
    } catch {
      // Others find out when the lease ends.
      sender.noteFailure(error)
    }
    lane?.shutdown()
    for old in leaving { old.shutdown() }
    if let key = account?.signer.identity { sender.counters.forget(key, sender.environment) }
  }
}
