/// The texts a pattern covers, as an automaton that is made deterministic only where a search walks.
///
/// States are small numbers; -1 is the state from which no text is covered any more.
package final class TextAutomaton {
  static let dead: Int32 = -1

  /// What stands behind the literal scalars that a pattern begins with.
  private enum Rest {
    case nothing
    case run
    case sets(SetAutomaton)
  }

  /// The state is how many of them were read; behind them the states of the automaton are counted on.
  private let literal: [UInt32]
  private let rest: Rest
  /// Where the other end stands, unless it is the automaton's.
  private let otherEnd: Int?

  /// - Parameters:
  ///   - elements: What a covered text consists of, in order.
  ///   - otherEnd: So many of the elements alone make a covered text as well.
  package init(_ elements: [PatternElement], otherEnd: Int? = nil) {
    var literal: [UInt32] = []
    for element in elements {
      guard case .scalar(let scalar) = element else { break }
      literal.append(scalar)
    }
    self.literal = literal
    let others = elements.dropFirst(literal.count)
    if others.isEmpty {
      rest = .nothing
    } else if others.count == 1, others.first == .run {
      rest = .run
    } else {
      let end = otherEnd.map { $0 - literal.count } ?? -1
      rest = .sets(SetAutomaton(Array(others), otherEnd: end < 0 ? nil : end))
      self.otherEnd = end < 0 ? otherEnd : nil
      return
    }
    self.otherEnd = otherEnd
  }

  var start: Int32 { literal.isEmpty ? behindLiteral : 0 }

  private var behindLiteral: Int32 {
    if case .sets(let automaton) = rest { counted(automaton.start) } else { Int32(literal.count) }
  }

  /// The state of the automaton as one of all states.
  @inline(__always)
  private func counted(_ state: Int32) -> Int32 {
    state == Self.dead ? Self.dead : state + Int32(literal.count)
  }

  @inline(__always)
  func step(_ state: Int32, _ scalar: UInt32) -> Int32 {
    let place = Int(state)
    if place < literal.count {
      guard literal[place] == scalar else { return Self.dead }
      return place + 1 < literal.count ? state + 1 : behindLiteral
    }
    switch rest {
    case .nothing: return Self.dead
    case .run: return state
    case .sets(let automaton): return counted(automaton.step(state - Int32(literal.count), scalar))
    }
  }

  func accepts(_ state: Int32) -> Bool {
    let place = Int(state) - literal.count
    guard place >= 0, case .sets(let automaton) = rest else {
      return Int(state) == otherEnd || acceptsWhole(state)
    }
    return automaton.states[place].accepts
  }

  /// Whether the pattern without its other end accepts there.
  func acceptsWhole(_ state: Int32) -> Bool {
    let place = Int(state) - literal.count
    guard case .sets(let automaton) = rest else { return place == 0 }
    return place >= 0 && automaton.states[place].acceptsWhole
  }

  /// Whether every text is covered from there on.
  func isUniversal(_ state: Int32) -> Bool {
    let place = Int(state) - literal.count
    return switch rest {
    case .nothing: false
    case .run: place == 0
    case .sets(let automaton): place >= 0 && automaton.states[place].isUniversal
    }
  }

  /// How many positions steps went through for the first time since this was asked last.
  func takeWork() -> Int {
    if case .sets(let automaton) = rest { automaton.takeWork() } else { 0 }
  }

  /// The ASCII characters that may lead elsewhere than the others do.
  func distinguished(at state: Int32) -> ScalarSet {
    let place = Int(state) - literal.count
    if place < 0 { return ScalarSet(CollectionOfOne(literal[Int(state)])) }
    guard case .sets(let automaton) = rest else { return ScalarSet() }
    return automaton.states[place].distinguished
  }
}
