import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let excludingDefaults = AssociationRule(
    identifier: "aasa.excluding-defaults",
    summary: "\"defaults\" does not set "
      + "\"exclude\".", severity: .warning,
    source: "DF3",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}],"defaults":{"exclude":⟦true⟧}}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}],"defaults":{"caseSensitive":false}}}"#
    ]
  ) { file, reading, report in
    guard reading.reads({ $0.readsDefaults }) else { return }
    var places = file.entries.map { ($0.node, $0.pointer) }
    if let appLinks = file.appLinks { places.append((appLinks.node, appLinks.pointer)) }
    for (node, pointer) in places {
      guard let exclude = node["defaults"]?["exclude"], exclude.bool != false else { continue }
      report.add(
        exclude.range, pointer.appending("defaults").appending("exclude"), "\"defaults\" sets \"exclude\"",
        help: "On iOS 14 and later a URL opens the app only if its rule sets \"exclude\": false (observed). "
          + "Remove the key.")
    }
  }
}
