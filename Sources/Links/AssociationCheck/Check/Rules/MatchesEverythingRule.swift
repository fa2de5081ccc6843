import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let matchesEverything = AssociationRule(
    identifier: "aasa.matches-everything", summary: "Every entry has \"components\" or \"paths\".",
    severity: .warning,
    source: "J10", bad: [#"{"applinks":{"details":[⟦{"appIDs":["ABCDE12345.com.example.app"]}⟧]}}"#],
    good: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"*"}]}]}}"#]
  ) { file, report in
    for entry in file.entries where entry.node["components"] == nil && entry.node["paths"] == nil {
      guard entry.key != nil || entry.node["appID"] != nil || entry.node["appIDs"] != nil else { continue }
      report.add(
        entry.node.range, entry.pointer, "the entry has neither \"components\" nor \"paths\"",
        help: "According to two reports, such an entry matches every URL; according to another, none. "
          + "To match every URL, write \"components\": [{\"/\": \"*\"}].")
    }
  }
}
