package import LinkspanCore

/// Reviews source files for mistakes where links, activities and pushes enter an app.
///
/// Reads tokens and brackets, not types: a rule reports what can be seen in the text, and keeps quiet when in doubt.
package struct SourceReview: Sendable {
  /// Ours: larger files are generated, and a review of them helps nobody.
  package static let fileLimitBytes = 4 << 20

  /// Every rule, in the order of the reference page.
  package static let rules: [ReviewRule] = [
    .activityType, .activitySet, .coldStart, .linkDropped, .handledTwice, .coverNeverRemoved, .coverStuck,
    .coverTooLate, .observerUnpaired, .equalityWithoutHash, .nilInLiteral, .fixedDateFormat,
    .viewControllerNetwork,
  ]

  package let findings: [Finding]

  /// - Parameter files: All that belongs together, so that an extension in another file is seen.
  package init(_ files: [ReviewedFile]) {
    let program = ReviewedProgram(files)
    findings = files.indices.flatMap { file in
      Self.rules.flatMap { $0.findings(in: file, of: program) }
    }.inReadingOrder()
  }
}
