internal import LinkspanCore

extension StatementRule {
  /// Each kind of mistake is reported as `json.` and its name, as in association files.
  static let syntax = StatementRule(
    identifier: "json", summary: "A statement list is valid JSON (RFC 8259).", severity: .error,
    source: "D3",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"⟦,⟧],"target":\#(exampleApp)}]"#,
      "⟦<!doctype html>⟧\n<title>Home</title>",
    ],
    good: [exampleList]
  ) { file, report in
    for error in file.document.errors {
      report.add(
        error.range, JSONPointer(), error.message, help: error.help, rule: "json.\(error.kind.rawValue)",
        fix: error.edits)
    }
  }
}
