import LinkspanCore
import PushDelivery
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import LinkspanSimulator
@testable import LinkspanStories

/// One decision for a push, continued from `PushAgreementTests`: the registry's API and a story's device are asked about the
/// same cases.
///
/// These are contradictions: the API takes what the lint has errors in, or refuses what it has none in; it sends another push
/// type than the lint infers; a push arrives although an error concerns more than its own value; a story's device wakes the
/// app, or shows something, and the explanation says otherwise.
@Suite struct PushAgreementStoryTests {
  /// The headers of a case that a request to the API can say.
  private static func headers(_ example: PushCase) -> PushHeaders {
    let all = PushHeaders(example.headers)
    var headers = PushHeaders()
    headers.type = all.type
    headers.priority = all.priority.flatMap { PushPriority($0.text) == nil ? nil : $0 }
    headers.collapseIdentifier = all.collapseIdentifier
    return headers
  }

  private static func body(_ example: PushCase, _ headers: PushHeaders) -> [UInt8] {
    var members = [
      #""topic":"com.example.app""#, #""environment":"production""#,
      #""tokens":["\#(String(repeating: "ab", count: 32))"]"#,
    ]
    if let type = headers.type { members.append("\"push_type\":\(JSON.string(type.text).text)") }
    if let priority = headers.priority { members.append("\"priority\":\(priority.text)") }
    if let collapse = headers.collapseIdentifier {
      members.append("\"collapse_id\":\(JSON.string(collapse.text).text)")
    }
    return Array("{\(members.joined(separator: ",")),\"payload\":\(example.payload)}".utf8)
  }

  @Test func theAPITakesWhatTheLintFindsNoErrorIn() throws {
    var (taken, contradictions) = (0, 0)
    for seed in 1...PushCase.count where contradictions < 10 {
      let example = PushCase(seed: seed)
      var headers = Self.headers(example)
      let text = SourceText(name: "payload", example.payload)
      let inferred = PushDecision(PayloadSource(text, headers: headers, isBody: true)).type
      if let inferred {
        headers.type = .init(inferred.rawValue)
        headers.priority = headers.priority ?? .init("\(inferred.usualPriority.rawValue)")
        headers.topic = .init("com.example.app" + inferred.topicSuffix)
      }
      headers.extent = .whole
      let decision = PushDecision(PayloadSource(text, headers: headers, isBody: true))
      let bytes = Self.body(example, Self.headers(example))
      let root = try #require(JSONParser.parse(bytes).root)
      var reader = MessageReader()
      let request = reader.notification(root, bytes)
      if request != nil { taken += 1 }
      let isRight = decision.errors.isEmpty && inferred != nil
      guard isRight == (request != nil), request == nil || request?.content.type == inferred else {
        contradictions += 1
        Issue.record(
          "\(example): the API \(reader.problems) \(reader.conflicts), the lint \(decision.errors.map(\.message))"
        )
        continue
      }
    }
    print(
      "push agreement: \(PushCase.count) requests to the API, \(taken) taken, \(contradictions) contradictions"
    )
    #expect(taken > 500)
  }

  private static func story(_ example: PushCase, _ headers: PushHeaders) throws -> Story {
    var members = ["push: \(example.payload)", "app: \"app\""]
    if let type = headers.type { members.append("type: \"\(type.text)\"") }
    if let priority = headers.priority { members.append("priority: \(priority.text)") }
    if let collapse = headers.collapseIdentifier { members.append("collapse: \"\(collapse.text)\"") }
    return try PushStoryTests.story("{ \(members.joined(separator: ", ")) }")
  }

  /// A story's JSON has each key once, and says push types that there are.
  private static func isForStories(_ example: PushCase, _ decision: PushDecision) -> Bool {
    decision.type != nil && !decision.findings.contains { $0.rule == "push.duplicate-key" }
  }

  @Test func aStorysDeviceDoesWhatTheExplanationSays() throws {
    var (played, fine) = (0, 0)
    var contradictions: [String] = []
    for seed in 1...PushCase.count where contradictions.count < 10 {
      let example = PushCase(seed: seed)
      let headers = Self.headers(example)
      let source = PayloadSource(SourceText(name: "payload", example.payload), headers: headers)
      let decision = PushDecision(source)
      guard Self.isForStories(example, decision), let payload = try? ReceivedPayload(source) else { continue }
      let traits = PushAppTraits(
        bundleIdentifier: "com.example.app", environment: .production,
        backgroundModes: ["remote-notification"])
      let explanation = PushSituation(
        SentPush(payload, headers: headers), to: traits, at: WallTime(milliseconds: 1_789_372_800_000)
      ).explained
      let rows = try Simulation.run(Self.story(example, headers)).pushes
      played += 1
      let isFine = explanation.wakes.verdict == .yes || explanation.shows.verdict == .yes
      if isFine { fine += 1 }
      let stops = decision.errors.contains { PayloadRule.effect(of: $0) != .valueOnly }
      if isFine, stops { contradictions.append("\(example): fine, with errors") }
      for row in rows {
        let woke = row.record.state == .woke
        if woke != (explanation.wakes.verdict == .yes)
          || row.record.wasShown != (explanation.shows.verdict == .yes)
        {
          contradictions.append(
            "\(example): the device says \(row.fate) \(row.record.reason?.rawValue ?? "")")
        }
      }
    }
    for text in contradictions { Issue.record("\(text)") }
    print("push agreement: \(played) stories, \(fine) pushes arrive, \(contradictions.count) contradictions")
    #expect(fine > 200)
  }
}
