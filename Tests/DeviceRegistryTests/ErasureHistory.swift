import Foundation
import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests

@testable import DeviceRegistry
@testable import RegistryDatabases

/// A few persons, their devices and a sender, played by chance; knows by a plain model what must be gone and must not go out.
struct ErasureHistory {
  /// A device token, with whom it belongs to.
  private struct Phone {
    var token: String
    /// nil where it is not registered.
    var owner: Owner?
    /// Whose it was last.
    var lastOwner: Owner?
    /// The person that it left last.
    var formerPerson: Int?
  }

  private enum Owner: Hashable {
    case nobody
    case person(Int)
  }

  /// A push to a phone: whose it was when it was queued, and whether it may still go out.
  private struct Push {
    var owner: Owner
    var mayGoOut = true
  }

  private struct Note {
    var texts: [String]
    /// By their phones: of one message a phone gets one push.
    var pushes: [Int: Push] = [:]
    /// Persons that were named and had no phone.
    var named: Set<Int> = []
  }

  /// Begins each word that a history makes up, so that one pass over bytes finds all of them. Hexadecimal digits, because
  /// words make device tokens; eight, because a scan compares them as one number.
  static let mark = "5ca77e2e"
  /// Characters of a word: the mark and 96 random bits.
  static let wordLength = 32

  private let registry: Registry
  private var chance: SeededGenerator
  private var number = 0
  private var persons: [String] = []
  private var phones: [Phone] = []
  private var phonesByToken: [String: Int] = [:]
  private var notes: [Int64: Note] = [:]
  /// Messages of this history. Earlier ones name none of its persons and phones.
  private var recent: [Int64] = []
  private var erased: Set<Int> = []
  private var sender = "sender0"
  /// What the sender has claimed and not sent.
  private var held: [ClaimedDelivery] = []
  private let now = WallTime("2026-09-14T08:00:00Z")!
  /// What must not be found after the last history, and after all.
  private(set) var lastTraces: [String] = []
  private(set) var allTraces: [String] = []
  /// Pushes that APNs got and must not have got.
  private(set) var mistakes: [String] = []

  init(_ registry: Registry, seed: UInt64) {
    self.registry = registry
    chance = SeededGenerator(seed: seed)
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &chance) }

  private mutating func word() -> String {
    let bits = (0..<3).map { _ in UInt32.random(in: .min ... .max, using: &chance) }
    return Self.mark + bits.map { ASCII.hexText(withUnsafeBytes(of: $0.bigEndian, Array.init)) }.joined()
  }

  // MARK: - One history

  /// Three persons come, something happens to them, and one is erased.
  mutating func run() async throws {
    number += 1
    lastTraces = []
    recent = []
    let firstPerson = persons.count
    for _ in 0..<3 { persons.append("person-\(word())@example.com") }
    let firstPhone = phones.count
    for _ in 0..<4 {
      phones.append(Phone(token: word() + word()))
      phonesByToken[phones[phones.count - 1].token] = phones.count - 1
    }
    for _ in 0..<(8 + pick(24)) {
      let person = firstPerson + pick(3)
      let phone = firstPhone + pick(4)
      switch pick(12) {
      case 0, 1, 2: try await register(phone, person)
      case 3: try await register(phone, nil)
      case 4, 5: try await queue(toPersons: [person])
      case 6: try await queue(toPersons: [person, firstPerson + pick(3)])
      case 7: try await queue(toPhones: [phone])
      case 8: try await delete(phone)
      case 9: try await claim()
      case 10: try await send()
      default: if pick(4) == 0 { try await die() } else { try await campaign() }
      }
    }
    try await erase(firstPerson + pick(3))
    if pick(2) == 0 { try await erase(firstPerson + pick(3)) }
    try await claim()
    try await send()
    allTraces += lastTraces
    let owned = Set(phones.compactMap { $0.owner == nil ? nil : $0.token })
    allTraces.removeAll { owned.contains($0) }
  }

  private mutating func register(_ phone: Int, _ person: Int?) async throws {
    let token = phones[phone].token
    let alias = person.map { persons[$0] }
    guard person.map({ !erased.contains($0) }) ?? true else { return }
    var registration = DeviceRegistration(
      key: try Self.key(token), given: [.alias, .tags], time: now)
    registration.attributes.alias = alias
    registration.attributes.tags = ["t\(pick(3))"]
    _ = try await registry.registered(registration)
    move(phone, to: person.map(Owner.person) ?? .nobody)
  }

  private static func key(_ token: String) throws -> DeviceKey {
    DeviceKey(
      token: try DeviceToken(token), topic: PushTopic("com.example.app")!, environment: .production)
  }

  /// What was for nobody becomes the new owner's; what was for a person goes with that person.
  private mutating func move(_ phone: Int, to owner: Owner?) {
    let before = phones[phone].owner
    phones[phone].owner = owner
    phones[phone].lastOwner = owner ?? before
    if case .person(let person) = before, before != owner { phones[phone].formerPerson = person }
    for message in recent {
      guard var push = notes[message]?.pushes[phone] else { continue }
      if case .person = before, before != owner { push.mayGoOut = false }
      if owner == nil { push.mayGoOut = false }
      if push.owner == .nobody, let owner { push.owner = owner }
      notes[message]?.pushes[phone] = push
    }
  }

  private mutating func delete(_ phone: Int) async throws {
    var filter = DeviceFilter()
    filter.token = phones[phone].token
    let now = now
    _ = try await registry.changed { [filter] store throws(RegistryError) in try store.remove(filter, at: now)
    }
    if phones[phone].owner != nil { move(phone, to: nil) }
  }

  // MARK: - Messages

  private mutating func content() -> MessageContent {
    var content = MessageContent(
      topic: PushTopic("com.example.app")!, environment: .production, type: .alert, priority: .immediate,
      payload: #"{"aps":{"alert":"secret-\#(word())"}}"#)
    content.name = "name-\(word())"
    content.collapseIdentifier = "collapse-\(word())"
    return content
  }

  private static func texts(_ content: MessageContent) -> [String] {
    [content.payload, content.name ?? "", content.collapseIdentifier ?? ""]
  }

  private mutating func queue(toPersons persons: Set<Int> = [], toPhones phones: [Int] = []) async throws {
    let content = content()
    let (aliases, tokens, now) = (
      persons.sorted().map { self.persons[$0] }, phones.map { self.phones[$0].token }, now
    )
    let message = try await registry.changed { store throws(RegistryError) -> Int64 in
      let named = try store.devices(ofAliases: aliases, content, limit: 100)
      let message = try store.add(.init(.notification, content, lastDue: now), actor: "test", at: now)
      try store.addDeliveries(of: message, content, to: tokens + named.tokens, at: now)
      try store.noteUnreached(named.unreached, of: message)
      try store.finishMessages(at: now, only: [message])
      let replay = RegistryStore.Replay(
        request: "r", status: 202, body: content.name ?? "", message: message)
      try store.keep(replay, "test", key: "\(message)", at: now)
      return message
    }
    var note = Note(texts: Self.texts(content))
    for (index, phone) in self.phones.enumerated() {
      if case .person(let person)? = phone.owner, persons.contains(person) {
        note.pushes[index] = Push(owner: .person(person))
      } else if phones.contains(index) {
        // What is sent to a phone that is not registered goes with the person that it left last.
        let former = phone.formerPerson.flatMap { erased.contains($0) ? nil : Owner.person($0) }
        note.pushes[index] = Push(owner: phone.owner ?? former ?? .nobody)
      }
    }
    for person in persons where !note.pushes.values.contains(where: { $0.owner == .person(person) }) {
      note.named.insert(person)
    }
    notes[message] = note
    recent.append(message)
  }

  /// A campaign to the phones with a tag; its recipients are known when it is claimed.
  private mutating func campaign() async throws {
    let content = content()
    var audience = Audience()
    audience.tags = ["t\(pick(3))"]
    let request = CampaignRequest(content: content, audience: audience, isPaused: false)
    let now = now
    let message = try await registry.changed { store throws(RegistryError) -> Int64 in
      let plan = try store.plan(request, at: now) { _ in nil }
      return try store.addCampaign(request, plan, actor: "test", at: now)
    }
    notes[message] = Note(texts: Self.texts(content))
    recent.append(message)
    // All of them, so that the model knows whose they are.
    while try await claim() > 0 { try await send() }
  }

  // MARK: - The sender

  @discardableResult
  private mutating func claim() async throws -> Int {
    let (sender, now) = (sender, now)
    let claimed = try await registry.changed { store throws(RegistryError) -> [ClaimedDelivery] in
      // PostgreSQL's own clock ends it, and this sender does not look whether it has one: a slow machine must not end it.
      try store.renewLease(of: sender, for: .seconds(86_400), at: now)
      return try store.claim(sender, .production, limit: 30, at: now)
    }
    for delivery in claimed {
      guard let phone = phonesByToken[delivery.token], notes[delivery.message]?.pushes[phone] == nil else {
        continue
      }
      notes[delivery.message]?.pushes[phone] = Push(owner: phones[phone].owner ?? .nobody)
    }
    held += claimed
    return claimed.count
  }

  /// Asks again, sends what may go out, and records what became of it.
  private mutating func send() async throws {
    let (sender, claimed) = (sender, held.map(\.identifier))
    let revoked = try await registry.answer { store throws(RegistryError) in
      try store.revoked(of: sender, claimed: claimed)
    }
    var outcomes: [DeliveryOutcome] = []
    for delivery in held {
      if revoked.contains(delivery.identifier) {
        outcomes.append(DeliveryOutcome(delivery.identifier, .cancelled))
      } else {
        check(delivery)
        let ends: [DeliveryOutcome.End] = [.accepted, .accepted, .rejected, .later(now), .unsent]
        outcomes.append(DeliveryOutcome(delivery.identifier, ends[pick(ends.count)]))
      }
    }
    held = []
    let now = now
    _ = try await registry.changed { [outcomes] store throws(RegistryError) in
      try store.record(outcomes, of: sender, at: now)
    }
  }

  private mutating func check(_ delivery: ClaimedDelivery) {
    let push = phonesByToken[delivery.token].flatMap { notes[delivery.message]?.pushes[$0] }
    guard let push, push.mayGoOut else {
      mistakes.append("APNs got delivery \(delivery.identifier) of message \(delivery.message)")
      return
    }
    if case .person(let person) = push.owner, erased.contains(person) {
      mistakes.append("APNs got delivery \(delivery.identifier) of an erased person")
    }
  }

  /// The sender ends without a word, and another takes over.
  private mutating func die() async throws {
    let (old, now) = (sender, now)
    sender = "sender\(number)-\(pick(1_000_000))"
    held = []
    _ = try await registry.changed { store throws(RegistryError) in
      try store.renewLease(of: old, for: .seconds(-1), at: now)
      return try store.takeOver(limit: 1_000, at: now)
    }
  }

  // MARK: - Erasing

  private mutating func erase(_ person: Int) async throws {
    guard erased.insert(person).inserted else { return }
    let (receipts, receipt) = AsyncStream<Result<ErasureReceipt, RegistryError>>.makeStream()
    let entry = AuditEntry(time: now, actor: "test", action: "alias.erase")
    registry.erase(alias: persons[person], topics: nil, entry) { receipt.yield($0) }
    // The sender goes on meanwhile, and may ask before the erasure is stored.
    if pick(2) == 0 { try await takeBack() }
    // Stored after the erasure: one thread writes.
    try await registry.changed { _ in }
    try await takeBack()
    for await result in receipts {
      for rest in try result.get().remains where rest.place.contains("push") {
        mistakes.append("the receipt did not wait: \(rest.place)")
      }
      break
    }
    for phone in phones.indices where phones[phone].owner == .person(person) { move(phone, to: nil) }
    note(person)
  }

  /// Cancels what the sender holds and must not send.
  private mutating func takeBack() async throws {
    let (sender, now) = (sender, now)
    let revoked = try await registry.answer { store throws(RegistryError) in
      try store.revoked(of: sender, claimed: [])
    }
    let outcomes = held.filter { revoked.contains($0.identifier) }.map {
      DeliveryOutcome($0.identifier, .cancelled)
    }
    guard !outcomes.isEmpty else { return }
    held.removeAll { revoked.contains($0.identifier) }
    _ = try await registry.changed { store throws(RegistryError) in
      try store.record(outcomes, of: sender, at: now)
    }
  }

  /// Adds what must not be found any more.
  private mutating func note(_ person: Int) {
    lastTraces.append(persons[person])
    let notes = recent.compactMap { self.notes[$0] }
    for note in notes {
      let owners = Set(note.pushes.values.map(\.owner))
      let isTheirs = { (owner: Owner) in
        if case .person(let one) = owner { erased.contains(one) } else { false }
      }
      let isMeant = owners.contains(.person(person)) || note.named.contains(person)
      if isMeant, owners.allSatisfy(isTheirs) { lastTraces += note.texts }
    }
    // A phone that is somebody else's now keeps its token there, and one that is not registered may still be sent to.
    let waiting = Set(
      notes.flatMap(\.pushes).filter { $0.value.owner == .nobody && $0.value.mayGoOut }.map(\.key))
    for (index, phone) in phones.enumerated()
    where phone.owner == nil && phone.lastOwner == .person(person) && !waiting.contains(index) {
      lastTraces.append(phone.token)
    }
  }
}
