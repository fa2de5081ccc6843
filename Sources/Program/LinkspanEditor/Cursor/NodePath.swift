internal import LinkspanCore

/// What stands at an offset of a document that could be read.
struct NodePath {
  /// From the root to the innermost value around the offset.
  private(set) var steps: [CursorPlace.Step] = []
  /// The key whose name is at the offset.
  private(set) var member: JSONMember?
  /// The innermost value around the offset.
  private(set) var node: JSONNode?

  init(at offset: Int, in root: JSONNode?) {
    node = root.flatMap { $0.range.contains(offset) || $0.range.upperBound == offset ? $0 : nil }
    while let current = node, let next = enter(current, offset) { node = next }
  }

  private mutating func enter(_ node: JSONNode, _ offset: Int) -> JSONNode? {
    for member in node.object ?? [] {
      if member.nameRange.contains(offset) || member.nameRange.upperBound == offset {
        self.member = member
        return nil
      }
      if Self.holds(member.value, offset) {
        steps.append(.key(member.name))
        return member.value
      }
    }
    for (index, element) in (node.array ?? []).enumerated() where Self.holds(element, offset) {
      steps.append(.index(index))
      return element
    }
    return nil
  }

  private static func holds(_ node: JSONNode, _ offset: Int) -> Bool {
    node.range.contains(offset) || node.range.upperBound == offset
  }
}
