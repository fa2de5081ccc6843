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

  package let findings: [Finding]

  /// - Parameters:
  ///   - files: All that belongs together, so that an extension in another file is seen.
  ///   - index: What is known of the files that are not among these; nil when there are no others.
  package init(_ files: [ReviewedFile], of index: ReviewIndex? = nil) {
    let program = ReviewedProgram(
      files, entrances: index?.entrances, declared: index?.declaredNames ?? [])
    let found = files.indices.flatMap { file in
      // A test plays the system, and what it forgets to tidy ends with it.
      files[file].isTest ? [] : Self.rules.flatMap { $0.findings(in: file, of: program) }
    }.inReadingOrder()
    // Two heads of one function, as '#if' chooses between them, share its body.
    findings = found.indices.filter { $0 == 0 || found[$0] != found[$0 - 1] }.map { found[$0] }
  }
}
