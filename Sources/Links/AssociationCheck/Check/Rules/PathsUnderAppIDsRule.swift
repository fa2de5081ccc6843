import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let pathsUnderAppIDs = AssociationRule(
    identifier: "aasa.paths-under-app-ids",
    summary: "An entry with \"paths\" uses \"appID\": the releases that need \"paths\" do not read "
      + "\"appIDs\".",
    severity: .warning,
    source: "6.3",
    bad: [
      #"{"applinks":{"apps":[],"details":[{⟦"appIDs"⟧:["ABCDE12345.com.example.app"],"paths":["/a"]}]}}"#
    ],
    good: [#"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#]
  ) { file, reading, report in
    guard reading.reads({ !$0.readsComponents }) else { return }
    for entry in file.entries {
      guard entry.node["paths"] != nil, entry.node["components"]?.array == nil, entry.node["appID"] == nil,
        let member = entry.node.object?.first(where: { $0.name == "appIDs" })
      else { continue }
      report.add(
        member.nameRange, entry.pointer.appending("appIDs"),
        "an entry with \"paths\" uses \"appIDs\" "
          + "instead of \"appID\"",
        help:
          "iOS 12 and older read \"paths\" and only \"appID\", so there this entry applies to no app. "
          + "Write one entry with \"appID\" for each app, or use \"components\" for iOS 13 and later.")
    }
  }
}
