/// One element of a pattern, over the scalars of a text.
package enum PatternElement: Hashable, Sendable {
  case scalar(UInt32)
  /// Any one scalar.
  case any
  /// Any number of scalars, none included.
  case run
  case set(ScalarSet)
  /// One or more scalars, none of them a slash: no pattern of an association file can say this, a route can.
  case segment
  case oneOf(Alternatives)
  /// A constraint of a route's parameter.
  case expression(RegularExpression)
}

/// The texts that one element may stand for.
package struct Alternatives: Hashable, Sendable {
  package let literals: [[UInt32]]
  package let patterns: [[PatternElement]]

  package init(literals: [[UInt32]], patterns: [[PatternElement]]) {
    self.literals = literals
    self.patterns = patterns
  }
}

/// A set of ASCII characters.
package struct ScalarSet: Hashable, Sendable {
  private var low: UInt64
  private var high: UInt64

  package init() {
    low = 0
    high = 0
  }

  package init(_ scalars: some Sequence<UInt32>) {
    self.init()
    for scalar in scalars { insert(scalar) }
  }

  /// Scalars beyond ASCII are left out.
  package mutating func insert(_ scalar: UInt32) {
    if scalar < 64 {
      low |= 1 << UInt64(scalar)
    } else if scalar < 128 {
      high |= 1 << UInt64(scalar - 64)
    }
  }

  mutating func formUnion(_ other: ScalarSet) {
    low |= other.low
    high |= other.high
  }

  /// In ascending order.
  package var scalars: [UInt32] { (0..<128).filter(contains) }

  @inline(__always) package func contains(_ scalar: UInt32) -> Bool {
    scalar < 64
      ? low >> UInt64(scalar) & 1 == 1 : scalar < 128 && high >> UInt64(scalar - 64) & 1 == 1
  }
}
