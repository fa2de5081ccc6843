/// A change to a text: the bytes of a range give way to others.
package struct Edit: Hashable, Sendable {
  /// Byte offsets in the source; empty where something is put in.
  package let range: Range<Int>
  package let replacement: String

  package init(_ range: Range<Int>, _ replacement: String) {
    self.range = range
    self.replacement = replacement
  }

  package static func insert(_ text: String, at offset: Int) -> Edit { Edit(offset..<offset, text) }

  package static func remove(_ range: Range<Int>) -> Edit { Edit(range, "") }

  /// Replaces a text by another and touches only what lies between their common beginning and end.
  ///
  /// - Parameter offset: Where the old text begins in the source, byte by byte as it is given.
  package static func change(_ old: String, at offset: Int, to new: String) -> Edit {
    let (old, new) = (Array(old.utf8), Array(new.utf8))
    let isInsideCharacter = { (byte: UInt8) in byte & 0xC0 == 0x80 }
    var start = zip(old, new).prefix { $0 == $1 }.count
    while start > 0, start < max(old.count, new.count),
      (start < old.count && isInsideCharacter(old[start]))
        || (start < new.count && isInsideCharacter(new[start]))
    {
      start -= 1
    }
    var common = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    while common > 0, isInsideCharacter(old[old.count - common]) { common -= 1 }
    return Edit(
      offset + start..<offset + old.count - common,
      String(decoding: new[start..<new.count - common], as: UTF8.self))
  }
}

extension SourceText {
  /// The bytes after some edits that do not overlap, in any order. Of two insertions at one place the first
  /// given comes first.
  package func bytes(applying edits: [Edit]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var offset = 0
    let inOrder = edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
        < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
    }
    for edit in inOrder.map({ $0.element }) {
      precondition(edit.range.lowerBound >= offset, "edits overlap in \(name)")
      result += bytes[offset..<edit.range.lowerBound]
      result += edit.replacement.utf8
      offset = edit.range.upperBound
    }
    return result + bytes[offset...]
  }
}
