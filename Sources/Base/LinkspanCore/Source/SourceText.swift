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

  /// What stands before each block of bytes, so that a place is found at once in lines of megabytes and in
  /// megabytes of lines, and costs little to keep.
  private struct Block {
    var lines: Int
    /// Where the line begins that the block begins in; lines end at a line feed.
    var lineStart: Int
    var characters: Int
  }

  private let blocks: [Block]
  private static let blockBytes = 1024

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    var blocks: [Block] = []
    blocks.reserveCapacity(bytes.count / Self.blockBytes + 1)
    var next = Block(lines: 0, lineStart: 0, characters: 0)
    bytes.withUnsafeBufferPointer { bytes in
      for offset in bytes.indices {
        if offset % Self.blockBytes == 0 { blocks.append(next) }
        if bytes[offset] & 0xC0 != 0x80 { next.characters += 1 }
        if bytes[offset] == 0x0A {
          next.lines += 1
          next.lineStart = offset + 1
        }
      }
    }
    self.blocks = blocks
  }

  package init(name: String, _ text: String) { self.init(name: name, bytes: Array(text.utf8)) }

  /// The position of a byte offset in `0...bytes.count`.
  package func position(at offset: Int) -> SourcePosition {
    precondition((0...bytes.count).contains(offset), "offset \(offset) lies outside \(name)")
    let line = line(of: offset)
    return SourcePosition(
      line: line.index + 1, column: characters(before: offset) - characters(before: line.start) + 1)
  }

  private func block(of offset: Int) -> (block: Block, start: Int)? {
    guard !blocks.isEmpty else { return nil }
    let index = min(offset / Self.blockBytes, blocks.count - 1)
    return (blocks[index], index * Self.blockBytes)
  }

  private func line(of offset: Int) -> (index: Int, start: Int) {
    guard let (block, blockStart) = block(of: offset) else { return (0, 0) }
    var (index, start) = (block.lines, block.lineStart)
    for place in blockStart..<offset where bytes[place] == 0x0A {
      index += 1
      start = place + 1
    }
    return (index, start)
  }

  private func characters(before offset: Int) -> Int {
    guard let (block, blockStart) = block(of: offset) else { return 0 }
    var characters = block.characters
    for place in blockStart..<offset where bytes[place] & 0xC0 != 0x80 { characters += 1 }
    return characters
  }

  /// The line around an offset, cut to a length that fits a terminal; bytes that are no UTF-8 become U+FFFD, and each
  /// character of the user and password of a link, of a private key and of a token "…", so that columns stay.
  ///
  /// - Returns: The text, and how many characters of the line precede it.
  package func excerpt(around offset: Int) -> (text: String, skipped: Int) {
    let start = line(of: offset).start
    // What is further away is cut off in any case.
    let horizon = min(bytes.count, offset + Self.excerptBytes + Self.linkBytes)
    let lineEnd = bytes[offset..<horizon].firstIndex(of: 0x0A) ?? horizon
    var end = lineEnd
    if end > start, bytes[end - 1] == 0x0D { end -= 1 }
    var from = start
    if end - start > Self.excerptBytes {
      from = max(start, offset - Self.excerptBytes / 2)
      end = min(end, from + Self.excerptBytes)
      while from < offset, bytes[from] & 0xC0 == 0x80 { from += 1 }
      while end > from, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    }
    let skipped = characters(before: from) - characters(before: start)
    return (shown(from..<max(from, end), ofLine: start..<lineEnd), skipped)
  }

  private func shown(_ range: Range<Int>, ofLine line: Range<Int>) -> String {
    let around =
      max(line.lowerBound, range.lowerBound - Self.linkBytes)..<max(line.upperBound, range.upperBound)
    let users = UserInformation.ranges(in: bytes[around], isWhole: around.lowerBound == line.lowerBound)
    let hidden = users + String.secrets(in: bytes[around])
    guard !hidden.isEmpty else { return String(decoding: bytes[range], as: UTF8.self) }
    var text: [UInt8] = []
    for place in range {
      if !hidden.contains(where: { $0.contains(place) }) {
        text.append(bytes[place])
      } else if bytes[place] & 0xC0 != 0x80 {
        text += "…".utf8
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Our choice: about what fits a line of a terminal.
  private static let excerptBytes = 100
  /// Our choice: how far around an excerpt the ends of a link with a user are looked for.
  private static let linkBytes = 2048
}
