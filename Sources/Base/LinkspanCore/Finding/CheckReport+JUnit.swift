extension CheckReport {
  /// The report as JUnit XML, for pages that show test results.
  ///
  /// A file is a suite, and a rule it breaks is a case: failed when one of its findings is an error, else
  /// passed with the warnings and notes as output. A file without findings is one passed case.
  package var junit: String {
    var report = JUnitReport(name: tool.name)
    let names = files + findings.map { $0.location.file }.filter { !files.contains($0) }
    var seen: Set<String> = []
    for file in names where seen.insert(file).inserted {
      let found = findings.filter { $0.location.file == file }
      let rules = Set(found.map { $0.rule }).sorted()
      let cases = rules.map { rule in Self.testCase(rule, found.filter { $0.rule == rule }) }
      report.suites.append(
        JUnitReport.Suite(name: file, cases: cases.isEmpty ? [JUnitReport.Case(name: "check")] : cases))
    }
    return report.xml
  }

  private static func testCase(_ rule: String, _ findings: [Finding]) -> JUnitReport.Case {
    func text(_ chosen: [Finding]) -> String { chosen.map { $0.text() }.joined() }
    let errors = findings.filter { $0.severity == .error }
    var result = JUnitReport.Case(name: rule)
    result.output = text(findings.filter { $0.severity != .error })
    if let first = errors.first {
      let count = errors.count(of: .error)
      let more = count == 1 ? "" : " (and \(count - 1) more)"
      result.outcome = .failed(
        JUnitReport.Problem(
          message: first.message + more, type: first.severity.rawValue, text: text(errors)))
    }
    return result
  }
}
