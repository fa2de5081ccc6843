/// Chance that can be repeated: the same seed gives the same numbers on every machine, for ever.
///
/// SplitMix64 (Steele, Lea, Flood 2014): one addition and three multiplications a number, full period 2⁶⁴.
/// Not for secrets.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A whole number in the range, each as likely as the other. Ours rather than the library's, whose way of
  /// drawing may change with the compiler.
  package mutating func draw(_ range: ClosedRange<Int64>) -> Int64 {
    let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    if span == .max { return Int64(bitPattern: next()) }
    let count = span + 1
    let limit = UInt64.max - UInt64.max % count
    var number = next()
    while number >= limit { number = next() }
    return range.lowerBound &+ Int64(bitPattern: number % count)
  }

  /// True `numerator` times out of `denominator`.
  package mutating func chance(_ numerator: Int64, in denominator: Int64) -> Bool {
    precondition(denominator > 0 && (0...denominator).contains(numerator), "a chance lies between 0 and 1")
    return draw(1...denominator) <= numerator
  }

  /// A separate generator for one party, so that the numbers of the other parties do not depend on it.
  package func fork(_ name: String) -> SeededGenerator {
    var digest = Digest()
    digest.update(state)
    digest.update(name)
    return SeededGenerator(seed: digest.value)
  }
}
