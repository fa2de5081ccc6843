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

  /// Applies every rule to a file. The work is bounded for any file of legal size, whatever it holds.
  package static func check(_ file: AssociationSource) -> Outcome {
    let reports = AssociationRule.all.map { $0.report(on: file) }
    return Outcome(
      findings: reports.flatMap(\.findings).inReadingOrder(), notChecked: reports.flatMap(\.undecided))
  }

  /// Every finding of every rule, in reading order.
  package static func findings(in file: AssociationSource) -> [Finding] { check(file).findings }
}
