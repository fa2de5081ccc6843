/// Numbers, each with a group of rules. Most numbers that are not in it are told apart by one bit.
struct NumberTable: Sendable {
  /// Bits of a filter; so many for each number that few others meet one of theirs.
  private let filter: [UInt64]
  private let keys: [UInt64]
  /// -1 where there is no number.
  private let groups: [Int32]
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
    var keys = [UInt64](repeating: 0, count: 1 << bits)
    var groups = [Int32](repeating: -1, count: 1 << bits)
    for (number, group) in entries {
      let mixed = Self.mixed(number)
      let bit = mixed >> filterShift
      filter[Int(bit >> 6)] |= 1 << (bit & 63)
      var slot = Int(mixed >> shift)
      while groups[slot] >= 0 { slot = (slot + 1) & (keys.count - 1) }
      keys[slot] = number
      groups[slot] = group
    }
    self.filter = filter
    self.keys = keys
    self.groups = groups
  }

  /// The group of a number; nil when there is none.
  @inline(__always)
  func group(of number: UInt64) -> Int32? {
    let mixed = Self.mixed(number)
    let bit = mixed >> filterShift
    guard filter[Int(bit >> 6)] >> (bit & 63) & 1 == 1 else { return nil }
    var slot = Int(mixed >> shift)
    while groups[slot] >= 0 {
      if keys[slot] == number { return groups[slot] }
      slot = (slot + 1) & (keys.count - 1)
    }
    return nil
  }

  @inline(__always)
  private static func mixed(_ number: UInt64) -> UInt64 {
    let mixed = (number ^ number >> 32) &* 0x9E37_79B9_7F4A_7C15
    return (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9
  }
}
