internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator

/// Played stories in the forms that continuous integration reads.
enum StoryReport {
  /// A case for each expectation on each link and device; failures also say how to repeat the story.
  ///
  /// - Parameter repeated: The command that plays the story again.
  static func suite(of result: SimulationResult, _ path: String, repeated: String) -> JUnitReport.Suite {
    // There is one finding for each failure, in its order.
    var findings = result.findings[...]
    var cases = result.checks.map { check in
      let line = check.location.start.map { " (line \($0.line))" } ?? ""
      let finding = check.isHeld ? nil : findings.popFirst()
      return JUnitReport.Case(
        name:
          "\(check.link) on \(check.device)\(check.subject == .url ? " opens" : ":") \(check.expected)\(line)",
        outcome: finding.map { failed($0, type: "expectation", repeated) } ?? .passed)
    }
    cases += result.violations.map { violation in
      JUnitReport.Case(
        name: "invariant \(violation.invariant.name)",
        outcome: failed(violation.finding, type: "invariant", repeated))
    }
    return JUnitReport.Suite(
      name: path, cases: cases.isEmpty ? [JUnitReport.Case(name: "runs to its end")] : cases)
  }

  /// A story without an answer: one case, which is an error and no failure.
  ///
  /// - Parameter mistakes: What is wrong with the story, where it was read at all.
  static func suite(unplayed path: String, _ error: LinkspanError, _ mistakes: [Finding]) -> JUnitReport.Suite
  {
    let problem = JUnitReport.Problem(
      message: mistakes.first?.message ?? error.message, type: "story",
      text: mistakes.map { $0.text() }.joined() + error.text + "\n")
    return JUnitReport.Suite(
      name: path, cases: [JUnitReport.Case(name: "runs to its end", outcome: .unanswered(problem))])
  }

  /// One workflow command for each finding, which GitHub shows at its line of the story.
  static func annotations(_ findings: [Finding]) -> String {
    CheckReport(
      tool: ("linkspan", Program.version), files: [], findings: findings, notChecked: [], rules: []
    ).gitHubAnnotations
  }

  private static func failed(_ finding: Finding, type: String, _ repeated: String) -> JUnitReport.Outcome {
    .failed(
      JUnitReport.Problem(
        message: finding.message, type: type, text: finding.text() + "repeat it with: \(repeated)\n"))
  }
}
