package import LinkspanCore

/// Reviews source files for mistakes where links, activities and pushes enter an app.
///
/// Reads tokens and brackets, not types: a rule reports what can be seen in the text, and keeps quiet when in doubt.
package struct SourceReview: Sendable {
  /// Ours: larger files, of more than 20,000 lines, are generated, and a review of them helps nobody.
  package static let fileLimitBytes = 1 << 20

  /// Every rule, in the order of the reference page.
  package static let rules: [ReviewRule] = [
    .activityType, .activitySet, .coldStart, .linkDropped, .handledTwice, .coverNeverRemoved, .coverStuck,
    .coverTooLate, .observerUnpaired, .equalityWithoutHash, .nilInLiteral, .fixedDateFormat,
    .viewControllerNetwork, .linkRefused, .delegateBypassed, .completionLost, .tokenText, .uncheckedParameter,
  ]

  /// What these report is a mistake in a test as well. All others look at the entrances of an app, and a test plays the system.
  private static let rulesOfTests: Set<String> = [
    "review.observer-unpaired", "review.equality-without-hash", "review.nil-in-literal",
    "review.fixed-date-format", "review.view-controller-network",
  ]

  package let findings: [Finding]

  /// - Parameters:
  ///   - files: All that belongs together, so that an extension in another file is seen.
  ///   - index: What is known of the files that are not among these; nil when there are no others.
  package init(_ files: [ReviewedFile], of index: ReviewIndex? = nil) {
    let program = ReviewedProgram(files, entrances: index?.entrances)
    findings = files.indices.flatMap { file in
      Self.rules.flatMap { rule in
        files[file].isTest && !Self.rulesOfTests.contains(rule.record.identifier)
          ? [] : rule.findings(in: file, of: program)
      }
    }.inReadingOrder()
  }
}
