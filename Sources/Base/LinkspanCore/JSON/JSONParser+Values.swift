/// Values, members and elements, and what stands between them.
extension JSONParser {
  mutating func parseValue() -> JSONNode? {
    guard let byte = peek else { return nil }
    let start = offset
    valueCount += 1
    guard valueCount <= limits.valueCount else {
      report(
        .tooLarge, start..<start + 1, "the text has more than \(limits.valueCount) values",
        limits.sizeHelp)
      isAborted = true
      return nil
    }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard open.count < limits.depth else {
        report(
          .tooDeep, start..<start + 1, "values are nested more than \(limits.depth) levels deep",
          limits.depthHelp)
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

  mutating func parseMembers(isClosedByEnd: Bool = false) -> [JSONMember] {
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

  mutating func parseElements() -> [JSONNode] {
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
  mutating func parseScalar() -> JSONNode? {
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

  mutating func parseName() -> (name: String, range: Range<Int>) {
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

  enum Separator {
    /// Nothing has been read since the opening bracket.
    case none
    /// A value has, and no comma since.
    case missing
    case comma(at: Int)
  }

  mutating func takeComma(_ separator: inout Separator) {
    if case .missing = separator {
      separator = .comma(at: offset)
    } else {
      report(
        .extraComma, offset..<offset + 1, "there is no value before this comma", "Remove the comma.",
        edits: [.remove(offset..<offset + 1)])
    }
    advance()
  }

  mutating func takeColon(after name: String) {
    if peek == UInt8(ascii: ":") {
      advance()
      return
    }
    report(
      .missingColon, offset..<min(offset + 1, bytes.count),
      "there is no ':' after the name \"\(Self.shown(name))\"", "Put ':' between the name and its value.")
    if peek == UInt8(ascii: "=") {
      advance()
      if peek == UInt8(ascii: ">") { advance() }
    }
  }

  mutating func reportMissingComma(_ separator: Separator, at start: Int, inObject: Bool) {
    guard case .missing = separator else { return }
    report(
      .missingComma, start..<tokenEnd(start), "there is no ',' before this",
      "Put ',' after the value that ends before it.",
      edits: JSONMending.missingComma(after: lastTokenEnd, before: start, inObject: inObject, in: bytes))
  }

  mutating func reportTrailing(_ separator: Separator) {
    guard case .comma(let comma) = separator, dialect == .json else { return }
    report(
      .trailingComma, comma..<comma + 1, "there is a ',' after the last value",
      "Remove it: JSON allows no comma before a closing bracket.", edits: [.remove(comma..<comma + 1)])
  }

  mutating func reportUnclosed() {
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
  mutating func closesOuter(_ closer: UInt8) -> Bool {
    let bracket = offset..<offset + 1
    let shown = Character(UnicodeScalar(closer))
    let wanted = Character(UnicodeScalar(Self.closer(of: open.last!.bracket)))
    let hasOuter = open.dropLast().contains { Self.closer(of: $0.bracket) == closer }
    if hasOuter, remainderCloses(from: offset + 1, open: open.map({ $0.bracket })) != true {
      report(
        .unexpectedBracket, bracket, "'\(shown)' comes before '\(wanted)'",
        "Put '\(wanted)' before it, or remove it.")
      return true
    }
    report(.unexpectedBracket, bracket, "'\(shown)' has no matching opening bracket", "Remove it.")
    advance()
    return false
  }

  /// Whether the brackets from here on close exactly what is open, or nil when an earlier answer would have
  /// to be looked for too often: after a few dozen mistakes a guess is as good.
  func remainderCloses(from start: Int, open: [UInt8]) -> Bool? {
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

  mutating func reportUnexpected(_ wanted: String) {
    let end = tokenEnd(offset)
    report(
      .unexpectedCharacter, offset..<end,
      "'\(Self.shown(String(decoding: bytes[offset..<end], as: UTF8.self)))' is not \(wanted)",
      "Remove it.")
    offset = end
    lastTokenEnd = end
  }
}
