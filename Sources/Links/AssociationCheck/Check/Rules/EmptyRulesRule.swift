import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let emptyRules = AssociationRule(
    identifier: "aasa.empty-rules",
    summary: "\"components\" and \"paths\" are not "
      + "empty.", severity: .warning,
    source: "J9",
    bad: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":⟦[]⟧}]}}"#],
    good: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"*"}]}]}}"#]
  ) { file, report in
    for entry in file.entries {
      for key in ["components", "paths"] {
        guard let node = entry.node[key], node.array?.isEmpty == true else { continue }
        report.add(
          node.range, entry.pointer.appending(key), "\"\(key)\" is empty, so no URL matches",
          help: "To match every URL, write \(key == "paths" ? "[\"*\"]" : "[{\"/\": \"*\"}]"); "
            + "to match none, remove the entry.")
      }
    }
  }
}
