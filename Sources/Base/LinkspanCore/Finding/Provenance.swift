/// Where a statement comes from: numbers in the catalogue of rules, and the certainty of the least certain of them.
package struct Provenance: Hashable, Sendable {
  package var rules: [String]
  package var certainty: Certainty

  package init(_ rules: [String], _ certainty: Certainty) {
    self.rules = rules
    self.certainty = certainty
  }

  /// Both together, each rule once; nil changes nothing.
  package func and(_ other: Provenance?) -> Provenance {
    guard let other else { return self }
    return Provenance(
      rules + other.rules.filter { !rules.contains($0) }, certainty.and(other.certainty))
  }

  /// `V1, documented`
  package var text: String { (rules + [certainty.rawValue]).joined(separator: ", ") }

  /// As members of a JSON object.
  package var members: [(String, JSON)] {
    [("rules", .array(rules.map(JSON.string))), ("certainty", .string(certainty.rawValue))]
  }
}

/// Something that cites the rules it follows from.
package protocol HasProvenance {
  /// Numbers in the catalogue of rules, the deciding one first; `linkspan rules` has a sentence for each.
  var rules: [String] { get }
  /// The certainty of the least certain rule.
  var certainty: Certainty { get }
}

extension HasProvenance {
  package var provenance: Provenance { Provenance(rules, certainty) }
}

extension Certainty {
  /// The less sure of the two.
  package func and(_ other: Certainty) -> Certainty {
    Certainty.allCases.last { $0 == self || $0 == other } ?? self
  }
}
