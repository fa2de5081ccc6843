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
      case 0x0B where dialect == .json5, 0x0C where dialect == .json5: offset += 1
      case 0xC2 where next == 0xA0:
        if dialect == .json {
          report(
            .unexpectedCharacter, offset..<offset + 2, "there is a no-break space between values",
            "Replace it by an ordinary space.", edits: [Edit(offset..<offset + 2, " ")])
        }
        offset += 2
      default: return
      }
    }
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

  func isLineEnd(_ offset: Int) -> Bool {
    offset < bytes.count && (bytes[offset] == 0x0A || bytes[offset] == 0x0D)
  }

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
      if byte == 0x0A || byte == 0x0D || ",{}[]\"".utf8.contains(byte) { break }
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
