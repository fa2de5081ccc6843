internal import LinkspanCore

extension StatementRule {
  static let noRelation = StatementRule(
    .noRelation, summary: "Every statement has a relation.",
    source: "D3",
    bad: [
      #"[⟦{"target":\#(exampleApp)}⟧]"#,
      #"[{"relation":⟦[]⟧,"target":\#(exampleApp)}]"#,
    ])
}
