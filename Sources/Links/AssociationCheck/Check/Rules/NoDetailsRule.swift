import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let noDetails = AssociationRule(
    identifier: "aasa.no-details", summary: "\"applinks\" has \"details\" with at least one entry.",
    severity: .warning,
    source: "6.2",
    bad: [#"{⟦"applinks"⟧:{"apps":[]}}"#, #"{"applinks":{"apps":[],"details":⟦[]⟧}}"#],
    good: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#]
  ) { file, report in
    guard let (appLinks, pointer) = file.appLinks else { return }
    if let details = appLinks["details"] {
      // After mistakes in the syntax it may only seem empty.
      guard file.content.document.isWellFormed,
        details.array?.isEmpty ?? details.object?.isEmpty ?? false
      else { return }
      report.add(
        details.range, pointer.appending("details"), "\"details\" is empty, so no link opens an app",
        help: "Add an entry for the app, or remove \"applinks\" if the site has no universal links.")
      return
    }
    guard
      let member = file.root?.object?.last(where: { $0.name == "applinks" })
    else { return }
    report.add(
      member.nameRange, pointer, "\"applinks\" has no \"details\", so no link opens an app",
      help: "Add \"details\", or remove \"applinks\" if the site has no universal links.")
  }
}
