/// Reads JSON with the place of every value, and goes on after a mistake, so that one run names them all.
///
/// How a mistake is read is chosen so that the rest of the text keeps its meaning: a comment is skipped, a
/// missing comma is thought in, a bare word becomes a string. A tree that came with errors is for telling
/// the author more about the file, never for answering as a device would: a device drops the whole file.
///
/// Depth, size and the number of errors are bounded. Every byte is looked at a bounded number of times.
package struct JSONParser {
  /// What counts as a mistake.
  package enum Dialect: Sendable {
    /// RFC 8259, as a device reads it.
    case json
    /// json5.org: comments, trailing commas, single quotes, bare names and a few numbers more.
    case json5
  }

  package struct Limits: Sendable {
    /// Brackets open at once. Ours; deeper than any real file and far from the end of the stack.
    package var depth = 128
    /// Ours; the largest association file anybody told of had 27 MB (spec associated-domains R4).
    package var sizeBytes = 32 << 20
    /// Ours: after so many mistakes the text is probably no JSON at all.
    package var errorCount = 100

    package init() {}
  }

  private let bytes: [UInt8]
  private let dialect: Dialect
  private let limits: Limits
  private var offset = 0
  private var open: [(bracket: UInt8, offset: Int)] = []
  private var lastTokenEnd = 0
  /// The container that was closed last: its opening bracket and the offset behind its closing one.
  private var lastClosed: (opener: Int, end: Int)?
  private var errors: [JSONSyntaxError] = []
  private var isAborted = false

  private init(_ bytes: [UInt8], dialect: Dialect, limits: Limits) {
    self.bytes = bytes
    self.dialect = dialect
    self.limits = limits
  }

  package static func parse(
    _ bytes: [UInt8], dialect: Dialect = .json, limits: Limits = Limits()
  ) -> JSONDocument {
    var parser = JSONParser(bytes, dialect: dialect, limits: limits)
    let root = parser.parseDocument()
    let inOrder = parser.errors.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }
    return JSONDocument(root: root, errors: inOrder.map(\.element))
  }

  // MARK: - The document

  private mutating func parseDocument() -> JSONNode? {
    guard bytes.count <= limits.sizeBytes else {
      report(
        .tooLarge, 0..<0, "the text has \(bytes.count) bytes; at most \(limits.sizeBytes) are read",
        "Association files may have at most 131072 bytes.")
      return nil
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      offset = 3
      if dialect == .json {
        report(
          .byteOrderMark, 0..<3, "the file begins with a byte order mark",
          "Save it as UTF-8 without a byte order mark (BOM).", edits: [.remove(0..<3)])
      }
    } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      || bytes.prefix(4).contains(0)
    {
      report(
        .notUTF8, 0..<min(2, bytes.count), "the text is not UTF-8 (it looks like UTF-16)",
        "Save the file as UTF-8 without a byte order mark.")
      return nil
    }
    checkUTF8()
    skipTrivia()
    guard offset < bytes.count else {
      report(.empty, offset..<offset, "the text is empty", "Write a JSON object.")
      return nil
    }
    if bytes[offset] == UInt8(ascii: "<") {
      report(
        .html, offset..<endOfLine(offset), "this is a web page or XML, not JSON",
        "A server that answers every unknown path with a page does this; "
          + "publish the file itself at this path.")
      return nil
    }
    skipTextBefore()
    if isAborted { return nil }
    let start = offset
    guard var root = parseValue() else { return nil }
    skipTrivia()
    if case .string(let name) = root.value, peek == UInt8(ascii: ":") {
      let nameRange = root.range
      offset = start
      open.append((UInt8(ascii: "{"), start))
      root = JSONNode(.object(parseMembers(isClosedByEnd: true)), at: start..<offset)
      report(
        .noOuterBrace, nameRange, "the object has no outer '{'",
        "Put '{' before \"\(name)\" and '}' at the end of the file.",
        edits: isAborted
          ? []
          : JSONMending.outerBraces(
            from: start, to: lastTokenEnd, isClosed: lastClosed.map { $0.end != lastTokenEnd } ?? true,
            in: bytes), afterAbort: true)
      skipTrivia()
    }
    if offset < bytes.count, !isAborted {
      report(
        .textAfter, offset..<endOfLine(offset), "there is text after the end of the JSON value",
        "Remove everything behind the closing bracket.")
    }
    return root
  }

  /// Skips a heading such as `echo {` or `HTTP/1.1 200 OK`; text without any bracket is no JSON.
  private mutating func skipTextBefore() {
    let start = offset
    if Self.beginsValue(bytes[offset]) || quotationMark(at: offset) != nil { return }
    if let word = bareWord(at: offset), ["true", "false", "null"].contains(word.text) { return }
    guard let bracket = bytes[offset...].firstIndex(where: { Self.openers.contains($0) }) else {
      report(
        .notJSON, start..<endOfLine(start), "this is not JSON: there is no '{' anywhere",
        "Publish the association file itself; it begins with '{'.")
      isAborted = true
      return
    }
    report(
      .textBefore, start..<min(bracket, endOfLine(start)), "there is text before the JSON value",
      "Remove everything before the first bracket.")
    offset = bracket
  }

  private mutating func checkUTF8() {
    var rest = bytes[...]
    while let high = rest.firstIndex(where: { $0 >= 0x80 }) {
      rest = rest[high...]
      let length = Self.scalarLength(rest)
      if length == 0 {
        report(
          .notUTF8, high..<high + 1, "byte 0x\(String(bytes[high], radix: 16, uppercase: true)) is not UTF-8",
          "Save the file as UTF-8.")
        return
      }
      rest = rest[(high + length)...]
    }
  }

  /// The length of the well-formed UTF-8 sequence at the front, 0 when there is none (RFC 3629).
  private static func scalarLength(_ bytes: ArraySlice<UInt8>) -> Int {
    let length: Int
    switch bytes.first! {
    case 0..<0x80: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return 0
    }
    guard bytes.count >= length else { return 0 }
    let sequence = bytes.prefix(length)
    guard sequence.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return 0 }
    let second = sequence[sequence.startIndex + 1]
    switch bytes.first! {
    case 0xE0 where second < 0xA0, 0xED where second > 0x9F, 0xF0 where second < 0x90,
      0xF4 where second > 0x8F:
      return 0
    default: return length
    }
  }

  // MARK: - Values

  private mutating func parseValue() -> JSONNode? {
    guard let byte = peek else { return nil }
    let start = offset
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard open.count < limits.depth else {
        report(
          .tooDeep, start..<start + 1, "more than \(limits.depth) brackets are open at once",
          "An association file needs no more than seven.")
        isAborted = true
        return nil
      }
      offset += 1
      lastTokenEnd = offset
      open.append((byte, start))
      let value: JSONNode.Value =
        byte == UInt8(ascii: "{") ? .object(parseMembers()) : .array(parseElements())
      lastClosed = (start, offset)
      return JSONNode(value, at: start..<offset)
    default:
      if quotationMark(at: offset) != nil {
        let text = parseString()
        return JSONNode(.string(text), at: start..<offset)
      }
      return parseScalar()
    }
  }

  private mutating func parseMembers(isClosedByEnd: Bool = false) -> [JSONMember] {
    var members: [JSONMember] = []
    var separator = Separator.none
    defer { open.removeLast() }
    while !isAborted {
      skipTrivia()
      guard let byte = peek else {
        if isClosedByEnd { reportTrailing(separator) } else { reportUnclosed() }
        return members
      }
      switch byte {
      case UInt8(ascii: "}"):
        reportTrailing(separator)
        advance()
        return members
      case UInt8(ascii: "]"):
        if closesOuter(byte) { return members }
      case UInt8(ascii: ","):
        takeComma(&separator)
      default:
        let start = offset
        guard quotationMark(at: offset) != nil || bareWord(at: offset, isName: true) != nil else {
          reportUnexpected("a name in quotation marks")
          continue
        }
        reportMissingComma(separator, at: start, inObject: true)
        let (name, nameRange) = parseName()
        skipTrivia()
        takeColon(after: name)
        skipTrivia()
        let value: JSONNode
        if let next = peek, next != UInt8(ascii: ","), next != UInt8(ascii: "}"), next != UInt8(ascii: "]"),
          let parsed = parseValue()
        {
          value = parsed
        } else {
          if isAborted { return members }
          value = JSONNode(.null, at: lastTokenEnd..<lastTokenEnd)
          report(
            .missingValue, nameRange, "\"\(Self.shown(name))\" has no value",
            "Write a value after the colon, or remove the name.")
        }
        members.append(JSONMember(name: name, nameRange: nameRange, value: value))
        separator = .missing
      }
    }
    return members
  }

  private mutating func parseElements() -> [JSONNode] {
    var elements: [JSONNode] = []
    var separator = Separator.none
    defer { open.removeLast() }
    while !isAborted {
      skipTrivia()
      guard let byte = peek else {
        reportUnclosed()
        return elements
      }
      switch byte {
      case UInt8(ascii: "]"):
        reportTrailing(separator)
        advance()
        return elements
      case UInt8(ascii: "}"):
        if closesOuter(byte) { return elements }
      case UInt8(ascii: ","):
        takeComma(&separator)
      case UInt8(ascii: ":"):
        reportUnexpected("a value")
      default:
        let start = offset
        reportMissingComma(separator, at: start, inObject: false)
        if let value = parseValue() {
          elements.append(value)
        } else if !isAborted {
          reportUnexpected("a value")
        }
        separator = .missing
      }
    }
    return elements
  }

  /// A number, `true`, `false`, `null`, or a bare word that was meant as a string.
  private mutating func parseScalar() -> JSONNode? {
    let start = offset
    guard let word = bareWord(at: offset) else { return nil }
    offset = word.range.upperBound
    lastTokenEnd = offset
    let range = word.range
    switch word.text {
    case "true": return JSONNode(.bool(true), at: range)
    case "false": return JSONNode(.bool(false), at: range)
    case "null": return JSONNode(.null, at: range)
    default: break
    }
    let first = bytes[start]
    if ASCII.isDigit(first) || first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
      || first == UInt8(ascii: "."), let number = JSONNumber.read(word.text, dialect: dialect)
    {
      if !number.isValid {
        report(.invalidNumber, range, "'\(word.text)' is not a JSON number", "Write it as \(number.text).")
      }
      return JSONNode(.number(number.text), at: range)
    }
    if dialect == .json5, ["Infinity", "NaN"].contains(word.text) {
      return JSONNode(.number(word.text), at: range)
    }
    let lowered = ASCII.lowercased(word.text)
    if ["true", "false", "null", "none", "nil", "undefined"].contains(lowered) {
      let meant = ["true", "false"].contains(lowered) ? lowered : "null"
      report(
        .unquoted, range, "'\(word.text)' is not a JSON value", "Write \(meant).",
        edits: JSONMending.literal(word.text, at: range))
      return JSONNode(meant == "null" ? .null : .bool(meant == "true"), at: range)
    }
    report(
      .unquoted, range, "'\(Self.shown(word.text))' is not in quotation marks",
      "Write \"\(Self.shown(word.text))\".")
    return JSONNode(.string(word.text), at: range)
  }

  private mutating func parseName() -> (name: String, range: Range<Int>) {
    let start = offset
    if quotationMark(at: offset) != nil {
      let name = parseString()
      return (name, start..<offset)
    }
    let word = bareWord(at: offset, isName: true)!
    offset = word.range.upperBound
    lastTokenEnd = offset
    if dialect == .json {
      report(
        .unquoted, word.range, "the name '\(Self.shown(word.text))' is not in quotation marks",
        "Write \"\(Self.shown(word.text))\".", edits: JSONMending.quoted(word.text, at: word.range))
    }
    return (word.text, word.range)
  }

  // MARK: - Separators and brackets

  private enum Separator {
    /// Nothing has been read since the opening bracket.
    case none
    /// A value has, and no comma since.
    case missing
    case comma(at: Int)
  }

  private mutating func takeComma(_ separator: inout Separator) {
    if case .missing = separator {
      separator = .comma(at: offset)
    } else {
      report(
        .extraComma, offset..<offset + 1, "there is no value before this comma", "Remove the comma.",
        edits: [.remove(offset..<offset + 1)])
    }
    advance()
  }

  private mutating func takeColon(after name: String) {
    if peek == UInt8(ascii: ":") {
      advance()
      return
    }
    report(
      .missingColon, offset..<min(offset + 1, bytes.count),
      "there is no ':' after the name \"\(Self.shown(name))\"", "Put ':' between a name and its value.")
    if peek == UInt8(ascii: "=") {
      advance()
      if peek == UInt8(ascii: ">") { advance() }
    }
  }

  private mutating func reportMissingComma(_ separator: Separator, at start: Int, inObject: Bool) {
    guard case .missing = separator else { return }
    report(
      .missingComma, start..<tokenEnd(start), "there is no ',' before this",
      "Put ',' after the value that ends before it.",
      edits: JSONMending.missingComma(after: lastTokenEnd, before: start, inObject: inObject, in: bytes))
  }

  private mutating func reportTrailing(_ separator: Separator) {
    guard case .comma(let comma) = separator, dialect == .json else { return }
    report(
      .trailingComma, comma..<comma + 1, "there is a ',' after the last value",
      "Remove it: JSON allows no comma before a closing bracket.", edits: [.remove(comma..<comma + 1)])
  }

  private mutating func reportUnclosed() {
    guard !isAborted else { return }
    isAborted = true
    let positions = SourceText(name: "", bytes: bytes)
    let opened = open.reversed().map {
      "'\(Character(UnicodeScalar($0.bracket)))' of line \(positions.position(at: $0.offset).line)"
    }
    let closers = open.reversed().map { String(UnicodeScalar(Self.closer(of: $0.bracket))) }.joined()
    report(
      .unclosed, lastTokenEnd..<bytes.count,
      "the text ends before \(opened.prefix(4).joined(separator: ", ")) \(open.count == 1 ? "is" : "are") closed",
      "Put \(closers.prefix(16)) here.",
      edits: JSONMending.closing(
        open, at: lastTokenEnd, lastOpener: lastClosed?.end == lastTokenEnd ? lastClosed?.opener : nil,
        in: bytes), afterAbort: true)
  }

  /// A closing bracket of the other kind: either ours is missing and this closes an outer one (true; it is
  /// left for the outer one to take), or it closes nothing and is skipped. Taken is the reading under which
  /// the rest of the text closes what is open.
  private mutating func closesOuter(_ closer: UInt8) -> Bool {
    let bracket = offset..<offset + 1
    let shown = Character(UnicodeScalar(closer))
    let wanted = Character(UnicodeScalar(Self.closer(of: open.last!.bracket)))
    let hasOuter = open.dropLast().contains { Self.closer(of: $0.bracket) == closer }
    if hasOuter, remainderCloses(from: offset + 1, open: open.map(\.bracket)) != true {
      report(
        .unexpectedBracket, bracket, "'\(shown)' comes before '\(wanted)'",
        "Put '\(wanted)' before it, or remove it.")
      return true
    }
    report(.unexpectedBracket, bracket, "'\(shown)' closes nothing", "Remove it.")
    advance()
    return false
  }

  /// Whether the brackets from here on close exactly what is open, or nil when an earlier answer would have
  /// to be looked for too often: after a few dozen mistakes a guess is as good.
  private func remainderCloses(from start: Int, open: [UInt8]) -> Bool? {
    guard errors.count < 32 else { return nil }
    var open = open
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != 0x0A {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard let last = open.popLast(), Self.closer(of: last) == byte else { return false }
      default: break
      }
    }
    return open.isEmpty
  }

  private mutating func reportUnexpected(_ wanted: String) {
    let end = tokenEnd(offset)
    report(
      .unexpectedCharacter, offset..<end,
      "'\(Self.shown(String(decoding: bytes[offset..<end], as: UTF8.self)))' stands where \(wanted) should",
      "Remove it.")
    offset = end
    lastTokenEnd = end
  }

  // MARK: - Blanks and comments

  private mutating func skipTrivia() {
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
            .unclosed, offset..<endOfLine(offset), "this comment is never closed", "Remove it.",
            afterAbort: true)
          offset = bytes.count
        } else {
          skipComment(to: end + 2)
        }
      case UInt8(ascii: "^") where isLineEnd(offset + 1), UInt8(ascii: "\\") where isLineEnd(offset + 1):
        report(
          .unexpectedCharacter, offset..<offset + 1, "the line ends in a shell's continuation mark",
          "Remove it; it came along from a command.")
        offset += 1
      case UInt8(ascii: "#") where dialect == .json: skipComment(to: endOfLine(offset))
      case 0x0B where dialect == .json5, 0x0C where dialect == .json5: offset += 1
      case 0xC2 where next == 0xA0:
        if dialect == .json {
          report(
            .unexpectedCharacter, offset..<offset + 2, "a no-break space stands between values",
            "Replace it by an ordinary blank.", edits: [Edit(offset..<offset + 2, " ")])
        }
        offset += 2
      default: return
      }
    }
  }

  private mutating func skipComment(to end: Int) {
    if dialect == .json {
      report(
        .comment, offset..<min(end, endOfLine(offset)), "JSON has no comments",
        "Remove it; a rule can carry a \"comment\" key instead.",
        edits: JSONMending.removal(ofComment: offset..<end, in: bytes))
    }
    offset = end
  }

  // MARK: - Strings

  private enum Quotation { case double, single, typographic }

  private func quotationMark(at offset: Int) -> (kind: Quotation, length: Int)? {
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

  private mutating func parseString() -> String {
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
            .controlCharacter, offset..<offset + 1, "a string holds an unescaped control character",
            "Write \\t for a tab, \\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16)) in general.")
        }
        text.append(byte)
        offset += 1
      }
    }
    return endUnterminated(start: start, contentStart: contentStart)
  }

  private func closes(_ opening: Quotation, _ closing: Quotation, at offset: Int) -> Bool {
    switch opening {
    case .double: return closing == .double
    case .single: return bytes[offset] == UInt8(ascii: "'") || bytes[offset] == UInt8(ascii: "`")
    case .typographic: return closing != .single
    }
  }

  private mutating func reportQuotes(_ kind: Quotation, _ range: Range<Int>, edits: [Edit] = []) {
    switch kind {
    case .double: break
    case .single:
      if dialect == .json5, bytes[range.lowerBound] == UInt8(ascii: "'") { break }
      report(
        .singleQuotes, range, "the string is not in double quotation marks",
        "JSON knows only the straight double quotation mark (U+0022).", edits: edits)
    case .typographic:
      report(
        .typographicQuotes, range, "the string is in typographic quotation marks",
        "Replace them by the straight one (U+0022); a word processor put them there.", edits: edits)
    }
  }

  /// A string without its closing mark is read to the end of its line, less what closes the line.
  private mutating func endUnterminated(start: Int, contentStart: Int) -> String {
    var end = endOfLine(contentStart)
    while end > contentStart, [0x20, 0x09, 0x0D, 0x2C, 0x5D, 0x7D].contains(bytes[end - 1]) { end -= 1 }
    offset = end
    lastTokenEnd = end
    let kind = quotationMark(at: start)!.kind
    if kind == .typographic { reportQuotes(kind, start..<end) }
    report(
      .unterminatedString, start..<end, "the string is not closed on its line",
      "Put a straight quotation mark (U+0022) at its end.")
    return String(decoding: bytes[contentStart..<end], as: UTF8.self)
  }

  private mutating func parseEscape(into text: inout [UInt8]) {
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
          .invalidEscape, start..<max(start + 1, offset), "JSON has no such escape",
          "Remove the backslash, or write \\\\ for a backslash.")
      }
    }
  }

  /// One UTF-16 unit; a high surrogate takes its low one along, and a lone one becomes U+FFFD.
  private mutating func appendScalar(_ unit: UInt32, into text: inout [UInt8]) {
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

  private mutating func hexUnit() -> UInt32? {
    guard offset + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for byte in bytes[offset..<offset + 4] {
      guard let digit = ASCII.hexValue(byte) else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    offset += 4
    return unit
  }

  // MARK: - Looking

  private static let openers = Array("{[".utf8)

  private static func closer(of bracket: UInt8) -> UInt8 { bracket + 2 }

  private static func beginsValue(_ byte: UInt8) -> Bool {
    openers.contains(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-")
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private var next: UInt8? { offset + 1 < bytes.count ? bytes[offset + 1] : nil }

  private mutating func advance() {
    offset += 1
    lastTokenEnd = offset
  }

  private func isLineEnd(_ offset: Int) -> Bool {
    offset < bytes.count && (bytes[offset] == 0x0A || bytes[offset] == 0x0D)
  }

  private func endOfLine(_ start: Int) -> Int {
    bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
  }

  /// The end of what stands here, for showing: a word, or one character.
  private func tokenEnd(_ start: Int) -> Int {
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
  private func bareWord(at start: Int, isName: Bool = false) -> (text: String, range: Range<Int>)? {
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
  private static func shown(_ text: String) -> String {
    text.count <= 60 ? text : text.prefix(57) + "…"
  }

  private mutating func report(
    _ kind: JSONSyntaxError.Kind, _ range: Range<Int>, _ message: String, _ help: String,
    edits: [Edit] = [], afterAbort: Bool = false
  ) {
    guard !isAborted || afterAbort else { return }
    if errors.count == limits.errorCount {
      errors.append(
        JSONSyntaxError(
          kind: .tooManyErrors, range: range,
          message: "there are more than \(limits.errorCount) mistakes; the rest was not read",
          help: "Mend the first ones, then look again.", edits: []))
      isAborted = true
      return
    }
    errors.append(JSONSyntaxError(kind: kind, range: range, message: message, help: help, edits: edits))
  }
}
