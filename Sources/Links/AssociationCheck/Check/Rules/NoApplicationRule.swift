import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let noApplication = AssociationRule(
    identifier: "aasa.no-application", summary: "Every entry lists an app.", severity: .error,
    source: "J7",
    bad: [
      #"{"applinks":{"details":[⟦{"components":[{"/":"/a"}]}⟧]}}"#,
      #"{"applinks":{"details":[{"appIDs":⟦[]⟧,"components":[{"/":"/a"}]}]}}"#,
    ],
    good: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#]
  ) { file, report in
    for entry in file.entries where entry.key == nil {
      if let node = entry.node["appIDs"], node.array?.isEmpty == true {
        let hidden = entry.node["appID"] != nil ? " It also hides \"appID\" (J6)." : ""
        report.add(
          node.range, entry.pointer.appending("appIDs"),
          "\"appIDs\" is empty, so the entry applies to no "
            + "app",
          help: "List the application identifiers.\(hidden)")
      } else if entry.node["appIDs"] == nil, entry.node["appID"] == nil {
        report.add(
          entry.node.range, entry.pointer,
          "the entry has neither \"appIDs\" nor \"appID\", so it applies to no app",
          help: "Add \"appIDs\": [\"PREFIX.bundle.identifier\"].")
      }
    }
  }
}
