internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let grantsNothing = AssociationRule(
    identifier: "aasa.grants-nothing",
    summary: "The file contains at least one known "
      + "service.", severity: .error,
    source: "J2", bad: ["⟦{}⟧", #"⟦{"version":1}⟧"#],
    good: [#"{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}"#]
  ) { file, report in
    guard let root = file.root, let members = root.object,
      !members.contains(where: { Service.names.contains($0.name) || Service.meant(by: $0.name) != nil })
    else { return }
    report.add(
      root.range, JSONPointer(), "the file has no effect: it contains no known service",
      help: "Known services: \(Service.names.joined(separator: ", ")).")
  }
}
