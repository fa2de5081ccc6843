package import LinkspanCore

/// The text of a document in UTF-8, with the way between byte offsets, the places of the Language Server Protocol, and the
/// positions of findings.
///
/// The protocol's lines end at CR, LF or CR LF and its columns are UTF-16 code units; those of findings end at LF and
/// count Unicode scalars (``SourcePosition``).
package struct DocumentText: Sendable {
  package let bytes: [UInt8]
  /// Where the protocol's lines begin.
  private let lines: [Int]
  /// Where the lines of findings begin.
  private let rows: [Int]
  /// How many scalars and UTF-16 code units precede each block of bytes.
  private let blocks: [Counts]

  private struct Counts {
    var scalars = 0
    var units = 0

    mutating func add(_ byte: UInt8) {
      let more = UTF16Units.of(byte)
      scalars += more > 0 ? 1 : 0
      units += more
    }
  }

  private static let blockBytes = 512

  package init(_ text: String) { self.init(Array(text.utf8)) }

  package init(_ bytes: [UInt8]) {
    var lines = [0]
    var rows = [0]
    var blocks: [Counts] = []
    blocks.reserveCapacity(bytes.count / Self.blockBytes + 1)
    var counts = Counts()
    bytes.withUnsafeBufferPointer { bytes in
      for offset in bytes.indices {
        if offset % Self.blockBytes == 0 { blocks.append(counts) }
        let byte = bytes[offset]
        counts.add(byte)
        if byte == 0x0A { rows.append(offset + 1) }
        let isBeforeLineFeed = byte == 0x0D && offset + 1 < bytes.count && bytes[offset + 1] == 0x0A
        if byte == 0x0A || (byte == 0x0D && !isBeforeLineFeed) { lines.append(offset + 1) }
      }
    }
    if blocks.isEmpty { blocks.append(counts) }
    self.bytes = bytes
    self.lines = lines
    self.rows = rows
    self.blocks = blocks
  }

  // MARK: - Counting

  private func counts(before offset: Int) -> Counts {
    let block = min(offset / Self.blockBytes, blocks.count - 1)
    var counts = blocks[block]
    for place in block * Self.blockBytes..<offset { counts.add(bytes[place]) }
    return counts
  }

  /// The first offset of a scalar that has so many scalars, or UTF-16 units, before it; inside a pair of units, the scalar
  /// itself.
  private func offset(_ count: Int, of part: (Counts) -> Int) -> Int {
    var low = 0
    var high = blocks.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if part(blocks[middle]) <= count { low = middle } else { high = middle - 1 }
    }
    var counts = blocks[low]
    var place = low * Self.blockBytes
    while place < bytes.count {
      var next = counts
      next.add(bytes[place])
      if part(next) > count, bytes[place] & 0xC0 != 0x80 { break }
      counts = next
      place += 1
    }
    return place
  }

  /// The index of the last start at or before an offset.
  private static func index(of offset: Int, in starts: [Int]) -> Int {
    var low = 0
    var high = starts.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= offset { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// Where the text of a line ends, before what ends the line.
  private func end(ofLine line: Int) -> Int {
    guard line + 1 < lines.count else { return bytes.count }
    let next = lines[line + 1]
    let isPair = next >= 2 && bytes[next - 1] == 0x0A && bytes[next - 2] == 0x0D && next - 2 >= lines[line]
    return next - (isPair ? 2 : 1)
  }

  // MARK: - Places

  package func place(of offset: Int) -> TextPlace {
    let offset = min(max(0, offset), bytes.count)
    let line = Self.index(of: offset, in: lines)
    let inside = min(offset, end(ofLine: line))
    let character = counts(before: inside).units - counts(before: lines[line]).units
    return TextPlace(line: line, character: character)
  }

  /// A place behind the end of its line is that end, one behind the last line the end of the text.
  package func offset(of place: TextPlace) -> Int {
    guard place.line < lines.count else { return bytes.count }
    let start = lines[place.line]
    let end = end(ofLine: place.line)
    // No line is longer than the text, which also keeps the sum in bounds.
    let units = counts(before: start).units + min(place.character, bytes.count)
    return max(start, min(end, offset(units, of: { $0.units })))
  }

  package func offset(of position: SourcePosition) -> Int {
    guard position.line >= 1, position.line <= rows.count else { return bytes.count }
    let start = rows[position.line - 1]
    let scalars = counts(before: start).scalars + max(0, position.column - 1)
    return max(start, min(bytes.count, offset(scalars, of: { $0.scalars })))
  }

  package func span(_ range: Range<Int>) -> TextSpan {
    TextSpan(place(of: range.lowerBound), place(of: range.upperBound))
  }

  /// The place of a finding; the beginning of the text where it has none.
  package func span(_ location: Finding.Location) -> TextSpan { span(range(location)) }

  func range(_ location: Finding.Location) -> Range<Int> {
    guard let start = location.start else { return 0..<0 }
    let lower = offset(of: start)
    return lower..<max(lower, location.end.map { offset(of: $0) } ?? lower)
  }

  // MARK: - Changes

  /// The text after a change.
  package func replacing(_ span: TextSpan, by text: String) -> DocumentText {
    var edited = EditedText(bytes)
    edited.replace(span, by: text)
    return DocumentText(edited.bytes)
  }
}
