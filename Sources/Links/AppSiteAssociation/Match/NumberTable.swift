/// Numbers, each with a group of rules, known by the place of its first. Most numbers that are not in it are told apart by one bit.
struct NumberTable: Sendable {
  /// Side by side, so that finding a number touches one line of memory.
  private struct Slot {
    var number: UInt64 = 0
    /// -1 where there is no number.
    var group: Int32 = -1
  }

  /// Bits of a filter; so many for each number that few others meet one of theirs.
  private let filter: [UInt64]
  private let slots: [Slot]
  private let shift: UInt64
  private let filterShift: UInt64

  /// Our choice.
  private static let filterBitsPerNumber = 32

  init(_ entries: [(number: UInt64, group: Int32)]) {
    let bits = Int.bitWidth - max(1, entries.count * 2 - 1).leadingZeroBitCount
    let filterBits = max(
      6, Int.bitWidth - max(1, entries.count * Self.filterBitsPerNumber).leadingZeroBitCount)
    shift = UInt64(64 - bits)
    filterShift = UInt64(64 - filterBits)
    var filter = [UInt64](repeating: 0, count: 1 << (filterBits - 6))
    var slots = [Slot](repeating: Slot(), count: 1 << bits)
    for (number, group) in entries {
      let bit = Self.bit(of: number, filterShift)
      filter[bit >> 6] |= 1 << UInt64(bit & 63)
      var place = Int(Self.mixed(number) >> shift)
      while slots[place].group >= 0 { place = (place + 1) & (slots.count - 1) }
      slots[place] = Slot(number: number, group: group)
    }
    self.filter = filter
    self.slots = slots
  }

  /// ``NumberTable/filter`` while many numbers are asked for.
  struct Filter {
    fileprivate let words: UnsafeBufferPointer<UInt64>
    fileprivate let shift: UInt64

    /// false for most numbers that are not in the table.
    @inline(__always)
    func mayHold(_ number: UInt64) -> Bool {
      let bit = NumberTable.bit(of: number, shift)
      return words[bit &>> 6] &>> UInt64(bit & 63) & 1 == 1
    }
  }

  @inline(__always)
  func withFilter(_ body: (Filter) -> Void) {
    filter.withUnsafeBufferPointer { body(Filter(words: $0, shift: filterShift)) }
  }

  /// The group of a number; nil when there is none.
  func group(of number: UInt64) -> Int32? {
    var place = Int(Self.mixed(number) &>> shift)
    while slots[place].group >= 0 {
      if slots[place].number == number { return slots[place].group }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// The upper bits of a product depend on all bits of the number.
  @inline(__always)
  private static func bit(of number: UInt64, _ shift: UInt64) -> Int {
    Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) &>> shift)
  }

  @inline(__always)
  private static func mixed(_ number: UInt64) -> UInt64 {
    let mixed = (number ^ number >> 32) &* 0x9E37_79B9_7F4A_7C15
    return (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9
  }
}
