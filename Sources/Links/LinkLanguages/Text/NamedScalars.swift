/// The scalars that patterns tell apart from others.
package struct NamedScalars: Sendable {
  private(set) var ascii = ScalarSet()
  private(set) var beyondASCII: Set<UInt32> = []
  private(set) var sets: Set<ScalarSet> = []

  package init() {}

  /// Whether a text can have a dot because of them, as it is written or as `%2e`.
  var hasDot: Bool {
    ascii.contains(0x2E) || ascii.contains(0x25) || sets.contains { $0.contains(0x2E) || $0.contains(0x25) }
  }

  package mutating func add(_ scalars: some Sequence<UInt32>) {
    for scalar in scalars {
      if scalar < 128 { ascii.insert(scalar) } else { beyondASCII.insert(scalar) }
    }
  }

  package mutating func add(_ elements: [PatternElement]) {
    for element in elements {
      switch element {
      case .scalar(let scalar): add(CollectionOfOne(scalar))
      case .set(let set): sets.insert(set)
      case .any, .run, .segment: break
      case .oneOf(let alternatives): formUnion(alternatives.names)
      case .expression(let expression):
        add(expression.scalars)
        sets.formUnion(expression.sets)
      }
    }
  }

  package mutating func formUnion(_ other: NamedScalars) {
    ascii.formUnion(other.ascii)
    beyondASCII.formUnion(other.beyondASCII)
    sets.formUnion(other.sets)
  }
}
