/// Finds every occurrence of many short literals in one pass over a text (Aho and Corasick).
struct LiteralScanner: Sendable {
  /// Our choice: what the table of transitions may hold; 4 bytes each.
  private static let transitionLimit = 4 << 20
  /// Longer literals are cut to this: the first bytes tell most of them apart.
  private static let lengthLimits = [12, 8, 6, 4, 3, 2, 1]

  /// The group of each byte: bytes that no literal has are one group.
  private var groups = [UInt8](repeating: 0, count: 256)
  private var groupCount = 1
  /// By state and group of the next byte.
  private var next: [Int32] = []
  /// The literal that ends in a state; -1 for none.
  private var literals: [Int32] = []
  /// The nearest shorter state in which a literal ends; 0 for none.
  private var shorter: [Int32] = []
  private var lengths: [Int] = []
  private var numbers: [ArraySlice<UInt8>: Int32] = [:]
  private var lengthLimit = 1

  init(_ texts: [ArraySlice<UInt8>]) {
    for text in texts {
      for byte in text where groups[Int(byte)] == 0 {
        groups[Int(byte)] = UInt8(groupCount)
        // With 255 bytes in use one more shares a group with what no literal has, which costs occurrences nothing.
        groupCount = min(255, groupCount + 1)
      }
    }
    groupCount += 1
    for limit in Self.lengthLimits where next.isEmpty {
      lengthLimit = limit
      let cut = Set(texts.map { $0.prefix(limit) })
      let bytes = cut.reduce(1) { $0 + $1.count }
      guard bytes * groupCount <= Self.transitionLimit || limit == 1 else { continue }
      build(cut.sorted { $0.lexicographicallyPrecedes($1) })
    }
  }

  /// The number under which a text is found, cut where literals are cut.
  func number(of text: ArraySlice<UInt8>) -> Int32 { numbers[text.prefix(lengthLimit)]! }

  /// How much of a text is looked for.
  func length(of number: Int32) -> Int { lengths[Int(number)] }

  private mutating func addState() -> Int32 {
    next.append(contentsOf: repeatElement(-1, count: groupCount))
    literals.append(-1)
    shorter.append(0)
    return Int32(literals.count - 1)
  }

  private mutating func build(_ texts: [ArraySlice<UInt8>]) {
    _ = addState()
    for text in texts {
      var state: Int32 = 0
      for byte in text {
        let place = Int(state) * groupCount + Int(groups[Int(byte)])
        if next[place] < 0 { next[place] = addState() }
        state = next[place]
      }
      // Two bytes may share a group: the text is then looked for under the first one's number.
      if literals[Int(state)] < 0 {
        literals[Int(state)] = Int32(lengths.count)
        lengths.append(text.count)
      }
      numbers[text] = literals[Int(state)]
    }
    completeTransitions()
  }

  /// Breadth first: where a byte does not continue a literal, the longest end of the text that begins one does.
  private mutating func completeTransitions() {
    var fallback = [Int32](repeating: 0, count: literals.count)
    var queue: [Int32] = []
    for group in 0..<groupCount {
      if next[group] < 0 { next[group] = 0 } else { queue.append(next[group]) }
    }
    var place = 0
    while place < queue.count {
      let state = queue[place]
      place += 1
      let behind = fallback[Int(state)]
      shorter[Int(state)] = literals[Int(behind)] >= 0 ? behind : shorter[Int(behind)]
      for group in 0..<groupCount {
        let here = Int(state) * groupCount + group
        let there = next[Int(behind) * groupCount + group]
        if next[here] < 0 {
          next[here] = there
        } else {
          fallback[Int(next[here])] = there
          queue.append(next[here])
        }
      }
    }
  }

  /// Calls with each literal that occurs and the offset where it begins, in the order of their ends.
  @inline(__always)
  func scan(_ text: UnsafeBufferPointer<UInt8>, _ found: (Int32, Int) -> Void) {
    next.withUnsafeBufferPointer { next in
      var state = 0
      for offset in 0..<text.count {
        state = Int(next[state * groupCount + Int(groups[Int(text[offset])])])
        var end = state
        if literals[end] < 0 { end = Int(shorter[end]) }
        while end != 0 {
          let literal = literals[end]
          found(literal, offset + 1 - lengths[Int(literal)])
          end = Int(shorter[end])
        }
      }
    }
  }
}

/// Where literals begin in one text.
struct LiteralPlaces {
  private let slots: [Int32]
  private let mask: Int
  private let wordCount: Int
  /// For each literal that occurs, one bit for each offset.
  private var bits: [UInt64] = []
  private(set) var literals: [Int32] = []

  init(of scanner: LiteralScanner, in text: UnsafeBufferPointer<UInt8>) {
    wordCount = (text.count + 63) / 64
    var found: [(literal: Int32, offset: Int32)] = []
    scanner.scan(text) { found.append(($0, Int32($1))) }
    let capacity = max(2, found.count * 2 - 1)
    mask = (1 << (Int.bitWidth - capacity.leadingZeroBitCount)) - 1
    var slots = [Int32](repeating: -1, count: mask + 1)
    for (literal, offset) in found {
      var slot = Self.slot(of: literal) & mask
      while slots[slot] >= 0, literals[Int(slots[slot])] != literal { slot = (slot + 1) & mask }
      if slots[slot] < 0 {
        slots[slot] = Int32(literals.count)
        literals.append(literal)
        bits.append(contentsOf: repeatElement(0, count: wordCount))
      }
      bits[Int(slots[slot]) * wordCount + Int(offset) / 64] |= 1 << UInt64(offset % 64)
    }
    self.slots = slots
  }

  @inline(__always)
  private static func slot(of literal: Int32) -> Int {
    Int(UInt32(bitPattern: literal) &* 0x9E37_79B1 >> 8)
  }

  /// The first offset, from the given one on, where the literal begins.
  @inline(__always)
  func first(_ literal: Int32, from offset: Int) -> Int? {
    var slot = Self.slot(of: literal) & mask
    while true {
      let local = Int(slots[slot])
      if local < 0 { return nil }
      if literals[local] == literal { return first(inRow: local, from: offset) }
      slot = (slot + 1) & mask
    }
  }

  /// - Parameter row: The place of a literal in ``literals``.
  @inline(__always)
  func first(inRow row: Int, from offset: Int) -> Int? {
    var word = offset / 64
    guard word < wordCount else { return nil }
    var rest = bits[row * wordCount + word] & (~0 << UInt64(offset % 64))
    while rest == 0 {
      word += 1
      if word == wordCount { return nil }
      rest = bits[row * wordCount + word]
    }
    return word * 64 + rest.trailingZeroBitCount
  }
}
