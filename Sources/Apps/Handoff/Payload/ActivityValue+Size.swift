extension ActivityValue {
  /// How much Apple advises to put into an activity at most; more belongs into a continuation stream.
  ///
  /// - Source: rule HO3, documented as 3 KB. From which size on error 4611 comes is not published.
  package static let advisedBytes = 3072

  /// The size as a binary property list, each distinct value once, in bytes.
  ///
  /// What a device sends is not documented; a keyed archive of the same values is larger. So this is a lower bound.
  package var serialisedBytes: Int {
    var objects: Set<ActivityValue> = []
    collect(&objects)
    let referenceBytes = Self.width(of: objects.count)
    let content = objects.reduce(0) { $0 + $1.objectBytes(referenceBytes) }
    // Header, objects, offset table, trailer.
    return 8 + content + objects.count * Self.width(of: 8 + content) + 32
  }

  private func collect(_ objects: inout Set<ActivityValue>) {
    guard objects.insert(self).inserted else { return }
    switch self {
    case .array(let elements), .set(let elements): for element in elements { element.collect(&objects) }
    case .dictionary(let entries):
      for entry in entries {
        ActivityValue.string(entry.key).collect(&objects)
        entry.value.collect(&objects)
      }
    default: break
    }
  }

  private func objectBytes(_ referenceBytes: Int) -> Int {
    switch self {
    case .bool, .null: return 1
    case .integer(let number):
      if number < 0 { return 9 }
      return 1 + (number < 0x100 ? 1 : number < 0x1_0000 ? 2 : number < 0x1_0000_0000 ? 4 : 8)
    case .real, .date: return 9
    case .data(let count): return Self.head(count) + count
    case .uuid: return Self.head(16) + 16
    case .string(let text), .url(let text):
      let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
      return isASCII
        ? Self.head(text.utf8.count) + text.utf8.count : Self.head(text.utf16.count) + 2 * text.utf16.count
    case .array(let elements), .set(let elements):
      return Self.head(elements.count) + elements.count * referenceBytes
    case .dictionary(let entries): return Self.head(entries.count) + 2 * entries.count * referenceBytes
    case .other: return 1
    }
  }

  /// The marker, and the count behind it where it does not fit into the marker.
  private static func head(_ count: Int) -> Int { count < 15 ? 1 : 2 + width(of: count) }

  private static func width(of number: Int) -> Int {
    number < 0x100 ? 1 : number < 0x1_0000 ? 2 : number < 0x1_0000_0000 ? 4 : 8
  }
}
