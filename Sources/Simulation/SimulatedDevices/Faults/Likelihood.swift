import LinkspanCore

/// How often something happens, as a ratio of whole numbers, so that a replay draws the same everywhere.
package struct Likelihood: Hashable, Sendable {
  /// From 0 to ``denominator``.
  package var numerator: Int64
  /// At least 1, and no smaller than the numerator.
  package var denominator: Int64

  package init(_ numerator: Int64, in denominator: Int64) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Draws nothing from a generator.
  package static let never = Likelihood(0, in: 1)

  /// The largest number a story may write in one.
  package static let largest = 1_000_000
}

extension SeededGenerator {
  /// Whether it happens this time. Nothing is drawn for what never does.
  package mutating func happens(_ likelihood: Likelihood) -> Bool {
    likelihood.numerator > 0 && chance(likelihood.numerator, in: likelihood.denominator)
  }
}
