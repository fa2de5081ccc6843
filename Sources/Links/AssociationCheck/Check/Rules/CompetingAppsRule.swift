import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let competingApps = AssociationRule(
    identifier: "aasa.competing-apps",
    summary: "No two entries open different apps for the same URL.",
    severity: .note, source: "J12",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]},{"appIDs":["ABCDE12345.com.example.other"],"components":[⟦{"/":"/*/b"}⟧]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]},{"appIDs":["ABCDE12345.com.example.other"],"components":[{"/":"/b/*"}]}]}}"#
    ], asksMeaning: true
  ) { file, reading, report in
    guard let association = file.association else { return }
    let places = RulePlaces(file)
    // One note for each entry: that it competes with others as well says nothing new.
    var entries: Set<Int> = []
    for competition in MeaningSurvey.competitions(in: association, on: reading.os, &report.work) {
      let (first, second) = competition.rules
      let later = max(first, second)
      guard entries.insert(later.entry).inserted else { continue }
      guard let entry = file.entries.first(where: { $0.index == later.entry }) else { continue }
      let rule = places.rule(at: later)
      report.add(
        rule?.node.range ?? entry.node.range, rule?.pointer ?? entry.pointer,
        "\(competition.apps.first) and \(competition.apps.second) both match \(competition.url)",
        help:
          "Where both are installed, the entry that comes first in the file is tried first (inferred). If each app has "
          + "its own part of the site, exclude the other's part.")
    }
  }
}
