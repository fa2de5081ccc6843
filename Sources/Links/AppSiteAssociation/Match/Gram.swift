/// A few neighbouring bytes of a text as one number, which tells how many they are.
enum Gram {
  /// Longest first: of equally rare ones the longest is met by chance least often.
  static let lengths = [4, 3, 2]

  /// Calls with every so many neighbouring bytes of a text.
  @inline(__always)
  static func visit(_ text: UnsafeBufferPointer<UInt8>, _ length: Int, _ body: (UInt64) -> Void) {
    guard text.count >= length else { return }
    let mark = UInt64(length) << 32
    let start = UnsafeRawPointer(text.baseAddress!)
    for offset in 0...(text.count - length) {
      let low = UInt64(start.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
      switch length {
      case 4: body(mark | UInt64(start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      case 3: body(mark | low << 8 | UInt64(text[offset + 2]))
      default: body(mark | low)
      }
    }
  }

  static func length(of gram: UInt64) -> Int { Int(gram >> 32) }
}

extension PathKeys {
  /// Our choice: so many bytes of a literal tell rules apart.
  private static let scannedBytes = 32

  /// Calls with neighbouring bytes that every covered path holds, for a part of them.
  func visitGrams(_ body: (UInt64) -> Void) {
    for length in Gram.lengths {
      for literal in [suffix] + parts + [prefix] {
        // The ends of beginnings tell more apart than what all of a site's share.
        literal.suffix(Self.scannedBytes).withUnsafeBufferPointer { Gram.visit($0, length, body) }
      }
    }
  }
}

/// About how many rules hold some neighbouring bytes: sometimes too many, never too few.
struct GramCounts {
  private var counts = [UInt16](repeating: 0, count: 1 << 16)

  private static func slot(_ gram: UInt64) -> Int { Int((gram &* 0x9E37_79B9_7F4A_7C15) >> 48) }

  mutating func add(_ gram: UInt64) {
    let slot = Self.slot(gram)
    if counts[slot] < .max { counts[slot] += 1 }
  }

  subscript(_ gram: UInt64) -> Int { Int(counts[Self.slot(gram)]) }
}
