package import LinkspanCore

extension Provenance {
  /// What rests on rules of the catalogue: as sure as the least certain of them.
  ///
  /// - Parameter most: For a conclusion that is less sure than its rules. It never makes one surer.
  package init(citing rules: [String], atMost most: Certainty = .documented) {
    let certainties = rules.compactMap { SpecificationRule.named($0)?.certainty }
    self.init(rules, certainties.reduce(most) { $0.and($1) })
  }
}
