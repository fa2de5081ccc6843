/// The changes that make nearly right JSON right, where nothing else can have been meant.
enum JSONMending {
  // MARK: - Comments

  /// A comment goes with its line where it stands alone, and with the blanks before it at the end of a line.
  ///
  /// - Parameter range: The comment, without the end of its line.
  static func removal(ofComment range: Range<Int>, in bytes: [UInt8]) -> [Edit] {
    var start = range.lowerBound
    while start > 0, ASCII.isBlank(bytes[start - 1]) { start -= 1 }
    var end = range.upperBound
    while end < bytes.count, ASCII.isBlank(bytes[end]) { end += 1 }
    let beginsLine = start == 0 || ASCII.isLineEnd(bytes[start - 1])
    let endsLine = end == bytes.count || ASCII.isLineEnd(bytes[end])
    if beginsLine, endsLine {
      if end < bytes.count { end += bytes[end...].starts(with: [0x0D, 0x0A]) ? 2 : 1 }
      return [.remove(start..<end)]
    }
    // At the end of a line nobody sees the blanks that are left, and diffs do.
    if endsLine { return [.remove(start..<range.upperBound)] }
    if beginsLine { return [.remove(range.lowerBound..<end)] }
    let left = bytes[range.lowerBound - 1]
    let right = bytes[range.upperBound]
    if ASCII.isBlank(left), ASCII.isBlank(right) { return [.remove(range.lowerBound..<end)] }
    let parts = ASCII.isBlank(left) || ASCII.isBlank(right) || isPunctuation(left) || isPunctuation(right)
    return [Edit(range, parts ? "" : " ")]
  }

  // MARK: - Quotation marks

  /// Straight double marks instead of others, when what stands between them needs no escape.
  static func quotes(_ opening: Range<Int>, _ closing: Range<Int>, in bytes: [UInt8]) -> [Edit] {
    let content = bytes[opening.upperBound..<closing.lowerBound]
    guard content.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }),
      !holdsMark(content)
    else { return [] }
    return [Edit(opening, "\""), Edit(closing, "\"")]
  }

  /// Whether another mark of any kind stands in there, so that the string may end elsewhere.
  private static func holdsMark(_ content: ArraySlice<UInt8>) -> Bool {
    content.contains(UInt8(ascii: "'")) || content.contains(UInt8(ascii: "`"))
      || content.indices.contains { index in
        let rest = content[index...]
        return rest.starts(with: [0xE2, 0x80]) && rest.count > 2 && (0x98...0x9F).contains(rest[index + 2])
          || rest.starts(with: [0xC2, 0xAB]) || rest.starts(with: [0xC2, 0xBB])
      }
  }

  /// Marks around a bare name of plain characters.
  static func quoted(_ word: String, at range: Range<Int>) -> [Edit] {
    let isPlain = word.utf8.allSatisfy {
      ASCII.isLetter($0) || ASCII.isDigit($0) || "_-.$/?#".utf8.contains($0)
    }
    return isPlain ? [.insert("\"", at: range.lowerBound), .insert("\"", at: range.upperBound)] : []
  }

  /// Python writes `True`, `False` and `None`, others write capitals; what they mean has one form in JSON.
  static func literal(_ word: String, at range: Range<Int>) -> [Edit] {
    switch ASCII.lowercased(word) {
    case "true": [Edit(range, "true")]
    case "false": [Edit(range, "false")]
    case "null": [Edit(range, "null")]
    case "none" where word == "None": [Edit(range, "null")]
    default: []
    }
  }

  // MARK: - Commas and brackets

  /// A comma behind a value, where the two cannot be parts of one string with stray marks in it: a line ends
  /// between them, a bracket stands at one side, or the second is a name with its colon.
  ///
  /// - Parameters:
  ///   - end: Just behind the value before.
  ///   - start: Where the next value or name begins.
  static func missingComma(after end: Int, before start: Int, inObject: Bool, in bytes: [UInt8]) -> [Edit] {
    guard end > 0, start < bytes.count else { return [] }
    let between = bytes[end..<start]
    let isApart = between.contains(where: ASCII.isLineEnd) || "}]".utf8.contains(bytes[end - 1])
    let beginsPlainly = bytes[start] == UInt8(ascii: "\"") || "{[".utf8.contains(bytes[start])
    guard beginsPlainly else { return [] }
    if isApart || (!inObject && "{[".utf8.contains(bytes[start])) { return [.insert(",", at: end)] }
    guard inObject, !between.isEmpty, bytes[end - 1] != UInt8(ascii: "\"") else { return [] }
    return [.insert(",", at: end)]
  }

  /// The brackets that are missing at the end of a text that was not cut off: its last token is a bracket,
  /// and that one stands below the beginning of the line of its opening one, or on one line with it.
  ///
  /// Where the last one has a line of its own, so has each that is put in.
  ///
  /// - Parameters:
  ///   - open: The brackets that are still open, from the outside in.
  ///   - end: Just behind the last token.
  ///   - last: The bracket that the last token closes; nil when it is none.
  static func closing(
    _ open: [(bracket: UInt8, offset: Int)], at end: Int, lastOpener last: Int?, in bytes: [UInt8]
  ) -> [Edit] {
    guard let last else { return [] }
    let isOnOneLine = lineStart(last, bytes) == lineStart(end - 1, bytes)
    guard isOnOneLine || indentation(last, bytes) == indentation(end - 1, bytes) else { return [] }
    let lineEnd =
      bytes[..<end].lastIndex(of: 0x0A).map { $0 > 0 && bytes[$0 - 1] == 0x0D } == true ? "\r\n" : "\n"
    let closers = open.reversed().map { bracket, offset in
      let closer = String(UnicodeScalar(bracket + 2))
      let isBelow = !isOnOneLine && lineStart(offset, bytes) != lineStart(last, bytes)
      return isBelow ? lineEnd + String(decoding: indentation(offset, bytes), as: UTF8.self) + closer : closer
    }
    return [.insert(closers.joined(), at: end)]
  }

  /// The braces around members that stand without; the closing one may be there.
  ///
  /// - Parameter isClosed: Whether a brace that ends the members is not one of a value inside.
  static func outerBraces(from start: Int, to end: Int, isClosed: Bool, in bytes: [UInt8]) -> [Edit] {
    isClosed && bytes[end - 1] == UInt8(ascii: "}")
      ? [.insert("{", at: start)] : [.insert("{", at: start), .insert("}", at: end)]
  }

  // MARK: - Looking

  private static func isPunctuation(_ byte: UInt8) -> Bool { ",:{}[]".utf8.contains(byte) }

  private static func lineStart(_ offset: Int, _ bytes: [UInt8]) -> Int {
    bytes[..<offset].lastIndex(where: ASCII.isLineEnd).map { $0 + 1 } ?? 0
  }

  private static func indentation(_ offset: Int, _ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes[lineStart(offset, bytes)...].prefix(while: ASCII.isBlank)
  }
}
