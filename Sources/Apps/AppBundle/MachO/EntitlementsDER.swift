internal import LinkspanCore

/// Reads the entitlements of a signature in their DER form.
///
/// A version, then pairs of key and value: `[APPLICATION 16] { INTEGER 1, [16] { SEQUENCE { UTF8String, value }… } }`;
/// older tools wrote a SET of such pairs alone.
///
/// - Source: observed in signed programs and in public readers of them; Apple has no description of it.
package enum EntitlementsDER {
  /// Our choice: entitlements are lists of strings.
  private static let depthLimit = 16
  private static let nodeLimit = 100_000

  /// The value as a property list has it.
  ///
  /// - Parameter file: What the person calls the program.
  /// - Throws: Where the bytes break DER's rules or that form.
  package static func node(_ bytes: [UInt8], file: String) throws(BundleError) -> PropertyListNode {
    var reader = Reader(file: file)
    return try reader.top(bytes)
  }

  private struct Reader {
    let file: String
    var nodeCount = 0

    func broken(_ reason: String, at offset: Int) -> BundleError {
      BundleError(
        .brokenEntitlements, in: file, "The DER entitlements are damaged at byte \(offset): \(reason).",
        help: "iOS refuses such a program since 15. Sign it again with a current tool.")
    }

    mutating func top(_ bytes: [UInt8]) throws(BundleError) -> PropertyListNode {
      var reader = BERReader(bytes)
      let element = try next(&reader, "the list")
      guard reader.isAtEnd else { throw broken("something follows", at: element.encoded.upperBound) }
      if element.tag == 0x31 { return try dictionary(element, reader, depth: 0) }
      guard element.tag == 0x70 else { throw broken("it does not begin like entitlements", at: 0) }
      var inner = reader.inside(element)
      let version = try next(&inner, "the version")
      guard version.tag == 0x02, bytes[version.content].elementsEqual([1]) else {
        throw broken("its version is not 1", at: version.encoded.lowerBound)
      }
      let list = try next(&inner, "the list")
      guard list.tag == 0xB0, inner.isAtEnd else {
        throw broken("it holds no list of entitlements", at: list.encoded.lowerBound)
      }
      return try dictionary(list, reader, depth: 0)
    }

    /// The next element; DER has one way to write a length.
    private func next(_ reader: inout BERReader, _ what: String) throws(BundleError) -> BERReader.Element {
      let offset = reader.offset
      guard let element = reader.next() else { throw broken("\(what) is missing or cut off", at: offset) }
      let header = element.content.lowerBound - element.encoded.lowerBound
      let count = element.content.count
      let shortest = count < 0x80 ? 2 : count < 0x100 ? 3 : count < 0x1_0000 ? 4 : count < 0x100_0000 ? 5 : 6
      guard header == shortest, element.encoded.upperBound == element.content.upperBound else {
        throw broken("a length is not in its shortest form", at: element.encoded.lowerBound)
      }
      return element
    }

    private mutating func dictionary(
      _ element: BERReader.Element, _ reader: BERReader, depth: Int
    ) throws(BundleError) -> PropertyListNode {
      var pairs = reader.inside(element)
      var members: [PropertyListMember] = []
      var keys: Set<String> = []
      while !pairs.isAtEnd {
        let pair = try next(&pairs, "an entitlement")
        guard pair.tag == 0x30 else {
          throw broken("an entry is not a key and a value", at: pair.encoded.lowerBound)
        }
        var parts = reader.inside(pair)
        let key = try next(&parts, "a key")
        guard key.tag == 0x0C, let name = String(validating: reader.bytes[key.content], as: UTF8.self) else {
          throw broken("a key is not text", at: key.encoded.lowerBound)
        }
        guard keys.insert(name).inserted else {
          throw broken("the key '\(name)' occurs twice", at: key.encoded.lowerBound)
        }
        let value = try value(&parts, reader, depth: depth + 1)
        guard parts.isAtEnd else { throw broken("a pair has three parts", at: value.range.upperBound) }
        members.append(PropertyListMember(key: name, keyRange: key.encoded, value: value))
      }
      return PropertyListNode(.dictionary(members), at: element.encoded, content: element.content)
    }

    private mutating func value(
      _ reader: inout BERReader, _ whole: BERReader, depth: Int
    ) throws(BundleError) -> PropertyListNode {
      let element = try next(&reader, "a value")
      let offset = element.encoded.lowerBound
      nodeCount += 1
      guard depth < EntitlementsDER.depthLimit, nodeCount < EntitlementsDER.nodeLimit else {
        throw broken("it is deeper or larger than any app's", at: offset)
      }
      let content = whole.bytes[element.content]
      let value: PropertyListNode.Value
      switch element.tag {
      case 0x01:
        guard content.count == 1 else { throw broken("a boolean is not one byte long", at: offset) }
        value = .bool(content.first != 0)
      case 0x02:
        guard (1...8).contains(content.count) else { throw broken("an integer does not fit", at: offset) }
        let start: Int64 = content.first! & 0x80 == 0 ? 0 : -1
        value = .integer(content.reduce(start) { $0 << 8 | Int64($1) })
      case 0x04: value = .data(Array(content))
      case 0x0C:
        guard let text = String(validating: content, as: UTF8.self) else {
          throw broken("a text is not UTF-8", at: offset)
        }
        value = .string(text)
      case 0x30:
        var items = whole.inside(element)
        var elements: [PropertyListNode] = []
        while !items.isAtEnd { elements.append(try self.value(&items, whole, depth: depth + 1)) }
        value = .array(elements)
      case 0x31, 0xB0: return try dictionary(element, whole, depth: depth)
      default: throw broken("a value is of the unknown kind 0x\(String(element.tag, radix: 16))", at: offset)
      }
      return PropertyListNode(value, at: element.encoded, content: element.content)
    }
  }
}
