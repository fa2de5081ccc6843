internal import LinkspanCore

extension StatementRule {
  static let duplicateKey = StatementRule(
    identifier: "assetlinks.duplicate-key", summary: "No object has the same key twice.", severity: .error,
    source: "D3",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),⟦"target"⟧:\#(exampleApp)}]"#
    ],
    good: [exampleList]
  ) { file, report in
    if let root = file.root { DuplicateKeys.report(in: root, of: file.text, to: &report) }
  }
}
