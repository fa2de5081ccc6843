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

  func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }

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
