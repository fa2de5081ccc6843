internal import LinkspanCore

extension AssociationRule {
  static let duplicateKey = AssociationRule(
    identifier: "aasa.duplicate-key",
    summary: "No object has the same key twice: parsers differ on which one counts.",
    severity: .error, source: "6.4", bad: [#"{"applinks":{"details":[]},⟦"applinks"⟧:{"details":[]}}"#],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    if let root = file.root { DuplicateKeys.report(in: root, of: file.text, to: &report) }
  }
}

/// Looks for objects that have a key twice.
enum DuplicateKeys {
  static func report(in root: JSONNode, of text: SourceText, to report: inout CheckRule.Report) {
    walk(root, JSONPointer(), text, &report)
  }

  private static func walk(
    _ node: JSONNode, _ pointer: JSONPointer, _ text: SourceText, _ report: inout CheckRule.Report
  ) {
    switch node.value {
    case .array(let elements):
      for (index, element) in elements.enumerated() { walk(element, pointer.appending(index), text, &report) }
    case .object(let members):
      var first: [String: Range<Int>] = [:]
      for member in members {
        if let earlier = first[member.name] {
          report.add(
            member.nameRange, pointer.appending(member.name), "'\(member.name)' stands here a second time",
            help: "The first is in line \(text.position(at: earlier.lowerBound).line), and which of the two "
              + "counts is anybody's guess. Merge them.")
        } else {
          first[member.name] = member.nameRange
        }
        walk(member.value, pointer.appending(member.name), text, &report)
      }
    default: break
    }
  }
}
