/// Strings in any quotation marks, and their escapes.
extension JSONParser {
  enum Quotation { case double, single, typographic }

  func quotationMark(at offset: Int) -> (kind: Quotation, length: Int)? {
    guard offset < bytes.count else { return nil }
    switch bytes[offset] {
    case UInt8(ascii: "\""): return (.double, 1)
    case UInt8(ascii: "'"), UInt8(ascii: "`"): return (.single, 1)
    case 0xE2
    where offset + 2 < bytes.count && bytes[offset + 1] == 0x80 && (0x98...0x9F).contains(bytes[offset + 2]):
      return (.typographic, 3)
    case 0xC2 where offset + 1 < bytes.count && (bytes[offset + 1] == 0xAB || bytes[offset + 1] == 0xBB):
      return (.typographic, 2)
    default: return nil
    }
  }

  mutating func parseString() -> String {
    let start = offset
    let mark = quotationMark(at: offset)!
    offset += mark.length
    let contentStart = offset
    var text: [UInt8] = []
    while offset < bytes.count, !isAborted {
      let byte = bytes[offset]
      if byte == 0x0A || byte == 0x0D { break }
      if let closing = quotationMark(at: offset), closes(mark.kind, closing.kind, at: offset) {
        offset += closing.length
        lastTokenEnd = offset
        reportQuotes(
          mark.kind, start..<offset,
          edits: mark.kind == .double
            ? [] : JSONMending.quotes(start..<contentStart, offset - closing.length..<offset, in: bytes))
        return String(decoding: text, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        parseEscape(into: &text)
      } else {
        if byte < 0x20 {
          report(
            .controlCharacter, offset..<offset + 1, "a string contains an unescaped control character",
            "Write \\t for a tab, or \\u00\(ASCII.hexText([byte])) for this character.")
        }
        text.append(byte)
        offset += 1
      }
    }
    return endUnterminated(start: start, contentStart: contentStart)
  }

  func closes(_ opening: Quotation, _ closing: Quotation, at offset: Int) -> Bool {
    switch opening {
    case .double: return closing == .double
    case .single: return bytes[offset] == UInt8(ascii: "'") || bytes[offset] == UInt8(ascii: "`")
    case .typographic: return closing != .single
    }
  }

  mutating func reportQuotes(_ kind: Quotation, _ range: Range<Int>, edits: [Edit] = []) {
    switch kind {
    case .double: break
    case .single:
      if dialect == .json5, bytes[range.lowerBound] == UInt8(ascii: "'") { break }
      report(
        .singleQuotes, range, "the string is not in double quotation marks",
        "JSON only allows the straight double quotation mark (U+0022).", edits: edits)
    case .typographic:
      report(
        .typographicQuotes, range, "the string is in typographic quotation marks",
        "Replace them by straight ones (U+0022); word processors insert typographic ones.", edits: edits)
    }
  }

  /// A string without its closing mark is read to the end of its line, less what closes the line.
  mutating func endUnterminated(start: Int, contentStart: Int) -> String {
    var end = endOfLine(contentStart)
    while end > contentStart, [0x20, 0x09, 0x0D, 0x2C, 0x5D, 0x7D].contains(bytes[end - 1]) { end -= 1 }
    offset = end
    lastTokenEnd = end
    let kind = quotationMark(at: start)!.kind
    // A lone typographic mark at the end was meant to close the string; a pair of them belongs to the text.
    let marks = (contentStart..<end).filter { quotationMark(at: $0)?.length == 3 }
    if kind == .double, marks == [end - 3] {
      reportQuotes(.typographic, start..<end, edits: [Edit(end - 3..<end, "\"")])
      return String(decoding: bytes[contentStart..<end - 3], as: UTF8.self)
    }
    if kind == .typographic { reportQuotes(kind, start..<end) }
    report(
      .unterminatedString, start..<end, "the string is not closed on its line",
      "Add a straight quotation mark (U+0022) at its end.")
    return String(decoding: bytes[contentStart..<end], as: UTF8.self)
  }

  mutating func parseEscape(into text: inout [UInt8]) {
    let start = offset
    guard let escape = next else {
      offset += 1
      return
    }
    offset += 2
    switch escape {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      guard let unit = hexUnit() else {
        report(
          .invalidEscape, start..<offset, "'\\u' is not followed by four hexadecimal digits",
          "Write the character itself, or all four digits.")
        return
      }
      appendScalar(unit, into: &text)
    case 0x0A, 0x0D:
      guard dialect == .json5 else {
        offset = start + 1
        return
      }
      if escape == 0x0D, peek == 0x0A { offset += 1 }
    case _ where dialect == .json5 && "'v0".utf8.contains(escape):
      text.append(escape == UInt8(ascii: "v") ? 0x0B : escape == UInt8(ascii: "0") ? 0 : escape)
    default:
      if escape >= 0x80 { offset = start + 1 } else { text.append(escape) }
      if dialect == .json {
        report(
          .invalidEscape, start..<max(start + 1, offset), "JSON does not have this escape",
          "Remove the backslash, or write \\\\ for a backslash.")
      }
    }
  }

  /// One UTF-16 unit; a high surrogate takes its low one along, and a lone one becomes U+FFFD.
  mutating func appendScalar(_ unit: UInt32, into text: inout [UInt8]) {
    var value = unit
    if 0xD800..<0xDC00 ~= unit, peek == UInt8(ascii: "\\"), next == UInt8(ascii: "u") {
      let back = offset
      offset += 2
      if let low = hexUnit(), 0xDC00..<0xE000 ~= low {
        value = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      } else {
        offset = back
      }
    }
    text += String(Character(UnicodeScalar(value) ?? "\u{FFFD}")).utf8
  }

  mutating func hexUnit() -> UInt32? {
    guard offset + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for byte in bytes[offset..<offset + 4] {
      guard let digit = ASCII.hexValue(byte) else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    offset += 4
    return unit
  }
}
