import Foundation
import LinkspanCore
import PushProvider
import PushTerms

@testable import DeviceRegistry

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
    var phone: Int
    var owner: Owner
    var mayGoOut = true
  }

  private struct Note {
    var texts: [String]
    var pushes: [Push]
    /// Persons that were named and had no phone.
    var named: Set<Int> = []
  }

  private let registry: Registry
  private var chance: SeededGenerator
  private var number = 0
  private var persons: [String] = []
  private var phones: [Phone] = []
  private var notes: [Int64: Note] = [:]
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
    String(format: "%016lx", UInt64.random(in: .min ... .max, using: &chance))
  }

  // MARK: - One history

  /// Three persons come, something happens to them, and one is erased.
  mutating func run() async throws {
    number += 1
    lastTraces = []
    let firstPerson = persons.count
    for _ in 0..<3 { persons.append("person-\(word())@example.com") }
    let firstPhone = phones.count
    for _ in 0..<4 { phones.append(Phone(token: word() + word() + word() + word())) }
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
    for message in notes.keys {
      for index in notes[message]?.pushes.indices ?? 0..<0 where notes[message]?.pushes[index].phone == phone
      {
        if case .person = before, before != owner { notes[message]?.pushes[index].mayGoOut = false }
        if owner == nil { notes[message]?.pushes[index].mayGoOut = false }
        if notes[message]?.pushes[index].owner == .nobody, let owner {
          notes[message]?.pushes[index].owner = owner
        }
      }
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
    var note = Note(texts: Self.texts(content), pushes: [])
    for (index, phone) in self.phones.enumerated() {
      if case .person(let person)? = phone.owner, persons.contains(person) {
        note.pushes.append(Push(phone: index, owner: .person(person)))
      } else if phones.contains(index) {
        // What is sent to a phone that is not registered goes with the person that it left last.
        let former = phone.formerPerson.flatMap { erased.contains($0) ? nil : Owner.person($0) }
        note.pushes.append(Push(phone: index, owner: phone.owner ?? former ?? .nobody))
      }
    }
    for person in persons where !note.pushes.contains(where: { $0.owner == .person(person) }) {
      note.named.insert(person)
    }
    notes[message] = note
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
    notes[message] = Note(texts: Self.texts(content), pushes: [])
    // All of them, so that the model knows whose they are.
    while try await claim() > 0 { try await send() }
  }

  // MARK: - The sender

  @discardableResult
  private mutating func claim() async throws -> Int {
    let (sender, now) = (sender, now)
    let claimed = try await registry.changed { store throws(RegistryError) -> [ClaimedDelivery] in
      try store.renewLease(of: sender, for: .seconds(20), at: now)
      return try store.claim(sender, .production, limit: 30, at: now)
    }
    for delivery in claimed {
      guard let phone = phones.firstIndex(where: { $0.token == delivery.token }),
        notes[delivery.message]?.pushes.contains(where: { $0.phone == phone }) == false
      else { continue }
      notes[delivery.message]?.pushes.append(Push(phone: phone, owner: phones[phone].owner ?? .nobody))
    }
    held += claimed
    return claimed.count
  }

  /// Asks again, sends what may go out, and records what became of it.
  private mutating func send() async throws {
    let sender = sender
    let revoked = try await registry.answer { store throws(RegistryError) in try store.revoked(of: sender) }
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
    let push = phones.firstIndex { $0.token == delivery.token }.flatMap { phone in
      notes[delivery.message]?.pushes.first { $0.phone == phone }
    }
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
    let (registry, alias) = (registry, persons[person])
    let receipt = Task { try await registry.receipt(alias: alias) }
    let isDone = LockedState(false)
    let waiting = Task {
      _ = try await receipt.value
      isDone.withLock { $0 = true }
    }
    // The sender goes on meanwhile.
    while !isDone.withLock({ $0 }) {
      if held.isEmpty { try await waiting.value } else { try await takeBack() }
    }
    for phone in phones.indices where phones[phone].owner == .person(person) { move(phone, to: nil) }
    note(person)
  }

  /// Cancels what the sender holds and must not send.
  private mutating func takeBack() async throws {
    let (sender, now) = (sender, now)
    let revoked = try await registry.answer { store throws(RegistryError) in try store.revoked(of: sender) }
    let outcomes = held.filter { revoked.contains($0.identifier) }.map {
      DeliveryOutcome($0.identifier, .cancelled)
    }
    held.removeAll { revoked.contains($0.identifier) }
    _ = try await registry.changed { store throws(RegistryError) in
      try store.record(outcomes, of: sender, at: now)
    }
  }

  /// Adds what must not be found any more.
  private mutating func note(_ person: Int) {
    lastTraces.append(persons[person])
    for note in notes.values {
      let owners = Set(note.pushes.map(\.owner))
      let isTheirs = { (owner: Owner) in
        if case .person(let one) = owner { erased.contains(one) } else { false }
      }
      let isMeant = owners.contains(.person(person)) || note.named.contains(person)
      if isMeant, owners.allSatisfy(isTheirs) { lastTraces += note.texts }
    }
    // A phone that is somebody else's now keeps its token there, and one that is not registered may still be sent to.
    let waiting = Set(
      notes.values.flatMap(\.pushes).filter { $0.owner == .nobody && $0.mayGoOut }.map(\.phone))
    for (index, phone) in phones.enumerated()
    where phone.owner == nil && phone.lastOwner == .person(person) && !waiting.contains(index) {
      lastTraces.append(phone.token)
    }
  }
}
