import LinkspanCore
import PushProvider
import Testing

/// What APNs refuses for the headers of a request, whoever sends it (push notes 2 and 11, rows 2 to 40).
@Suite struct PushRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var id: String
    var headers: [String: String]
    var reasons: [String]

    init(_ id: String, _ headers: [String: String], _ reasons: String...) {
      self.id = id
      self.headers = headers
      self.reasons = reasons
    }

    var testDescription: String { id }
  }

  static let right = ["apns-topic": "com.example.app", "apns-push-type": "alert", "apns-priority": "10"]

  static let cases = [
    Case("1", right), Case("4", ["apns-id": "nope"], "BadMessageId"),
    Case("25", ["apns-push-type": "banana"], "InvalidPushType"),
    Case("29", ["apns-priority": "7"], "BadPriority"),
    Case("30", ["apns-push-type": "background"], "BadPriority"),
    Case("33", ["apns-expiration": "abc"], "BadExpirationDate"),
    Case("38", ["apns-collapse-id": String(repeating: "é", count: 33)], "BadCollapseId"),
    Case("38 at 64", ["apns-collapse-id": String(repeating: "é", count: 32)]),
    Case("38 at 65", ["apns-collapse-id": String(repeating: "a", count: 65)], "BadCollapseId"),
    Case("21", ["apns-topic": "com.example.app "], "BadTopic"),
    Case("21 at 255", ["apns-topic": String(repeating: "a", count: 255)]),
    Case("21 at 256", ["apns-topic": String(repeating: "a", count: 256)], "BadTopic"),
    Case("23", ["apns-push-type": "voip"], "TopicDisallowed"),
    Case("slash", ["apns-topic": "com/example"]),
    Case("slash, voip", ["apns-topic": "com/example", "apns-push-type": "voip"], "TopicDisallowed"),
    Case("suffix", ["apns-topic": "com.example.app.voip"], "TopicDisallowed"),
    Case("background, 1", ["apns-push-type": "background", "apns-priority": "1"]),
    Case(
      "all", ["apns-id": "", "apns-priority": "x", "apns-topic": ""], "BadMessageId", "BadPriority",
      "BadTopic"),
  ]

  @Test(arguments: cases) func isRefused(_ example: Case) {
    let fields = Self.right.merging(example.headers) { $1 }.sorted { $0.key < $1.key }
    let headers = PushHeaders(fields.map { (name: $0.key, value: $0.value) })
    #expect(headers.refusals().map(\.reason.rawValue) == example.reasons)
  }

  /// A type that was only inferred from the payload is no ground: APNs infers none.
  @Test(arguments: [".voip", ".complication", ".push-type.liveactivity"])
  func anInferredTypeRefusesNothing(_ suffix: String) {
    let headers = PushHeaders([(name: "apns-topic", value: "com.example.app" + suffix)])
    let source = PayloadSource(SourceText(name: "p", #"{"aps":{"content-available":1}}"#), headers: headers)
    #expect(source.type == .background)
    #expect(PushDecision(source).refusals.isEmpty && PushDecision(source).errors.isEmpty)
  }

  /// Absent is refused where the request is known as a whole, and named where it is not.
  @Test func whatIsMissingIsNamed() {
    let whole = PushHeaders([(name: "apns-push-type", value: "background")])
    #expect(
      whole.refusals().map(\.reason) == [.badPriority, .missingTopic]
        && whole.missing(for: .background).isEmpty)
    var some = PushHeaders()
    #expect(some.missing(for: .alert).map(\.name) == ["apns-topic", "apns-push-type"])
    some.type = .init("background")
    #expect(some.refusals().isEmpty)
    #expect(some.missing(for: .background).map(\.name) == ["apns-topic", "apns-priority"])
  }

  @Test func theSizeIsThatOfTheHeadersType() {
    func refusal(_ headers: PushHeaders, _ count: Int) -> RejectionReason? {
      headers.payloadRefusal(bytes: count)?.reason
    }
    #expect(refusal(PushHeaders(), 0) == .payloadEmpty)
    #expect(refusal(PushHeaders(), 4_096) == nil && refusal(PushHeaders(), 4_097) == .payloadTooLarge)
    let voip = PushHeaders([(name: "apns-topic", value: "com.example.app.voip")])
    #expect(refusal(voip, 5_120) == nil && refusal(voip, 5_121) == .payloadTooLarge)
  }

  /// A header of a record may stand there twice, or have two values.
  @Test(arguments: [#""apns-topic":"a.b","Apns-Topic":"a.b""#, #""apns-topic":["a.b","a.c"]"#])
  func aHeaderThatIsRepeated(_ headers: String) {
    let text = "{\"headers\":{\(headers)},\"payload\":{\"aps\":{\"alert\":\"x\"}}}"
    let decision = PushDecision(PayloadSource(SourceText(name: "p", text)))
    #expect(decision.refusals.map(\.reason) == [.duplicateHeaders])
    #expect(decision.errors.map(\.rule) == ["push.duplicate-header"])
  }
}
