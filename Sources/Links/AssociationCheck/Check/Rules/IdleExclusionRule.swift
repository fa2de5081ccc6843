import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let idleExclusion = AssociationRule(
    identifier: "aasa.idle-exclusion",
    summary: "Each exclusion keeps out some URL that a later rule would match.",
    severity: .note, source: "M4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy/*"},⟦{"/":"/help/*","exclude":true}⟧]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[⟦{"/":"/help/*","exclude":true}⟧,{"/":"/buy/*"}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/*/help","exclude":true},{"/":"/buy/*"}]}]}}"#
    ], asksMeaning: true
  ) { file, reading, report in
    guard let association = file.association else { return }
    let idle = MeaningSurvey.idleExclusions(in: association, on: reading.os, &report.work)
    guard !idle.isEmpty else { return }
    // A rule that is never reached is told of there.
    let unreachable = Set(reading.reachability(&report.work)?.unreachable.map { $0.place } ?? [])
    let places = RulePlaces(file)
    for exclusion in idle where !unreachable.contains(exclusion.place) {
      guard let rule = places.rule(at: exclusion.place) else { continue }
      report.add(
        rule.node.range, rule.pointer,
        "this exclusion has no effect: no later rule matches a URL that it excludes",
        help:
          "URLs that match no rule stay in the browser anyway. Remove it, or move it before the rule that it limits."
      )
    }
  }
}
