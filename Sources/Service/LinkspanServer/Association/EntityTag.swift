internal import LinkspanCore

/// A strong entity tag, and the comparisons that If-Match and If-None-Match want (RFC 9110, 8.8.3 and 13.1).
struct EntityTag: Hashable, Sendable {
  /// With its quotes, as in the ETag field.
  let text: String

  /// The tag of a content: 128 bits of its SHA-256.
  init(of content: [UInt8]) {
    text = "\"" + SHA256.hexDigest(of: content).prefix(32) + "\""
  }

  /// Whether a list of tags names this one; `*` names any, and weak tags compare by their text.
  func isNamed(in list: String) -> Bool { isNamed(in: list, countsWeak: true) }

  /// The same, where weak tags name nothing.
  func isNamedStrongly(in list: String) -> Bool { isNamed(in: list, countsWeak: false) }

  /// A tag may hold a comma, so the list is read tag by tag. What is no list names nothing.
  private func isNamed(in list: String, countsWeak: Bool) -> Bool {
    var rest = Substring(list).utf8
    func skip(_ separators: [UInt8]) {
      while let byte = rest.first, separators.contains(byte) { rest.removeFirst() }
    }
    skip([0x20, 0x09])
    if rest.first == 0x2A {
      rest.removeFirst()
      skip([0x20, 0x09])
      return rest.isEmpty
    }
    skip([0x20, 0x09, 0x2C])
    while !rest.isEmpty {
      let isWeak = rest.starts(with: "W/".utf8)
      if isWeak { rest = rest.dropFirst(2) }
      guard rest.first == 0x22, let end = rest.dropFirst().firstIndex(of: 0x22) else { return false }
      let tag = rest[...end]
      if countsWeak || !isWeak, tag.elementsEqual(text.utf8) { return true }
      rest = rest[rest.index(after: end)...]
      skip([0x20, 0x09, 0x2C])
    }
    return false
  }
}
