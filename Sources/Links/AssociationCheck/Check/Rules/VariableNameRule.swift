internal import LinkspanCore

extension AssociationRule {
  static let variableName = AssociationRule(
    identifier: "aasa.variable-name",
    summary: "The name of a substitution variable contains no '$', '(' or "
      + "')'.",
    severity: .warning, source: "S2",
    bad: [#"{"applinks":{"details":[],"substitutionVariables":{⟦"$(food)"⟧:["pizza"]}}}"#],
    good: [#"{"applinks":{"details":[],"substitutionVariables":{"Canadian food":["poutine"]}}}"#]
  ) { file, reading, report in
    guard let (appLinks, base) = file.appLinks, reading.readsVariables else { return }
    for member in appLinks["substitutionVariables"]?.object ?? []
    where member.name.isEmpty || member.name.contains(where: { "$()".contains($0) }) {
      let plain = member.name.filter { !"$()".contains($0) }
      report.add(
        member.nameRange, base.appending("substitutionVariables").appending(member.name),
        "'\(member.name)' is not a valid variable name",
        help: plain.isEmpty
          ? "No pattern can use it. Give it a name."
          : "No pattern can use it. Define it as \"\(plain)\" and use it as $(\(plain)).")
    }
  }
}
