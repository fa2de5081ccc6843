internal import LinkspanCore

extension StatementRule {
  static let includeFields = StatementRule(
    .includeFields, summary: "A statement that includes a list says nothing itself.",
    source: "D3",
    bad: [
      #"[{"include":"https://example.com/links.json",⟦"relation"⟧:["\#(Relation.handleAllURLs)"]}]"#
    ],
    good: [
      #"[{"include":"https://example.com/links.json"}]"#
    ])
}
