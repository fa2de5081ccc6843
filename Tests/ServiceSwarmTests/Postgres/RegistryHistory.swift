import LinkspanCore
import PushCampaigns
import PushProvider
import PushTerms
import RegistryDatabases

@testable import DeviceRegistry
@testable import RegistryRequests

/// What happens to a registry, drawn from a seed: played against two databases it says the same of both, as long as they
/// answer the same.
final class RegistryHistory {
  let registry: Registry
  let database: HistoryDatabase
  var chance: SeededGenerator
  var now = HistoryDatabase.now
  /// What was done and what came of it.
  private(set) var lines: [String] = []
  /// Messages that were stored.
  var messages: [Int64] = []
  /// What senders have claimed and not recorded.
  var held: [String: [ClaimedDelivery]] = [:]
  var exports: [JournalExport] = []
  private var wordCount = 0

  static let (deviceCount, personCount, topics) = (10, 4, ["com.example.app", "com.example.other"])
  private static let length: ClosedRange<Int64> = 20...60

  init(_ database: HistoryDatabase, seed: UInt64) throws {
    self.database = database
    registry = try Registry(stepping: database.address)
    chance = SeededGenerator(seed: seed)
  }

  func draw(_ count: Int) -> Int { Int(chance.draw(0...Int64(count - 1))) }

  func word(_ kind: String) -> String {
    wordCount += 1
    return "\(kind)-\(wordCount)"
  }

  func note(_ what: String, _ answer: Any) { lines.append("\(what): \(HistoryText.of(answer))") }

  /// Does something and notes what came of it.
  @discardableResult
  func attempt<Answer>(_ what: String, _ body: () throws(RegistryError) -> Answer) -> Answer? {
    do throws(RegistryError) {
      let answer = try body()
      note(what, answer as Any)
      return answer
    } catch {
      note(what, error)
      return nil
    }
  }

  func change<Answer: Sendable>(
    _ what: String, _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) -> Answer? {
    attempt(what) { () throws(RegistryError) in try registry.changeAndWait(body) }
  }

  func ask<Answer: Sendable>(
    _ what: String, _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> Answer
  ) {
    attempt(what) { () throws(RegistryError) in try registry.askAndWait(body) }
  }

  // MARK: - A history

  /// - Returns: What was done and answered, and what the tables hold at the end.
  func play() throws -> [String] {
    for _ in 0..<chance.draw(Self.length) { try step() }
    return HistoryText.numbered(lines + (try database.content()))
  }

  private func step() throws {
    now = now.advanced(by: .milliseconds(chance.draw(1...5_000)))
    switch draw(34) {
    case 0...5: register()
    case 6: delete()
    case 7...10: notify()
    case 11: startCampaign()
    case 12: changeCampaign()
    case 13...15: claim()
    case 16...18: record()
    case 19: takeOver()
    case 20: erase()
    case 21: prune()
    case 22: keys()
    case 23: orders()
    case 24: credentials()
    case 25: channels()
    case 26: export()
    case 27: importDevices()
    case 28...29: look()
    case 30: fail()
    case 31: try lose()
    case 32: now = now.advanced(by: .seconds(chance.draw(1...100_000)))
    default: readJournal()
    }
  }

  // MARK: - Devices

  func token(_ number: Int) -> String {
    let digits = ASCII.hexText([UInt8(number), 0xAB])
    return String(repeating: digits, count: 16)
  }

  func key(_ device: Int) throws -> DeviceKey {
    DeviceKey(
      token: try DeviceToken(token(device)), topic: PushTopic(Self.topics[device % 3 == 0 ? 1 : 0])!,
      environment: device % 7 == 6 ? .sandbox : .production)
  }

  private func attributes() -> DeviceAttributes {
    var attributes = DeviceAttributes()
    attributes.alias = draw(5) == 0 ? nil : "person-\(draw(Self.personCount))"
    attributes.badge = Int64(draw(3))
    attributes.locale = ["en-US", "en_GB", "de", "EN-us", nil][draw(5)]
    attributes.language = ["en", "de", nil][draw(3)]
    attributes.timeZone = ["Europe/Vienna", "Asia/Kolkata", "no\"where\\", nil][draw(4)]
    attributes.appVersion = ["1.9", "1.10", "2", nil][draw(4)]
    attributes.ipAddress = ["192.0.2.1", nil][draw(2)]
    attributes.latitude = [48.25, -0.1, 90, nil][draw(4)]
    attributes.longitude = [16.5, nil][draw(2)]
    attributes.tags = [[], ["a"], ["a", "b"], ["naïve, {x}"]][draw(4)]
    return attributes
  }

  private func registration() -> DeviceRegistration? {
    guard let key = try? key(draw(Self.deviceCount)) else { return nil }
    let given: DeviceAttribute.Names = [.all, [.alias], [.tags, .badge], []][draw(4)]
    return DeviceRegistration(key: key, attributes: attributes(), given: given, time: now)
  }

  private func register() {
    let answers = Answers()
    for number in 0...draw(6) {
      guard let registration = registration() else { continue }
      registry.register(registration, actor: "test") { answers.add("register \(number)", $0) }
    }
    finish(answers)
  }

  /// Lets everything that waits be made.
  func finish(_ answers: Answers) {
    while registry.step() {}
    for (what, answer) in answers.takeAll() { note(what, answer) }
  }

  private func delete() {
    var filter = DeviceFilter()
    filter.token = token(draw(Self.deviceCount))
    if draw(3) == 0 { filter.topic = Self.topics[draw(2)] }
    let now = now
    _ = change("delete") { [filter] store throws(RegistryError) in try store.remove(filter, at: now) }
  }

  private func importDevices() {
    let now = now
    let devices = (0...draw(4)).compactMap { _ -> Device? in
      guard let registration = registration() else { return nil }
      var device = Device(new: registration, 0)
      device.lastSeenAt = now.advanced(by: .seconds(chance.draw(-5...1)))
      return device
    }
    _ = change("import") { store throws(RegistryError) in try store.importDevices(devices, at: now) }
  }

  // MARK: - Messages

  func content() -> MessageContent {
    var content = MessageContent(
      topic: PushTopic(Self.topics[draw(4) == 0 ? 1 : 0])!, environment: .production, type: .alert,
      priority: .immediate, payload: #"{"aps":{"alert":"\#(word("text")) \"x\" é"}}"#)
    if draw(2) == 0 { content.name = word("name") }
    return content
  }

  private func notify() {
    let answers = Answers()
    for number in 0...draw(4) {
      let aliases = (0..<draw(3)).map { _ in "person-\(draw(Self.personCount + 1))" }
      let tokens = (0..<draw(3)).compactMap { _ in try? DeviceToken(token(draw(Self.deviceCount + 2))) }
      let request = NotificationRequest(
        content: content(), tokens: Set(tokens).sorted { $0.text < $1.text }, aliases: Set(aliases).sorted(),
        confirmed: nil)
      let key =
        draw(2) == 0 ? nil : NotificationOrder.Key(key: "key-\(draw(3))", request: "request-\(draw(2))")
      let order = NotificationOrder(
        request, actor: "actor-\(draw(2))", at: now, key, isRefused: { $0 > 6 },
        kept: { result in
          guard case .stored(let message, _) = result else { return nil }
          return .init(status: 202, body: "{\"id\":\"\(message.identifier)\"}")
        })
      registry.notify(order) { result in
        answers.add("notify \(number)", result)
        if case .success(.stored(let message, _)) = result { answers.messages.append(message.identifier) }
      }
    }
    finish(answers)
    messages += answers.messages
  }

  private func startCampaign() {
    var request = CampaignRequest(content: content(), audience: Audience(), isPaused: draw(6) == 0)
    switch draw(5) {
    case 0: request.audience.tags = ["a"]
    case 1: request.audience.locales = ["en"]
    case 2: request.audience.anyTags = ["b", "naïve, {x}"]
    case 3: request.audience.minimumVersion = "1.10"
    default: break
    }
    if draw(3) == 0 { request.throttle = 2 }
    if draw(3) == 0 { request.options.cap = FrequencyCap(count: 1, seconds: 86_400) }
    if draw(4) == 0 { request.localTime = draw(1_440) }
    if draw(4) == 0 { request.options.startsAt = now.advanced(by: .seconds(50)) }
    if draw(4) == 0 { request.options.quietHours = QuietHours(from: 1_320, to: 480) }
    let (now, asked) = (now, request)
    let message = change("campaign") { store throws(RegistryError) -> Int64 in
      let plan = try store.plan(asked, at: now, zone: Self.zone)
      return try store.addCampaign(asked, plan, actor: "test", at: now)
    }
    if let message { messages.append(message) }
  }

  @Sendable static func zone(_ name: String) -> TimeZoneRules? {
    switch name {
    case "Europe/Vienna": TimeZoneRules(fixedOffset: 7_200)
    case "Asia/Kolkata": TimeZoneRules(fixedOffset: 19_800)
    default: nil
    }
  }

  private func changeCampaign() {
    guard let message = messages.isEmpty ? nil : messages[draw(messages.count)] else { return }
    let states: [Message.State] = [.paused, .running, .cancelled]
    let (state, now) = (states[draw(states.count)], now)
    _ = change("\(state) \(message)") { store throws(RegistryError) in
      try store.change(message, to: state, topics: nil, at: now)
    }
    _ = change("start due") { store throws(RegistryError) in try store.startDue(at: now, zone: Self.zone) }
  }
}

/// Answers that have come, in their order.
///
/// `@unchecked Sendable`: the one thread of a history has it.
final class Answers: @unchecked Sendable {
  private var answers: [(String, Any)] = []
  var messages: [Int64] = []

  func add(_ what: String, _ answer: Any) { answers.append((what, answer)) }

  func takeAll() -> [(String, Any)] {
    defer { answers = [] }
    return answers
  }
}
