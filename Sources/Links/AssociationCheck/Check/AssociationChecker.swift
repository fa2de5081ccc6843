package import AppSiteAssociation
package import LinkspanCore

/// Says what is wrong with an association file, whatever host it is for and whatever app it names.
package enum AssociationChecker {
  /// What was found, and what a bound on the work left open.
  package struct Outcome: Sendable {
    /// In reading order.
    package var findings: [Finding]
    /// Clauses for the list of what was not checked.
    package var notChecked: [String]
  }

  /// Our estimate of what the rules cost that walk over the text, in steps for each byte.
  private static let stepsPerByte = 40

  /// Applies every rule to a file. The work is bounded for any file of legal size, whatever it holds.
  ///
  /// - Parameter releases: Those that count, here and below: no finding holds for none of them, and each says for which it
  ///   holds.
  package static func check(_ file: AssociationSource, on releases: ReleaseSet = .standard) -> Outcome {
    var work = WorkBudget.answer
    return check(file, on: releases, &work)
  }

  /// The same as a part of something larger.
  ///
  /// - Parameter isWanted: Asked before each rule; when it is false, the rest is left out and the outcome is worth nothing.
  package static func check(
    _ file: AssociationSource, on releases: ReleaseSet = .standard, _ work: inout WorkBudget,
    while isWanted: () -> Bool = { true }
  ) -> Outcome {
    if !file.isTooLarge { _ = work.spend(file.text.bytes.count * stepsPerByte) }
    let readings = FileReadings(of: file.association, on: releases)
    var outcomes: [Outcome] = []
    for rule in AssociationRule.all where isWanted() {
      outcomes.append(rule.outcome(on: file, readings, &work))
    }
    return Outcome(
      findings: outcomes.flatMap { $0.findings }.inReadingOrder(),
      notChecked: outcomes.flatMap { $0.notChecked })
  }

  /// What is wrong with the syntax alone, which is known long before the rest.
  package static func syntaxFindings(in file: AssociationSource) -> [Finding] {
    AssociationRule.syntax.findings(in: file)
  }

  private static let format = WithheldFinding.Format(
    rules: AssociationRule.all.map { $0.record } + JSONSyntaxRules.all, keys: AssociationRule.keys)

  /// Every finding, in reading order, for readers who may not see the file.
  package static func withheldFindings(in file: AssociationSource) -> [WithheldFinding] {
    findings(in: file).withheld(in: file.root, format)
  }

  /// Every finding of every rule, in reading order.
  package static func findings(
    in file: AssociationSource, on releases: ReleaseSet = .standard
  ) -> [Finding] { check(file, on: releases).findings }

  /// The file with the fixes of its findings applied. What the rules mean together is asked as long as the work lasts.
  package static func fixed(_ text: SourceText, on releases: ReleaseSet = .standard) -> FixedText {
    var work = WorkBudget(steps: WorkLimits.correction)
    return fixed(text, on: releases, &work)
  }

  /// The same as a part of something larger.
  package static func fixed(
    _ text: SourceText, on releases: ReleaseSet = .standard, _ work: inout WorkBudget
  ) -> FixedText {
    var own = work
    defer { work = own }
    return FixedText(
      text, isReadable: { AssociationContent($0.bytes).document.isWellFormed },
      hasWorkLeft: { !own.isExhausted },
      findings: { check(AssociationSource($0), on: releases, &own).findings })
  }
}

extension AssociationChecker.Outcome {
  /// What a rule found on each reading as one list: a finding that several have counts once, with all their releases.
  static func joined(
    _ reports: [(reading: FileReading, report: CheckRule.Report)], _ readings: FileReadings
  ) -> Self {
    var findings: [Finding] = []
    var held: [[FileReading]] = []
    var places: [FindingKey: Int] = [:]
    var notChecked: [String] = []
    for (reading, report) in reports {
      notChecked += report.undecided.filter { !notChecked.contains($0) }
      for finding in report.findings {
        let key = FindingKey(location: finding.location, message: finding.message)
        guard let place = places[key] else {
          places[key] = findings.count
          findings.append(finding)
          held.append([reading])
          continue
        }
        held[place].append(reading)
        // The worst that it means on one of the releases.
        if finding.severity.isWorse(than: findings[place].severity) { findings[place] = finding }
      }
    }
    return Self(
      findings: zip(findings, held).compactMap { readings.placed($0, on: $1) }, notChecked: notChecked)
  }
}

extension Finding {
  func held(on releases: HeldReleases?) -> Finding {
    var finding = self
    finding.releases = releases
    return finding
  }
}

extension Finding.Severity {
  fileprivate func isWorse(than other: Self) -> Bool {
    Self.allCases.firstIndex(of: self)! < Self.allCases.firstIndex(of: other)!
  }
}

/// What makes two findings one.
private struct FindingKey: Hashable {
  var location: Finding.Location
  var message: String
}
