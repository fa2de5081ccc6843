internal import LinkspanCore

extension StatementRule {
  static let emptyList = StatementRule(
    .emptyList, summary: "A statement list contains at least one statement.", severity: .warning,
    source: "D3",
    bad: [
      #"⟦[]⟧"#
    ])
}
