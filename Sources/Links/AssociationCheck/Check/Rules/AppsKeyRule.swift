import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let appsKey = AssociationRule(
    identifier: "aasa.apps-key",
    summary: "\"applinks\" contains \"apps\": [], which iOS and tvOS 12 and older "
      + "require.", severity: .warning,
    source: "6.2",
    bad: [
      #"{"applinks":{"apps":⟦["ABCDE12345.com.example.app"]⟧,"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#,
      #"{⟦"applinks"⟧:{"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#,
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#,
    ]
  ) { file, reading, report in
    guard let (appLinks, pointer) = file.appLinks, reading.reads({ $0.needsAppsKey }) else { return }
    if let apps = appLinks["apps"] {
      guard apps.array?.isEmpty == false else { return }
      report.add(
        apps.range, pointer.appending("apps"), "\"apps\" inside \"applinks\" is not empty",
        help: "iOS 12 and older require \"apps\": []; newer releases ignore the key. Apps are listed in "
          + "\"details\".")
      return
    }
    let isForOldReleases = file.entries.contains { $0.node["paths"] != nil && $0.node["appID"] != nil }
    guard isForOldReleases, let member = file.root?.object?.last(where: { $0.name == "applinks" }) else {
      return
    }
    report.add(
      member.nameRange, pointer, "\"applinks\" has no \"apps\": []",
      help: "Without it, iOS 12 and older ignore the file, and \"paths\" is for those releases. Add "
        + "\"apps\": [].")
  }
}
