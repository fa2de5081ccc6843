/// Pieces of whole lines for a file that may take only a part of one: what comes next begins behind the line that was torn.
struct LinePieces: Sendable {
  private var isTorn = false

  /// What to write for a piece.
  func bytes(_ piece: [UInt8]) -> [UInt8] { isTorn ? [0x0A] + piece : piece }

  /// Notes how much of ``bytes(_:)`` got out.
  ///
  /// - Returns: Lines of the piece that got out whole.
  mutating func note(_ bytes: [UInt8], out count: Int) -> Int {
    guard count > 0 else { return 0 }
    let lines = bytes.prefix(count).dropFirst(isTorn ? 1 : 0).count { $0 == 0x0A }
    isTorn = bytes[count - 1] != 0x0A
    return lines
  }
}
