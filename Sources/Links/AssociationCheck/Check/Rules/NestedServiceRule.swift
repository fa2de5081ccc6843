internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let nestedService = AssociationRule(
    identifier: "aasa.nested-service", summary: "Every service is a top-level key of the file.",
    severity: .error,
    source: "J1",
    bad: [#"{"applinks":{"details":[],⟦"webcredentials"⟧:{"apps":["ABCDE12345.com.example.app"]}}}"#],
    good: [#"{"applinks":{"details":[]},"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#]
  ) { file, report in
    for outer in file.root?.object ?? [] where Service.names.contains(outer.name) {
      for member in outer.value.object ?? [] where Service.names.contains(member.name) {
        report.add(
          member.nameRange, JSONPointer().appending(outer.name).appending(member.name),
          "the service '\(member.name)' is nested inside '\(outer.name)'",
          help: "iOS ignores it there. Move it to the top level, next to '\(outer.name)'.")
      }
    }
  }
}
