/// One thing that can be wrong with what a person wrote, with the examples that are its tests and its page.
package struct CheckRule: Hashable, Sendable {
  /// The kind of file and a few words: `aasa.unknown-key`. It is a promise; it never changes its meaning.
  package let identifier: String
  /// What must hold, in one sentence.
  package let summary: String
  /// The worst that a violation means.
  package let severity: Finding.Severity
  /// The rule of the specification it rests on.
  package let source: String
  /// Inputs that break it; where a rule is tested by them, `⟦` and `⟧` stand around the first finding's place.
  package let bad: [String]
  /// Inputs that keep it.
  package let good: [String]

  package init(
    identifier: String, summary: String, severity: Finding.Severity, source: String, bad: [String] = [],
    good: [String] = []
  ) {
    self.identifier = identifier
    self.summary = summary
    self.severity = severity
    self.source = source
    self.bad = bad
    self.good = good
  }

  /// What a rule has found in one text.
  package struct Report: Sendable {
    private let rule: CheckRule
    private let source: SourceText
    package private(set) var findings: [Finding] = []

    package init(_ rule: CheckRule, in source: SourceText) {
      self.rule = rule
      self.source = source
    }

    package mutating func add(_ finding: Finding) { findings.append(finding) }

    /// - Parameters:
    ///   - range: Bytes of the text.
    ///   - severity: nil for the rule's own, as `identifier` and `ruleSource` are.
    package mutating func add(
      _ range: Range<Int>, _ pointer: JSONPointer, _ message: String, help: String,
      severity: Finding.Severity? = nil, rule identifier: String? = nil, source ruleSource: String? = nil
    ) {
      findings.append(
        Finding(
          rule: identifier ?? rule.identifier, severity: severity ?? rule.severity,
          at: .init(source, range, pointer: pointer.description), message: message, help: help,
          source: ruleSource ?? rule.source))
    }
  }
}
