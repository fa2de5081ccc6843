import LinkspanCore
import PushProvider
import TestSupport
import Testing

@Suite struct PayloadRuleTests {
  @Test(arguments: RuleExample.all(of: PayloadRule.all.map(\.record)))
  func keepsItsWord(_ example: RuleExample) throws {
    let rule = try #require(PayloadRule.all.first { $0.identifier == example.rule.identifier })
    try example.isKept { rule.findings(in: PayloadSource($0, headers: rule.exampleHeaders)) }
  }

  /// A finding's pointer leads to the value, or the member, whose bytes it names.
  @Test(arguments: PayloadRule.all.flatMap { rule in rule.bad.map { (rule.identifier, $0) } })
  func aFindingPointsAtWhatItNames(identifier: String, example: String) throws {
    let rule = try #require(PayloadRule.all.first { $0.identifier == identifier })
    let text = SourceText(name: "example", example.filter { !"⟦⟧".contains($0) })
    for finding in rule.findings(in: PayloadSource(text, headers: rule.exampleHeaders)) {
      guard let root = JSONParser.parse(text.bytes).root, let start = finding.location.start else { continue }
      let ranges = Self.ranges(at: try #require(finding.location.pointer), in: root)
      let isNamed = ranges.contains {
        text.position(at: $0.lowerBound) <= start && start < text.position(at: $0.upperBound)
      }
      #expect(isNamed, "\(finding.location) \(example)")
    }
  }

  /// The bytes of what a pointer leads to, with the name of a member; of a name that is there twice, of both.
  private static func ranges(at pointer: String, in root: JSONNode) -> [Range<Int>] {
    var found = [(range: root.range, node: root)]
    for step in pointer.split(separator: "/") {
      found = found.flatMap { place in
        let members = (place.node.object ?? []).filter { $0.name == step }
        let elements = (place.node.array ?? []).enumerated().filter { "\($0.offset)" == step }
        return members.map { ($0.nameRange.lowerBound..<$0.value.range.upperBound, $0.value) }
          + elements.map { ($0.element.range, $0.element) }
      }
    }
    return found.map { $0.range }
  }

  @Test func everyRuleHasExamplesAndItsOwnName() {
    for rule in PayloadRule.all {
      // What a file for the simulator lacks shows in its name, which an example has not.
      #expect(!rule.bad.isEmpty || rule.identifier == "push.simulator-target", "\(rule.identifier)")
      #expect(!rule.good.isEmpty && rule.summary.hasSuffix("."), "\(rule.identifier)")
    }
    #expect(Set(PayloadRule.all.map(\.identifier)).count == PayloadRule.all.count)
  }

  @Test func goodExamplesAreGoodByEveryRule() {
    for rule in PayloadRule.all {
      for text in rule.good {
        let source = PayloadSource(SourceText(name: "good", text), headers: rule.exampleHeaders)
        #expect(PayloadChecker.findings(in: source) == [], "\(text)")
      }
    }
  }

  /// Seconds since 1970 from 2001-09-09 to 2100 are no seconds since 2001; what is no number is none of either.
  @Test(arguments: [
    ("endDate", "999999999", false), ("endDate", "1000000000", true), ("endDate", "4102444800", true),
    ("endDate", "4102444801", false), ("endDate", "null", false), ("endDate", "true", false),
    ("endDate", "{}", false),
    ("endDate", "\"2026-01-01\"", true), ("endTime", "\"soon\"", false), ("startedAt", "1700000000", true),
    ("startedat", "1700000000", false), ("count", "1700000000", false),
  ])
  func aDateOfAContentStateIsInSecondsSince2001(name: String, value: String, isFound: Bool) {
    let text =
      "{\"aps\":{\"event\":\"update\",\"timestamp\":1700000000,\"content-state\":{\"\(name)\":\(value)}}}"
    let rules = PayloadChecker.findings(in: PayloadSource(SourceText(name: "payload", text))).map(\.rule)
    #expect(rules.contains { $0.hasSuffix("content-state-date") } == isFound, "\(rules)")
  }

  @Test func aRecordedRequestIsNoBody() throws {
    let text = SourceText(name: "request", #"{"headers":{},"payload":{"aps":{"alert":"Hello"}}}"#)
    #expect(PayloadChecker.findings(in: PayloadSource(text)).allSatisfy { $0.severity == .note })
    let finding = try #require(PayloadChecker.findings(in: PayloadSource(text, isBody: true)).first)
    #expect(finding.rule == "push.missing-aps")
    #expect(
      finding.help
        == "It looks like a recorded request, which is sent as it is. Send what it has as 'payload' alone.")
  }

  @Test func aSimulatorFileNamesItsApp() {
    func rules(_ name: String, _ text: String) -> [String] {
      PayloadChecker.findings(in: PayloadSource(SourceText(name: name, text))).map(\.rule)
    }
    #expect(rules("a.apns", #"{"aps":{"alert":"Hello"}}"#) == ["push.simulator-target"])
    #expect(rules("a.apns", #"{"aps":{"alert":"Hello"},"Simulator Target Bundle":"a.b"}"#) == [])
    #expect(rules("a.json", #"{"aps":{"alert":"Hello"}}"#) == [])
  }
}

/// The payload cases L1 to L22 of the push notes, section 11.
@Suite struct PayloadCaseTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var id: String
    var text: String
    var type: PushType?
    var priority: String?
    var worst: Finding.Severity?
    var rule: String?

    init(
      _ id: String, _ text: String, _ type: PushType? = nil, priority: String? = nil,
      _ worst: Finding.Severity? = nil, _ rule: String? = nil
    ) {
      self.id = id
      self.text = text
      self.type = type
      self.priority = priority
      self.worst = worst
      self.rule = rule
    }

    var testDescription: String { id }
  }

  static let cases = [
    Case("L1", #"{"aps":{"content-available":1}}"#, .background, priority: "5"),
    Case("L2", #"{"aps":{"content-available":1,"sound":""}}"#, .background, .error, "push.background-shown"),
    Case("L3", #"{"content-available":1,"aps":{}}"#, nil, .error, "push.outside-aps"),
    Case("L4", #"{"aps":{"content_available":1}}"#, nil, .error, "push.misspelt-key"),
    Case("L5", #"{"aps":{"content-available":true}}"#, nil, .warning, "push.flag-not-1"),
    Case("L6", #"{"aps":{"badge":"1"}}"#, nil, .error, "push.badge"),
    Case("L7", #"{"aps":{"badge":0}}"#),
    Case("L8", #"{"aps":{"alert":{}}}"#, nil, .warning, "push.empty-alert"),
    Case("L9", #"{"aps":{"alert":"x","mutable-content":1}}"#),
    Case("L10", #"{"aps":{"mutable-content":1}}"#, nil, .warning, "push.mutable-without-alert"),
    Case(
      "L11", #"{"aps":{"alert":"x","interruption-level":"urgent"}}"#, nil, .error, "push.interruption-level"),
    Case(
      "L12", #"{"aps":{"sound":{"critical":1,"name":"default","volume":1.5}}}"#, nil, .error, "push.volume"),
    Case("L13", #"{"aps":{"alert":{"loc-key":"K","loc-args":[1]}}}"#, nil, .error, "push.loc-args"),
    Case("L14 alert", #"{"aps":{"relevance-score":2}}"#, .alert, .error, "push.relevance-score"),
    Case(
      "L14 liveactivity",
      #"{"aps":{"event":"update","timestamp":1,"content-state":{},"relevance-score":2}}"#, .liveactivity),
    Case("L15", #"{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#, .liveactivity),
    Case(
      "L16", #"{"aps":{"event":"start","timestamp":1,"content-state":{}}}"#, nil, .error,
      "push.live-activity-start"),
    Case("L17", "[]", nil, .error, "push.not-an-object"),
    Case("L18", #"{"mdm":"x"}"#, .mdm),
    // Braces, quotation marks and the key take 22 bytes, and one letter of one byte.
    Case("L19 4096", #"{"aps":{"alert":"\#(String(repeating: "é", count: 2_038))"}}"#),
    Case(
      "L19 4097", #"{"aps":{"alert":"a\#(String(repeating: "é", count: 2_038))"}}"#, nil, .error,
      "push.too-large"),
    Case("L20", #"{"aps":{"alert":"x","alert":"y"}}"#, nil, .warning, "push.duplicate-key"),
    Case("L21", #"{"aps":{"content-changed":true}}"#, .widgets),
    Case(
      "L22", #"{"aps":{"alert":"x","input-push-token":1,"input-push-channel":"QQ=="}}"#, nil, .error,
      "push.input-push"),
    Case(
      "30", #"{"aps":{"content-available":1}}"#, .background, priority: "10", .error,
      "push.background-priority"),
    Case(
      "empty sound", #"{"aps":{"content-available":1,"sound":""}}"#, nil, .error, "push.background-shown"),
    Case("titel", #"{"aps":{"alert":{"titel":"x","body":"y"}}}"#, nil, .warning, "push.unknown-part-key"),
    Case("header", #"{"aps":{"alert":"x","apns-priority":10}}"#, nil, .warning, "push.header-in-payload"),
    Case(
      "header beside", #"{"aps":{"alert":"x"},"apns-priority":10}"#, nil, .warning, "push.header-in-payload"),
    Case("nothing", #"{"aps":{}}"#, nil, .warning, "push.shows-nothing"),
    Case("43 5120", voip(5_120), .voip), Case("43 5121", voip(5_121), .voip, .error, "push.too-large"),
  ]

  private static func voip(_ bytes: Int) -> String {
    let frame = #"{"aps":{"alert":""}}"#
    return #"{"aps":{"alert":"\#(String(repeating: "a", count: bytes - frame.utf8.count))"}}"#
  }

  @Test(arguments: cases) func isJudged(_ example: Case) {
    var headers = PushHeaders()
    headers.type = example.type.map { .init($0.rawValue) }
    headers.priority = example.priority.map { .init($0) }
    let source = PayloadSource(SourceText(name: "payload.json", example.text), headers: headers)
    let findings = PayloadChecker.findings(in: source)
    let worst = Finding.Severity.allCases.first { severity in findings.contains { $0.severity == severity } }
    let text = findings.map { $0.text() }.joined()
    #expect(worst == example.worst, "\(text)")
    if let rule = example.rule { #expect(findings.contains { $0.rule == rule }, "\(text)") }
  }

  /// What is found stands where it is, and says what to do.
  @Test func aFindingIsReadable() {
    let text = SourceText(name: "push.json", "{\n  \"aps\": {\"content_available\": 1}\n}\n")
    #expect(
      PayloadChecker.findings(in: PayloadSource(text)).map { $0.text() }.joined() == """
        push.json:2:11: error[push.misspelt-key]: 'content_available' is not a key of 'aps'.
          2 |   "aps": {"content_available": 1}
            |           ^^^^^^^^^^^^^^^^^^^
          It has no effect. Write 'content-available'.

        """)
  }

  /// To a reader of JSON 1, 1.0 and 1e0 are one number; Apple documents a number.
  @Test(
    arguments: [
      (#"{"aps":{"badge":1.0}}"#, []), (#"{"aps":{"badge":1e1}}"#, []), (#"{"aps":{"badge":0.0}}"#, []),
      (#"{"aps":{"alert":"x","badge":1.5}}"#, ["push.badge"]), (#"{"aps":{"badge":-1.0}}"#, ["push.badge"]),
      (#"{"aps":{"alert":"x","badge":1e99}}"#, ["push.badge"]),
      (#"{"aps":{"content-available":1.0}}"#, []),
      (#"{"aps":{"content-available":1.5}}"#, ["push.background-content-available"]),
      (#"{"aps":{"alert":"x","mutable-content":1e0}}"#, []),
      (#"{"aps":{"alert":"x","mutable-content":0.0}}"#, []),
      (#"{"aps":{"alert":"x","sound":{"critical":1.0,"name":"default","volume":1}}}"#, []),
    ] as [(String, [String])]) func aWholeNumberMayHaveAFraction(text: String, rules: [String]) throws
  {
    #expect(Self.findings(text).map(\.rule) == rules)
    let content = PayloadSource(SourceText(name: "p", text)).content
    #expect(content.asksForWake == text.contains(#""content-available":1.0"#))
    #expect((content.badge != nil) == (text.contains("badge") && rules.isEmpty || text.contains("-1.0")))
  }

  /// Of what software made that cuts by UTF-16 units, the finding names the half and where it stands.
  @Test(arguments: [
    (#"{"aps":{"alert":{"body":"x \ud83d"}}}"#, "/aps/alert/body", #"\ud83d"#),
    (#"{"aps":{"alert":"x"},"a":[{"b":"\uDE00\ud83d\ude00"}]}"#, "/a/0/b", #"\uDE00"#),
    (#"{"aps":{"alert":"x"},"a":"\ud83d\ud83d\ude00"}"#, "/a", #"\ud83d"#),
    (#"{"payload":{"aps":{"alert":"\ud83d\n"}}}"#, "/payload/aps/alert", #"\ud83d"#),
  ]) func halfASurrogatePairIsFound(text: String, pointer: String, escape: String) {
    let found = Self.findings(text)
    #expect(found.map(\.rule) == ["push.unpaired-surrogate"])
    #expect(found.first?.location.pointer == pointer)
    #expect(found.first?.message == "'\(escape)' is half of a surrogate pair.")
  }

  /// Times in seconds and in milliseconds, at the bounds between them.
  @Test(
    arguments: [
      ("100000000000", []), ("100000000001", ["push.live-activity-milliseconds"]), ("1700000000", []),
      ("1.7e9", []), ("1700000000000.0", ["push.live-activity-milliseconds"]),
    ] as [(String, [String])])
  func millisecondsBeginBehindTheYear5100(timestamp: String, rules: [String]) {
    for key in ["timestamp", "stale-date", "dismissal-date"] {
      let others = key == "timestamp" ? "" : #""timestamp":1700000000,"#
      let event = key == "dismissal-date" ? "end" : "update"
      let text = #"{"aps":{"event":"\#(event)",\#(others)"\#(key)":\#(timestamp),"content-state":{}}}"#
      let found = PushDecision(PayloadSource(SourceText(name: "p", text))).findings.map(\.rule)
      #expect(found.filter { $0 == "push.live-activity-milliseconds" } == rules, "\(key)")
    }
  }

  /// push 5.1: they are Unix seconds; 820000000 lies in 2026 as seconds since 2001, and in 1995 as Unix seconds.
  @Test(
    arguments: [
      ("599999999", 0), ("600000000", 1), ("820000000", 1), ("8.2e8", 1), ("1200000000", 1),
      ("1200000001", 0),
      ("1", 0), ("1700000000", 0),
    ]) func secondsSince2001AreFound(time: String, count: Int)
  {
    for key in ["timestamp", "stale-date", "dismissal-date"] {
      let others = key == "timestamp" ? "" : #""timestamp":1700000000,"#
      let event = key == "dismissal-date" ? "end" : "update"
      let found = Self.findings(
        #"{"aps":{"event":"\#(event)",\#(others)"\#(key)":\#(time),"content-state":{}}}"#)
      let rules = found.map(\.rule)
      #expect(rules == Array(repeating: "push.live-activity-reference-date", count: count), "\(key)")
      #expect(found.allSatisfy { $0.severity == .warning && $0.location.pointer == "/aps/\(key)" })
    }
  }

  /// push 5.1 and 6: a channel's identifier is Base64, in a start as for the command.
  @Test(
    arguments: [
      ("QQ==", []), ("not base64!", ["push.input-push"]), ("", ["push.input-push"]),
      ("!!", ["push.input-push"]),
    ] as [(String, [String])]) func theChannelOfAStartIsBase64(channel: String, rules: [String])
  {
    let found = Self.findings(
      #"{"aps":{"event":"start","timestamp":1700000000,"content-state":{},"attributes-type":"Game","#
        + #""attributes":{},"alert":"x","input-push-channel":"\#(channel)"}}"#, .liveactivity)
    #expect(found.map(\.rule) == rules && found.allSatisfy { $0.severity == .error })
  }

  /// push 5.1: each `%@` of the text that `loc-key` names takes the next argument.
  @Test(
    arguments: [
      (#"{"body":"x","loc-args":["a"]}"#, "loc-key"),
      (#"{"loc-key":"K","title-loc-args":["a"]}"#, "title-loc-key"),
      (#"{"loc-key":"K","loc-args":["a"],"subtitle-loc-args":["a"]}"#, "subtitle-loc-key"),
      (#"{"loc-key":"K","loc-args":["a"]}"#, nil),
    ] as [(String, String?)]) func argumentsNeedTheKeyOfTheirText(alert: String, missing: String?)
  {
    let found = Self.findings(#"{"aps":{"alert":\#(alert)}}"#)
    #expect(found.map(\.rule) == (missing == nil ? [] : ["push.loc-args"]))
    #expect(found.allSatisfy { $0.severity == .warning })
    if let missing { #expect(found.first?.message.hasSuffix("has no '\(missing)' beside it.") == true) }
  }

  /// push 5.2: 'aps' is missing; what stands there instead is named.
  @Test(arguments: [
    (
      #"{"notification":{"title":"x"},"data":{"a":"b"}}"#,
      "Firebase Cloud Messaging (FCM); APNs does not know"
    ),
    (#"{"message":{"token":"t","notification":{"body":"x"}}}"#, "Firebase Cloud Messaging (FCM)"),
    (#"{"message":{"apns":{"payload":{"aps":{"alert":"x"}}}}}"#, "'apns.payload' alone"),
    (#"{"default":"x","APNS":"{\"aps\":{}}"}"#, "Amazon SNS. Send the text of 'APNS' alone"),
    (#"{"default":"x","APNS_SANDBOX":"{}"}"#, "Send the text of 'APNS_SANDBOX' alone"),
    (#"{"APS":{"alert":"x"}}"#, "Did you mean 'aps'?"), (#"{"aps ":{"alert":"x"}}"#, "Did you mean 'aps'?"),
    (#"{"apn":{"alert":"x"}}"#, "Did you mean 'aps'?"), (#"{"app":{"a":"x"}}"#, "Put Apple's keys into"),
    (#"{"notification":"x","apns":1}"#, "Put Apple's keys into"),
  ]) func whatStandsInsteadOfApsIsNamed(text: String, help: String) throws {
    let finding = try #require(Self.findings(text).first { $0.rule == "push.missing-aps" })
    #expect(finding.wholeHelp?.contains(help) == true, "\(finding.wholeHelp ?? "")")
  }

  /// push 5.2: in a text that is no JSON nothing is missing yet.
  @Test(arguments: ["{bad", #"{"aps":{"event":"update","#, #"{"aps" {"alert":"x"}}"#, ""])
  func brokenJSONHasErrorsOfJSONOnly(text: String) {
    for type in [nil, PushType.liveactivity, .mdm, .background] {
      let rules = Self.findings(text, type).map(\.rule)
      #expect(!rules.isEmpty && rules.allSatisfy { $0.hasPrefix("json.") }, "\(rules)")
    }
  }

  private static func findings(_ text: String, _ type: PushType? = nil) -> [Finding] {
    var headers = PushHeaders()
    headers.type = type.map { .init($0.rawValue) }
    return PayloadChecker.findings(
      in: PayloadSource(SourceText(name: "payload", text), headers: headers))
  }

  /// push 5.2: only a payload for MDM has none. A VoIP push needs nothing inside.
  @Test(arguments: [(PushType.voip, "An empty one is enough"), (.alert, "The device ignores the push")])
  func whatAPayloadWithoutApsNeeds(type: PushType, help: String) {
    let found = Self.findings(#"{"handle":"+1555"}"#, type).filter { $0.rule == "push.missing-aps" }
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.wholeHelp?.contains(help) == true)
    #expect(!Self.findings(#"{"aps":{},"handle":"+1555"}"#, .voip).contains { $0.severity == .error })
  }

  /// push 5.1: beside 'aps' the system reads none of them either.
  @Test(arguments: [("sound", #""default""#), ("badge", "1"), ("category", #""c""#), ("thread-id", #""t""#)])
  func aKeyOfApsInsideTheAlertBelongsIntoAps(key: String, value: String) {
    let found = Self.findings(#"{"aps":{"alert":{"body":"Hi","\#(key)":\#(value)}}}"#)
    #expect(found.map(\.rule) == ["push.outside-aps"])
    #expect(found.first?.wholeHelp?.contains("Move it into 'aps'.") == true)
    let own = Self.findings(#"{"aps":{"alert":{"body":"Hi"}},"\#(key)":\#(value)}"#)
    #expect(own.isEmpty != key.contains("-"))
  }

  /// push 6: a Live Activity has its sound inside the alert.
  @Test func aLiveActivitysAlertHasASound() {
    let text =
      #"{"aps":{"event":"update","timestamp":1700000000,"content-state":{},"alert":{"title":"T","body":"B","sound":"a.caf"}}}"#
    #expect(Self.findings(text, .liveactivity).isEmpty)
  }

  /// push 5.1: the newest timestamp wins; the other two order nothing.
  @Test(arguments: [
    ("timestamp", "counts as older"), ("stale-date", "never counts as stale"),
    ("dismissal-date", "stays until"),
  ])
  func whatATimeInMillisecondsDoes(key: String, effect: String) {
    let others = key == "timestamp" ? "" : #""timestamp":1700000000,"#
    let text = #"{"aps":{"event":"end",\#(others)"\#(key)":1700000000000}}"#
    let found = Self.findings(text, .liveactivity).filter { $0.rule == "push.live-activity-milliseconds" }
    let help = found.first?.wholeHelp ?? ""
    #expect(found.count == 1 && help.contains(effect) && help.hasSuffix("Write Unix seconds."))
    #expect(help.contains("older") == (key == "timestamp"))
  }
}
