import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let releaseDependent = AssociationRule(
    identifier: "aasa.release-dependent",
    summary: "Each rule means the same on every release that the app ships to.",
    severity: .note, source: "6.4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[⟦{"/":"/a b","percentEncoded":false}⟧]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[⟦{"/":"/a","caseSensitive":false}⟧]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/12/*","caseSensitive":false}]}]}}"#
    ]
  ) { file, readings, report in
    guard let association = file.association else { return }
    let places = RulePlaces(file)
    func words(_ verdict: Decision.Verdict) -> String {
      switch verdict {
      case .match: "opens the app"
      case .excluded: "is excluded"
      case .noMatch: "matches no rule"
      }
    }
    let dependences = MeaningSurvey.releaseDependence(
      in: association, readings: readings.all.compactMap { $0.range }, &report.work)
    for dependence in dependences {
      let change = dependence.change
      guard let rule = places.rule(at: dependence.place), let old = dependence.old.first else { continue }
      let newest = dependence.newest.last.map { $0.name } ?? "the newest"
      report.add(
        rule.node.range, rule.pointer,
        "what this rule means depends on the release: on \((old.last ?? old.first).name), \(change.url) "
          + "\(words(change.old.decision.verdict)); on \(newest) it \(words(change.new.decision.verdict))",
        help:
          "Older releases ignore keys that they do not know: caseSensitive and variables came with iOS 13.5, percentEncoded "
          + "and defaults with iOS 14.", releases: readings.releases?.held(dependence.old))
    }
  }
}
