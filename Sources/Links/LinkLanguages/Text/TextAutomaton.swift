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

  /// How many positions steps went through for the first time since this was asked last.
  func takeWork() -> Int {
    if case .sets(let automaton) = shape { automaton.takeWork() } else { 0 }
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
