internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let activityContinuation = AssociationRule(
    identifier: "aasa.activity-continuation", summary: "\"activitycontinuation\" is obsolete since iOS 9.",
    severity: .note, source: "J3",
    bad: [#"{⟦"activitycontinuation"⟧:{"apps":["ABCDE12345.com.example.app"]}}"#],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    guard let member = file.root?.object?.first(where: { $0.name == Service.activitycontinuation.rawValue })
    else { return }
    report.add(
      member.nameRange, JSONPointer().appending(member.name),
      "'activitycontinuation' only affects iOS 8, where it enabled Handoff from websites",
      help:
        "Since iOS 9, 'applinks' also covers Handoff from websites. The key is harmless; remove it unless the app's "
        + "entitlement has an entry that begins with 'activitycontinuation:'.")
  }
}
