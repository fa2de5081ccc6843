package import LinkspanCore

/// A rule about association files: what it says, and how it looks.
@dynamicMemberLookup
package struct AssociationRule: Sendable {
  package let record: CheckRule
  /// Whether it asks what the rules of a file mean together, which may cost more than walks over the text.
  private let asksMeaning: Bool
  private let inspect: @Sendable (AssociationSource, inout CheckRule.Report) -> Void

  init(
    identifier: String, summary: String, severity: Finding.Severity, source: String, bad: [String],
    good: [String], asksMeaning: Bool = false,
    inspect: @escaping @Sendable (AssociationSource, inout CheckRule.Report) -> Void
  ) {
    record = CheckRule(
      identifier: identifier, summary: summary, severity: severity, source: source, bad: bad, good: good)
    self.asksMeaning = asksMeaning
    self.inspect = inspect
  }

  package subscript<Value>(dynamicMember member: KeyPath<CheckRule, Value>) -> Value {
    record[keyPath: member]
  }

  /// What the rule finds in a file; fixes only where its syntax is understood and it is not signed.
  package func findings(in file: AssociationSource) -> [Finding] {
    var work = WorkBudget.answer
    return report(on: file, &work).findings
  }

  /// What the rule finds, and what it had to leave open.
  package func report(on file: AssociationSource, _ work: inout WorkBudget) -> CheckRule.Report {
    // After mistakes in the syntax the tree is a guess, so only those are mended then; and what was signed is
    // not where the published bytes are.
    let isUnderstood = file.content.document.isWellFormed || record.identifier == "json"
    var report = CheckRule.Report(
      record, in: file.text, isMendable: file.content.format == .json && isUnderstood,
      work: work)
    guard !asksMeaning || !work.isExhausted else {
      report.leaveUndecided("\(record.identifier) of \(file.text.name): the work before it reached its bound")
      return report
    }
    inspect(file, &report)
    work = report.work
    return report
  }

  /// Every rule, in the order of the reference page.
  package static let all: [AssociationRule] = [
    .syntax, .signed, .notAnObject, .grantsNothing, .unknownService, .nestedService, .unknownKey, .wrongType,
    .duplicateKey, .size, .noApps, .activityContinuation, .appClipIdentifier, .applicationIdentifier,
    .similarPrefix,
    .duplicateApplication, .noApplication, .hiddenAppID, .pathsUnderAppIDs, .mixedFormats, .appsKey,
    .newerThanPaths, .noDetails, .detailsObject, .severalEntries, .matchesEverything, .emptyRules,
    .onlyExclusions, .notInComponents, .variable, .variableName, .shadowedVariable, .unusedVariable,
    .regionUK, .queryValue, .queryItem, .optionalQueryItem, .leadingDelimiter, .neverMatches, .queryInPath,
    .literalSyntax, .missingSlash, .pathSegments, .doubleStar, .encodedPattern, .lowerCaseEscape,
    .excludingDefaults, .sampleRules, .unreachable, .idleExclusion,
    .competingApps, .wideStar, .releaseDependent,
  ]
}
