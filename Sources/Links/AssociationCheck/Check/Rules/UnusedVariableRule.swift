internal import LinkspanCore

extension AssociationRule {
  static let unusedVariable = AssociationRule(
    identifier: "aasa.unused-variable", summary: "Every substitution variable is used.", severity: .note,
    source: "S1",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/food/*"}]}],"substitutionVariables":{⟦"food"⟧:["pizza"]}}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(food)"}]}],"substitutionVariables":{"food":["pizza"]}}}"#
    ]
  ) { file, reading, report in
    guard let (appLinks, base) = file.appLinks, reading.readsVariables else { return }
    // With no pattern at all there is nothing yet to use it in.
    guard !file.patterns.isEmpty else { return }
    let used = Set(file.patterns.flatMap { $0.variableNames })
    for member in appLinks["substitutionVariables"]?.object ?? [] where !used.contains(member.name) {
      report.add(
        member.nameRange, base.appending("substitutionVariables").appending(member.name),
        "no pattern uses the variable '\(member.name)'",
        help: "It has no effect. Use it as $(\(member.name)), or remove it.")
    }
  }
}
