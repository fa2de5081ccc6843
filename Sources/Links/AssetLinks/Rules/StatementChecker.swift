internal import AppSiteAssociation
import AssociationCheck
package import LinkspanCore

/// Says what is wrong with a statement list for Android, whatever host it is for.
package enum StatementChecker {
  private static let format = WithheldFinding.Format(
    rules: StatementRule.all.map { $0.record } + JSONSyntaxRules.all, keys: StatementRule.keys)

  /// Every finding, in reading order, for readers who may not see the list.
  package static func withheldFindings(in file: StatementSource) -> [WithheldFinding] {
    findings(in: file).withheld(in: file.root, format)
  }

  /// What is wrong with the syntax alone.
  package static func syntaxFindings(in file: StatementSource) -> [Finding] {
    StatementRule.syntax.findings(in: file)
  }

  /// Every finding of every rule, in reading order.
  package static func findings(in file: StatementSource) -> [Finding] {
    StatementRule.all.flatMap { $0.findings(in: file) }.inReadingOrder()
  }
}
