/// What reports say of a rule: its name, what must hold, and how bad a violation is at worst.
package struct FindingRule: Hashable, Sendable {
  package let identifier: String
  /// One sentence.
  package let summary: String
  package let severity: Finding.Severity

  package init(identifier: String, summary: String, severity: Finding.Severity) {
    self.identifier = identifier
    self.summary = summary
    self.severity = severity
  }
}

/// One run of the checker: what the formats of a report are made of.
package struct CheckReport: Sendable {
  /// The tool's name and version, for systems that collect the reports of many tools.
  package let tool: (name: String, version: String)
  /// What was checked, even if nothing was found in it.
  package let files: [String]
  /// In reading order.
  package let findings: [Finding]
  package let notChecked: [String]
  private let rules: [FindingRule]

  /// - Parameter rules: What is known of rules. A rule named `a` also speaks for `a.b`, which need not be there.
  package init(
    tool: (name: String, version: String), files: [String], findings: [Finding], notChecked: [String],
    rules: [FindingRule]
  ) {
    self.tool = tool
    self.files = files
    self.findings = findings
    self.notChecked = notChecked
    self.rules = rules
  }

  /// The rules that were broken, by name, each with what is known of it.
  package var brokenRules: [FindingRule] {
    var worst: [String: Finding.Severity] = [:]
    let severities = Finding.Severity.allCases
    for finding in findings {
      let known = worst[finding.rule] ?? finding.severity
      worst[finding.rule] =
        severities.first { $0 == known || $0 == finding.severity }
    }
    return worst.sorted { $0.key < $1.key }.map { name, severity in
      if let rule = rules.first(where: { $0.identifier == name }) { return rule }
      let group = rules.first { name.hasPrefix($0.identifier + ".") }
      return FindingRule(identifier: name, summary: group?.summary ?? name, severity: severity)
    }
  }
}
