package import LinkspanCore

/// Says what is wrong with a statement list for Android, whatever host it is for.
package enum StatementChecker {
  /// Every finding of every rule, in reading order.
  package static func findings(in file: StatementSource) -> [Finding] {
    StatementRule.all.flatMap { $0.findings(in: file) }.inReadingOrder()
  }
}
