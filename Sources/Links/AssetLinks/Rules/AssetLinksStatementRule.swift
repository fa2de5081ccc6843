internal import LinkspanCore

extension StatementRule {
  static let statement = StatementRule(
    .statement, summary: "Every statement is an object.",
    source: "D3",
    bad: [
      #"[⟦"\#(Relation.handleAllURLs)"⟧]"#
    ])
}
