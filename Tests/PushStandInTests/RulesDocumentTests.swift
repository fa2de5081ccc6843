import LinkspanCore
import Testing

@testable import PushStandIn

/// The rules file: what it says, and where it is wrong.
@Suite struct RulesDocumentTests {
  private func document(_ text: String) throws -> RulesDocument {
    switch RulesDocument.parse(SourceText(name: "rules.json5", text)) {
    case .document(let document): return document
    case .findings(let findings):
      Issue.record("\(findings.map { $0.text() })")
      throw CancellationError()
    }
  }

  private func exchange(_ text: String) throws -> Exchange {
    let document = try document(text)
    return try Exchange { document.apply(to: &$0) }
  }

  @Test(arguments: [
    "{token: '00fc*', answer: 'Unregistered'}", "{token: '00FC*', answer: {status: 410}}",
    "{topic: 'com.example.*', answer: {reason: 'Unregistered'}}",
    "{topic: ['org.a', 'com.example.app'], push_type: 'alert', answer: 410}",
    "{share: 1, answer: {status: 410, reason: 'Unregistered'}}",
    "{share: '100%', answer: {status: 410, reason: null}}",
  ])
  func aRuleSelects(_ rule: String) throws {
    var exchange = try exchange("{rules: [\(rule)]}")
    #expect(try exchange.push().verdict == "410 Unregistered")
  }

  @Test(arguments: [
    "{token: '11*', answer: 500}", "{topic: 'com.other.app', answer: 500}",
    "{push_type: ['voip', 'background'], answer: 500}", "{share: 0, answer: 500}",
    "{answer: 200}, {answer: 500}",
  ])
  func aRuleLeavesOthersAlone(_ rule: String) throws {
    var exchange = try exchange("{rules: [\(rule)]}")
    #expect(try exchange.push().verdict == "200")
  }

  /// Row 63.
  @Test func aRuleCountsAndEnds() throws {
    var exchange = try exchange("{rules: [{skip: 1, count: 3, answer: 500}]}")
    let verdicts = try (0..<6).map { _ in try exchange.push().response.status }
    #expect(verdicts == [200, 500, 500, 500, 200, 200])
  }

  @Test(arguments: [("0.25", 2_400...2_600), ("'1/4'", 2_400...2_600), ("'2.5%'", 200...300)])
  func aShareIsDrawn(_ share: String, _ range: ClosedRange<Int>) throws {
    var exchange = try exchange("{rules: [{share: \(share), answer: 503}]}")
    let request = try exchange.base
    let refused = (0..<10_000).count { _ in exchange.send(request).response.status == 503 }
    #expect(range.contains(refused), "seed 1: \(refused)")
  }

  /// A rule that takes every request, or none, draws nothing: adding one changes no other rule's chance.
  @Test func aRuleWithoutAShareDrawsNothing() throws {
    func statuses(_ before: String) throws -> [Int] {
      var exchange = try exchange("{rules: [\(before){share: 0.5, answer: 503}]}")
      return try (0..<60).map { _ in try exchange.push().response.status }
    }
    let plain = try statuses("")
    #expect(Set(plain) == [200, 503])
    for rule in [
      "{skip: 99, answer: 500}", "{share: 1, skip: 99, answer: 500}", "{share: '7/7', skip: 99, answer: 500}",
    ] {
      #expect(try statuses(rule + ", ") == plain, "\(rule)")
    }
    #expect(try statuses("{share: 0.5, skip: 99, answer: 500}, ") != plain)
  }

  @Test func theSameSeedGivesTheSameAnswers() throws {
    func statuses() throws -> [Int] {
      var exchange = try exchange("{rules: [{share: 0.5, answer: 503}]}")
      return try (0..<100).map { _ in try exchange.push().response.status }
    }
    #expect(try statuses() == statuses())
  }

  /// Of each kind of effect the first rule counts.
  @Test func effectsOfSeveralRulesComeTogether() throws {
    var exchange = try exchange(
      "{rules: [{latency_ms: 20}, {latency: '1s', answer: 429}, {answer: 500, settings: {max_concurrent_streams: 3}}]}"
    )
    let reply = try exchange.push()
    #expect(reply.delay == .milliseconds(20))
    #expect(reply.verdict == "429 TooManyRequests")
    #expect(reply.concurrentStreams == 3)
    // What a rule has set stays.
    #expect(exchange.connection.concurrentStreams == 3)
  }

  @Test func effectsOnTheConnection() throws {
    var exchange = try exchange(
      """
      {rules: [
        {count: 1, goaway: true}, {skip: 1, count: 1, goaway: {reason: 'BadCertificate', code: 'ENHANCE_YOUR_CALM'}},
        {skip: 2, count: 1, reset: 'REFUSED_STREAM'}, {skip: 3, count: 1, reset: true},
        {skip: 4, count: 1, loss: true}, {skip: 5, count: 1, loss: 'request'}, {skip: 6, count: 1, loss: 'silence'},
      ]}
      """)
    let replies = try (0..<8).map { _ in try exchange.push() }
    #expect(replies[0].goAway == .init(reason: "Shutdown") && replies[0].response.status == 200)
    #expect(replies[1].goAway == .init(code: 11, reason: "BadCertificate"))
    let endings = replies.dropFirst(2).map(\.ending)
    #expect(endings == [.reset(code: 7), .reset(code: 2), .answerLost, .requestLost, .silence, .answered])
    // The record says what was acted upon.
    #expect(replies.dropFirst(2).map(\.facts.status) == [nil, nil, 200, nil, nil, 200])
    #expect(replies[4].facts.json.text.contains(#""lost":"answer""#))
  }

  @Test func anAnswerMayHaveATimeAndADelay() throws {
    var exchange = try exchange(
      "{rules: [{count: 1, answer: {status: 410, timestamp: 1700000000000}}, {answer: {status: 429, retry_after_s: 5}}]}"
    )
    #expect(try exchange.push().timestamp == 1_700_000_000_000)
    #expect(try exchange.push().response.fields["retry-after"] == "5")
  }

  /// A server in between answers as it likes.
  @Test func aStatusThatAPNsHasNotComesWithoutAReason() throws {
    var exchange = try exchange("{rules: [{answer: {status: 502}}]}")
    let reply = try exchange.push()
    #expect(reply.verdict == "502" && reply.response.body.isEmpty)
  }

  @Test func whatIsRefusedAnywayIsLeftAlone() throws {
    var exchange = try exchange("{rules: [{answer: 503}]}")
    #expect(try exchange.push { $0.fields["authorization"] = nil }.verdict == "403 MissingProviderToken")
  }

  @Test func theFileTellsOfKeysTokensAndLimits() throws {
    var exchange = try exchange(
      """
      {
        keys: [{id: 'K1K1K1K1K1', topics: ['com.example.app'], environment: 'development'}],
        tokens: ['AABB', {token: 'ccdd', topic: 'com.example.app', state: 'unregistered', since: '2026-09-14T08:00:00Z'},
                 {token: 'eeff', environment: 'production'}, {token: '0011', state: 'expired', since: 5}],
        unlisted_tokens: 'BadDeviceToken', broadcast: false,
        limits: {streams: 7, errors: 1000, per_token_per_s: 100},
      }
      """)
    func verdict(_ token: String) throws -> String {
      try exchange.push { $0.target = "/3/device/\(token)" }.verdict
    }
    #expect(try exchange.push { $0.target = "/3/device/aabb" }.concurrentStreams == 7)
    #expect(try verdict("ccdd") == "410 Unregistered")
    #expect(try exchange.push { $0.target = "/3/device/ccdd" }.timestamp == 1_789_372_800_000)
    #expect(try verdict("eeff") == "400 BadDeviceToken")
    #expect(try verdict("0011") == "410 ExpiredToken")
    #expect(try verdict("1234") == "400 BadDeviceToken")
    #expect(try exchange.push { $0.fields["apns-topic"] = "com.other.app" }.verdict == "400 TopicDisallowed")
  }

  /// Place and text of every error.
  @Test(arguments: [
    ("{rules: [{token: 'ab', answer: {status: 410}]}", "1:45", "']' comes before '}'."),
    ("{\n  rules: [\n    {tokn: 'ab', answer: 410}\n  ]\n}", "3:6", "'tokn' is not a key of a rule."),
    ("{rules: [{token: 'ab'}]}", "1:10", "The rule does nothing."),
    ("{rules: [{answer: 'Unregisterd'}]}", "1:19", "'Unregisterd' is not a value of 'reason'."),
    (
      "{rules: [{answer: {status: 400, reason: 'Unregistered'}}]}", "1:28",
      "'Unregistered' comes with status 410, not 400."
    ),
    ("{rules: [{answer: 400}]}", "1:19", "Status 400 has several reasons, and the answer names none."),
    ("{rules: [{answer: 42}]}", "1:19", "'status' is not an integer from 200 to 599."),
    ("{rules: [{answer: {}}]}", "1:19", "The answer has no 'status'."),
    ("{rules: [{share: 1.5, answer: 500}]}", "1:18", "'1.5' is not a share from 0 to 1."),
    ("{rules: [{share: '1/0', answer: 500}]}", "1:18", "'1/0' is not a share from 0 to 1."),
    ("{rules: [{share: [], answer: 500}]}", "1:18", "'share' is an array; expected a number from 0 to 1."),
    ("{rules: [{latency: 'soon'}]}", "1:20", "'soon' is not a latency."),
    ("{rules: [{latency_ms: [5, 1]}]}", "1:23", "'latency_ms' has the higher number first."),
    ("{rules: [{latency_ms: [5, 600001]}]}", "1:27", "'latency_ms' is not an integer from 0 to 600000."),
    ("{rules: [{reset: 'REFUSED_STREAMS'}]}", "1:18", "'REFUSED_STREAMS' is not an error code of HTTP/2."),
    ("{rules: [{settings: {streams: 1}}]}", "1:22", "'streams' is not a key of settings."),
    ("{rules: [{loss: 'all'}]}", "1:17", "'all' is not a value of 'loss'."),
    ("{rules: [{push_type: 'alerts', answer: 500}]}", "1:22", "'alerts' is not a push type."),
    ("{rules: [{token: [], answer: 500}]}", "1:18", "'token' is an empty list."),
    ("{rules: [{topic: [], answer: 500}]}", "1:18", "'topic' is an empty list."),
    ("{rules: [{push_type: [], answer: 500}]}", "1:22", "'push_type' is an empty list."),
    (
      "{rules: [{token: '*fc*', answer: 500}]}", "1:18",
      "'*fc*' selects no push: a '*' stands at the end only."
    ),
    ("{rules: [{topic: '', answer: 500}]}", "1:18", "An empty topic selects no push."),
    (
      "{rules: [{token: ['00', 'phone'], answer: 500}]}", "1:25",
      "'phone' selects no push: device tokens are hexadecimal digits."
    ),
    (
      "{rules: [{latency_ms: 5, latency: '2s'}]}", "1:35",
      "The rule has 'latency_ms' and 'latency'; it can do one of the two."
    ),
    (
      "{rules: [{reset: true, loss: true}]}", "1:30",
      "The rule has 'reset' and 'loss'; it can do one of the two."
    ),
    (
      "{limits: {streams: 10, initial_streams: 11}}", "1:41",
      "'initial_streams' is 11 and 'streams' is 10: the first accepted push would take streams away."
    ),
    (
      "{rules: [{answer: {status: 429, timestamp: 12}}]}", "1:44",
      "A 'timestamp' comes with status 410, not 429."
    ),
    (
      "{rules: [{answer: {status: 200, timestamp: 12}}]}", "1:44",
      "A 'timestamp' comes with status 410, not 200."
    ),
    // Push notes, 4: a push is accepted with 200.
    ("{rules: [{answer: 204}]}", "1:19", "APNs accepts a push with status 200, not 204."),
    ("{rules: [{answer: {status: 201}}]}", "1:28", "APNs accepts a push with status 200, not 201."),
    ("{rules: [{answer: {status: 299}}]}", "1:28", "APNs accepts a push with status 200, not 299."),
    ("{rules: [{token: ['00fc', '00FC'], answer: 500}]}", "1:27", "'00FC' is listed twice."),
    ("{rules: [{topic: ['a.b', 'a.b'], answer: 500}]}", "1:26", "'a.b' is listed twice."),
    ("{rules: [{push_type: ['alert', 'alert'], answer: 500}]}", "1:32", "'alert' is listed twice."),
    ("{keys: [{id: 'A', topics: []}]}", "1:27", "'topics' is an empty list."),
    ("{keys: [{id: 'A'}, {id: 'A'}]}", "1:25", "The key 'A' is listed twice."),
    ("{rules: {}}", "1:9", "'rules' is an object; expected an array."),
    ("[]", "1:1", "This is an array; expected an object."),
    ("{tokens: ['abc']}", "1:11", "'abc' is not a device token."),
    ("{tokens: [{token: 'ab', since: 'then'}]}", "1:32", "'since' is not a time."),
    ("{keys: [{}]}", "1:9", "The key has no 'id'."),
    ("{limits: {streams: 0}}", "1:20", "'streams' is not an integer from 1 to 1000000."),
    ("", "1:1", "The text is empty."),
  ])
  func anErrorHasItsPlace(_ text: String, _ place: String, _ message: String) throws {
    guard case .findings(let findings) = RulesDocument.parse(SourceText(name: "rules.json5", text)) else {
      Issue.record("it is accepted")
      return
    }
    let found = findings.map { finding in
      (
        finding.location.start.map { "\($0.line):\($0.column)" } ?? "",
        finding.message, finding.help?.isEmpty == false
      )
    }
    #expect(found.contains { $0.0 == place && $0.1 == message && $0.2 }, "\(found)")
  }

  @Test func aListOfTokensIsLinesOrJSON() throws {
    let lines = """
      # three devices
      00FC13
      aabb com.example.app unregistered   # gone
      ccdd production

      """
    for text in [
      lines, "['00fc13', {token: 'aabb', state: 'unregistered'}, {token: 'ccdd', environment: 'production'}]",
    ] {
      guard case .tokens(let tokens) = DeviceTokens.parse(SourceText(name: "tokens", text)) else {
        Issue.record("it is refused")
        return
      }
      var exchange = try Exchange { $0.tokens = tokens }
      func verdict(_ token: String) throws -> String {
        try exchange.push { $0.target = "/3/device/\(token)" }.verdict
      }
      #expect(tokens.count == 3)
      #expect(try verdict("00fc13") == "200")
      #expect(try verdict("aabb") == "410 Unregistered")
      #expect(try verdict("ccdd") == "400 BadDeviceToken")
      #expect(try verdict("1234") == "410 Unregistered")
    }
  }

  @Test func aLineThatIsNoTokenHasItsPlace() throws {
    guard case .findings(let findings) = DeviceTokens.parse(SourceText(name: "tokens", "aabb\n  xyz\n"))
    else {
      Issue.record("it is accepted")
      return
    }
    #expect(
      findings.map { "\($0.location.start!.line):\($0.location.start!.column) \($0.message)" }
        == ["2:3 'xyz' is not a device token."])
  }

  /// A file that says nothing of tokens leaves those that were given; one that says only what others are replaces them.
  @Test(arguments: [
    ("{rules: []}", "410 Unregistered", "200"),
    ("{unlisted_tokens: 'BadDeviceToken'}", "400 BadDeviceToken", "400 BadDeviceToken"),
    ("{tokens: ['aabb']}", "200", "200"),
  ])
  func tokensAreReplacedWhereTheFileHasSome(_ text: String, _ given: String, _ other: String) throws {
    let document = try document(text)
    var exchange = try Exchange {
      $0.tokens.set(.init(topic: "com.example.app", state: .unregistered(since: nil)), for: "aabb")
      document.apply(to: &$0)
    }
    #expect(try exchange.push { $0.target = "/3/device/aabb" }.verdict == given)
    #expect(try exchange.push { $0.target = "/3/device/ccdd" }.verdict == other)
  }

  /// The bounds of each number, at them and beside them; `§` is the number.
  @Test(arguments: [
    ("{rules: [{latency_ms: §}]}", "latency_ms", 0, 600_000),
    ("{rules: [{answer: {status: §, reason: null}}]}", "status", 200, 599),
    ("{rules: [{answer: {status: 429, retry_after_s: §}}]}", "retry_after_s", 0, 86_400),
    ("{rules: [{answer: {status: 410, timestamp: §}}]}", "timestamp", 0, 253_402_300_799_999),
    ("{limits: {initial_streams: §}}", "initial_streams", 1, 1_000_000),
    ("{limits: {errors: §}}", "errors", 1, 1_000_000), ("{limits: {channels: §}}", "channels", 1, 1_000_000),
    ("{limits: {bad_device_token_weight: §}}", "bad_device_token_weight", 1, 1_000_000),
    ("{limits: {per_token_per_s: §}}", "per_token_per_s", 1, 1_000_000),
    ("{limits: {unregister_lag_s: §}}", "unregister_lag_s", 0, 31_536_000),
    ("{rules: [{settings: {max_concurrent_streams: §}}]}", "max_concurrent_streams", 0, 1_000_000),
  ])
  func aNumberIsBounded(_ text: String, _ name: String, _ least: Int, _ most: Int) {
    func messages(_ number: Int) -> [String] {
      let source = SourceText(name: "rules.json5", text.replacing("§", with: "\(number)"))
      guard case .findings(let findings) = RulesDocument.parse(source) else { return [] }
      return findings.map(\.message)
    }
    #expect(messages(least) == [] && messages(most) == [])
    let refusal = "'\(name)' is not an integer from \(least) to \(most)."
    #expect(messages(least - 1) == [refusal] && messages(most + 1) == [refusal])
  }

  /// One stream until a push is accepted (Apple), then as many as were seen in 2021 (push 1.9).
  @Test func whatNoFileSaysHasItsLimit() throws {
    let limits = try document("{}").limits
    #expect(limits.initialStreams == 1 && limits.streams == 1_000 && limits.channels == 10_000)
    #expect(limits.pushesPerTokenPerSecond == nil)
  }

  @Test func eachLimitIsSetAtItsPlace() throws {
    let limits = try document(
      "{limits: {initial_streams: 2, streams: 3, errors: 4, bad_device_token_weight: 5, per_token_per_s: 6, channels: 7, unregister_lag_s: 8}}"
    ).limits
    #expect(limits.initialStreams == 2 && limits.streams == 3 && limits.errors == 4)
    #expect(limits.badDeviceTokenWeight == 5 && limits.pushesPerTokenPerSecond == 6 && limits.channels == 7)
    #expect(limits.unregisterLag == .seconds(8))
  }

  @Test(arguments: [(10_000, true), (10_001, false)]) func aFileHasTenThousandRulesAtMost(
    count: Int, isTaken: Bool
  ) {
    let text = "{rules: [" + String(repeating: "{answer: 500},", count: count) + "]}"
    switch RulesDocument.parse(SourceText(name: "rules.json5", text)) {
    case .document(let document): #expect(isTaken && document.rules.count == count)
    case .findings(let findings):
      #expect(!isTaken && findings.map(\.message) == ["There are 10001 rules; the limit is 10000."])
    }
  }
}
