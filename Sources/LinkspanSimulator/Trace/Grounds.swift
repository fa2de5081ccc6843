package import LinkspanCore

/// What something rests on: rules of spec associated-domains, and how sure the least certain of them is.
package struct Grounds: Hashable, Sendable {
  package var rules: [String]
  package var certainty: Certainty

  package init(_ rules: [String], _ certainty: Certainty) {
    self.rules = rules
    self.certainty = certainty
  }

  /// Both together, each rule once; nil changes nothing.
  func and(_ other: Grounds?) -> Grounds {
    guard let other else { return self }
    return Grounds(
      rules + other.rules.filter { !rules.contains($0) }, certainty.and(other.certainty))
  }

  /// `V1, documented`
  package var text: String { (rules + [certainty.rawValue]).joined(separator: ", ") }

  /// As members of a JSON object.
  package var members: [(String, JSON)] {
    [("rules", .array(rules.map(JSON.string))), ("certainty", .string(certainty.rawValue))]
  }
}

/// Whatever says which rules it follows from.
package protocol Grounded {
  /// The rules of spec associated-domains, the one that decides first.
  var rules: [String] { get }
  /// That of the least certain of them.
  var certainty: Certainty { get }
}

extension Grounded {
  package var grounds: Grounds { Grounds(rules, certainty) }
}

extension LinkVerdict: Grounded {}
extension FetchProblem: Grounded {}
extension EntryObstacle: Grounded {}
extension CheckReason: Grounded {}
extension FetchRoute: Grounded {}
extension WayRule: Grounded {}
extension ExplanationStep: Grounded {}
extension WorldChange: Grounded {}
extension Invariant: Grounded {}

extension Grounds {
  /// What every event of a kind rests on where whoever records it knows nothing better; nil for what a story
  /// does to its world and for what chance does, which rest on the story.
  static func usual(_ kind: String) -> Grounds? { byKind[kind] }

  private static let byKind: [String: Grounds] = [
    "install": Grounds(["V1"], .documented), "update": Grounds(["V1", "V3"], .documented),
    "launch": Grounds(["V9"], .documented), "reboot": Grounds(["V1"], .observed),
    "choose": Grounds(["section 10 row 6"], .documented),
    "crawl": Grounds(["C2", "C5", "C6"], .observed),
    // That everything known is forgotten, and that an answer for an app that has gone is not kept: ours.
    "delete": Grounds(["section 5"], .inferred), "drop-answer": Grounds(["section 5"], .inferred),
  ]
}
