internal import LinkspanCore

extension StatementRule {
  static let include = StatementRule(
    identifier: "assetlinks.include", summary: "An included list is at an https address.", severity: .error,
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
        include.node.range, include.pointer, "the included list is at an insecure address",
        help:
          "A list that is served over https, as App Links demand, may not include it, so its statements do "
          + "not count. Write 'https:'.")
    }
  }
}
