internal import LinkspanCore

extension AssociationRule {
  static let unreachable = AssociationRule(
    identifier: "aasa.unreachable",
    summary: "No earlier rule matches every URL that a rule matches.",
    severity: .error, source: "M4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"*"},⟦{"/":"/a/*","exclude":true}⟧]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a/*",⟦"NOT /a/b"⟧]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*","exclude":true},{"/":"*"}]}]}}"#
    ]
  ) { file, report in
    guard let reachability = Reachability(of: file) else {
      report.leaveUndecided(
        "unreachable rules of \(file.text.name): its apps have more than \(Reachability.ruleLimit) rules in total, "
          + "counted once for each app")
      return
    }
    if !reachability.isComplete {
      report.leaveUndecided(
        "unreachable rules of \(file.text.name), except those after a rule for every URL: comparing all of its rules "
          + "takes more than \(Reachability.stepLimit) steps")
    }
    let places = RulePlaces(file)
    var harmless: [Reachability.Place: Int] = [:]
    for (place, (compiled, earlier)) in reachability.unreachable {
      guard let rule = places.rule(at: place) else { continue }
      let consequence: String
      switch (compiled.isExclusion, earlier.isExclusion) {
      case (true, false):
        consequence = "The URLs it should exclude open the app. Move it before that rule."
      case (false, true):
        consequence = "The URLs it should match stay in the browser. Move it before that rule."
      default:
        // Behind one rule the first leftover stands for all.
        harmless[.init(earlier), default: 0] += 1
        if harmless[.init(earlier)]! > 1 { continue }
        consequence = "It has no effect. Remove it, and any other such rule after that rule."
      }
      report.add(
        rule.node.range, rule.pointer,
        "this rule is never reached: entry \(earlier.entry), rule \(earlier.rule ?? 0) "
          + "(\(earlier.settings.json.text)) matches every URL that it matches",
        help: consequence,
        // Behind a catch-all the author's mistake is plain; behind a wider pattern the rule may be a leftover.
        severity: compiled.isExclusion == earlier.isExclusion
          ? .note : earlier.coversEverything ? .error : .warning)
    }
  }
}

/// The rules of a file by their places, the lists of each entry made once.
private struct RulePlaces {
  private let components: [Int: [AssociationSource.Rule]]
  private let paths: [Int: [AssociationSource.Rule]]

  init(_ file: AssociationSource) {
    components = Dictionary(
      file.entries.map { ($0.index, file.components(of: $0)) }, uniquingKeysWith: { first, _ in first })
    paths = Dictionary(
      file.entries.map { ($0.index, file.paths(of: $0)) }, uniquingKeysWith: { first, _ in first })
  }

  func rule(at place: Reachability.Place) -> AssociationSource.Rule? {
    guard let index = place.rule, let rules = (place.isPath ? paths : components)[place.entry],
      rules.indices.contains(index)
    else { return nil }
    return rules[index]
  }
}
