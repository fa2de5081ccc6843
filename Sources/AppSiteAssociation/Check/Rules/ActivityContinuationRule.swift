internal import LinkspanCore

extension AssociationRule {
  static let activityContinuation = AssociationRule(
    identifier: "aasa.activity-continuation", summary: "\"activitycontinuation\" is of iOS 8.",
    severity: .note, source: "J3",
    bad: [#"{⟦"activitycontinuation"⟧:{"apps":["ABCDE12345.com.example.app"]}}"#],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    guard let member = file.root?.object?.first(where: { $0.name == Service.activitycontinuation.rawValue })
    else { return }
    report.add(
      member.nameRange, JSONPointer().appending(member.name),
      "'activitycontinuation' tied websites to Handoff in iOS 8",
      help:
        "Since iOS 9 'applinks' covers Handoff from the web as well. It is harmless; remove it when no entry "
        + "of the app's entitlement begins with 'activitycontinuation:'.")
  }
}
