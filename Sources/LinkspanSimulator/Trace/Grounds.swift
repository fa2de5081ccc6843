package import LinkspanCore

/// What an event rests on: rules of spec associated-domains, and how sure the least certain of them is.
package struct Grounds: Hashable, Sendable {
  package var rules: [String]
  package var certainty: Certainty

  package init(_ rules: [String], _ certainty: Certainty) {
    self.rules = rules
    self.certainty = certainty
  }

  /// `V1, documented`
  package var text: String { (rules + [certainty.rawValue]).joined(separator: ", ") }
}

extension Grounds {
  /// What every event of a kind rests on where whoever records it knows nothing better; nil for what a story
  /// does to its world, which rests on the story.
  static func usual(_ kind: String) -> Grounds? { byKind[kind] }

  private static let byKind: [String: Grounds] = [
    "install": Grounds(["V1"], .documented), "update": Grounds(["V1", "V3"], .documented),
    "reboot": Grounds(["V1"], .observed), "choose": Grounds(["section 10"], .documented),
    "crawl": Grounds(["C2", "C5", "C6"], .observed),
    // That everything known is forgotten, and that an answer for an app that has gone is not kept: ours.
    "delete": Grounds(["section 5"], .inferred), "drop-answer": Grounds(["section 5"], .inferred),
  ]
}
