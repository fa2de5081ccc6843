internal import LinkspanCore

/// The work of one review, shared by its files: which of them it is enough for.
package struct ReviewWork: Sendable {
  /// Measured: what the rules cost by the size of a file, and by its words and signs. A sign of one byte costs both.
  private static let stepsOfByte = 10
  private static let stepsOfToken = 30

  private var budget: WorkBudget

  package init(steps: Int) { budget = WorkBudget(steps: steps) }

  /// Whether a file can be reviewed whatever it holds: every byte may be a sign. Nothing is spent, so that a file that is too
  /// large leaves the work to smaller ones.
  package func isEnough(forBytes bytes: Int) -> Bool {
    (Self.stepsOfByte + Self.stepsOfToken) * bytes <= budget.steps
  }

  /// Charges a file that is reviewed.
  package mutating func spend(on file: ReviewedFile) {
    _ = budget.spend(
      Self.stepsOfByte * file.source.bytes.count + Self.stepsOfToken * file.tokens.count)
  }
}
