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

  /// What is read at most; the first limit that is passed ends the reading with a mistake that names it.
  package struct Limits: Sendable {
    /// Brackets open at once. Our choice; deeper than any real file and far from the end of the stack.
    package var depth = 128
    /// Our choice; the largest association file anybody told of had 27 MB (R4).
    package var sizeBytes = 32 << 20
    /// Values in all. Our choice: a file at the documented limit of 128 KB holds fewer than 66,000.
    package var valueCount = 1_000_000
    /// Our choice: after so many mistakes the text is probably no JSON at all.
    package var errorCount = 100
    /// What helps where the text is too large, and where values are nested too deeply.
    package var sizeHelp = "Is this the right file?"
    package var depthHelp = "Is this the right file?"

    package init() {}
  }

  let bytes: [UInt8]
  let dialect: Dialect
  let limits: Limits
  var offset = 0
  var open: [(bracket: UInt8, offset: Int)] = []
  var lastTokenEnd = 0
  /// The container that was closed last: its opening bracket and the offset behind its closing one.
  var lastClosed: (opener: Int, end: Int)?
  var errors: [JSONSyntaxError] = []
  var isAborted = false
  var valueCount = 0

  init(_ bytes: [UInt8], dialect: Dialect, limits: Limits) {
    self.bytes = bytes
    self.dialect = dialect
    self.limits = limits
  }

  /// Reads a whole text.
  ///
  /// - Returns: As much of the tree as could be read, and every mistake at its place; nothing is thrown.
  package static func parse(
    _ bytes: [UInt8], dialect: Dialect = .json, limits: Limits = Limits()
  ) -> JSONDocument {
    var parser = JSONParser(bytes, dialect: dialect, limits: limits)
    let root = parser.parseDocument()
    if parser.errors.isEmpty { return JSONDocument(root: root, errors: []) }
    let inOrder = parser.errors.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }
    return JSONDocument(root: root, errors: inOrder.map { $0.element })
  }

  // MARK: - The document

  mutating func parseDocument() -> JSONNode? {
    guard bytes.count <= limits.sizeBytes else {
      report(
        .tooLarge, 0..<0, "the text has \(bytes.count) bytes; the limit is \(limits.sizeBytes) bytes",
        limits.sizeHelp)
      return nil
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      offset = 3
      if dialect == .json {
        report(
          .byteOrderMark, 0..<3, "the file begins with a byte order mark",
          "Save it as UTF-8 without a byte order mark (BOM).", edits: [.remove(0..<3)])
      }
    } else if let other = OtherContent(bytes) {
      report(.notUTF8, 0..<min(2, bytes.count), other.message, other.help)
      return nil
    }
    checkUTF8()
    skipTrivia()
    guard offset < bytes.count else {
      report(.empty, offset..<offset, "the text is empty", "Write a JSON object.")
      return nil
    }
    if OtherContent.isMarkup(bytes[offset...]) {
      report(
        .html, offset..<endOfLine(offset), "this is a web page or XML, not JSON",
        "Expected the JSON itself. Some servers answer every unknown path with a web page.")
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
        "Remove everything after the closing bracket.")
    }
    return root
  }

  /// Skips a heading such as `echo {` or `HTTP/1.1 200 OK`; text without any bracket is no JSON.
  mutating func skipTextBefore() {
    let start = offset
    if Self.beginsValue(bytes[offset]) || quotationMark(at: offset) != nil { return }
    if let word = bareWord(at: offset), ["true", "false", "null"].contains(word.text) { return }
    guard let bracket = bytes[offset...].firstIndex(where: { Self.openers.contains($0) }) else {
      report(
        .notJSON, start..<endOfLine(start), "the text contains no '{'",
        "Check that this is the right file: JSON begins with '{'.")
      isAborted = true
      return
    }
    report(
      .textBefore, start..<min(bracket, endOfLine(start)), "there is text before the JSON value",
      "Remove everything before the first bracket.")
    offset = bracket
  }

  mutating func checkUTF8() {
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
  static func scalarLength(_ bytes: ArraySlice<UInt8>) -> Int {
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

  // MARK: - Reporting

  mutating func report(
    _ kind: JSONSyntaxError.Kind, _ range: Range<Int>, _ message: String, _ help: String,
    edits: [Edit] = [], afterAbort: Bool = false
  ) {
    guard !isAborted || afterAbort else { return }
    if errors.count == limits.errorCount {
      errors.append(
        JSONSyntaxError(
          kind: .tooManyErrors, range: range,
          message: "there are more than \(limits.errorCount) errors; the rest was not read",
          help: "Fix these errors, then check again.", edits: []))
      isAborted = true
      return
    }
    errors.append(JSONSyntaxError(kind: kind, range: range, message: message, help: help, edits: edits))
  }
}
