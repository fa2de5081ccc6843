internal import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let nestedService = AssociationRule(
    identifier: "aasa.nested-service", summary: "Every service is a top-level key of the file.",
    severity: .error,
    source: "J1",
    bad: [
      #"{"applinks":{"details":[],⟦"webcredentials"⟧:{"apps":["ABCDE12345.com.example.app"]}}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}],⟦"appclips"⟧:{"apps":[]}}]}}"#,
    ],
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
    for entry in file.entries {
      for member in entry.node.object ?? [] where Service.names.contains(member.name) {
        report.add(
          member.nameRange, entry.pointer.appending(member.name),
          "the service '\(member.name)' is nested inside an entry of 'details'",
          help: "iOS ignores it there. Move it to the top level of the file.")
      }
    }
  }
}
