/// The documented limits of the commands that judge files: what an answer may cost, and how large its input may be.
///
/// Every command ends within 5 s of processor time and 256 MB on the release build, whatever a file within the documented
/// sizes holds. Each number here is our choice; what a step costs is measured by `BudgetBenchmark`, and what the costliest
/// files cost by `Benchmarks/14-check-largest.sh`. `Documentation/limits.md` lists them.
package enum WorkLimits {
  /// Steps for one answer of a command, about two seconds.
  package static let answer = 200_000_000
  /// Steps for one URL where nobody asked for more, such as one of a list: about half a second.
  package static let decision = 50_000_000
  /// Steps for `diff`, whose steps are dearer than others: about two seconds.
  package static let comparison = 100_000_000
  /// Steps for all rounds in which `check --fix` tries corrections, questions about what rules mean together included.
  package static let correction = 150_000_000
  /// Steps for `generate`, whose search gets better with time.
  package static let generation = 100_000_000
  /// Steps for `review` of all files together, at most half of them for finding the files that a rule looks at.
  package static let review = 400_000_000
  /// States that one search may remember, less than 200 MB.
  package static let states = 150_000
  /// Bytes of an association file for commands that answer for files devices refuse for their size: four times R4's limit.
  package static let associationBytes = 4 * 131_072
  /// Routes and exclusions of one request for `generate`.
  package static let routes = 10_000
  /// Bytes of one request for `generate`.
  package static let requestBytes = 1 << 20
}

extension WorkBudget {
  /// For one answer of a command.
  package static var answer: WorkBudget { WorkBudget(steps: WorkLimits.answer) }
  /// For one URL.
  package static var decision: WorkBudget { WorkBudget(steps: WorkLimits.decision) }
}
