internal import LinkspanCore

extension AssociationRule {
  static let duplicateKey = AssociationRule(
    identifier: "aasa.duplicate-key",
    summary: "No object has the same key twice: parsers disagree on which one wins.",
    severity: .error, source: "6.4", bad: [#"{"applinks":{"details":[]},⟦"applinks"⟧:{"details":[]}}"#],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    if let root = file.root { DuplicateKeys.report(in: root, of: file.text, to: &report) }
  }
}
