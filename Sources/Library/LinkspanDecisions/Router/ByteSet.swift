/// A set of bytes, as one step of an automaton reads them.
struct ByteSet: Hashable, Sendable {
  private var words = SIMD4<UInt64>.zero

  init() {}

  init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { insert(byte) }
  }

  static let all = ByteSet(0...255)
  /// What one character of a segment may be.
  static let inSegment = ByteSet([UInt8(ascii: "/")]).inverted
  static let digits = ByteSet(UInt8(ascii: "0")...UInt8(ascii: "9"))
  static let upper = ByteSet(UInt8(ascii: "A")...UInt8(ascii: "Z"))
  static let lower = ByteSet(UInt8(ascii: "a")...UInt8(ascii: "z"))
  static let letters = upper.union(lower)
  static let alphanumerics = letters.union(digits)
  static let hexadecimal = digits.union(ByteSet("abcdefABCDEF".utf8))

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    // Lanes that are named stay in registers; a lane by its number goes through memory for each byte.
    let word = byte < 128 ? (byte < 64 ? words[0] : words[1]) : (byte < 192 ? words[2] : words[3])
    return word >> UInt64(byte & 63) & 1 == 1
  }

  mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

  func union(_ other: ByteSet) -> ByteSet {
    var result = self
    result.words |= other.words
    return result
  }

  func intersection(_ other: ByteSet) -> ByteSet {
    var result = self
    result.words &= other.words
    return result
  }

  var inverted: ByteSet {
    var result = self
    result.words = ~words
    return result
  }

  var members: [UInt8] { (0...255).filter(contains) }
}
