internal import LinkspanCore

extension StatementRule {
  static let noTarget = StatementRule(
    .noTarget, summary: "Every statement has a \"target\" object.",
    source: "D3",
    bad: [
      #"[⟦{"relation":["\#(Relation.handleAllURLs)"]}⟧]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":⟦"com.example.app"⟧}]"#,
    ])
}
