internal import LinkspanCore

extension StatementRule {
  private static let statementKeys = StatementKey.statement.map { $0.name }
  private static let targetKeys = StatementKey.target.map { $0.name }

  /// Every key that means something somewhere in a statement list.
  static let keys = Set(
    statementKeys + targetKeys + componentKeys + Relation.known + [componentsKey])

  static let unknownKey = StatementRule(
    identifier: "assetlinks.unknown-key",
    summary: "Every key is a known key of a "
      + "statement.", severity: .error,
    source: "D3",
    bad: [
      #"[{⟦"relations"⟧:["\#(Relation.handleAllURLs)"],"target":\#(exampleApp)}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":{"namespace":"android_app",⟦"packageName"⟧:"com.example.app","sha256_cert_fingerprints":["\#(exampleFingerprint)"]}}]"#,
    ],
    good: [exampleList]
  ) { file, report in
    func check(_ node: JSONNode, _ pointer: JSONPointer, _ place: String, _ known: [String]) {
      for member in node.object ?? []
      where !known.contains(member.name) && !inventedKeys.contains(member.name) {
        let plain = ASCII.lowercased(member.name).filter { $0 != "_" && $0 != "-" }
        let near =
          known.first { $0.filter { $0 != "_" } == plain }
          ?? Spelling.nearest(to: ASCII.lowercased(member.name), among: known)
        report.add(
          member.nameRange, pointer.appending(member.name), "'\(member.name)' is not a key of \(place)",
          help: near.map { "Android ignores it. Did you mean '\($0)'?" }
            ?? "Android ignores it. Known keys: \(known.joined(separator: ", ")).",
          severity: near == nil ? .note : .error)
      }
    }
    for (node, pointer) in file.objects {
      check(node, pointer, "a statement", statementKeys)
      if let target = node["target"], target.object != nil {
        check(target, pointer.appending("target"), "a target", targetKeys)
      }
    }
  }
}
