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
  package static func check(_ file: AssociationSource) -> Outcome {
    var work = WorkBudget.answer
    return check(file, &work)
  }

  /// The same as a part of something larger.
  package static func check(_ file: AssociationSource, _ work: inout WorkBudget) -> Outcome {
    _ = work.spend(file.text.bytes.count * stepsPerByte)
    let reports = AssociationRule.all.map { $0.report(on: file, &work) }
    return Outcome(
      findings: reports.flatMap(\.findings).inReadingOrder(), notChecked: reports.flatMap(\.undecided))
  }

  private static let format = WithheldFinding.Format(
    rules: AssociationRule.all.map(\.record) + JSONSyntaxRules.all, keys: AssociationRule.keys)

  /// Every finding, in reading order, for readers who may not see the file.
  package static func withheldFindings(in file: AssociationSource) -> [WithheldFinding] {
    findings(in: file).withheld(in: file.root, format)
  }

  /// Every finding of every rule, in reading order.
  package static func findings(in file: AssociationSource) -> [Finding] { check(file).findings }

  /// The file with the fixes of its findings applied. What the rules mean together is asked as long as the work lasts.
  package static func fixed(_ text: SourceText) -> FixedText {
    var work = WorkBudget(steps: WorkLimits.correction)
    return fixed(text, &work)
  }

  /// The same as a part of something larger.
  package static func fixed(_ text: SourceText, _ work: inout WorkBudget) -> FixedText {
    var own = work
    defer { work = own }
    return FixedText(
      text, isReadable: { AssociationContent($0.bytes).document.isWellFormed },
      hasWorkLeft: { !own.isExhausted },
      findings: { check(AssociationSource($0), &own).findings })
  }
}
