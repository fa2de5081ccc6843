internal import LinkspanCore

extension AssociationRule {
  static let noDetails = AssociationRule(
    identifier: "aasa.no-details", summary: "\"applinks\" has \"details\".", severity: .warning,
    source: "6.2",
    bad: [#"{⟦"applinks"⟧:{"apps":[]}}"#], good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    guard let (appLinks, pointer) = file.appLinks, appLinks["details"] == nil,
      let member = file.root?.object?.last(where: { $0.name == "applinks" })
    else { return }
    report.add(
      member.nameRange, pointer, "\"applinks\" has no \"details\", so no link opens an app",
      help: "Add \"details\", or remove \"applinks\" when the site has no links.")
  }
}
