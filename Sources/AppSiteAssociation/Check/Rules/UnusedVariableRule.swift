internal import LinkspanCore

extension AssociationRule {
  static let unusedVariable = AssociationRule(
    identifier: "aasa.unused-variable", summary: "Every variable that is defined is used.", severity: .note,
    source: "S1",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/food/*"}]}],"substitutionVariables":{⟦"food"⟧:["pizza"]}}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(food)"}]}],"substitutionVariables":{"food":["pizza"]}}}"#
    ]
  ) { file, report in
    guard let (appLinks, base) = file.appLinks else { return }
    let patterns = file.patterns.map(\.text)
    // With no pattern at all there is nothing yet to use it in.
    guard !patterns.isEmpty else { return }
    for member in appLinks["substitutionVariables"]?.object ?? []
    where !patterns.contains(where: { $0.contains("$(\(member.name))") }) {
      report.add(
        member.nameRange, base.appending("substitutionVariables").appending(member.name),
        "no pattern uses the variable '\(member.name)'",
        help: "It has no effect. Write $(\(member.name)) where it is meant, or remove it.")
    }
  }
}
