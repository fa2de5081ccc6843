/// Strikes out, for one path, the rules that want one byte behind another where the path has no such two.
///
/// The literal bytes of a pattern stand in every path that it covers, in their order, whatever its stars take between them. So
/// each two that follow one another in a pattern must stand in that order in the path, next to each other or not. One walk
/// over the path finds which bytes stand behind which; each pair that it lacks strikes out its rules, 64 at a time, and a byte that
/// it lacks those of all its pairs at once.
struct PathOrder: Sendable {
  /// By the first byte of a pair that some rule wants, the second ones, as bits; bytes are folded into 64.
  private var pairs = [UInt64](repeating: 0, count: Self.byteCount)
  /// The bytes that some rule wants, as bits.
  private var bytes: UInt64 = 0
  /// By such a byte, where its row begins in ``rules``.
  private var rowsOfBytes = [Int32](repeating: 0, count: Self.byteCount)
  /// By the two bytes of a pair, where its row begins in ``rules``.
  private var rows = [Int32](repeating: 0, count: Self.byteCount * Self.byteCount)
  /// For each byte and each pair a row with a bit for each rule that wants it.
  private var rules: [Bits]
  private let ruleCount: Int
  /// How long a row is.
  private let blockCount: Int

  private typealias Bits = SIMD16<UInt64>
  private static let bitCount = Bits.scalarCount * UInt64.bitWidth
  private static let byteCount = 64

  init(_ paths: [PathPattern]) {
    ruleCount = paths.count
    blockCount = (paths.count + Self.bitCount - 1) / Self.bitCount
    rules = []
    for (place, path) in paths.enumerated() {
      let (block, bit) = place.quotientAndRemainder(dividingBy: Self.bitCount)
      func want(_ row: Int32) {
        rules[Int(row) + block][bit / UInt64.bitWidth] |= 1 << UInt64(bit % UInt64.bitWidth)
      }
      let wanted = Self.literalBytes(of: PathKeys(path))
      for byte in wanted {
        if bytes >> UInt64(byte) & 1 == 0 {
          bytes |= 1 << UInt64(byte)
          rowsOfBytes[byte] = addRow()
        }
        want(rowsOfBytes[byte])
      }
      // Each two that follow one another.
      for (first, second) in zip(wanted, wanted.dropFirst()) {
        if pairs[first] >> UInt64(second) & 1 == 0 {
          pairs[first] |= 1 << UInt64(second)
          rows[Self.byteCount * first + second] = addRow()
        }
        want(rows[Self.byteCount * first + second])
      }
    }
  }

  /// - Returns: Where it begins.
  private mutating func addRow() -> Int32 {
    rules += repeatElement(Bits(), count: blockCount)
    return Int32(rules.count - blockCount)
  }

  /// The literal bytes of a pattern in their order, folded.
  private static func literalBytes(of keys: PathKeys) -> [Int] {
    ([keys.prefix] + keys.parts + [keys.suffix]).joined().map { Int($0) % byteCount }
  }

  /// Calls with the place of each rule that is left, ascending, until it answers true.
  @inline(__always)
  func visit(_ path: UnsafeBufferPointer<UInt8>, _ body: (Int) -> Bool) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.byteCount) { lacking in
      let held = findLacking(in: path, lacking)
      for block in 0..<blockCount {
        let left = ~wanting(lacking, orBytes: bytes & ~held, in: block)
        for word in 0..<Bits.scalarCount {
          var bits = left[word]
          while bits != 0 {
            let place = block * Self.bitCount + word * UInt64.bitWidth + bits.trailingZeroBitCount
            if place >= ruleCount || body(place) { return }
            bits &= bits - 1
          }
        }
      }
    }
  }

  /// - Parameter lacking: Becomes those of ``pairs`` that the path lacks, of whose two bytes it lacks neither.
  /// - Returns: The bytes that the path holds.
  @inline(__always)
  private func findLacking(
    in path: UnsafeBufferPointer<UInt8>, _ lacking: UnsafeMutableBufferPointer<UInt64>
  ) -> UInt64 {
    lacking.initialize(repeating: 0)
    var behind: UInt64 = 0
    for byte in path.reversed() {
      let byte = Int(byte) % Self.byteCount
      lacking[byte] = behind
      behind |= 1 << UInt64(byte)
    }
    var left = behind
    while left != 0 {
      let byte = left.trailingZeroBitCount
      lacking[byte] = pairs[byte] & behind & ~lacking[byte]
      left &= left - 1
    }
    return behind
  }

  /// The rules of a block that want one of some pairs or of some bytes.
  private func wanting(
    _ pairs: UnsafeMutableBufferPointer<UInt64>, orBytes bytes: UInt64, in block: Int
  ) -> Bits {
    var wanting = Bits()
    rules.withUnsafeBufferPointer { rules in
      rows.withUnsafeBufferPointer { rows in
        var bytes = bytes
        while bytes != 0 {
          wanting |= rules[Int(rowsOfBytes[bytes.trailingZeroBitCount]) + block]
          bytes &= bytes - 1
        }
        for first in pairs.indices {
          var seconds = pairs[first]
          while seconds != 0 {
            wanting |= rules[Int(rows[Self.byteCount * first + seconds.trailingZeroBitCount]) + block]
            seconds &= seconds - 1
          }
        }
      }
    }
    return wanting
  }
}
