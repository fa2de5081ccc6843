internal import LinkspanCore

/// Makes a tree from the tags and text of an XML property list, and refuses what the format does not know.
struct XMLPropertyListBuilder {
  private enum Tag: String, CaseIterable {
    case plist, dict, array, key, string, integer, real, `true`, `false`, date, data
  }

  private struct Frame {
    let tag: Tag
    let start: Int
    let contentStart: Int
    var text: [UInt8] = []
    var elements: [PropertyListNode] = []
    var members: [PropertyListMember] = []
    var keys: Set<String> = []
    var pendingKey: (name: String, range: Range<Int>)?
  }

  private let limits: PropertyListLimits
  private var stack: [Frame] = []
  private var nodeCount = 0
  private(set) var root: PropertyListNode?
  private(set) var duplicates: [PropertyListMember] = []

  init(limits: PropertyListLimits) { self.limits = limits }

  /// The innermost element that is open, for telling where a file broke off.
  var openElement: (name: String, start: Int)? { stack.last.map { ($0.tag.rawValue, $0.start) } }

  /// - Parameter range: The start tag.
  mutating func start(_ name: String, at range: Range<Int>) throws(PropertyListFault) {
    guard let tag = Tag(rawValue: name) else {
      throw PropertyListFault(
        .unknownTag, range, "'<\(Self.shown(name))>' is not a property list tag",
        "The tags are \(Tag.allCases.map { "<\($0.rawValue)>" }.joined(separator: ", ")), all in lower case.")
    }
    nodeCount += 1
    guard nodeCount <= limits.nodeCount else {
      throw PropertyListFault(
        .tooManyValues, range, "the file has more than \(limits.nodeCount) values and keys",
        "Property lists of apps have a few hundred.")
    }
    guard stack.count <= limits.depth else {
      throw PropertyListFault(
        .tooDeep, range, "more than \(limits.depth) tags are open at once",
        "Property lists of apps are rarely nested deeper than six levels.")
    }
    try checkPlace(of: tag, range)
    stack.append(Frame(tag: tag, start: range.lowerBound, contentStart: range.upperBound))
  }

  private func checkPlace(of tag: Tag, _ range: Range<Int>) throws(PropertyListFault) {
    switch stack.last?.tag {
    case nil:
      if tag == .key { throw misplaced(tag, range, "outside of a <dict>") }
    case .plist:
      if tag == .plist || tag == .key { throw misplaced(tag, range, "directly in <plist>") }
      if root != nil {
        throw PropertyListFault(
          .severalValues, range, "a second value follows the first one",
          "A property list contains one value, usually a <dict>. Move this value into it.")
      }
    case .array:
      if tag == .plist || tag == .key { throw misplaced(tag, range, "in an <array>") }
    case .dict:
      if tag == .plist { throw misplaced(tag, range, "in a <dict>") }
      let pending = stack.last!.pendingKey
      if tag == .key, let pending { throw keyWithoutValue(pending) }
      if tag != .key, pending == nil {
        throw PropertyListFault(
          .valueWithoutKey, range, "this <\(tag.rawValue)> has no <key> before it",
          "In a <dict> each value follows its key. Add the key, or remove the value.")
      }
    case .some(let outer):
      throw misplaced(tag, range, "in a <\(outer.rawValue)>")
    }
  }

  private func misplaced(_ tag: Tag, _ range: Range<Int>, _ place: String) -> PropertyListFault {
    PropertyListFault(
      .unexpectedTag, range, "a <\(tag.rawValue)> is not allowed \(place)",
      "A <key> belongs in a <dict> before its value; text tags contain only text. "
        + "Often the preceding closing tag is missing.")
  }

  private func keyWithoutValue(_ key: (name: String, range: Range<Int>)) -> PropertyListFault {
    PropertyListFault(
      .keyWithoutValue, key.range, "the key '\(Self.shown(key.name))' has no value",
      "Add the value after it, or remove the key.")
  }

  /// - Parameter offset: Where the text begins.
  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(PropertyListFault) {
    guard let tag = stack.last?.tag else { return }
    switch tag {
    case .plist, .dict, .array, .true, .false:
      guard let start = bytes.firstIndex(where: { !ASCII.isSpace($0) }) else { return }
      let shown = Self.shown(String(decoding: bytes[start...], as: UTF8.self))
      throw PropertyListFault(
        .unexpectedText, offset + start..<offset + bytes.count,
        "the text '\(shown)' is directly inside <\(tag.rawValue)>",
        shown.hasPrefix("<") || shown.hasPrefix("=====") || shown.hasPrefix(">")
          ? "It looks like a merge conflict marker. Resolve the conflict."
          : "Put it in a <string>, or "
            + "remove it.")
    default: stack[stack.count - 1].text += bytes
    }
  }

  /// - Parameter range: The end tag; empty at the end of `<tag/>`.
  mutating func end(at range: Range<Int>) throws(PropertyListFault) {
    guard let frame = stack.popLast() else { return }
    let whole = frame.start..<range.upperBound
    let content = frame.contentStart..<max(frame.contentStart, range.lowerBound)
    let text = String(decoding: frame.text, as: UTF8.self)
    let value: PropertyListNode.Value?
    switch frame.tag {
    case .plist:
      if root == nil {
        throw PropertyListFault(
          .noValue, whole, "the <plist> contains no value", "Add a <dict> with the keys.")
      }
      return
    case .key:
      stack[stack.count - 1].pendingKey = (text, whole)
      return
    case .dict:
      if let pending = frame.pendingKey { throw keyWithoutValue(pending) }
      value = .dictionary(frame.members)
    case .array: value = .array(frame.elements)
    case .string: value = .string(text)
    case .true: value = .bool(true)
    case .false: value = .bool(false)
    case .integer: value = PropertyListScalar.integer(text)
    case .real: value = PropertyListScalar.real(text)
    case .date: value = PropertyListScalar.date(text)
    case .data: value = PropertyListScalar.data(text)
    }
    guard let value else {
      throw PropertyListFault(
        .invalidValue, content.isEmpty ? whole : content,
        "'\(Self.shown(text))' is not a valid <\(frame.tag.rawValue)>",
        "Examples: <integer> '42', <real> '1.5', <date> '2026-01-31T12:00:00Z'; <data> is Base64.")
    }
    attach(PropertyListNode(value, at: whole, content: content))
  }

  private mutating func attach(_ node: PropertyListNode) {
    let top = stack.count - 1
    switch stack.last?.tag {
    case .array: stack[top].elements.append(node)
    case .dict:
      let key = stack[top].pendingKey!
      let member = PropertyListMember(key: key.name, keyRange: key.range, value: node)
      stack[top].pendingKey = nil
      stack[top].members.append(member)
      if !stack[top].keys.insert(key.name).inserted { duplicates.append(member) }
    default: root = node
    }
  }

  /// Text cut to a length that fits a message.
  private static func shown(_ text: String) -> String {
    let line = text.prefix { !$0.isNewline }
    return line.count <= 60 ? String(line) : line.prefix(57) + "…"
  }
}
