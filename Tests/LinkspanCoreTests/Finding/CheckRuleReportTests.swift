import LinkspanCore
import Testing

/// A rule lists a hundred findings of a severity and counts them all.
@Suite struct CheckRuleReportTests {
  static let rule = CheckRule(identifier: "a.b", summary: "It is so.", severity: .error, source: "X1")

  static func findings(errors: Int, warnings: Int) -> [Finding] {
    var report = CheckRule.Report(rule, in: SourceText(name: "file", "{}"))
    for _ in 0..<warnings { report.add(0..<1, JSONPointer(), "odd", help: "Mend it.", severity: .warning) }
    for _ in 0..<errors { report.add(0..<1, JSONPointer(), "wrong", help: "Mend it.") }
    return report.findings
  }

  @Test func aHundredAreAllListed() {
    let findings = Self.findings(errors: 100, warnings: 0)
    #expect(findings.count == 100)
    #expect(findings.allSatisfy { $0.unlisted == 0 && $0.help == "Mend it." })
    #expect(findings.last?.json.text.contains("unlisted") == false)
  }

  @Test func theCountIsThatOfAll() {
    let findings = Self.findings(errors: 250, warnings: 101)
    #expect(findings.count == 200)
    #expect(findings.summaryJSON.text == #"{"errors":250,"warnings":101,"notes":0}"#)
    #expect(findings.last?.json.text.hasSuffix(#","unlisted":150}"#) == true)
    #expect(findings.last?.help == "Mend it.\n150 more of this kind are not listed.")
  }

  /// A file with many warnings is not thereby free of errors.
  @Test func warningsHideNoError() {
    #expect(Self.findings(errors: 1, warnings: 500).count(of: .error) == 1)
  }
}
