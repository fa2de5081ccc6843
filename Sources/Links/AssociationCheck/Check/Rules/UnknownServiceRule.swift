internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let unknownService = AssociationRule(
    identifier: "aasa.unknown-service", summary: "Every top-level key is a known service.",
    severity: .error,
    source: "J2",
    bad: [#"{⟦"appLinks"⟧:{"details":[]}}"#, #"{"applinks":{"details":[]},⟦"webcredential"⟧:{"apps":[]}}"#],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    let members = file.root?.object ?? []
    let spellings = AssociationFix.Spellings(of: members, among: Service.names)
    for member in members where !Service.names.contains(member.name) {
      let pointer = JSONPointer().appending(member.name)
      if let meant = Service.meant(by: member.name) {
        report.add(
          member.nameRange, pointer, "'\(member.name)' is not a known service",
          help: "Devices ignore unknown services, so it has no effect. Did you mean '\(meant)'?",
          fix: AssociationFix.service(member, spellings, in: file))
      } else {
        report.add(
          member.nameRange, pointer, "'\(member.name)' is not a known service",
          help: "Devices ignore it. Known services: "
            + "\(Service.names.joined(separator: ", ")).", severity: .note)
      }
    }
  }
}
