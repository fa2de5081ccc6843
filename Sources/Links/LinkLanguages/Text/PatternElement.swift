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

/// The texts that one element may stand for. Their graph and names are made once, for all patterns with the variable.
package final class Alternatives: Hashable, Sendable {
  private let literals: [[UInt32]]
  private let patterns: [[PatternElement]]
  private let hash: Int
  let graph: PositionGraph
  let names: NamedScalars

  package init(literals: [[UInt32]], patterns: [[PatternElement]]) {
    var seen: Set<[PatternElement]> = []
    let patterns = patterns.filter { seen.insert($0).inserted }
    self.literals = literals
    self.patterns = patterns
    var hasher = Hasher()
    hasher.combine(literals)
    hasher.combine(patterns)
    hash = hasher.finalize()
    graph = PositionGraph(literals: literals, patterns: patterns)
    var names = NamedScalars()
    for literal in literals { names.add(literal) }
    for pattern in patterns { names.add(pattern) }
    self.names = names
  }

  package static func == (left: Alternatives, right: Alternatives) -> Bool {
    left === right
      || (left.hash == right.hash && left.literals == right.literals && left.patterns == right.patterns)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
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
