/// Looks for objects that have a key twice: readers disagree on which of the two counts (RFC 8259, section 4).
package enum DuplicateKeys {
  /// Calls for each key that an object repeats, at its later place.
  ///
  /// - Parameters:
  ///   - name: A member of the root that is left out, because it is a document of its own.
  ///   - report: Gets the member, where the first one stands, and the pointer to both.
  package static func each(
    in root: JSONNode, except name: String? = nil,
    _ report: (_ member: JSONMember, _ first: Range<Int>, _ pointer: JSONPointer) -> Void
  ) {
    walk(root, JSONPointer(), except: name, report)
  }

  /// What is wrong with the first one, as a sentence; nil without any.
  package static func problem(in root: JSONNode) -> String? {
    var problem: String?
    each(in: root) { member, _, pointer in
      if problem == nil { problem = "'\(member.name)' occurs twice (at \(pointer)); send it once." }
    }
    return problem
  }

  /// Adds a finding for each key that an object repeats, at its later place.
  package static func report(in root: JSONNode, of text: SourceText, to report: inout CheckRule.Report) {
    each(in: root) { member, first, pointer in
      report.add(
        member.nameRange, pointer, "'\(member.name)' occurs twice",
        help: "The first one is on line \(text.position(at: first.lowerBound).line). Which of the two "
          + "a device uses is undefined. Merge them.")
    }
  }

  /// The recursion is as deep as the parser lets brackets be.
  private static func walk(
    _ node: JSONNode, _ pointer: JSONPointer, except name: String?,
    _ report: (_ member: JSONMember, _ first: Range<Int>, _ pointer: JSONPointer) -> Void
  ) {
    switch node.value {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        walk(element, pointer.appending(index), except: nil, report)
      }
    case .object(let members):
      var first: [String: Range<Int>] = [:]
      for member in members {
        let place = pointer.appending(member.name)
        if let earlier = first[member.name] {
          report(member, earlier, place)
        } else {
          first[member.name] = member.nameRange
        }
        if member.name != name { walk(member.value, place, except: nil, report) }
      }
    case .null, .bool, .number, .string: break
    }
  }
}
