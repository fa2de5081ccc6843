import LinkspanCore
import PushDelivery
import PushProvider
import PushTerms
import TestSupport
import Testing

@testable import PushStandIn

/// One decision for a push: lint, explanation, device and stand-in are asked about the same payload and headers.
///
/// These are contradictions, and nothing else is:
/// 1. The stand-in refuses for the headers or the size, and the lint of the recorded request neither has an error that gives
///    this reason, nor names the missing header that is to blame. Or it gives a reason first, and the stand-in another one,
///    or none.
/// 2. Two of them take the payload for different push types.
/// 3. The lint has an error that concerns more than its own value, and the explanation says that the push wakes the app or
///    is shown.
/// 4. The stand-in refuses, and the explanation says so.
/// 5. The explanation blames the payload or the headers, and the lint has neither an error nor a warning.
/// 6. The explanation says that the push wakes the app, or shows something, and the device does otherwise, or the reverse.
@Suite struct PushAgreementTests {
  /// A stand-in that takes every token and topic, so that headers and size alone decide.
  private static func standIn() throws -> Exchange {
    try Exchange {
      $0.tokens = .init()
      $0.topics = []
      $0.limits.errors = .max
    }
  }

  private static func answer(_ example: PushCase, _ exchange: inout Exchange) throws -> String {
    let authorization = try exchange.base.fields["authorization"] ?? ""
    return try exchange.push {
      $0.fields = HTTPFields(
        [HTTPField("authorization", authorization)] + example.headers.map { HTTPField($0.name, $0.value) })
      $0.body = Array(example.payload.utf8)
    }.verdict
  }

  /// What the stand-in refuses for an absent header, and the header.
  private static let absent = ["400 MissingTopic": "apns-topic", "400 BadPriority": "apns-priority"]

  @Test func theLintSaysBeforeWhatTheStandInRefuses() throws {
    var exchange = try Self.standIn()
    var (refused, contradictions) = (0, 0)
    for seed in 1...PushCase.count {
      let example = PushCase(seed: seed)
      // A recorded request has an object for its payload.
      guard example.payload.hasPrefix("{") else { continue }
      let verdict = try Self.answer(example, &exchange)
      let decision = PushDecision(PayloadSource(SourceText(name: "record.json", example.record)))
      let errors = decision.errors.map { $0.help ?? "" }
      let expected = decision.refusals.first.map { "\($0.reason.status) \($0.reason.rawValue)" } ?? "200"
      if verdict != "200" { refused += 1 }
      let isNamed = Self.absent[verdict].map { name in
        decision.findings.contains { $0.rule == "push.missing-header" && $0.message.contains(name) }
      }
      let isSaid = verdict == "200" || errors.contains { $0.contains("APNs answers \(verdict)") }
      guard (verdict == expected && isSaid) || isNamed == true else {
        contradictions += 1
        Issue.record("\(example): the stand-in says \(verdict), the lint \(expected): \(errors)")
        if contradictions == 10 { return }
        continue
      }
    }
    print(
      "push agreement: \(PushCase.count) requests to the stand-in, \(refused) refused, \(contradictions) contradictions"
    )
    #expect(refused > 300)
  }

  /// The situation of a case: a device, an app and a moment that do not always let a push through.
  private static func situation(_ push: SentPush, _ seed: UInt64) -> PushSituation {
    var chance = SeededGenerator(seed: seed).fork("situation")
    func one<Element>(_ elements: [Element]) -> Element {
      elements[Int(chance.draw(0...Int64(elements.count - 1)))]
    }
    let environments: [PushEnvironment?] = [
      .production, .production, .production, .production, .production, .production, .sandbox, nil,
    ]
    let traits = PushAppTraits(
      bundleIdentifier: "com.example.app",
      environment: one(environments),
      backgroundModes: one([["remote-notification"], ["remote-notification"], []]))
    let lives: [PushApp.Life] = [
      .suspended, .suspended, .suspended, .background, .terminated, .foreground, .forceQuit, .neverLaunched,
    ]
    var situation = PushSituation(
      push, to: traits, life: one(lives), at: Exchange.start)
    situation.app.permission = one([.authorized, .authorized, .denied, .provisional])
    situation.app.allowsBackgroundRefresh = !chance.chance(1, in: 6)
    situation.conditions.isOnline = !chance.chance(1, in: 8)
    situation.conditions.power = one([.normal, .normal, .normal, .low])
    return situation
  }

  /// Whether a device woke the app, and showed something.
  private static func outcome(_ situation: PushSituation) -> (woke: Bool, shown: Bool) {
    let bundle = situation.app.traits.bundleIdentifier
    var device = PushDevice(start: situation.now, chance: SeededGenerator(seed: 1))
    device.install(situation.app.traits, at: situation.now)
    if situation.app.life != .neverLaunched {
      device.move(bundle, to: .foreground, at: situation.now)
      device.move(bundle, to: situation.app.life, at: situation.now)
    }
    device.change(bundle, at: situation.now) {
      $0.permission = situation.app.permission
      $0.allowsBackgroundRefresh = situation.app.allowsBackgroundRefresh
    }
    device.change(to: situation.conditions, at: situation.now)
    _ = device.takeEvents()
    device.send(situation.push, number: 1, to: bundle, at: situation.now)
    let kinds = device.takeEvents().filter { $0.push == 1 }.map(\.kind)
    return (kinds.contains(.woke), kinds.contains(.shown))
  }

  /// Reasons that lie in the payload or in the headers.
  private static let blaming: Set<DeliveryReason> = [
    .payloadTooLarge, .wrongPriority, .refusedHeaders, .typeMismatch, .payloadError, .nothingToDo,
  ]

  @Test func explanationDeviceAndStandInAgreeWithTheLint() throws {
    var exchange = try Self.standIn()
    var counts: [String: Int] = [:]
    var contradictions: [String] = []
    for seed in 1...PushCase.count where contradictions.count < 10 {
      let example = PushCase(seed: seed)
      let source = PayloadSource(SourceText(name: "record.json", example.record))
      let decision = PushDecision(source)
      let plain = PushDecision(PayloadSource(SourceText(name: "payload.json", example.payload)))
      func contradict(_ text: String) { contradictions.append("\(example): \(text)") }
      let payload: ReceivedPayload
      do throws(PayloadProblem) {
        payload = try ReceivedPayload(source)
      } catch {
        if decision.errors.isEmpty { contradict("it cannot be read, and has no error") }
        counts["unreadable", default: 0] += 1
        continue
      }
      if plain.type != payload.type || plain.type != SentPush(payload).kind { contradict("two types") }
      let push = SentPush(payload, headers: source.headers)
      if let type = decision.type, type != push.kind { contradict("the header's type is lost") }
      let situation = Self.situation(push, seed)
      let explanation = situation.explained
      let outcomes = [explanation.wakes, explanation.shows]
      let isFine = outcomes.contains { $0.verdict == .yes }
      let stopping = decision.errors.filter { PayloadRule.effect(of: $0) != .valueOnly }
      if isFine, !stopping.isEmpty {
        contradict("it is explained to work, with \(stopping.map(\.message))")
      }
      let verdict = try Self.answer(example, &exchange)
      let isAbsent =
        Self.absent[verdict].map { name in decision.missing.contains { $0.name == name } } ?? false
      if isFine, verdict != "200", !isAbsent {
        contradict("it is explained to work, and refused: \(verdict)")
      }
      let blame = outcomes.compactMap(\.reason).filter(Self.blaming.contains)
      if !blame.isEmpty, !decision.findings.contains(where: { $0.severity != .note }) {
        contradict("the explanation says \(blame), the lint nothing")
      }
      let device = Self.outcome(situation)
      if device.woke != (explanation.wakes.verdict == .yes)
        || device.shown != (explanation.shows.verdict == .yes)
      {
        contradict("the device does otherwise: \(device)")
      }
      counts[isFine ? "fine" : explanation.wakes.reason?.rawValue ?? "shown only", default: 0] += 1
    }
    for text in contradictions { Issue.record("\(text)") }
    let words = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    print(
      "push agreement: \(PushCase.count) pushes explained, \(contradictions.count) contradictions (\(words))")
    #expect(counts["fine", default: 0] > 100 && counts.count > 10)
  }
}
