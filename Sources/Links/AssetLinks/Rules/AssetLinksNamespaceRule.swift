internal import LinkspanCore

extension StatementRule {
  static let namespace = StatementRule(
    .namespace, summary: "The namespace of a target is 'android_app' or 'web'.",
    source: "D4",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":{"namespace":⟦"android"⟧,"package_name":"com.example.app"}}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":⟦{"package_name":"com.example.app"}⟧}]"#,
    ])
}
