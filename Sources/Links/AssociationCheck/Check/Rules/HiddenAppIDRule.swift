import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let hiddenAppID = AssociationRule(
    identifier: "aasa.hidden-app-id",
    summary:
      "If an entry has both, \"appIDs\" includes the \"appID\": iOS 13 and later read only \"appIDs\".",
    severity: .warning, source: "J6",
    bad: [
      #"{"applinks":{"details":[{"appID":⟦"ABCDE12345.com.example.old"⟧,"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","appIDs":["ABCDE12345.com.example.app"],"paths":["/a"],"components":[{"/":"/a"}]}]}}"#
    ]
  ) { file, report in
    for entry in file.entries {
      guard let node = entry.node["appID"], let text = node.string, let list = entry.node["appIDs"]?.array,
        !list.isEmpty, !list.contains(where: { $0.string == text })
      else { continue }
      report.add(
        node.range, entry.pointer.appending("appID"), "\"appID\" is \(text), which is not in \"appIDs\"",
        help: "iOS 13 and later ignore \"appID\" if the entry has \"appIDs\" (observed). Add the identifier "
          + "to \"appIDs\".")
    }
  }
}
