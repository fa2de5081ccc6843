internal import LinkspanCore

private let services = Service.allCases.map(\.rawValue)

/// The service a key was probably meant to be: in another case, or mistyped.
private func meantService(_ name: String) -> String? {
  let plain = ASCII.lowercased(name).filter { $0 != "-" && $0 != "_" && $0 != " " }
  return services.first { $0 == plain } ?? Spelling.nearest(to: plain, among: services)
}

extension AssociationRule {
  static let notAnObject = AssociationRule(
    identifier: "aasa.not-an-object", summary: "The file is one JSON object whose keys are services.",
    severity: .error, source: "J1", bad: [#"⟦[{"applinks":{"details":[]}}]⟧"#],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    guard let root = file.root, root.object == nil else { return }
    report.add(
      root.range, JSONPointer(), "the file is \(root.typeName), not an object",
      help: "Write {\"applinks\": …}; a device ignores anything else.")
  }

  static let grantsNothing = AssociationRule(
    identifier: "aasa.grants-nothing", summary: "The file has at least one known service.", severity: .error,
    source: "J2", bad: ["⟦{}⟧", #"⟦{"version":1}⟧"#],
    good: [#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#]
  ) { file, report in
    guard let root = file.root, let members = root.object,
      !members.contains(where: { services.contains($0.name) || meantService($0.name) != nil })
    else { return }
    report.add(
      root.range, JSONPointer(), "the file grants nothing: it has no key of a known service",
      help: "Known are \(services.joined(separator: ", ")).")
  }

  static let unknownService = AssociationRule(
    identifier: "aasa.unknown-service", summary: "Every key of the file is a known service.",
    severity: .error,
    source: "J2",
    bad: [#"{⟦"appLinks"⟧:{"details":[]}}"#, #"{"applinks":{"details":[]},⟦"webcredential"⟧:{"apps":[]}}"#],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    for member in file.root?.object ?? [] where !services.contains(member.name) {
      let pointer = JSONPointer().appending(member.name)
      if let meant = meantService(member.name) {
        report.add(
          member.nameRange, pointer, "'\(member.name)' is no service",
          help: "Devices ignore unknown keys, so this grants nothing. Did you mean '\(meant)'?",
          fix: AssociationFix.service(member, in: file))
      } else {
        report.add(
          member.nameRange, pointer, "'\(member.name)' is no service",
          help: "Devices ignore it. Known are \(services.joined(separator: ", ")).", severity: .note)
      }
    }
  }

  static let nestedService = AssociationRule(
    identifier: "aasa.nested-service", summary: "Every service stands at the top of the file.",
    severity: .error,
    source: "J1",
    bad: [#"{"applinks":{"details":[],⟦"webcredentials"⟧:{"apps":["ABCDE12345.com.example.app"]}}}"#],
    good: [#"{"applinks":{"details":[]},"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#]
  ) { file, report in
    for outer in file.root?.object ?? [] where services.contains(outer.name) {
      for member in outer.value.object ?? [] where services.contains(member.name) {
        report.add(
          member.nameRange, JSONPointer().appending(outer.name).appending(member.name),
          "'\(member.name)' stands inside '\(outer.name)'",
          help: "There it grants nothing. Move it to the top, beside '\(outer.name)'.")
      }
    }
  }
}
