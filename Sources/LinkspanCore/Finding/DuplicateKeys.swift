/// Looks for objects that have a key twice.
package enum DuplicateKeys {
  /// Adds a finding for each key that an object repeats, at its later place.
  package static func report(in root: JSONNode, of text: SourceText, to report: inout CheckRule.Report) {
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
            member.nameRange, pointer.appending(member.name), "'\(member.name)' occurs twice",
            help: "The first one is on line \(text.position(at: earlier.lowerBound).line). Which of the two "
              + "a device uses is undefined. Merge them.")
        } else {
          first[member.name] = member.nameRange
        }
        walk(member.value, pointer.appending(member.name), text, &report)
      }
    default: break
    }
  }
}
