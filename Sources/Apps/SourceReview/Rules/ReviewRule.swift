package import LinkspanCore

/// One mistake at the entrances of an app, and how it is found.
package struct ReviewRule: Sendable {
  package let record: CheckRule
  /// In a file without any of these the rule finds nothing.
  let words: [String]
  /// Looks at one file; the program knows the other files.
  private let look: @Sendable (_ file: Int, _ program: ReviewedProgram, _ report: inout ReviewReport) -> Void

  /// - Parameter bad: Examples in Swift, or in Objective-C where they begin with `@`.
  init(
    _ identifier: String, _ summary: String, _ severity: Finding.Severity, source: String,
    words: [String], bad: [String], good: [String],
    look: @escaping @Sendable (_ file: Int, _ program: ReviewedProgram, _ report: inout ReviewReport) -> Void
  ) {
    record = CheckRule(
      identifier: "review." + identifier, summary: summary, severity: severity, source: source, bad: bad,
      good: good)
    self.words = words
    self.look = look
  }

  func findings(in file: Int, of program: ReviewedProgram) -> [Finding] {
    var report = ReviewReport(record, program.files[file])
    look(file, program, &report)
    return report.findings
  }
}

/// What a rule has found in one file.
struct ReviewReport {
  private let rule: CheckRule
  private let file: ReviewedFile
  private var report: CheckRule.Report

  init(_ rule: CheckRule, _ file: ReviewedFile) {
    self.rule = rule
    self.file = file
    report = CheckRule.Report(rule, in: file.source)
  }

  var findings: [Finding] { report.findings }

  /// Adds a finding about a token, or from it up to another one.
  mutating func add(
    _ token: Int, through last: Int? = nil, _ message: String, help: String, severity: Finding.Severity? = nil
  ) {
    let range = file.tokens[token].range.lowerBound..<file.tokens[last ?? token].range.upperBound
    report.add(
      Finding(
        rule: rule.identifier, severity: severity ?? rule.severity, at: .init(file.source, range),
        message: message, help: help, source: rule.source))
  }
}
