internal import Glibc
internal import LinkspanCore

extension SeededGenerator {
  /// A number from 0 up to, but not including, 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// How often something happens that happens `mean` times on average, each independent of the others.
  ///
  /// - Source: Hörmann, "The transformed rejection method for generating Poisson random variables" (1993), PTRS, for
  ///   means of 10 and more; the product of uniform numbers below.
  mutating func poisson(_ mean: Double) -> Int {
    guard mean > 0 else { return 0 }
    if mean < 10 {
      let limit = exp(-mean)
      var product = unit()
      var count = 0
      while product > limit {
        product *= unit()
        count += 1
      }
      return count
    }
    let slope = mean.squareRoot()
    let b: Double = 0.931 + 2.53 * slope
    let a: Double = -0.059 + 0.02483 * b
    let inverseAlpha = 1.1239 + 1.1328 / (b - 3.4)
    let vr: Double = 0.9277 - 3.6224 / (b - 2)
    while true {
      let u = unit() - 0.5
      let v = unit()
      let us = 0.5 - abs(u)
      let k = ((2 * a / us + b) * u + mean + 0.43).rounded(.down)
      if us >= 0.07, v <= vr { return Int(k) }
      if k < 0 || (us < 0.013 && v > us) { continue }
      if log(v * inverseAlpha / (a / (us * us) + b)) <= k * log(mean) - mean - lgamma(k + 1) { return Int(k) }
    }
  }

  /// How many of `count` succeed when each does so with the given chance.
  ///
  /// - Source: Hörmann, "The generation of binomial random variates" (1993), BTRS, for ten expected successes and more;
  ///   inversion below.
  mutating func binomial(_ count: Int, _ chance: Double) -> Int {
    guard count > 0, chance > 0 else { return 0 }
    guard chance < 1 else { return count }
    if chance > 0.5 { return count - binomial(count, 1 - chance) }
    let n = Double(count)
    return n * chance < 10 ? inverted(count, chance) : transformed(n, chance)
  }

  private mutating func inverted(_ count: Int, _ chance: Double) -> Int {
    let ratio = chance / (1 - chance)
    let first = exp(Double(count) * log1p(-chance))
    while true {
      var share = first
      var u = unit()
      var k = 0
      while u > share, k < count {
        u -= share
        k += 1
        share *= ratio * Double(count - k + 1) / Double(k)
        // What rounding leaves over at the far end is drawn again.
        if share < 1e-300 { break }
      }
      if u <= share { return k }
    }
  }

  private mutating func transformed(_ n: Double, _ chance: Double) -> Int {
    let spread = (n * chance * (1 - chance)).squareRoot()
    let b: Double = 1.15 + 2.53 * spread
    let a: Double = -0.0873 + 0.0248 * b + 0.01 * chance
    let center: Double = n * chance + 0.5
    let vr: Double = 0.92 - 4.2 / b
    while true {
      let u = unit() - 0.5
      let v = unit()
      let us = 0.5 - abs(u)
      let raised: Double = (2 * a / us + b) * u + center
      let k = raised.rounded(.down)
      guard k >= 0, k <= n else { continue }
      // Six draws in seven end here: what the others need is computed for them alone.
      if us >= 0.07, v <= vr { return Int(k) }
      let alpha: Double = (2.83 + 5.1 / b) * spread
      let mode = ((n + 1) * chance).rounded(.down)
      let bound: Double =
        lgamma(mode + 1) + lgamma(n - mode + 1) - lgamma(k + 1) - lgamma(n - k + 1)
        + (k - mode) * log(chance / (1 - chance))
      if log(v * alpha / (a / (us * us) + b)) <= bound { return Int(k) }
    }
  }
}
