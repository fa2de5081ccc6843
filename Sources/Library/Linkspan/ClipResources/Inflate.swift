/// Expands deflated bytes into exactly as many as are expected.
///
/// Ours, because the library depends on nothing and the expansion is bounded by the manifest: bytes past the expected size
/// are refused before they are written.
///
/// - Source: RFC 1951.
struct Inflate {
  /// What is wrong with the bytes.
  enum Failure: Error {
    case endsEarly
    case isNoDeflate
    case isLarger
    case isSmaller
  }

  private let input: UnsafeRawBufferPointer
  private var position = 0
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var output: [UInt8] = []
  private let size: Int

  private init(_ input: UnsafeRawBufferPointer, size: Int) {
    self.input = input
    self.size = size
    output.reserveCapacity(size)
  }

  /// - Parameter size: How many bytes they must expand to.
  /// - Throws: When they are no deflated bytes, end early, have something behind their end, or have another size.
  static func expand(_ input: UnsafeRawBufferPointer, size: Int) throws(Failure) -> [UInt8] {
    var inflate = Inflate(input, size: size)
    var isLast = false
    while !isLast {
      isLast = try inflate.take(1) == 1
      switch try inflate.take(2) {
      case 0: try inflate.copyStored()
      case 1: try inflate.expand(.fixedLiterals, .fixedDistances)
      case 2:
        let (literals, distances) = try inflate.readCodes()
        try inflate.expand(literals, distances)
      default: throw .isNoDeflate
      }
    }
    guard inflate.output.count == size else { throw .isSmaller }
    guard inflate.position - inflate.bitCount / 8 == input.count else { throw .isNoDeflate }
    return inflate.output
  }

  // MARK: - Bits

  private mutating func fill() {
    while bitCount <= 48, position < input.count {
      bits |= UInt64(input[position]) << UInt64(bitCount)
      bitCount += 8
      position += 1
    }
  }

  private mutating func take(_ count: Int) throws(Failure) -> Int {
    if bitCount < count { fill() }
    guard bitCount >= count else { throw .endsEarly }
    let value = Int(bits & (1 << UInt64(count) - 1))
    bits >>= UInt64(count)
    bitCount -= count
    return value
  }

  // MARK: - Blocks

  private mutating func copyStored() throws(Failure) {
    _ = try take(bitCount % 8)
    let length = try take(16)
    guard try take(16) == ~length & 0xFFFF else { throw .isNoDeflate }
    for _ in 0..<length { try append(UInt8(try take(8))) }
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8) throws(Failure) {
    guard output.count < size else { throw .isLarger }
    output.append(byte)
  }

  private mutating func expand(_ literals: HuffmanCode, _ distances: HuffmanCode) throws(Failure) {
    while true {
      let symbol = try next(literals)
      if symbol < 256 {
        try append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return }
      guard symbol <= 285 else { throw .isNoDeflate }
      let length = Self.lengths[symbol - 257].base + (try take(Self.lengths[symbol - 257].bits))
      let distanceSymbol = try next(distances)
      guard distanceSymbol < 30 else { throw .isNoDeflate }
      let distance =
        Self.distances[distanceSymbol].base + (try take(Self.distances[distanceSymbol].bits))
      guard distance <= output.count else { throw .isNoDeflate }
      guard output.count + length <= size else { throw .isLarger }
      for place in output.count - distance..<output.count - distance + length { output.append(output[place]) }
    }
  }

  private mutating func next(_ code: HuffmanCode) throws(Failure) -> Int {
    if bitCount < 15 { fill() }
    guard let (symbol, length) = code.symbol(bits), length <= bitCount else {
      throw bitCount < 15 ? .endsEarly : .isNoDeflate
    }
    bits >>= UInt64(length)
    bitCount -= length
    return symbol
  }

  /// The codes of a block that brings its own (3.2.7).
  private mutating func readCodes() throws(Failure) -> (HuffmanCode, HuffmanCode) {
    let literalCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    let lengthCount = try take(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else { throw .isNoDeflate }
    var lengths = [UInt8](repeating: 0, count: 19)
    for place in Self.lengthOrder[..<lengthCount] { lengths[place] = UInt8(try take(3)) }
    guard let lengthCode = HuffmanCode(lengths) else { throw .isNoDeflate }
    var all: [UInt8] = []
    while all.count < literalCount + distanceCount {
      switch try next(lengthCode) {
      case let length where length < 16: all.append(UInt8(length))
      case 16:
        guard let last = all.last else { throw .isNoDeflate }
        all += Array(repeating: last, count: 3 + (try take(2)))
      case 17: all += Array(repeating: 0, count: 3 + (try take(3)))
      default: all += Array(repeating: 0, count: 11 + (try take(7)))
      }
    }
    guard all.count == literalCount + distanceCount, all[256] != 0,
      let literals = HuffmanCode(Array(all[..<literalCount])),
      let distances = HuffmanCode(Array(all[literalCount...]))
    else { throw .isNoDeflate }
    return (literals, distances)
  }

  // MARK: - Tables

  private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  private static let lengths = rows(28, from: 3, each: 4) + [(258, 0)]
  private static let distances = rows(30, from: 1, each: 2)

  /// Two groups without further bits, then groups with one bit more each (3.2.5).
  private static func rows(_ count: Int, from first: Int, each: Int) -> [(base: Int, bits: Int)] {
    var base = first
    return (0..<count).map { row in
      let bits = max(0, row / each - 1)
      defer { base += 1 << bits }
      return (base, bits)
    }
  }
}

/// A prefix code by the lengths of its words.
struct HuffmanCode {
  /// By the next nine bits: the symbol and its length, shifted by four; 0 for longer words.
  private var short = [UInt16](repeating: 0, count: 512)
  private var counts = [Int](repeating: 0, count: 16)
  private var symbols: [UInt16] = []

  /// - Returns: nil when the lengths make no code: words for too many symbols, or too few, but for a single one.
  init?(_ lengths: [UInt8]) {
    for length in lengths { counts[Int(length)] += 1 }
    counts[0] = 0
    var room = 1
    for length in 1...15 {
      room = room << 1 - counts[length]
      guard room >= 0 else { return nil }
    }
    // A code of one word or none is allowed to be incomplete: its block may have a single distance.
    guard room == 0 || counts.reduce(0, +) <= 1 else { return nil }
    var starts = [Int](repeating: 0, count: 17)
    for length in 1...15 { starts[length + 1] = starts[length] + counts[length] }
    symbols = Array(repeating: 0, count: starts[16])
    for (symbol, length) in lengths.enumerated() where length > 0 {
      symbols[starts[Int(length)]] = UInt16(symbol)
      starts[Int(length)] += 1
    }
    fillShort()
  }

  static let fixedLiterals = HuffmanCode(
    (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })!
  static let fixedDistances = HuffmanCode(Array(repeating: 5, count: 32))!

  private mutating func fillShort() {
    var word = 0
    var index = 0
    for length in 1...9 {
      for _ in 0..<counts[length] {
        var reversed = 0
        for bit in 0..<length where word & 1 << bit != 0 { reversed |= 1 << (length - 1 - bit) }
        for entry in stride(from: reversed, to: 512, by: 1 << length) {
          short[entry] = symbols[index] << 4 | UInt16(length)
        }
        word += 1
        index += 1
      }
      word <<= 1
    }
  }

  /// The symbol that bits begin with, the first of them lowest, and how many they are.
  @inline(__always)
  func symbol(_ bits: UInt64) -> (symbol: Int, length: Int)? {
    let entry = short[Int(bits & 511)]
    if entry != 0 { return (Int(entry >> 4), Int(entry & 15)) }
    var (word, first, index) = (0, 0, 0)
    for length in 1...15 {
      word |= Int(bits >> UInt64(length - 1)) & 1
      let count = counts[length]
      if word - first < count { return (Int(symbols[index + word - first]), length) }
      index += count
      first = (first + count) << 1
      word <<= 1
    }
    return nil
  }
}
