internal import LinkspanCore

extension StatementRule {
  static let notAnArray = StatementRule(
    .notAnArray, summary: "A statement list is an array.",
    source: "D3",
    bad: [
      #"⟦{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp)}⟧"#
    ])
}
