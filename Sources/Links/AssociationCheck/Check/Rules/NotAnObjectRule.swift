internal import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let notAnObject = AssociationRule(
    identifier: "aasa.not-an-object", summary: "The file is a JSON object whose keys are services.",
    severity: .error, source: "J1", bad: [#"⟦[{"applinks":{"details":[]}}]⟧"#],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    // Of a signature that cannot be read there is no JSON to judge.
    guard let root = file.root, root.object == nil, file.content.isText else { return }
    report.add(
      root.range, JSONPointer(), "the file is \(root.typeName), not an object",
      help: "Write {\"applinks\": …}; devices ignore anything else.")
  }
}
