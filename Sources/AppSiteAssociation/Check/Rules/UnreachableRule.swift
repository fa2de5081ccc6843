internal import LinkspanCore

extension AssociationRule {
  static let unreachable = AssociationRule(
    identifier: "aasa.unreachable",
    summary: "Every rule can decide: none stands behind one that covers all it could.",
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
        "which rules of \(file.text.name) can never decide: its apps have more than \(Reachability.ruleLimit) "
          + "rules in all, counted once for each app")
      return
    }
    if !reachability.isComplete {
      report.leaveUndecided(
        "which rules of \(file.text.name) can never decide, except behind a rule for every URL: comparing all its "
          + "rules with one another takes more than \(Reachability.stepLimit) steps")
    }
    let places = RulePlaces(file)
    var harmless: [Reachability.Place: Int] = [:]
    for (place, (compiled, earlier)) in reachability.unreachable {
      guard let rule = places.rule(at: place) else { continue }
      let consequence: String
      switch (compiled.isExclusion, earlier.isExclusion) {
      case (true, false):
        consequence = "What it means to keep in the browser opens the app. Put it before that rule."
      case (false, true):
        consequence = "What it means to open stays in the browser. Put it before that rule."
      default:
        // Behind one rule the first leftover stands for all.
        harmless[.init(earlier), default: 0] += 1
        if harmless[.init(earlier)]! > 1 { continue }
        consequence = "It changes nothing; remove it, and any like it behind that rule."
      }
      report.add(
        rule.node.range, rule.pointer,
        "this rule never decides: entry \(earlier.entry), rule \(earlier.rule ?? 0) "
          + "(\(earlier.settings.json.text)) covers all it could",
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
