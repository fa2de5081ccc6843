internal import LinkspanCore

extension JSONNode {
  /// Whether an object in it has a key twice.
  var hasRepeatedKey: Bool {
    switch value {
    case .array(let elements): elements.contains { $0.hasRepeatedKey }
    case .object(let members):
      members.contains { $0.value.hasRepeatedKey }
        || members.count > 1 && Set(members.map { ExactText($0.name) }).count < members.count
    case .null, .bool, .number, .string: false
    }
  }

  /// The node where of each key that an object has twice the first one counts; nil where no object has one.
  var withFirstMembers: JSONNode? {
    switch value {
    case .array(let elements):
      let changed = elements.map { $0.withFirstMembers }
      guard changed.contains(where: { $0 != nil }) else { return nil }
      return JSONNode(.array(zip(elements, changed).map { $1 ?? $0 }), at: range)
    case .object(let members):
      var names: Set<ExactText> = []
      var isChanged = false
      let kept = members.compactMap { member -> JSONMember? in
        guard names.insert(ExactText(member.name)).inserted else {
          isChanged = true
          return nil
        }
        guard let value = member.value.withFirstMembers else { return member }
        isChanged = true
        return JSONMember(name: member.name, nameRange: member.nameRange, value: value)
      }
      return isChanged ? JSONNode(.object(kept), at: range) : nil
    case .null, .bool, .number, .string: return nil
    }
  }
}
