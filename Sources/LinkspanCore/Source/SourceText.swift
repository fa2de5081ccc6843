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

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    var starts = [0]
    for (offset, byte) in bytes.enumerated() where byte == 0x0A { starts.append(offset + 1) }
    lineStarts = starts
  }

  package init(name: String, _ text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }

  /// The position of a byte offset in `0...bytes.count`.
  package func position(at offset: Int) -> SourcePosition {
    precondition((0...bytes.count).contains(offset), "offset \(offset) lies outside \(name)")
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    let scalars = bytes[lineStarts[low]..<offset].count { $0 & 0xC0 != 0x80 }
    return SourcePosition(line: low + 1, column: scalars + 1)
  }

  /// The text of a line (from 1) without its line ending; bytes that are no UTF-8 are shown as U+FFFD.
  package func line(_ number: Int) -> String {
    let start = lineStarts[number - 1]
    var end = number < lineStarts.count ? lineStarts[number] - 1 : bytes.count
    if end > start, bytes[end - 1] == 0x0D { end -= 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
