import LinkspanCore

/// Reads an XML property list without a library: bounded, in one walk over the bytes. Its refusals are those of the program,
/// in the places where libexpat has them.
///
/// Documents that declare entities of their own are refused before the first is read, so nothing expands.
enum XMLPropertyListReader {
  static func read(
    _ bytes: [UInt8], isTranscoded: Bool, limits: PropertyListLimits
  ) throws(PropertyListFault) -> (root: PropertyListNode, duplicates: [PropertyListMember]) {
    var walk = XMLWalk(bytes, isUTF8: isTranscoded, limits: limits)
    try walk.run()
    guard let root = walk.builder.root else {
      throw PropertyListFault(
        .noValue, 0..<min(1, bytes.count), "the file contains no value",
        "A property list is a <plist> with a <dict>.")
    }
    return (root, walk.builder.duplicates)
  }
}

/// One walk over a document.
private struct XMLWalk {
  private let bytes: [UInt8]
  private var place = 0
  var builder: XMLPropertyListBuilder
  /// The names of the elements that are open.
  private var open: [ArraySlice<UInt8>] = []
  private var hasElement = false
  /// Whether an external document type may declare entities, so that an unknown one is no mistake of XML.
  private var hasExternalType = false
  private var isStandalone = false
  /// ISO 8859-1, whose bytes are their characters.
  private var isLatin = false
  private let isUTF8: Bool

  init(_ bytes: [UInt8], isUTF8: Bool, limits: PropertyListLimits) {
    self.bytes = bytes
    self.isUTF8 = isUTF8
    builder = XMLPropertyListBuilder(limits: limits)
  }

  mutating func run() throws(PropertyListFault) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    let start = place
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "<") {
        try markup(isFirst: place == start)
      } else if open.isEmpty {
        try outside()
      } else {
        try text()
      }
    }
    if !open.isEmpty || !hasElement { throw truncated() }
  }

  // MARK: - Faults

  private func truncated() -> PropertyListFault {
    guard let opening else {
      let end = bytes.count
      return PropertyListFault(
        .truncated, end..<end, "the file ends before its first value", "Check that it was saved completely.")
    }
    return PropertyListFault(
      .truncated, opening.range, "the file ends before this '<\(opening.name)>' is closed",
      "Add '</\(opening.name)>', or check that the file was saved completely.")
  }

  private var opening: (name: String, range: Range<Int>)? {
    guard let open = builder.openElement else { return nil }
    let end = bytes[open.start...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? bytes.count
    return (open.name, open.start..<end)
  }

  private func broken(
    at offset: Int, _ reason: String = "not well-formed (invalid token)"
  ) -> PropertyListFault {
    if offset >= bytes.count { return truncated() }
    let lineStart = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let line = bytes[lineStart...].prefix { $0 != 0x0A }
    let isConflict = ["<<<<<<<", "=======", ">>>>>>>"].contains { line.starts(with: $0.utf8) }
    return PropertyListFault(
      .notWellFormed, offset..<offset + 1, "this is not well-formed XML: \(reason)",
      isConflict
        ? "It looks like a merge conflict marker. Resolve the conflict."
        : "Write '&' as '&amp;' and '<' as '&lt;'.")
  }

  private func unknownEntity(_ range: Range<Int>) -> PropertyListFault {
    PropertyListFault(
      .entity, range, "the file uses an unknown entity",
      "Supported are &lt; &gt; &amp; &quot; &apos; and numeric entities such as &#233;.")
  }

  // MARK: - Pieces

  private func isAt(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private mutating func skipBlanks() {
    while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
  }

  /// Moves behind the next occurrence of a text.
  private mutating func skip(past text: String) throws(PropertyListFault) {
    let wanted = Array(text.utf8)
    var index = place
    while index + wanted.count <= bytes.count {
      if bytes[index] == wanted[0], bytes[index...].starts(with: wanted) {
        place = index + wanted.count
        return
      }
      index += try character(at: index).count
    }
    throw truncated()
  }

  /// The bytes of the character there.
  private func character(at index: Int) throws(PropertyListFault) -> Range<Int> {
    let byte = bytes[index]
    if byte < 0x80 {
      guard byte >= 0x20 || Self.isBlank(byte) else { throw broken(at: index) }
      return index..<index + 1
    }
    if isLatin { return index..<index + 1 }
    let count = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
    guard index + count <= bytes.count else { throw truncated() }
    let text = bytes[index..<index + count]
    guard let known = String(validating: text, as: UTF8.self), known.unicodeScalars.count == 1,
      let scalar = known.unicodeScalars.first, scalar != "\u{FFFE}", scalar != "\u{FFFF}"
    else { throw broken(at: index) }
    return index..<index + count
  }

  private static func isName(_ byte: UInt8, isFirst: Bool) -> Bool {
    if ASCII.isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || byte >= 0x80 {
      return true
    }
    return !isFirst && (ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "."))
  }

  private mutating func name() throws(PropertyListFault) -> ArraySlice<UInt8> {
    let start = place
    while place < bytes.count, Self.isName(bytes[place], isFirst: place == start) {
      place += try character(at: place).count
    }
    guard place > start else { throw broken(at: place) }
    return bytes[start..<place]
  }

  // MARK: - Markup

  private mutating func outside() throws(PropertyListFault) {
    guard Self.isBlank(bytes[place]) else {
      throw broken(at: place, hasElement ? "junk after document element" : "not well-formed (invalid token)")
    }
    skipBlanks()
  }

  private mutating func markup(isFirst: Bool) throws(PropertyListFault) {
    let start = place
    if isAt("<?") { return try instruction(isFirst: isFirst) }
    if isAt("<!--") {
      place += 4
      try skip(past: "--")
      guard place < bytes.count else { throw truncated() }
      guard bytes[place] == UInt8(ascii: ">") else { throw broken(at: place) }
      place += 1
      return
    }
    if isAt("<![CDATA["), !open.isEmpty { return try characterData() }
    if isAt("<!DOCTYPE"), !hasElement, open.isEmpty { return try documentType() }
    if isAt("</") { return try endTag() }
    guard place + 1 < bytes.count else { throw truncated() }
    place += 1
    guard Self.isName(bytes[place], isFirst: true) else { throw broken(at: place) }
    if open.isEmpty, hasElement { throw broken(at: start, "junk after document element") }
    try startTag(start)
  }

  private mutating func instruction(isFirst: Bool) throws(PropertyListFault) {
    let start = place
    place += 2
    guard place < bytes.count else { throw truncated() }
    let target = try name()
    let contentStart = place
    try skip(past: "?>")
    guard ASCII.lowercased(String(decoding: target, as: UTF8.self)) == "xml" else { return }
    guard isFirst else { throw broken(at: start, "XML or text declaration not at start of entity") }
    let content = ASCII.lowercased(String(decoding: bytes[contentStart..<place - 2], as: UTF8.self))
    isStandalone = value(of: "standalone", in: content) == "yes"
    guard !isUTF8, let encoding = value(of: "encoding", in: content) else { return }
    switch encoding {
    case "utf-8", "us-ascii", "ascii": break
    case "iso-8859-1": isLatin = true
    default: throw broken(at: start, "unknown encoding")
    }
  }

  private func value(of name: String, in text: String) -> String? {
    guard let place = text.firstRange(of: name) else { return nil }
    let rest = text[place.upperBound...].drop { $0 == " " || $0 == "=" }
    guard let quote = rest.first else { return nil }
    return String(rest.dropFirst().prefix { $0 != quote })
  }

  private mutating func documentType() throws(PropertyListFault) {
    place += "<!DOCTYPE".utf8.count
    var quote: UInt8?
    while place < bytes.count {
      let byte = bytes[place]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
        hasExternalType = true
      } else if byte == UInt8(ascii: "[") {
        throw PropertyListFault(
          .entity, place..<place + 1, "the document type contains declarations, which are not supported",
          "Property lists need none. Remove the part in '[…]'.")
      } else if byte == UInt8(ascii: ">") {
        place += 1
        return
      }
      place += 1
    }
    throw truncated()
  }

  private mutating func startTag(_ start: Int) throws(PropertyListFault) {
    let tag = try name()
    var attributes: [ArraySlice<UInt8>] = []
    while true {
      let before = place
      skipBlanks()
      guard place < bytes.count else { throw truncated() }
      if bytes[place] == UInt8(ascii: ">") { break }
      if bytes[place] == UInt8(ascii: "/") {
        guard place + 1 < bytes.count else { throw truncated() }
        guard bytes[place + 1] == UInt8(ascii: ">") else { throw broken(at: place + 1) }
        break
      }
      guard place > before else { throw broken(at: place) }
      let attribute = try name()
      if attributes.contains(attribute) { throw broken(at: attribute.startIndex, "duplicate attribute") }
      attributes.append(attribute)
      skipBlanks()
      guard place < bytes.count else { throw truncated() }
      guard bytes[place] == UInt8(ascii: "=") else { throw broken(at: place) }
      place += 1
      skipBlanks()
      try attributeValue()
    }
    let isEmpty = bytes[place] == UInt8(ascii: "/")
    place += isEmpty ? 2 : 1
    hasElement = true
    try builder.start(String(decoding: tag, as: UTF8.self), at: start..<place)
    if isEmpty { try builder.end(at: place..<place) } else { open.append(tag) }
  }

  private mutating func attributeValue() throws(PropertyListFault) {
    guard place < bytes.count else { throw truncated() }
    let quote = bytes[place]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw broken(at: place) }
    place += 1
    while place < bytes.count, bytes[place] != quote {
      if bytes[place] == UInt8(ascii: "<") { throw broken(at: place) }
      if bytes[place] == UInt8(ascii: "&") {
        _ = try reference()
      } else {
        place += try character(at: place).count
      }
    }
    guard place < bytes.count else { throw truncated() }
    place += 1
  }

  private mutating func endTag() throws(PropertyListFault) {
    let start = place
    place += 2
    guard place < bytes.count else { throw truncated() }
    let tag = try name()
    skipBlanks()
    guard place < bytes.count else { throw truncated() }
    guard bytes[place] == UInt8(ascii: ">") else { throw broken(at: place) }
    place += 1
    guard let expected = open.last else { throw broken(at: start) }
    guard expected == tag else {
      let closing = bytes[start...].prefix { $0 != UInt8(ascii: ">") }
      let shown = String(decoding: closing.prefix(40), as: UTF8.self)
      throw PropertyListFault(
        .mismatchedTag, start..<min(bytes.count, closing.endIndex + 1),
        "found '\(shown)>', expected '\(opening.map { "</\($0.name)>" } ?? "another tag")'",
        "Close tags in the reverse order of opening them.")
    }
    open.removeLast()
    try builder.end(at: start..<place)
  }

  // MARK: - Text

  /// Text up to markup, a line end or a reference, each of which is handed on by itself.
  private mutating func text() throws(PropertyListFault) {
    let start = place
    switch bytes[place] {
    case UInt8(ascii: "&"):
      let text = try reference()
      try give(text, at: start)
    case 0x0D, 0x0A:
      place += isAt("\r\n") ? 2 : 1
      try give([0x0A], at: start)
    default:
      while place < bytes.count, ![UInt8(ascii: "<"), UInt8(ascii: "&"), 0x0A, 0x0D].contains(bytes[place]) {
        if isAt("]]>") { throw broken(at: place + 2) }
        place += try character(at: place).count
      }
      try give(held(start..<place), at: start)
    }
  }

  private mutating func characterData() throws(PropertyListFault) {
    place += "<![CDATA[".utf8.count
    while !isAt("]]>") {
      guard place < bytes.count else { throw truncated() }
      let start = place
      if bytes[place] == 0x0D || bytes[place] == 0x0A {
        place += isAt("\r\n") ? 2 : 1
        try give([0x0A], at: start)
        continue
      }
      repeat {
        place += try character(at: place).count
      } while place < bytes.count && bytes[place] != 0x0D
        && bytes[place] != 0x0A && !isAt("]]>")
      try give(held(start..<place), at: start)
    }
    place += 3
  }

  /// The text of bytes as UTF-8.
  private func held(_ range: Range<Int>) -> [UInt8] {
    guard isLatin else { return Array(bytes[range]) }
    return bytes[range].flatMap { Array(UTF8.encode(Unicode.Scalar($0))!) }
  }

  private mutating func give(_ text: [UInt8], at offset: Int) throws(PropertyListFault) {
    var fault: PropertyListFault?
    text.withUnsafeBufferPointer { buffer in
      do throws(PropertyListFault) { try builder.text(buffer, at: offset) } catch { fault = error }
    }
    if let fault { throw fault }
  }

  /// A character that is written as `&…;`.
  private mutating func reference() throws(PropertyListFault) -> [UInt8] {
    let start = place
    place += 1
    guard place < bytes.count else { throw truncated() }
    if bytes[place] == UInt8(ascii: "#") { return try number(start) }
    guard Self.isName(bytes[place], isFirst: true) else { throw broken(at: place) }
    let entity = try name()
    guard place < bytes.count else { throw truncated() }
    guard bytes[place] == UInt8(ascii: ";") else { throw broken(at: place) }
    place += 1
    switch String(decoding: entity, as: UTF8.self) {
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "amp": return [UInt8(ascii: "&")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default: throw unknownEntity(hasExternalType && !isStandalone ? start..<place : start..<start + 1)
    }
  }

  private mutating func number(_ start: Int) throws(PropertyListFault) -> [UInt8] {
    place += 1
    let isHexadecimal = place < bytes.count && bytes[place] == UInt8(ascii: "x")
    if isHexadecimal { place += 1 }
    var value: UInt32 = 0
    let first = place
    while place < bytes.count, let digit = ASCII.hexValue(bytes[place]), isHexadecimal || digit < 10 {
      value = min(value * (isHexadecimal ? 16 : 10) + UInt32(digit), 0x11_0000)
      place += 1
    }
    guard place < bytes.count else { throw truncated() }
    guard place > first, bytes[place] == UInt8(ascii: ";") else { throw broken(at: place) }
    place += 1
    let isForbidden =
      value == 0xFFFE || value == 0xFFFF || (value < 0x20 && ![0x09, 0x0A, 0x0D].contains(value))
    guard !isForbidden, let scalar = Unicode.Scalar(value) else {
      throw broken(at: start, "reference to invalid character number")
    }
    return Array(UTF8.encode(scalar)!)
  }
}
