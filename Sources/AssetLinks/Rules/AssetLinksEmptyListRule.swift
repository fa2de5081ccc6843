internal import LinkspanCore

extension StatementRule {
  static let emptyList = StatementRule(
    .emptyList, summary: "A statement list holds a statement.", severity: .warning,
    source: "D3",
    bad: [
      #"⟦[]⟧"#
    ])
}
