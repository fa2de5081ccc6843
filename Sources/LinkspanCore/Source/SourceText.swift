/// A place in a text a person wrote: both numbers begin at 1; a column counts Unicode scalars, as SARIF's
/// `unicodeCodePoints` does, so that an editor lands on the same character.
package struct SourcePosition: Hashable, Comparable, Sendable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// The bytes of an input together with the name a person knows it by, and the way from a byte offset to a line.
package struct SourceText: Sendable {
  /// A path, a URL or `<stdin>`, shown as it is.
  package let name: String
  package let bytes: [UInt8]

  /// The offset at which each line begins; lines end at a line feed.
  private let lineStarts: [Int]
  /// How many characters begin before each block, so that a place in a line of megabytes is found at once.
  private let charactersBefore: [Int]
  private static let blockBytes = 1024

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    var starts = [0]
    var counts: [Int] = []
    var characters = 0
    bytes.withUnsafeBufferPointer { bytes in
      for offset in bytes.indices {
        if offset % Self.blockBytes == 0 { counts.append(characters) }
        if bytes[offset] & 0xC0 != 0x80 { characters += 1 }
        if bytes[offset] == 0x0A { starts.append(offset + 1) }
      }
    }
    lineStarts = starts
    charactersBefore = counts
  }

  package init(name: String, _ text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }

  /// The position of a byte offset in `0...bytes.count`.
  package func position(at offset: Int) -> SourcePosition {
    precondition((0...bytes.count).contains(offset), "offset \(offset) lies outside \(name)")
    let line = lineIndex(of: offset)
    return SourcePosition(
      line: line + 1, column: characters(before: offset) - characters(before: lineStarts[line]) + 1)
  }

  private func lineIndex(of offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  private func characters(before offset: Int) -> Int {
    guard !charactersBefore.isEmpty else { return 0 }
    let block = min(offset / Self.blockBytes, charactersBefore.count - 1)
    return charactersBefore[block] + bytes[(block * Self.blockBytes)..<offset].count { $0 & 0xC0 != 0x80 }
  }

  /// The line around an offset, cut to a length that fits a terminal; bytes that are no UTF-8 become U+FFFD.
  ///
  /// - Returns: The text, and how many characters of the line stand before it.
  package func excerpt(around offset: Int) -> (text: String, skipped: Int) {
    let index = lineIndex(of: offset)
    let start = lineStarts[index]
    var end = index + 1 < lineStarts.count ? lineStarts[index + 1] - 1 : bytes.count
    if end > start, bytes[end - 1] == 0x0D { end -= 1 }
    var from = start
    if end - start > Self.excerptBytes {
      from = max(start, offset - Self.excerptBytes / 2)
      end = min(end, from + Self.excerptBytes)
      while from < offset, bytes[from] & 0xC0 == 0x80 { from += 1 }
      while end > from, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    }
    let skipped = characters(before: from) - characters(before: start)
    return (String(decoding: bytes[from..<max(from, end)], as: UTF8.self), skipped)
  }

  /// Ours: about what fits a line of a terminal.
  private static let excerptBytes = 100
}
