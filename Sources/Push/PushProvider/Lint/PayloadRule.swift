package import LinkspanCore

/// A rule about payloads and the headers they go out with.
@dynamicMemberLookup
package struct PayloadRule: Sendable {
  package let record: CheckRule
  /// The headers that the examples are judged with.
  package let exampleHeaders: PushHeaders
  /// What a device does with a push that breaks the rule.
  package let effect: Effect
  private let inspect: @Sendable (PayloadSource, inout CheckRule.Report) -> Void

  /// What a device does with a push that breaks a rule, as far as anything says so. The help of each finding says it in words.
  package enum Effect: Hashable, Sendable {
    /// Only what the value at fault asks for is lost; the device shows and wakes as the rest of the push says.
    case valueOnly
    /// Apple calls the push as a whole an error, which is a refusal or a push type of its own on the way to the device; such
    /// pushes were seen to wake apps (push 7.11).
    case seenToWake
    /// Nothing documents it.
    case unknown
  }

  /// - Parameters:
  ///   - headers: With which the examples are judged.
  ///   - effect: What a device does with a push that breaks the rule.
  init(
    _ name: String, _ summary: String, _ severity: Finding.Severity, source: PayloadRuleSource, bad: [String],
    good: [String] = [Self.exampleAlert], headers: PushHeaders = PushHeaders(),
    effect: Effect = .unknown,
    inspect: @escaping @Sendable (PayloadSource, inout CheckRule.Report) -> Void
  ) {
    record = CheckRule(
      identifier: name == "json" ? name : "push.\(name)", summary: summary, severity: severity,
      source: source.text, bad: bad, good: good)
    exampleHeaders = headers
    self.effect = effect
    self.inspect = inspect
  }

  package subscript<Value>(dynamicMember member: KeyPath<CheckRule, Value>) -> Value {
    record[keyPath: member]
  }

  /// What the rule finds.
  package func findings(in source: PayloadSource) -> [Finding] {
    var report = CheckRule.Report(record, in: source.text)
    inspect(source, &report)
    return report.findings
  }

  static let exampleAlert = #"{"aps":{"alert":"Hello"}}"#
  static let exampleSilent = #"{"aps":{"content-available":1}}"#

  /// Headers with a push type, for examples.
  static func headers(_ type: PushType) -> PushHeaders {
    var headers = PushHeaders()
    headers.type = .init(type.rawValue)
    return headers
  }

  /// Every rule, in the order of the reference page.
  package static let all: [PayloadRule] = structure + text + background + shown + liveActivity + header

  private static let effects = Dictionary(uniqueKeysWithValues: all.map { ($0.record.identifier, $0.effect) })

  /// What a device does with a push of which a rule has an error.
  package static func effect(of finding: Finding) -> Effect { effects[finding.rule] ?? .unknown }
}

/// What rules rest on: pages of Apple's documentation, or a number of the catalogue.
enum PayloadRuleSource: String {
  case payload = "Generating a remote notification"
  case background = "Pushing background updates to your app"
  case request = "Sending notification requests to APNs"
  case liveActivity = "Starting and updating Live Activities with ActivityKit push notifications"
  case `extension` = "Modifying content in newly delivered notifications"
  case mdm = "Mobile Device Management Protocol Reference"
  case surrogates = "push 5.3"

  var text: String { self == .surrogates ? rawValue : "Apple: \(rawValue)" }
}

/// Says what is wrong with a payload.
package enum PayloadChecker {
  /// Every finding of every rule, in reading order. In a text that is no JSON only that is found: what seems to be missing may
  /// stand behind the mistake.
  package static func findings(in source: PayloadSource) -> [Finding] {
    let rules = source.document.errors.isEmpty ? PayloadRule.all : [PayloadRule.syntax]
    return rules.flatMap { $0.findings(in: source) }.inReadingOrder()
  }
}
