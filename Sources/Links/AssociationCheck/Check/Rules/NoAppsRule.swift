internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let noApps = AssociationRule(
    identifier: "aasa.no-apps", summary: "A service other than \"applinks\" lists its apps under \"apps\".",
    severity: .warning, source: "J3",
    bad: [#"{⟦"webcredentials"⟧:{}}"#, #"{"appclips":{"apps":⟦[]⟧}}"#],
    good: [#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#]
  ) { file, report in
    for member in file.root?.object ?? [] {
      guard let service = Service(rawValue: member.name), service != .applinks, member.value.object != nil
      else { continue }
      let pointer = JSONPointer().appending(member.name)
      if let apps = member.value["apps"] {
        guard apps.array?.isEmpty == true else { continue }
        report.add(
          apps.range, pointer.appending("apps"), "'\(member.name)' lists no app",
          help: "As written, it has no effect. List an app, or remove '\(member.name)'.", severity: .note)
      } else {
        report.add(
          member.nameRange, pointer, "'\(member.name)' has no \"apps\", so it has no effect",
          help: "Add \"apps\": [\"PREFIX.bundle.identifier\"], or remove '\(member.name)'.")
      }
    }
  }
}
