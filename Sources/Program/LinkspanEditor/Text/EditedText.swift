/// A text while one message changes it in many places: pieces of a bounded size, so that a change costs its piece and a look
/// at how much the others have, and not the text.
package struct EditedText {
  private struct Piece {
    let bytes: [UInt8]
    /// Ends of the protocol's lines; a CR at the end of the piece counts.
    private(set) var lineEnds = 0
    private(set) var units = 0

    init(_ bytes: ArraySlice<UInt8>) {
      self.bytes = Array(bytes)
      for place in self.bytes.indices {
        let byte = self.bytes[place]
        units += UTF16Units.of(byte)
        let isBeforeLineFeed =
          byte == 0x0D && place + 1 < self.bytes.count && self.bytes[place + 1] == 0x0A
        if byte == 0x0A || (byte == 0x0D && !isBeforeLineFeed) { lineEnds += 1 }
      }
    }
  }

  /// A byte of the text, or the end of a piece.
  private struct Position: Comparable {
    var piece: Int
    var offset: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.piece, left.offset) < (right.piece, right.offset)
    }
  }

  /// Ours: small beside a text of a megabyte, and so are its pieces together.
  package static let standardPieceBytes = 4096

  private var pieces: [Piece]
  private let pieceBytes: Int
  /// Of all pieces.
  package private(set) var byteCount: Int

  package init(_ bytes: [UInt8], pieceBytes: Int = standardPieceBytes) {
    self.pieceBytes = pieceBytes
    byteCount = bytes.count
    pieces = Self.cut(bytes, pieceBytes)
  }

  package var bytes: [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(byteCount)
    for piece in pieces { all += piece.bytes }
    return all
  }

  /// At least one; of about one size, so that none is soon too large again.
  private static func cut(_ bytes: [UInt8], _ size: Int) -> [Piece] {
    let count = max(1, (bytes.count + size - 1) / size)
    let (least, longer) = bytes.count.quotientAndRemainder(dividingBy: count)
    func start(of index: Int) -> Int { least * index + min(index, longer) }
    return (0..<count).map { Piece(bytes[start(of: $0)..<start(of: $0 + 1)]) }
  }

  /// A place behind the end of its line is that end, one behind the last line the end of the text.
  package mutating func replace(_ span: TextSpan, by text: String) {
    let start = position(of: span.start)
    let end = max(start, position(of: span.end))
    var changed = Array(pieces[start.piece].bytes[..<start.offset])
    changed += text.utf8
    changed += pieces[end.piece].bytes[end.offset...]
    var last = end.piece
    // So that pieces do not become many and small.
    if changed.count < pieceBytes / 2, last + 1 < pieces.count {
      last += 1
      changed += pieces[last].bytes
    }
    let before = pieces[start.piece...last].reduce(0) { $0 + $1.bytes.count }
    byteCount += changed.count - before
    pieces.replaceSubrange(start.piece...last, with: Self.cut(changed, pieceBytes))
  }

  // MARK: - Places

  private func position(of place: TextPlace) -> Position {
    guard let start = start(ofLine: place.line) else { return end }
    var (position, units) = (start, 0)
    while position.piece < pieces.count {
      let piece = pieces[position.piece]
      if position.offset == 0, piece.lineEnds == 0, units + piece.units <= place.character {
        units += piece.units
      } else {
        for offset in position.offset..<piece.bytes.count {
          let byte = piece.bytes[offset]
          if byte == 0x0A || byte == 0x0D { return Position(piece: position.piece, offset: offset) }
          let more = UTF16Units.of(byte)
          if more > 0, units + more > place.character {
            return Position(piece: position.piece, offset: offset)
          }
          units += more
        }
      }
      position = Position(piece: position.piece + 1, offset: 0)
    }
    return end
  }

  /// Behind the text.
  private var end: Position {
    Position(piece: pieces.count - 1, offset: pieces[pieces.count - 1].bytes.count)
  }

  /// nil behind the last line.
  private func start(ofLine line: Int) -> Position? {
    guard line > 0 else { return Position(piece: 0, offset: 0) }
    var before = 0
    for index in pieces.indices {
      let count = lineEnds(of: index)
      guard before + count >= line else {
        before += count
        continue
      }
      let bytes = pieces[index].bytes
      for offset in bytes.indices where endsLine(at: offset, of: index) {
        before += 1
        if before == line { return Position(piece: index, offset: offset + 1) }
      }
    }
    return nil
  }

  private func lineEnds(of index: Int) -> Int { pieces[index].lineEnds - (isCut(at: index) ? 1 : 0) }

  /// Whether a CR LF has its CR at the end of a piece.
  private func isCut(at index: Int) -> Bool {
    pieces[index].bytes.last == 0x0D && index + 1 < pieces.count && pieces[index + 1].bytes.first == 0x0A
  }

  private func endsLine(at offset: Int, of index: Int) -> Bool {
    let bytes = pieces[index].bytes
    guard bytes[offset] == 0x0D else { return bytes[offset] == 0x0A }
    return offset + 1 < bytes.count ? bytes[offset + 1] != 0x0A : !isCut(at: index)
  }
}

/// How many code units of UTF-16 a byte of UTF-8 begins.
enum UTF16Units {
  static func of(_ byte: UInt8) -> Int { byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1 }
}
