// Eight bytes at a time: these loops run for every URL and every rule that it is compared with.

extension UnsafeBufferPointer<UInt8> {
  /// Whether the bytes are those of another text.
  @inlinable
  package func isExactly(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
    count == other.count && holds(other, at: 0)
  }

  /// Whether the bytes of another text stand at an offset.
  @inlinable
  package func holds(_ other: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
    guard let wanted = UnsafeRawPointer(other.baseAddress), other.count > 0 else { return true }
    guard let own = UnsafeRawPointer(baseAddress), offset >= 0, count - offset >= other.count else {
      return false
    }
    let start = own + offset
    var index = 0
    while index + 8 <= other.count {
      if start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        != wanted.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      {
        return false
      }
      index += 8
    }
    if index == other.count { return true }
    if index > 0 {
      // The last eight, some of them for the second time.
      index = other.count - 8
      return start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        == wanted.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }
    while index < other.count {
      if start.load(fromByteOffset: index, as: UInt8.self)
        != wanted.load(fromByteOffset: index, as: UInt8.self)
      {
        return false
      }
      index += 1
    }
    return true
  }

  /// The first place of a byte between two offsets, else the second.
  @inlinable
  package func first(_ byte: UInt8, from low: Int, to high: Int) -> Int {
    guard low < high, let start = UnsafeRawPointer(baseAddress) else { return high }
    if high - low < 8 {
      var offset = low
      while offset < high, self[offset] != byte { offset += 1 }
      return offset
    }
    let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
    var offset = low
    while true {
      let word = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ pattern
      // The lowest of these bits is that of the first byte that is zero.
      let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
      if zeros != 0 { return offset + zeros.trailingZeroBitCount / 8 }
      offset += 8
      if offset == high { return high }
      // The last eight, some of them for the second time.
      offset = Swift.min(offset, high - 8)
    }
  }
}
