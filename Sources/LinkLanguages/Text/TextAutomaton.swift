/// The texts a pattern covers, as an automaton that is made deterministic only where a search walks.
///
/// States are small numbers; -1 is the state from which no text is covered any more.
package final class TextAutomaton {
  static let dead: Int32 = -1

  private enum Shape {
    /// Literal scalars, then perhaps a run: the state is how many of them were read.
    case linear(scalars: [UInt32], endsInRun: Bool, otherEnd: Int?)
    case sets(SetAutomaton)
  }

  private let shape: Shape

  /// - Parameters:
  ///   - elements: What a covered text consists of, in order.
  ///   - otherEnd: So many of the elements alone make a covered text as well.
  package init(_ elements: [PatternElement], otherEnd: Int? = nil) {
    var scalars: [UInt32] = []
    for case .scalar(let scalar) in elements { scalars.append(scalar) }
    let endsInRun = elements.last == .run
    if scalars.count + (endsInRun ? 1 : 0) == elements.count {
      shape = .linear(scalars: scalars, endsInRun: endsInRun, otherEnd: otherEnd)
    } else {
      shape = .sets(SetAutomaton(elements, otherEnd: otherEnd))
    }
  }

  var start: Int32 {
    switch shape {
    case .linear: 0
    case .sets(let automaton): automaton.start
    }
  }

  @inline(__always)
  func step(_ state: Int32, _ scalar: UInt32) -> Int32 {
    switch shape {
    case .linear(let scalars, let endsInRun, _):
      let place = Int(state)
      guard place < scalars.count else { return endsInRun ? state : Self.dead }
      return scalars[place] == scalar ? state + 1 : Self.dead
    case .sets(let automaton): return automaton.step(state, scalar)
    }
  }

  func accepts(_ state: Int32) -> Bool {
    switch shape {
    case .linear(let scalars, _, let otherEnd): Int(state) == scalars.count || Int(state) == otherEnd
    case .sets(let automaton): automaton.states[Int(state)].accepts
    }
  }

  /// Whether the pattern without its other end accepts there.
  func acceptsWhole(_ state: Int32) -> Bool {
    switch shape {
    case .linear(let scalars, _, _): Int(state) == scalars.count
    case .sets(let automaton): automaton.states[Int(state)].acceptsWhole
    }
  }

  /// Whether every text is covered from there on.
  func isUniversal(_ state: Int32) -> Bool {
    switch shape {
    case .linear(let scalars, let endsInRun, _): endsInRun && Int(state) == scalars.count
    case .sets(let automaton): automaton.states[Int(state)].isUniversal
    }
  }

  /// The ASCII characters that may lead elsewhere than the others do.
  func distinguished(at state: Int32) -> ScalarSet {
    switch shape {
    case .linear(let scalars, _, _):
      Int(state) < scalars.count ? ScalarSet(CollectionOfOne(scalars[Int(state)])) : ScalarSet()
    case .sets(let automaton): automaton.states[Int(state)].distinguished
    }
  }
}

/// The subset construction, made as far as it is asked for.
private final class SetAutomaton {
  private enum Edge {
    case scalar(UInt32, Int32)
    case set(ScalarSet, Int32)
    case any(Int32)
    case notIn(ScalarSet, Int32)
  }

  private static let slash = ScalarSet(CollectionOfOne(0x2F))

  struct State {
    var positions: [Int32]
    var accepts: Bool
    var acceptsWhole: Bool
    var isUniversal: Bool
    var distinguished: ScalarSet
  }

  private var edges: [[Edge]] = [[]]
  private var silent: [[Int32]] = [[]]
  private var end: Int32 = 0
  private var otherEnd: Int32?
  private var runs: Set<Int32> = []

  private(set) var states: [State] = []
  private var numbers: [[Int32]: Int32] = [:]
  private var steps: [UInt64: Int32] = [:]
  private(set) var start: Int32 = 0

  init(_ elements: [PatternElement], otherEnd: Int?) {
    var place: Int32 = 0
    for (index, element) in elements.enumerated() {
      if index == otherEnd { self.otherEnd = place }
      place = add(element, from: place)
    }
    if otherEnd == elements.count { self.otherEnd = place }
    end = place
    start = number(of: closure([0]))
  }

  private func position() -> Int32 {
    edges.append([])
    silent.append([])
    return Int32(edges.count - 1)
  }

  /// - Returns: The position behind the element.
  private func add(_ element: PatternElement, from place: Int32) -> Int32 {
    if case .expression(let expression) = element { return add(expression, from: place) }
    let next = position()
    switch element {
    case .expression: break
    case .scalar(let scalar): edges[Int(place)].append(.scalar(scalar, next))
    case .any: edges[Int(place)].append(.any(next))
    case .set(let set): edges[Int(place)].append(.set(set, next))
    case .segment:
      edges[Int(place)].append(.notIn(Self.slash, next))
      edges[Int(next)].append(.notIn(Self.slash, next))
    case .run:
      silent[Int(place)].append(next)
      edges[Int(next)].append(.any(next))
      runs.insert(next)
    case .oneOf(let alternatives):
      var branches: [UInt64: Int32] = [:]
      let root = position()
      silent[Int(place)].append(root)
      for literal in alternatives.literals {
        var node = root
        for scalar in literal {
          let key = UInt64(UInt32(bitPattern: node)) << 32 | UInt64(scalar)
          if let known = branches[key] {
            node = known
          } else {
            let made = position()
            edges[Int(node)].append(.scalar(scalar, made))
            branches[key] = made
            node = made
          }
        }
        silent[Int(node)].append(next)
      }
      for pattern in alternatives.patterns {
        var node = position()
        silent[Int(place)].append(node)
        for element in pattern { node = add(element, from: node) }
        silent[Int(node)].append(next)
      }
    }
    return next
  }

  /// - Returns: The position behind the expression.
  private func add(_ expression: RegularExpression, from place: Int32) -> Int32 {
    switch expression {
    case .sequence(let parts): return parts.reduce(place) { add($1, from: $0) }
    case .choice(let parts):
      let next = position()
      for part in parts { silent[Int(add(part, from: place))].append(next) }
      return next
    case .scalar(let scalar): return add(PatternElement.scalar(scalar), from: place)
    case .any: return add(PatternElement.any, from: place)
    case .set(let set, let isNegated):
      if !isNegated { return add(PatternElement.set(set), from: place) }
      let next = position()
      edges[Int(place)].append(.notIn(set, next))
      return next
    case .repeated(let part, let least, let most):
      var end = place
      for _ in 0..<least { end = add(part, from: end) }
      guard let most else {
        // Entered by a step of its own, so that nothing else leads back into it.
        let loop = position()
        silent[Int(end)].append(loop)
        silent[Int(add(part, from: loop))].append(loop)
        return loop
      }
      let next = position()
      for _ in least..<most {
        silent[Int(end)].append(next)
        end = add(part, from: end)
      }
      silent[Int(end)].append(next)
      return next
    }
  }

  /// Ascending, with what is reached without a scalar; only positions that lead on or end are kept.
  private func closure(_ positions: [Int32]) -> [Int32] {
    var seen = Set(positions)
    var open = positions
    while let place = open.popLast() {
      for next in silent[Int(place)] where seen.insert(next).inserted { open.append(next) }
    }
    return seen.filter { !edges[Int($0)].isEmpty || $0 == end || $0 == otherEnd }.sorted()
  }

  private func number(of positions: [Int32]) -> Int32 {
    if positions.isEmpty { return TextAutomaton.dead }
    if let known = numbers[positions] { return known }
    var distinguished = ScalarSet()
    for place in positions {
      for edge in edges[Int(place)] {
        switch edge {
        case .scalar(let scalar, _): distinguished.insert(scalar)
        case .set(let set, _): distinguished.formUnion(set)
        case .notIn(let set, _): distinguished.formUnion(set)
        case .any: break
        }
      }
    }
    let acceptsWhole = positions.contains(end)
    states.append(
      State(
        positions: positions, accepts: acceptsWhole || otherEnd.map(positions.contains) ?? false,
        acceptsWhole: acceptsWhole, isUniversal: acceptsWhole && runs.contains(end),
        distinguished: distinguished))
    numbers[positions] = Int32(states.count - 1)
    return Int32(states.count - 1)
  }

  func step(_ state: Int32, _ scalar: UInt32) -> Int32 {
    let key = UInt64(UInt32(bitPattern: state)) << 32 | UInt64(scalar)
    if let known = steps[key] { return known }
    var next: [Int32] = []
    for place in states[Int(state)].positions {
      for edge in edges[Int(place)] {
        switch edge {
        case .scalar(let wanted, let target): if wanted == scalar { next.append(target) }
        case .set(let set, let target): if set.contains(scalar) { next.append(target) }
        case .any(let target): next.append(target)
        case .notIn(let set, let target): if !set.contains(scalar) { next.append(target) }
        }
      }
    }
    let made = number(of: closure(next))
    steps[key] = made
    return made
  }
}
