/// Looking ahead without taking: blanks, comments, words.
extension JSONParser {
  mutating func skipTrivia() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      case UInt8(ascii: "/") where next == UInt8(ascii: "/"): skipComment(to: endOfLine(offset))
      case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
        var end = offset + 2
        while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") {
          end += 1
        }
        if end + 1 >= bytes.count {
          report(
            .unclosed, offset..<endOfLine(offset), "this comment is not closed", "Remove it.",
            afterAbort: true)
          offset = bytes.count
        } else {
          skipComment(to: end + 2)
        }
      case UInt8(ascii: "^") where isLineEnd(offset + 1), UInt8(ascii: "\\") where isLineEnd(offset + 1):
        report(
          .unexpectedCharacter, offset..<offset + 1, "the line ends in a shell continuation character",
          "Remove it; it was probably copied with a shell command.")
        offset += 1
      case UInt8(ascii: "#") where dialect == .json: skipComment(to: endOfLine(offset))
      case 0x0B, 0x0C, 0xC2...0xF4:
        guard let (range, name, isWhitespace) = foreignBlank(at: offset) else { return }
        if dialect == .json || !isWhitespace {
          report(
            .unexpectedCharacter, range, "there is \(name) between values",
            "Replace it by an ordinary space.", edits: [Edit(range, " ")])
        }
        offset = range.upperBound
      default: return
      }
    }
  }

  /// A run of one character that editors show as a blank or not at all, and that JSON does not allow between values.
  private func foreignBlank(at start: Int) -> (range: Range<Int>, name: String, isWhitespace: Bool)? {
    let text = String(decoding: bytes[start..<min(start + 4, bytes.count)], as: UTF8.self)
    guard let scalar = text.unicodeScalars.first else { return nil }
    let isWhitespace = scalar.properties.isWhitespace || scalar == "\u{FEFF}"
    guard isWhitespace || scalar.properties.generalCategory == .format else { return nil }
    var end = start
    while bytes[end...].starts(with: String(scalar).utf8) { end += UTF8.width(scalar) }
    let kind = isWhitespace ? "blank" : "invisible character"
    let name = scalar == "\u{A0}" ? "a no-break space" : "the \(kind) \(IDNA.shown(scalar.value))"
    return (start..<end, name, isWhitespace)
  }

  mutating func skipComment(to end: Int) {
    if dialect == .json {
      report(
        .comment, offset..<min(end, endOfLine(offset)), "JSON has no comments",
        "Remove it; a rule of an association file can have a \"comment\" key instead.",
        edits: JSONMending.removal(ofComment: offset..<end, in: bytes))
    }
    offset = end
  }

  static let openers = Array("{[".utf8)
  static func closer(of bracket: UInt8) -> UInt8 { bracket + 2 }

  static func beginsValue(_ byte: UInt8) -> Bool {
    openers.contains(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-")
  }

  var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }
  var next: UInt8? { offset + 1 < bytes.count ? bytes[offset + 1] : nil }

  mutating func advance() {
    offset += 1
    lastTokenEnd = offset
  }

  func isLineEnd(_ at: Int) -> Bool { at < bytes.count && (bytes[at] == 0x0A || bytes[at] == 0x0D) }

  func endOfLine(_ start: Int) -> Int {
    bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
  }

  /// The end of what stands here, for showing: a word, or one character.
  func tokenEnd(_ start: Int) -> Int {
    if let mark = quotationMark(at: start) {
      let end = endOfLine(start)
      var index = start + mark.length
      while index < end {
        if let closing = quotationMark(at: index) { return min(end, index + closing.length) }
        index += 1
      }
      return end
    }
    if let word = bareWord(at: start) { return word.range.upperBound }
    var end = min(start + 1, bytes.count)
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }

  /// A run without quotation marks: to the next separator for a value (blanks inside are kept), to the next
  /// blank or colon for a name.
  func bareWord(at start: Int, isName: Bool = false) -> (text: String, range: Range<Int>)? {
    var end = start
    while end < bytes.count {
      let byte = bytes[end]
      if isLineEnd(end) || ",{}[]\"".utf8.contains(byte) { break }
      if byte > 0xC1, foreignBlank(at: end) != nil { break }
      if byte == UInt8(ascii: "/"), end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: "/"), end > start,
        bytes[end - 1] == 0x20
      {
        break
      }
      if isName, byte == UInt8(ascii: ":") || byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: "=") {
        break
      }
      if !isName, byte == UInt8(ascii: ":"), end == start { break }
      end += 1
    }
    while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
    guard end > start else { return nil }
    return (String(decoding: bytes[start..<end], as: UTF8.self), start..<end)
  }

  /// A name or word cut to a length that fits a message.
  static func shown(_ text: String) -> String { text.count <= 60 ? text : text.prefix(57) + "…" }
}
