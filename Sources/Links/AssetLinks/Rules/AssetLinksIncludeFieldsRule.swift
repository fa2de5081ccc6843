internal import LinkspanCore

extension StatementRule {
  static let includeFields = StatementRule(
    .includeFields, summary: "A statement with \"include\" has no other key.",
    source: "D3",
    bad: [
      #"[{"include":"https://example.com/links.json",⟦"relation"⟧:["\#(Relation.handleAllURLs)"]}]"#
    ],
    good: [
      #"[{"include":"https://example.com/links.json"}]"#
    ])
}
