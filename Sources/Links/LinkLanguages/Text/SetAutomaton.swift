internal import LinkspanCore

/// The subset construction, made as far as it is asked for.
final class SetAutomaton {
  struct State {
    var positions: [Int]
    var accepts: Bool
    var acceptsWhole: Bool
    var isUniversal: Bool
    var distinguished: ScalarSet
    /// Where each ASCII character that is not among ``distinguished`` leads, once one was asked about.
    var others = SetAutomaton.unknown
  }

  private static let unknown: Int32 = -2

  private let graph: PositionGraph
  private let otherEnd: Int?
  private(set) var states: [State] = []
  private var numbers: [[Int]: Int32] = [:]
  private var steps: [UInt64: Int32] = [:]
  private(set) lazy var start = number(of: closure([0]))
  private var work = 0

  init(_ elements: [PatternElement], otherEnd: Int?) {
    graph = PositionGraph(elements)
    self.otherEnd = otherEnd.map { [graph] in graph.ends[$0] }
  }

  func takeWork() -> Int {
    defer { work = 0 }
    return work
  }

  /// Ascending, with what is reached without a scalar; only positions that lead on or end are kept.
  private func closure(_ positions: [Int]) -> [Int] {
    var seen = Set(positions)
    var open = positions
    while let place = open.popLast() {
      graph.visitSilent(from: place) { next in
        if seen.insert(next).inserted { open.append(next) }
      }
    }
    work += seen.count
    return seen.filter { $0 == graph.end || $0 == otherEnd || graph.hasEdges($0) }.sorted()
  }

  private func number(of positions: [Int]) -> Int32 {
    if positions.isEmpty { return TextAutomaton.dead }
    if let known = numbers[positions] { return known }
    var distinguished = ScalarSet()
    for place in positions {
      graph.visitEdges(from: place) { edge in
        work += 1
        switch edge {
        case .scalar(let scalar, _): distinguished.insert(scalar)
        case .set(let set, _): distinguished.formUnion(set)
        case .notIn(let set, _): distinguished.formUnion(set)
        case .any: break
        }
      }
    }
    let acceptsWhole = positions.contains(graph.end)
    states.append(
      State(
        positions: positions, accepts: acceptsWhole || otherEnd.map(positions.contains) ?? false,
        acceptsWhole: acceptsWhole, isUniversal: acceptsWhole && graph.runs.contains(graph.end),
        distinguished: distinguished))
    numbers[positions] = Int32(states.count - 1)
    return Int32(states.count - 1)
  }

  func step(_ state: Int32, _ scalar: UInt32) -> Int32 {
    let place = Int(state)
    if scalar < 128, !states[place].distinguished.contains(scalar) {
      let known = states[place].others
      if known != Self.unknown { return known }
      let made = computed(place, scalar)
      states[place].others = made
      return made
    }
    let key = UInt64(UInt32(bitPattern: state)) << 32 | UInt64(scalar)
    if let known = steps[key] { return known }
    let made = computed(place, scalar)
    steps[key] = made
    return made
  }

  private func computed(_ place: Int, _ scalar: UInt32) -> Int32 {
    var next: [Int] = []
    for place in states[place].positions {
      graph.visitEdges(from: place) { edge in
        work += 1
        switch edge {
        case .scalar(let wanted, let target): if wanted == scalar { next.append(target) }
        case .set(let set, let target): if set.contains(scalar) { next.append(target) }
        case .any(let target): next.append(target)
        case .notIn(let set, let target): if !set.contains(scalar) { next.append(target) }
        }
      }
    }
    return number(of: closure(next))
  }
}
