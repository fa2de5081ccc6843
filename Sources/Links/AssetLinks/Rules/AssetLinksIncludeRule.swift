internal import LinkspanCore

extension StatementRule {
  static let include = StatementRule(
    identifier: "assetlinks.include", summary: "An included list has an https URL.", severity: .error,
    source: "D3",
    bad: [
      #"[{"include":⟦"/links.json"⟧}]"#,
      #"[{"include":⟦"http://example.com/links.json"⟧}]"#,
    ],
    good: [#"[{"include":"https://example.com/links.json"}]"#]
  ) { file, report in
    for problem in file.list?.problems ?? [] where problem.fault.kind == .include {
      report.add(problem.range, problem.pointer, problem.fault.message, help: problem.fault.help)
    }
    for include in file.list?.includes ?? [] where !include.isSecure {
      report.add(
        include.node.range, include.pointer, "the URL of the included list is not https",
        help:
          "App Links require https, and a list served over https cannot include an http list, so its statements are "
          + "ignored. Write 'https:'.")
    }
  }
}
