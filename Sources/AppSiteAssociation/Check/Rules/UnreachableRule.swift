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
    let entries = Dictionary(uniqueKeysWithValues: file.entries.map { ($0.index, $0) })
    // Unreachable is what no release reaches for any app: what is dead today may be there for iOS 12.
    var coveredBy: [Place: (rule: CompiledRule, earlier: CompiledRule)] = [:]
    var reachable: Set<Place> = []
    for os in readings {
      let matcher = AssociationMatcher(association, os: os)
      var seen: Set<[Place]> = []
      for app in matcher.applications {
        let rules = (matcher.rules(of: app)?.rules ?? []).filter { !$0.coversNothing }
        guard seen.insert(rules.map(Place.init)).inserted else { continue }
        // The first rule that covers it counts: it is what decides in its place.
        var catchAll: Int?
        for (index, rule) in rules.enumerated() {
          let candidates = rules[..<min(index, catchAll.map { $0 + 1 } ?? index)]
          let earlier =
            index < pairLimit ? candidates.first { $0.coversAll(of: rule) } : catchAll.map { rules[$0] }
          if let earlier {
            if coveredBy[Place(rule)] == nil { coveredBy[Place(rule)] = (rule, earlier) }
          } else {
            reachable.insert(Place(rule))
          }
          if catchAll == nil, rule.coversEverything { catchAll = index }
        }
      }
    }
    var harmless: [Place: Int] = [:]
    for (place, (compiled, earlier)) in coveredBy.sorted(by: { $0.key < $1.key })
    where !reachable.contains(place) {
      guard let index = place.rule, let entry = entries[place.entry],
        let rule = (place.isPath ? file.paths(of: entry) : file.components(of: entry))
          .first(where: { $0.index == index })
      else { continue }
      let before = "entry \(earlier.entry), rule \(earlier.rule ?? 0) (\(earlier.settings.json.text))"
      let consequence: String
      switch (compiled.isExclusion, earlier.isExclusion) {
      case (true, false):
        consequence = "What it means to keep in the browser opens the app. Put it before that rule."
      case (false, true):
        consequence = "What it means to open stays in the browser. Put it before that rule."
      default:
        // Behind one rule the first leftover stands for all.
        harmless[Place(earlier), default: 0] += 1
        if harmless[Place(earlier)]! > 1 { continue }
        consequence = "It changes nothing; remove it, and any like it behind that rule."
      }
      report.add(
        rule.node.range, rule.pointer, "this rule never decides: \(before) covers all it could",
        help: consequence,
        // Behind a catch-all the author's mistake is plain; behind a wider pattern the rule may be a leftover.
        severity: compiled.isExclusion == earlier.isExclusion
          ? .note : earlier.coversEverything ? .error : .warning)
    }
  }

  /// One release for each way in which rules are read: the newest, before `defaults`, before variables, before
  /// `components`.
  private static let readings: [OSVersion?] = [
    nil, OSVersion(.iOS, 13, 5), OSVersion(.iOS, 13), OSVersion(.iOS, 12, 5),
  ]

  private struct Place: Hashable, Comparable {
    var entry: Int
    var rule: Int?
    var isPath: Bool

    init(_ rule: CompiledRule) {
      entry = rule.entry
      self.rule = rule.rule
      isPath = rule.isPath
    }

    static func < (left: Place, right: Place) -> Bool {
      (left.entry, left.isPath ? 1 : 0, left.rule ?? -1) < (
        right.entry, right.isPath ? 1 : 0, right.rule ?? -1
      )
    }
  }
}
