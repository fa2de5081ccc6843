internal import LinkspanCore

extension AssociationRule {
  static let releaseDependent = AssociationRule(
    identifier: "aasa.release-dependent",
    summary: "Each rule that iOS 13 reads means the same on every later release.",
    severity: .note, source: "6.4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[⟦{"/":"/a b","percentEncoded":false}⟧]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[⟦{"/":"/a","caseSensitive":false}⟧]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/12/*","caseSensitive":false}]}]}}"#
    ], asksMeaning: true
  ) { file, report in
    guard let association = file.association else { return }
    let places = RulePlaces(file)
    func words(_ verdict: Decision.Verdict) -> String {
      switch verdict {
      case .match: "opens the app"
      case .excluded: "is excluded"
      case .noMatch: "matches no rule"
      }
    }
    for (place, change) in MeaningSurvey.releaseDependence(in: association, &report.work) {
      guard let rule = places.rule(at: place), let os = change.os else { continue }
      report.add(
        rule.node.range, rule.pointer,
        "what this rule means depends on the release: on \(os.name), \(change.url) "
          + "\(words(change.old.decision.verdict)); on the newest it \(words(change.new.decision.verdict))",
        help:
          "Older releases ignore keys that they do not know: caseSensitive and variables came with iOS 13.5, percentEncoded "
          + "and defaults with iOS 14.")
    }
  }
}
