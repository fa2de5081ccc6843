package import LinkspanCore

/// One thing that can be wrong with an association file, with the examples that are its tests and its page.
package struct AssociationRule: Sendable {
  /// `aasa.` and a few words.
  package let identifier: String
  /// What must hold, in one sentence.
  package let summary: String
  /// The worst that a violation means.
  package let severity: Finding.Severity
  /// The rule of spec associated-domains it rests on.
  package let source: String
  /// Whole files that break it; `⟦` and `⟧` stand around the place of the first finding.
  package let bad: [String]
  /// Whole files that keep it.
  package let good: [String]

  let inspect: @Sendable (AssociationSource, inout Report) -> Void

  /// What a rule has found in one file.
  struct Report {
    fileprivate let rule: AssociationRule
    fileprivate let source: SourceText
    /// Whether places in the tree are places in the published bytes, all of which were understood.
    fileprivate let isMendable: Bool
    fileprivate(set) var findings: [Finding] = []
    /// How many more there were than are told.
    fileprivate var untold = 0
    /// Ours: whoever has a hundred of one kind mends them with one change.
    fileprivate static let limit = 100

    mutating func add(
      _ range: Range<Int>, _ pointer: JSONPointer, _ message: String, help: String,
      severity: Finding.Severity? = nil, rule: String? = nil, source ruleSource: String? = nil,
      fix: [Edit] = []
    ) {
      guard findings.count < Self.limit else {
        untold += 1
        return
      }
      findings.append(
        Finding(
          rule: rule ?? self.rule.identifier, severity: severity ?? self.rule.severity,
          at: .init(source, range, pointer: pointer.description), message: message, help: help,
          source: ruleSource ?? self.rule.source, fix: isMendable ? Fix(fix, in: source) : nil))
    }
  }

  package func findings(in file: AssociationSource) -> [Finding] {
    // After mistakes in the syntax the tree is a guess, so only those are mended then.
    let isUnderstood = file.content.document.isWellFormed || identifier == AssociationRule.syntax.identifier
    var report = Report(
      rule: self, source: file.text, isMendable: file.content.format == .json && isUnderstood)
    inspect(file, &report)
    if report.untold > 0, var last = report.findings.last {
      let rest = "\(report.untold) more of this kind are not listed."
      last = Finding(
        rule: last.rule, severity: last.severity, at: last.location, message: last.message,
        help: (last.help.map { $0 + "\n" } ?? "") + rest, source: last.source, fix: last.fix)
      report.findings[report.findings.count - 1] = last
    }
    return report.findings
  }

  /// Every rule, in the order of the reference page.
  package static let all: [AssociationRule] = [
    .syntax, .notAnObject, .grantsNothing, .unknownService, .nestedService, .unknownKey, .wrongType,
    .duplicateKey, .size, .applicationIdentifier, .noApplication, .hiddenAppID, .pathsUnderAppIDs,
    .mixedFormats, .appsKey, .noDetails, .detailsObject, .matchesEverything, .emptyRules, .notInComponents,
    .variable, .shadowedVariable, .queryValue, .neverMatches, .literalSyntax, .missingSlash, .doubleStar,
    .encodedPattern, .excludingDefaults, .unreachable,
  ]
}
