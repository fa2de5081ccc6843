internal import LinkspanCore

extension AssociationRule {
  static let hiddenAppID = AssociationRule(
    identifier: "aasa.hidden-app-id",
    summary:
      "What \"appID\" names is among \"appIDs\" when an entry has both: iOS 13 and later read only the latter.",
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
        node.range, entry.pointer.appending("appID"), "\(text) is not among \"appIDs\"",
        help: "iOS 13 and later ignore \"appID\" where \"appIDs\" stands (observed). Add it to the list.")
    }
  }
}
