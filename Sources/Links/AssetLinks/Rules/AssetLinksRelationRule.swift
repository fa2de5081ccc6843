internal import LinkspanCore

extension StatementRule {
  static let relation = StatementRule(
    .relation, summary: "\"relation\" is an array of strings of the form kind/detail.",
    source: "D3",
    bad: [
      #"[{"relation":⟦"\#(Relation.handleAllURLs)"⟧,"target":\#(exampleApp)}]"#,
      #"[{"relation":[⟦"delegate_permission/*"⟧],"target":\#(exampleApp)}]"#,
      #"[{"relation":[⟦"common.handle_all_urls"⟧],"target":\#(exampleApp)}]"#,
    ])
}
