internal import LinkspanCore

extension StatementRule {
  static let relation = StatementRule(
    .relation, summary: "A relation is a kind, a slash and a detail, in an array.",
    source: "D3",
    bad: [
      #"[{"relation":⟦"\#(Relation.handleAllURLs)"⟧,"target":\#(exampleApp)}]"#,
      #"[{"relation":[⟦"delegate_permission/*"⟧],"target":\#(exampleApp)}]"#,
      #"[{"relation":[⟦"common.handle_all_urls"⟧],"target":\#(exampleApp)}]"#,
    ])
}
