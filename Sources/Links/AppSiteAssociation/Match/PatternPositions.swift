internal import LinkspanCore

/// Covering by sets of positions: after each token, every place in the text where it may have ended.
enum PatternPositions {
  // Our estimates, measured: a set of positions is made, and each is looked at.
  private static let costOfSet = 4
  private static let positionsPerStep = 4
  private static let costOfVisit = 2
  private static let bytesPerStep = 4

  static func covers(
    _ tokens: [Pattern.Token], _ text: UnsafeBufferPointer<UInt8>, _ work: inout WorkBudget
  ) -> Bool {
    // What the text must begin and end with is told apart at once.
    if case .literal(let bytes)? = tokens.first, !Pattern.begins(text, at: 0, with: bytes) { return false }
    if case .literal(let bytes)? = tokens.last,
      text.count < bytes.count || !Pattern.begins(text, at: text.count - bytes.count, with: bytes)
    {
      return false
    }
    var places: ListPlaces?
    return advance([0], through: tokens, in: text, &places, &work).last == text.count
  }

  /// - Parameter start: Ascending offsets.
  /// - Returns: Where the tokens may end, ascending; nothing when the budget ends.
  private static func advance(
    _ start: [Int], through tokens: [Pattern.Token], in text: UnsafeBufferPointer<UInt8>,
    _ places: inout ListPlaces?, _ work: inout WorkBudget
  ) -> [Int] {
    var positions = start
    for token in tokens {
      guard let first = positions.first,
        work.spend(costOfSet + (token == .anyRun ? text.count - first : positions.count) / positionsPerStep)
      else { return [] }
      switch token {
      case .anyRun:
        positions = [first]
        positions.reserveCapacity(text.count - first + 1)
        var offset = first
        while offset < text.count {
          offset = Pattern.nextCharacter(after: offset, in: text)
          positions.append(offset)
        }
      case .oneOf(let list): positions = ends(of: list, from: positions, in: text, &places, &work)
      case .literal, .anyOne, .oneCharacter:
        positions = positions.compactMap { Pattern.end(of: token, at: $0, in: text) }
      }
    }
    return positions
  }

  /// - Parameter places: Of the list that was asked for last.
  private static func ends(
    of list: PatternList, from positions: [Int], in text: UnsafeBufferPointer<UInt8>,
    _ places: inout ListPlaces?, _ work: inout WorkBudget
  ) -> [Int] {
    guard work.spend(text.count / bytesPerStep) else { return [] }
    var isEnd = [Bool](repeating: false, count: text.count + 1)
    if positions.count > (positions[positions.count - 1] - positions[0]) / UInt64.bitWidth + 1 {
      var known = places.flatMap { $0.list === list ? $0 : nil } ?? ListPlaces(list, in: text)
      places = nil
      guard let ends = known.ends(from: positions, in: text, &work) else { return [] }
      for end in ends.offsets { isEnd[end] = true }
      places = known
    } else {
      for offset in positions {
        let compared = list.visitLengths(at: offset, in: text) { isEnd[offset + list.lengths[$0]] = true }
        guard work.spend(costOfVisit + compared / bytesPerStep) else { return [] }
      }
    }
    for pattern in list.patterns {
      for end in advance(positions, through: pattern, in: text, &places, &work) { isEnd[end] = true }
      if work.isExhausted { return [] }
    }
    return isEnd.indices.filter { isEnd[$0] }
  }

  /// Where the literals of a list begin in a text: learned as it is asked, so that a pattern that names the list fifty times
  /// compares each place of the text with it once.
  private struct ListPlaces {
    let list: PatternList
    private var asked: OffsetSet
    /// By the place of a length, where a literal of that length begins.
    private var starts: [OffsetSet]

    // Our estimate, measured.
    private static let wordsPerStep = 8

    init(_ list: PatternList, in text: UnsafeBufferPointer<UInt8>) {
      self.list = list
      asked = OffsetSet(upTo: text.count)
      starts = Array(repeating: asked, count: list.lengths.count { $0 <= text.count })
    }

    /// - Parameter positions: Ascending, one at least.
    /// - Returns: nil when the budget ends.
    mutating func ends(
      from positions: [Int], in text: UnsafeBufferPointer<UInt8>, _ work: inout WorkBudget
    ) -> OffsetSet? {
      var begins = OffsetSet(upTo: text.count)
      var ends = begins
      for offset in positions {
        begins.insert(offset)
        if !asked.insert(offset) { continue }
        let compared = list.visitLengths(at: offset, in: text) { starts[$0].insert(offset) }
        guard work.spend(costOfVisit + compared / bytesPerStep) else { return nil }
      }
      let words = OffsetSet.word(of: positions[0])...OffsetSet.word(of: positions[positions.count - 1])
      guard work.spend(starts.count * words.count / Self.wordsPerStep) else { return nil }
      for place in starts.indices {
        ends.insert(begins, and: starts[place], in: words, movedBy: list.lengths[place])
      }
      return ends
    }
  }
}

/// Offsets in a text, a bit for each.
private struct OffsetSet {
  private var words: [UInt64]

  init(upTo last: Int) { words = [UInt64](repeating: 0, count: Self.word(of: last) + 1) }

  static func word(of offset: Int) -> Int { offset / UInt64.bitWidth }

  /// - Returns: false when it is in it already.
  @discardableResult
  @inline(__always)
  mutating func insert(_ offset: Int) -> Bool {
    let bit: UInt64 = 1 << UInt64(offset % UInt64.bitWidth)
    let isNew = words[Self.word(of: offset)] & bit == 0
    words[Self.word(of: offset)] |= bit
    return isNew
  }

  /// The offsets that are in both of two sets, each moved by so many bytes; none may come behind the last.
  mutating func insert(
    _ first: OffsetSet, and second: OffsetSet, in range: ClosedRange<Int>, movedBy distance: Int
  ) {
    let (wordDistance, bits) = distance.quotientAndRemainder(dividingBy: UInt64.bitWidth)
    for word in range {
      let both = first.words[word] & second.words[word]
      if both == 0 { continue }
      words[word + wordDistance] |= both << UInt64(bits)
      // What goes over the end of a word begins the next one.
      let rest = bits == 0 ? 0 : both >> UInt64(UInt64.bitWidth - bits)
      if rest != 0 { words[word + wordDistance + 1] |= rest }
    }
  }

  /// Ascending.
  var offsets: [Int] {
    var offsets: [Int] = []
    for place in words.indices {
      var left = words[place]
      while left != 0 {
        offsets.append(place * UInt64.bitWidth + left.trailingZeroBitCount)
        left &= left - 1
      }
    }
    return offsets
  }
}
