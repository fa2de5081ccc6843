import LinkspanCore
import PushProvider
import PushTerms

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import RegistryRequests

/// Senders, erasures, and the journal.
extension RegistryHistory {
  private static let senders = ["one", "two"]

  func claim() {
    let sender = Self.senders[draw(2)]
    let (now, limit) = (now, 1 + draw(8))
    let topics: TopicChoice =
      switch draw(4) {
      case 0: .only([PushTopic(Self.topics[0])!])
      case 1: .except([PushTopic(Self.topics[0])!])
      default: .all
      }
    let claimed = try? registry.changeAndWait { store throws(RegistryError) -> [ClaimedDelivery] in
      try store.renewLease(of: sender, for: .seconds(1_000_000), at: now)
      let claimed = try store.claim(sender, .production, of: topics, limit: limit, at: now, zone: Self.zone)
      return claimed.sorted { $0.identifier < $1.identifier }
    }
    note("\(sender) claims", claimed as Any)
    // What was taken over is not recorded twice.
    let again = Set((claimed ?? []).map(\.identifier))
    for sender in Self.senders { held[sender]?.removeAll { again.contains($0.identifier) } }
    held[sender, default: []] += claimed ?? []
    let ids = (claimed ?? []).map(\.identifier)
    ask("\(sender) asks") { store throws(RegistryError) in try store.revoked(of: sender, claimed: ids) }
  }

  func record() {
    let (sender, now) = (Self.senders[draw(2)], now)
    let all = held[sender] ?? []
    let part = all.prefix(all.isEmpty ? 0 : 1 + draw(all.count))
    held[sender] = Array(all.dropFirst(part.count))
    let outcomes = part.map { delivery -> DeliveryOutcome in
      var outcome: DeliveryOutcome
      switch draw(8) {
      case 0: outcome = DeliveryOutcome(delivery.identifier, .rejected, status: 410, reason: "Unregistered")
      case 1: outcome = DeliveryOutcome(delivery.identifier, .rejected, status: 400, reason: "BadDeviceToken")
      case 2:
        outcome = DeliveryOutcome(delivery.identifier, .later(now.advanced(by: .seconds(5))), status: 503)
      case 3: outcome = DeliveryOutcome(delivery.identifier, .unsent)
      case 4: outcome = DeliveryOutcome(delivery.identifier, .expired)
      default: outcome = DeliveryOutcome(delivery.identifier, .accepted, status: 200)
      }
      if outcome.reason == "Unregistered" { outcome.news = .dead(since: now) }
      if outcome.reason == "BadDeviceToken" { outcome.news = .suspect }
      if outcome.news != nil { outcome.address = delivery.token }
      outcome.isMaybeTwice = draw(6) == 0
      return outcome
    }
    _ = change("\(sender) records") { store throws(RegistryError) in
      try store.record(outcomes, of: sender, at: now)
    }
  }

  func takeOver() {
    let (sender, now, isClean) = (Self.senders[draw(2)], now, draw(2) == 0)
    held[sender] = isClean ? held[sender] : []
    _ = change("\(sender) ends") { store throws(RegistryError) -> Int in
      if isClean { try store.endLease(of: sender) }
      try store.renewLease(of: sender, for: .seconds(-1_000_000), at: now)
      return try store.takeOver(limit: 3, at: now)
    }
    _ = change("\(sender) knows") { store throws(RegistryError) in
      try store.putBackUnknown(to: sender, known: [], at: now)
    }
  }

  func erase() {
    let answers = Answers()
    let entry = AuditEntry(time: now, actor: "test", action: "alias.erase")
    let topics = draw(4) == 0 ? [Self.topics[draw(2)]] : nil
    registry.erase(alias: "person-\(draw(Self.personCount))", topics: topics, entry) {
      answers.add("erase", $0)
    }
    while registry.step() {}
    registry.advanceErasures(to: now)
    registry.advanceErasures(to: now.advanced(by: .seconds(60)))
    finish(answers)
  }

  func prune() {
    if draw(3) == 0 { now = now.advanced(by: .seconds(chance.draw(1...4) * 86_400)) }
    var retention = RegistryStore.Retention(transactional: .seconds(90_000), campaign: .seconds(180_000))
    retention.waitsForExport = draw(4) == 0
    let (now, kept) = (now, retention)
    attempt("prune") { () throws(RegistryError) in try registry.keepJournal(kept, at: now) }
    // Of a day whose partition may be gone.
    if let message = messages.first {
      ask("states") { store throws(RegistryError) in try store.states(of: [message]) }
    }
  }

  // MARK: - The journal

  func export() {
    var now = now
    if draw(2) == 0 { now = now.advanced(by: .seconds(90_000)) }
    let (time, owner) = (now, "owner-\(draw(2))")
    if let export = change("export", { store throws(RegistryError) in try store.takeExport(owner, at: time) })
      ?? nil
    {
      exports.append(export)
    }
    guard let export = exports.last else { return }
    let isWhole = draw(2) == 0
    ask("export's page") { store throws(RegistryError) in try store.page(of: export, after: nil, limit: 5) }
    _ = change("export's end") { store throws(RegistryError) in
      try store.note(export, lines: 3, isWhole: isWhole, at: time)
    }
  }

  func readJournal() {
    var filter = DeliveryFilter()
    switch draw(6) {
    case 0: filter.state = [.queued, .sending, .accepted, .rejected, .cancelled][draw(5)]
    case 1: filter.topic = Self.topics[draw(2)]
    case 2: filter.reason = ["Unregistered", "BadDeviceToken"][draw(2)]
    case 3: filter.token = token(draw(Self.deviceCount))
    case 4: filter.isMaybeTwice = draw(2) == 0
    default: filter.notification = messages.last
    }
    let (sought, now) = (filter, now)
    ask("deliveries") { store throws(RegistryError) in try store.deliveries(sought, limit: 20) }
    if let message = messages.isEmpty ? nil : messages[draw(messages.count)] {
      ask("progress") { store throws(RegistryError) in try store.progress(of: message) }
      ask("message") { store throws(RegistryError) in try store.message(message) }
    }
    ask("minutes") { store throws(RegistryError) in
      let minute = now.milliseconds / 60_000
      return try store.counts(ofMinutes: (minute - 60)..<(minute + 1))
    }
    ask("oldest") { store throws(RegistryError) in try store.oldestUnfinishedDue(at: now) }
    ask("audit log") { store throws(RegistryError) in
      try store.auditLog(limit: 5, search: "device", hasRejections: false)
    }
  }
}
