package import AppSiteAssociation
package import LinkspanCore

/// A rule about association files: what it says, and how it looks.
@dynamicMemberLookup
package struct AssociationRule: Sendable {
  package let record: CheckRule
  private let inspection: Inspection

  private enum Inspection {
    /// Once, for what holds on every release.
    case text(@Sendable (AssociationSource, inout CheckRule.Report) -> Void)
    /// Once for each way in which releases read the file.
    case reading(
      asksMeaning: Bool, @Sendable (AssociationSource, FileReading, inout CheckRule.Report) -> Void)
    /// Once, for what tells releases apart; it says itself which ones its findings hold for.
    case releases(@Sendable (AssociationSource, FileReadings, inout CheckRule.Report) -> Void)
  }

  private init(
    _ identifier: String, _ summary: String, _ severity: Finding.Severity, _ source: String, _ bad: [String],
    _ good: [String], _ inspection: Inspection
  ) {
    record = CheckRule(
      identifier: identifier, summary: summary, severity: severity, source: source, bad: bad, good: good)
    self.inspection = inspection
  }

  /// A rule about the text, whatever the release.
  init(
    identifier: String, summary: String, severity: Finding.Severity, source: String, bad: [String],
    good: [String], inspect: @escaping @Sendable (AssociationSource, inout CheckRule.Report) -> Void
  ) {
    self.init(identifier, summary, severity, source, bad, good, .text(inspect))
  }

  /// A rule about what a release reads in the file.
  ///
  /// - Parameter asksMeaning: Whether it asks what the rules of a file mean together, which may cost more than walks over
  ///   the text.
  init(
    identifier: String, summary: String, severity: Finding.Severity, source: String, bad: [String],
    good: [String], asksMeaning: Bool = false,
    inspectReading: @escaping @Sendable (AssociationSource, FileReading, inout CheckRule.Report) -> Void
  ) {
    self.init(
      identifier, summary, severity, source, bad, good,
      .reading(asksMeaning: asksMeaning, inspectReading))
  }

  /// A rule about where releases differ.
  init(
    identifier: String, summary: String, severity: Finding.Severity, source: String, bad: [String],
    good: [String],
    inspectReleases: @escaping @Sendable (AssociationSource, FileReadings, inout CheckRule.Report) -> Void
  ) {
    self.init(identifier, summary, severity, source, bad, good, .releases(inspectReleases))
  }

  package subscript<Value>(dynamicMember member: KeyPath<CheckRule, Value>) -> Value {
    record[keyPath: member]
  }

  /// What the rule finds in a file; fixes only where its syntax is understood and it is not signed.
  ///
  /// - Parameter releases: Those that count; nil for the newest behaviour, whatever the release.
  package func findings(in file: AssociationSource, on releases: ReleaseSet? = .standard) -> [Finding] {
    var work = WorkBudget.answer
    return outcome(on: file, FileReadings(of: file.association, on: releases), &work).findings
  }

  /// What the rule finds, and what it had to leave open.
  func outcome(
    on file: AssociationSource, _ readings: FileReadings, _ work: inout WorkBudget
  ) -> AssociationChecker.Outcome {
    // After mistakes in the syntax the tree is a guess, so only those are mended then; and what was signed is
    // not where the published bytes are.
    let isUnderstood = file.content.document.isWellFormed || record.identifier == "json"
    func report(_ inspect: (inout CheckRule.Report) -> Void) -> CheckRule.Report {
      var report = CheckRule.Report(
        record, in: file.text, isMendable: file.content.format == .json && isUnderstood,
        work: work)
      if asksMeaning, work.isExhausted {
        report.leaveUndecided(
          "\(record.identifier) of \(file.text.name): the work before it reached its bound")
        return report
      }
      inspect(&report)
      work = report.work
      return report
    }
    switch inspection {
    case .text(let inspect):
      let report = report { inspect(file, &$0) }
      return AssociationChecker.Outcome(
        findings: report.findings.compactMap { readings.placed($0, on: readings.all) },
        notChecked: report.undecided)
    case .releases(let inspect):
      let report = report { inspect(file, readings, &$0) }
      return AssociationChecker.Outcome(findings: report.findings, notChecked: report.undecided)
    case .reading(_, let inspect):
      return .joined(
        readings.all.map { reading in (reading, report { inspect(file, reading, &$0) }) }, readings)
    }
  }

  private var asksMeaning: Bool {
    switch inspection {
    case .text: false
    case .reading(let asksMeaning, _): asksMeaning
    case .releases: true
    }
  }

  /// Every rule, in the order of the reference page.
  package static let all = ofTheFile + ofApps + ofPatterns + ofMeaning

  private static let ofTheFile: [AssociationRule] = [
    .syntax, .signed, .notAnObject, .grantsNothing, .unknownService, .nestedService, .unknownKey, .wrongType,
    .duplicateKey, .size,
  ]

  private static let ofApps: [AssociationRule] = [
    .noApps, .activityContinuation, .appClipIdentifier, .applicationIdentifier, .similarPrefix,
    .duplicateApplication, .noApplication, .hiddenAppID, .pathsUnderAppIDs, .mixedFormats, .appsKey,
    .newerThanPaths, .noDetails, .detailsObject, .severalEntries,
  ]

  private static let ofPatterns: [AssociationRule] = [
    .matchesEverything, .emptyRules, .onlyExclusions, .notInComponents, .variable, .variableName,
    .shadowedVariable, .unusedVariable, .regionUK, .queryValue, .queryItem, .optionalQueryItem,
    .leadingDelimiter,
  ]

  private static let ofMeaning: [AssociationRule] = [
    .neverMatches, .queryInPath, .literalSyntax, .missingSlash, .pathSegments, .doubleStar, .encodedPattern,
    .lowerCaseEscape, .decomposedLetter, .excludingDefaults, .sampleRules, .unreachable, .contradiction,
    .idleExclusion, .competingApps, .wideStar, .releaseDependent,
  ]
}
