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
    let end = text.count - length
    func low(_ offset: Int) -> UInt64 {
      UInt64(start.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
    // A loop for each length: its body is a few steps of the processor.
    switch length {
    case 4:
      for offset in 0...end {
        body(mark | UInt64(start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      }
    case 3: for offset in 0...end { body(mark | low(offset) << 8 | UInt64(text[offset + 2])) }
    default: for offset in 0...end { body(mark | low(offset)) }
    }
  }

  static func length(of gram: UInt64) -> Int { Int(gram >> 32) }
}

extension PathKeys {
  /// Our choice: so many bytes of a literal tell rules apart.
  private static let scannedBytes = 32

  /// Calls with so many neighbouring bytes that every covered path holds, for a part of them.
  func visitGrams(_ length: Int, _ body: (UInt64) -> Void) {
    for literal in [suffix] + parts + [prefix] {
      // The ends of beginnings tell more apart than what all of a site's share.
      literal.suffix(Self.scannedBytes).withUnsafeBufferPointer { Gram.visit($0, length, body) }
    }
  }

  /// Neighbouring bytes that few rules hold; nil where no covered path must hold any. Shorter ones are
  /// looked at only where the longer are common: a path is walked once for each length that a table has.
  func rarestGram(_ counts: GramCounts) -> UInt64? {
    var rarest: (count: Int, gram: UInt64)?
    for length in Gram.lengths {
      visitGrams(length) { gram in
        if rarest.map({ counts[gram] < $0.count }) ?? true { rarest = (counts[gram], gram) }
      }
      if let rarest, rarest.count <= Self.rareCount { break }
    }
    return rarest?.gram
  }

  /// Our choice: so many rules with the same neighbouring bytes cost less than another walk over the path.
  private static let rareCount = 4
}

/// About how many rules hold some neighbouring bytes: sometimes too many, never too few.
struct GramCounts {
  private var counts: [UInt16]
  private let shift: Int

  /// Our choice: with so many a rule, few neighbouring bytes share one.
  private static let slotsPerRule = 64
  private static let mostSlots = 1 << 20

  init(ruleCount: Int) {
    let most = min(Self.mostSlots, max(1, ruleCount) * Self.slotsPerRule)
    let bits = Int.bitWidth - (most - 1).leadingZeroBitCount
    shift = UInt64.bitWidth - bits
    counts = [UInt16](repeating: 0, count: 1 << bits)
  }

  private func slot(_ gram: UInt64) -> Int { Int((gram &* 0x9E37_79B9_7F4A_7C15) >> UInt64(shift)) }

  mutating func add(_ gram: UInt64) {
    let slot = slot(gram)
    if counts[slot] < .max { counts[slot] += 1 }
  }

  subscript(_ gram: UInt64) -> Int { Int(counts[slot(gram)]) }
}
