internal import LinkspanCore

/// A tag of HTML or XML with its attributes: enough to read a page's head, a scheme of Xcode and a picture, and no
/// more. Comments and the text of scripts and styles are passed over.
package struct MarkupTag: Sendable {
  package struct Attribute: Sendable {
    /// In lower case for HTML; XML's names are compared the same way here.
    package let name: String
    /// Without its quotes, entities resolved.
    package let value: String
    /// The bytes of the value in the source.
    package let range: Range<Int>
  }

  /// In lower case; of an end tag with its slash.
  package let name: String
  package let attributes: [Attribute]
  /// The bytes of the whole tag.
  package let range: Range<Int>

  package func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// Every tag of a text, in order.
  package static func all(in bytes: [UInt8]) -> [MarkupTag] {
    var reader = MarkupReader(bytes)
    return reader.read()
  }
}

/// Walks once over the bytes; nothing is an error, as in a browser.
private struct MarkupReader {
  private let bytes: [UInt8]
  private var offset = 0
  private var tags: [MarkupTag] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() -> [MarkupTag] {
    while let start = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) {
      offset = start + 1
      if starts("!--") {
        skip(behind: "-->")
      } else if let tag = tag(from: start) {
        tags.append(tag)
        if ["script", "style"].contains(tag.name) { skip(to: "</" + tag.name) }
      }
    }
    return tags
  }

  private func starts(_ text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

  private mutating func skip(behind text: String) {
    while offset < bytes.count, !starts(text) { offset += 1 }
    offset = min(bytes.count, offset + text.utf8.count)
  }

  /// The end of a script, in any case of letters.
  private mutating func skip(to text: String) {
    let wanted = Array(text.utf8)
    while offset < bytes.count {
      let piece = bytes[offset...].prefix(wanted.count).map { $0 | (ASCII.isLetter($0) ? 0x20 : 0) }
      if piece == wanted { return }
      offset += 1
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) }

  private mutating func word(until isEnd: (UInt8) -> Bool) -> Range<Int> {
    let start = offset
    while offset < bytes.count, !isEnd(bytes[offset]) { offset += 1 }
    return start..<offset
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private mutating func tag(from start: Int) -> MarkupTag? {
    guard offset < bytes.count, ASCII.isLetter(bytes[offset]) || bytes[offset] == UInt8(ascii: "/") else {
      return nil
    }
    let first = offset
    offset += 1
    _ = word { Self.isBlank($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
    let name = ASCII.lowercased(text(first..<offset))
    var attributes: [MarkupTag.Attribute] = []
    while offset < bytes.count, bytes[offset] != UInt8(ascii: ">") {
      if Self.isBlank(bytes[offset]) || bytes[offset] == UInt8(ascii: "/") {
        offset += 1
      } else {
        attributes.append(attribute())
      }
    }
    if offset < bytes.count { offset += 1 }
    return MarkupTag(name: name, attributes: attributes, range: start..<offset)
  }

  private mutating func attribute() -> MarkupTag.Attribute {
    let first = offset
    offset += 1
    _ = word { Self.isBlank($0) || ">/=".utf8.contains($0) }
    let name = ASCII.lowercased(text(first..<offset))
    _ = word { !Self.isBlank($0) }
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "=") else {
      return MarkupTag.Attribute(name: name, value: "", range: first..<first)
    }
    offset += 1
    _ = word { !Self.isBlank($0) }
    guard offset < bytes.count else {
      return MarkupTag.Attribute(name: name, value: "", range: first..<first)
    }
    let range: Range<Int>
    if case let quote = bytes[offset], quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      offset += 1
      range = word { $0 == quote }
      if offset < bytes.count { offset += 1 }
    } else {
      range = word { Self.isBlank($0) || $0 == UInt8(ascii: ">") }
    }
    return MarkupTag.Attribute(name: name, value: Self.resolved(text(range)), range: range)
  }

  /// With the five entities that URLs and titles are written with, and numbers.
  private static func resolved(_ text: String) -> String {
    guard text.contains("&") else { return text }
    let names = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    var result = ""
    var rest = text[...]
    while let place = rest.firstIndex(of: "&") {
      result += rest[..<place]
      rest = rest[place...]
      guard let end = rest.prefix(10).firstIndex(of: ";"),
        let character = entity(rest[rest.index(after: place)..<end], names)
      else {
        result.append("&")
        rest = rest.dropFirst()
        continue
      }
      result += character
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func entity(_ name: Substring, _ names: [String: String]) -> String? {
    if let known = names[String(name)] { return known }
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let number =
      digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init).map { String($0) }
  }
}
