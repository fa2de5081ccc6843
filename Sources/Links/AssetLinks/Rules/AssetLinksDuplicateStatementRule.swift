internal import LinkspanCore

extension StatementRule {
  static let duplicateStatement = StatementRule(
    identifier: "assetlinks.duplicate-statement", summary: "No statement occurs twice.", severity: .note,
    source: "D3",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp)},⟦{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp)}⟧]"#
    ],
    good: [exampleList]
  ) { file, report in
    var seen: [Said: Int] = [:]
    for statement in file.list?.statements ?? [] where statement.node["relation_extensions"] == nil {
      let said = Said(relations: Set(statement.relations), target: statement.target)
      guard let earlier = seen[said] else {
        seen[said] = file.text.position(at: statement.node.range.lowerBound).line
        continue
      }
      report.add(
        statement.node.range, statement.pointer, "the statement occurs twice",
        help: "The first one is on line \(earlier). Remove one, or replace its target with the app that was "
          + "intended.")
    }
  }
}

/// What a statement says: two that say the same are one.
private struct Said: Hashable {
  var relations: Set<Relation>
  var target: StatementTarget
}
