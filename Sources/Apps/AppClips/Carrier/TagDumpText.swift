internal import LinkspanCore

/// A dump of a tag that programs print: hexadecimal digits, also behind the number of a page or the offset of a line.
package enum TagDumpText {
  /// Whether bytes are text, and not those of a tag: an NTAG begins with the maker's number, 04, which no text has.
  package static func isText(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { (0x20..<0x7F).contains($0) || [0x09, 0x0A, 0x0D].contains($0) }
  }

  /// The bytes that a text writes down.
  ///
  /// Reads digits alone with blanks, colons, commas or `0x` between them; lines of `xxd` and `hexdump -C`; and lines that begin
  /// with the number of a page, `[04]`, `Page 4:` or `04:` counting up from line to line, beside which other lines with a
  /// label are read over.
  ///
  /// - Returns: nil for a text of another form.
  package static func bytes(of text: [UInt8]) -> [UInt8]? {
    var lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    if let pages = withoutPageNumbers(lines, radix: 10) ?? withoutPageNumbers(lines, radix: 16) {
      lines = pages
    }
    // Lines that begin with offsets may have nothing but digits as well.
    let hasOffsets = lines.first.flatMap(Line.parts)?.offset == 0
    if !hasOffsets,
      let bytes = digits(lines.joined(separator: " ")[...]) ?? digits(lines.joined(separator: "")[...])
    {
      return bytes
    }
    var bytes: [UInt8] = []
    var last: [UInt8] = []
    var isRepeated = false
    for line in lines {
      if line.allSatisfy({ $0 == "*" || $0 == " " }) {
        isRepeated = true
        continue
      }
      guard let (offset, content) = Line.parts(line) else {
        // The head of a file, such as "UID: 04 A1 …".
        if line.contains(":") || line.hasPrefix("#") { continue }
        return nil
      }
      if isRepeated, let offset, !last.isEmpty {
        // `hexdump` writes equal lines once.
        guard offset <= repeatLimit else { return nil }
        while bytes.count < offset { bytes += last }
        isRepeated = false
      }
      guard let row = digits(content) else { return nil }
      if !row.isEmpty { last = row }
      bytes += row
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// Lines without the number and the colon that each begins with.
  ///
  /// - Returns: nil unless the numbers count up by one, on four lines or more: a tag without data has four pages.
  private static func withoutPageNumbers(_ lines: [Substring], radix: Int) -> [Substring]? {
    guard lines.count >= 4 else { return nil }
    var rest: [Substring] = []
    var next: Int?
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let number = Int(parts[0].filter { $0 != " " }, radix: radix),
        number < repeatLimit, number == next ?? number
      else { return nil }
      rest.append(parts[1].prefix { $0 != "|" })
      next = number + 1
    }
    return rest
  }

  /// Ours: no tag on sale has more bytes.
  private static let repeatLimit = 1 << 16

  /// The bytes of digits in pairs, with or without signs between them; nil where anything else stands there.
  private static func digits(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    for part in text.split(whereSeparator: { " \t:,".contains($0) }) {
      let isPrefixed = part.hasPrefix("0x") || part.hasPrefix("0X")
      let digits = Array((isPrefixed ? part.dropFirst(2) : part).utf8)
      guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
      for place in stride(from: 0, to: digits.count, by: 2) {
        guard let high = ASCII.hexValue(digits[place]), let low = ASCII.hexValue(digits[place + 1]) else {
          return nil
        }
        bytes.append(high << 4 | low)
      }
    }
    return bytes
  }

  /// A line with a number before its bytes.
  private enum Line {
    /// - Returns: The offset in bytes, where the line says it, and what stands between it and the column of characters.
    static func parts(_ line: Substring) -> (offset: Int?, content: Substring)? {
      let line = line.drop { $0 == " " || $0 == "\t" }
      if line.hasPrefix("["), let end = line.firstIndex(of: "]"), isNumber(line[..<end].dropFirst()) {
        return (nil, beforeBar(line[line.index(after: end)...]))
      }
      let lower = line.lowercased()
      if lower.hasPrefix("page ") || lower.hasPrefix("block "), let colon = line.firstIndex(of: ":"),
        isNumber(line[..<colon].drop { $0 != " " }.dropFirst())
      {
        return (nil, beforeBar(line[line.index(after: colon)...]))
      }
      let number = line.prefix { $0.isHexDigit }
      guard (4...8).contains(number.count), let offset = Int(number, radix: 16) else { return nil }
      let rest = line[number.endIndex...]
      // `xxd` ends the offset with a colon, and the bytes with two blanks.
      if rest.hasPrefix(":") { return (offset, beforeColumn(rest.dropFirst().drop { $0 == " " })) }
      return rest.isEmpty || rest.hasPrefix("  ") ? (offset, beforeBar(rest)) : nil
    }

    private static func isNumber(_ text: Substring) -> Bool {
      let digits = text.filter { $0 != " " }
      return !digits.isEmpty && digits.allSatisfy { $0.isHexDigit || $0 == "x" }
    }

    private static func beforeBar(_ text: Substring) -> Substring { text.prefix { $0 != "|" } }

    private static func beforeColumn(_ text: Substring) -> Substring {
      guard let end = text.firstRange(of: "  ") else { return text }
      return text[..<end.lowerBound]
    }
  }
}
