internal import LinkspanCore

extension AssociationRule {
  /// Ours: beyond so many rules of one app only catch-alls are looked for, so that the check stays quick.
  private static let pairLimit = 1500

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
    guard let association = file.content.document.root.flatMap(AssociationFile.init) else { return }
    let matcher = AssociationMatcher(association)
    let entries = Dictionary(uniqueKeysWithValues: file.entries.map { ($0.index, $0) })
    // A rule is unreachable when it is for every app of its entry.
    var coveredBy: [Place: CompiledRule] = [:]
    var reachable: Set<Place> = []
    var seen: Set<[Place]> = []
    for app in matcher.applications {
      let rules = matcher.rules(of: app)?.rules ?? []
      guard seen.insert(rules.map(Place.init)).inserted else { continue }
      // The first rule that covers it counts: it is what decides in its place.
      var catchAll: Int?
      for (index, rule) in rules.enumerated() {
        let candidates = rules[..<min(index, catchAll.map { $0 + 1 } ?? index)]
        let earlier =
          index < pairLimit ? candidates.first { $0.coversAll(of: rule) } : catchAll.map { rules[$0] }
        if let earlier {
          if coveredBy[Place(rule)] == nil { coveredBy[Place(rule)] = earlier }
        } else {
          reachable.insert(Place(rule))
        }
        if catchAll == nil, rule.coversEverything { catchAll = index }
      }
    }
    for (place, earlier) in coveredBy.sorted(by: { $0.key < $1.key }) where !reachable.contains(place) {
      guard let index = place.rule, let entry = entries[place.entry],
        let rule = (entry.node["components"] != nil ? file.components(of: entry) : file.paths(of: entry))
          .first(where: { $0.index == index })
      else { continue }
      let settings =
        rule.isPath
        ? AppLinks.Path(index: index, text: rule.node.string ?? "").settings : RuleSettings(rule.node)
      let excludes = settings.exclude ?? false
      let before = "entry \(earlier.entry), rule \(earlier.rule ?? 0) (\(earlier.settings.json.text))"
      let consequence =
        switch (excludes, earlier.isExclusion) {
        case (true, false): "What it means to keep in the browser opens the app. Put it before that rule."
        case (false, true): "What it means to open stays in the browser. Put it before that rule."
        default: "It changes nothing; remove it."
        }
      report.add(
        rule.node.range, rule.pointer, "this rule never decides: \(before) covers all it could",
        help: consequence,
        // Behind a catch-all the author's mistake is plain; behind a wider pattern the rule may be a leftover.
        severity: excludes == earlier.isExclusion ? .note : earlier.coversEverything ? .error : .warning)
    }
  }

  private struct Place: Hashable, Comparable {
    var entry: Int
    var rule: Int?

    init(_ rule: CompiledRule) {
      entry = rule.entry
      self.rule = rule.rule
    }

    static func < (left: Place, right: Place) -> Bool {
      (left.entry, left.rule ?? -1) < (right.entry, right.rule ?? -1)
    }
  }
}
