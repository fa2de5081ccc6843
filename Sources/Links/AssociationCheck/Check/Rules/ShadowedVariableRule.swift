import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let shadowedVariable = AssociationRule(
    identifier: "aasa.shadowed-variable", summary: "No substitution variable has a predefined name.",
    severity: .warning, source: "S7",
    bad: [#"{"applinks":{"details":[],"substitutionVariables":{⟦"lang"⟧:["de"]}}}"#],
    good: [#"{"applinks":{"details":[],"substitutionVariables":{"language":["de"]}}}"#]
  ) { file, reading, report in
    guard let (appLinks, base) = file.appLinks, reading.readsVariables else { return }
    for member in appLinks["substitutionVariables"]?.object ?? []
    where PredefinedVariables.names.contains(member.name) {
      report.add(
        member.nameRange, base.appending("substitutionVariables").appending(member.name),
        "'\(member.name)' is the name of a predefined variable",
        help: "Which definition iOS uses is not documented. Choose another name.")
    }
  }
}
