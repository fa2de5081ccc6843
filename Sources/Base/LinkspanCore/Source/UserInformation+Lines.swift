extension UserInformation {
  /// From the first byte of each user to its `@`, in a line of a file that holds links between other text, in order.
  ///
  /// - Parameter isWhole: Whether the line begins where the bytes do. Where it does not, a word that has begun before them and
  ///   has an `@` may be a link.
  static func ranges(in line: ArraySlice<UInt8>, isWhole: Bool) -> [Range<Int>] {
    guard line.withUnsafeBufferPointer({ isPossible(in: $0) }) else { return [] }
    var found: [Range<Int>] = []
    if !isWhole {
      let end = line.firstIndex(where: isEnd) ?? line.endIndex
      if let last = line[..<end].lastIndex(of: UInt8(ascii: "@")) { found.append(line.startIndex..<last) }
    }
    var looked = 0
    for begin in line.indices where begin == line.startIndex || isBoundary(line[begin - 1]) {
      if isBoundary(line[begin]) { continue }
      let text = line[begin...].prefix { !isQuote($0) }
      looked += text.count
      // No person reads such a line: better to hide too much of it than to keep somebody waiting.
      if looked > mostBytes { return found + [begin..<line.endIndex] }
      if let range = range(ofLinkIn: text), !range.isEmpty { found.append(range) }
    }
    let inner = rangesOfInnerLinks(in: line)
    return inner.isEmpty ? found : (found + inner).sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Ours: a line of 5,000 bytes with a link at every other place has as many; it takes a quarter of a second.
  private static let mostBytes = 8_000_000

  private static func range(ofLinkIn text: ArraySlice<UInt8>) -> Range<Int>? {
    let word = text.prefix { !isEnd($0) }
    if let range = range(in: word) ?? rangeWithoutScheme(in: word, isText: true) { return range }
    // A password with a blank.
    return text.count > word.count && opensPassword(word) ? range(in: text) : nil
  }

  /// What a link in a file of lists, tables or JSON ends at.
  private static func isQuote(_ byte: UInt8) -> Bool { "\"<>`".utf8.contains(byte) }

  private static func isEnd(_ byte: UInt8) -> Bool { byte <= 0x20 || isQuote(byte) }

  /// What may stand in front of a link. All but the ends may be part of a password, too.
  private static func isBoundary(_ byte: UInt8) -> Bool { isEnd(byte) || "'([{,=;|".utf8.contains(byte) }
}
