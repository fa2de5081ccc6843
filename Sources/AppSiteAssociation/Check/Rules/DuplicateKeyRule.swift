internal import LinkspanCore

extension AssociationRule {
  static let duplicateKey = AssociationRule(
    identifier: "aasa.duplicate-key",
    summary: "No object has the same key twice: parsers differ on which one counts.",
    severity: .error, source: "6.4", bad: [#"{"applinks":{"details":[]},⟦"applinks"⟧:{"details":[]}}"#],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    func walk(_ node: JSONNode, _ pointer: JSONPointer) {
      switch node.value {
      case .array(let elements):
        for (index, element) in elements.enumerated() { walk(element, pointer.appending(index)) }
      case .object(let members):
        var first: [String: Range<Int>] = [:]
        for member in members {
          if let earlier = first[member.name] {
            let line = file.text.position(at: earlier.lowerBound).line
            report.add(
              member.nameRange, pointer.appending(member.name),
              "'\(member.name)' stands here a second time",
              help:
                "The first is in line \(line), and which of the two counts is anybody's guess. Merge them.")
          } else {
            first[member.name] = member.nameRange
          }
          walk(member.value, pointer.appending(member.name))
        }
      default: break
      }
    }
    if let root = file.root { walk(root, JSONPointer()) }
  }
}
