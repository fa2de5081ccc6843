internal import LinkspanCore

/// The states of the rules' automata in one search, numbered together, and where each letter leads from them, found out
/// once: a search asks the same thousands of times.
final class Transitions {
  static let dead: Int32 = -1

  private struct State {
    var rule: Int32
    var phase: Walk.Phase
    var own: Int32
  }

  /// What is asked of a state again and again.
  private struct Facts {
    var isCertain: Bool
    var holdsAtEnd: Bool
    var distinguished: ScalarSet
  }

  private let rules: [RuleLanguage]
  private let letters: [Letter]
  private let unknownRow: [Int32]
  private var states: [State] = []
  /// A list for each phase of each rule: the number of each state of its own automaton, ``unknown`` for one not met yet.
  private var numbers: [[Int32]]
  private var facts: [Facts] = []
  /// The number of a state's row; negative as long as nothing was asked of it.
  private var rows: [Int32] = []
  private var rowCount: Int32 = 0
  /// ``chunkRows`` rows each. One array of all rows would be in memory twice whenever it grows.
  private var chunks: [[Int32]] = []
  /// Steps left for new transitions. Below zero none is computed any more, and every answer is void.
  private(set) var allowance = 0

  /// A position that is looked at for the first time is put into sets and sorted.
  private static let costOfPosition = 12
  private static let unknown: Int32 = -2
  /// Of ``Walk/Phase``.
  private static let phases = 3
  /// Our choice: 16 MB. What does not fit is found out each time.
  private static let tableLimit = 4_000_000
  /// A power of two.
  private static let chunkRows: Int32 = 1_024

  init(_ rules: [RuleLanguage], _ letters: [Letter]) {
    self.rules = rules
    self.letters = letters
    unknownRow = Array(repeating: Self.unknown, count: letters.count)
    numbers = Array(repeating: [], count: rules.count * Self.phases)
  }

  func number(of rule: Int32, _ own: Int32, in phase: Walk.Phase) -> Int32 {
    let list = Int(rule) * Self.phases + Int(phase.rawValue)
    let missing = Int(own) + 1 - numbers[list].count
    if missing > 0 {
      numbers[list].append(contentsOf: repeatElement(Self.unknown, count: missing))
    } else if numbers[list][Int(own)] != Self.unknown {
      return numbers[list][Int(own)]
    }
    let state = State(rule: rule, phase: phase, own: own)
    let number = Int32(states.count)
    numbers[list][Int(own)] = number
    states.append(state)
    facts.append(facts(of: state))
    rows.append(-1)
    allowance -= 1 + (rules[Int(rule)].query?.width ?? 0)
    return number
  }

  /// Charges a budget for the transitions that the body computes for the first time.
  ///
  /// - Returns: nil when that is too much: what the body made is of no use then.
  @inline(__always)
  func spending<Result>(_ budget: inout WorkBudget, _ body: () -> Result) -> Result? {
    allowance = budget.steps
    let result = body()
    return budget.spend(budget.steps - allowance) ? result : nil
  }

  /// Counts what an automaton of a rule found out.
  func count(_ rule: Int) { allowance -= Self.costOfPosition * rules[rule].takeWork() }

  /// The state of the rule's own automaton.
  @inline(__always)
  func own(_ number: Int32) -> Int32 { states[Int(number)].own }

  /// Whether the rule holds whatever follows.
  @inline(__always)
  func isCertain(_ number: Int32) -> Bool { facts[Int(number)].isCertain }

  /// Whether the rule holds for a URL that ends here.
  @inline(__always)
  func holdsAtEnd(_ number: Int32) -> Bool { facts[Int(number)].holdsAtEnd }

  /// The ASCII characters that may lead elsewhere than the others do.
  @inline(__always)
  func distinguished(_ number: Int32) -> ScalarSet { facts[Int(number)].distinguished }

  /// - Returns: ``dead`` when the rule holds for no URL any more.
  @inline(__always)
  func step(_ number: Int32, _ letter: Int) -> Int32 {
    let row = rows[Int(number)]
    if row >= 0 {
      let next = chunks[Int(row / Self.chunkRows)][place(row, letter)]
      if next != Self.unknown { return next }
    }
    return found(number, letter)
  }

  /// In the chunk of the row.
  @inline(__always)
  private func place(_ row: Int32, _ letter: Int) -> Int {
    Int(row & (Self.chunkRows - 1)) * letters.count + letter
  }

  private func found(_ number: Int32, _ letter: Int) -> Int32 {
    guard allowance >= 0 else { return Self.dead }
    let state = states[Int(number)]
    let own = Self.step(rules[Int(state.rule)], state.own, state.phase, letters[letter])
    count(Int(state.rule))
    let next = own.map { self.number(of: state.rule, $0, in: state.phase) } ?? Self.dead
    if rows[Int(number)] < 0 {
      guard (Int(rowCount) + 1) * letters.count <= Self.tableLimit else { return next }
      if rowCount & (Self.chunkRows - 1) == 0 { chunks.append([]) }
      chunks[chunks.count - 1].append(contentsOf: unknownRow)
      rows[Int(number)] = rowCount
      rowCount += 1
    }
    let row = rows[Int(number)]
    chunks[Int(row / Self.chunkRows)][place(row, letter)] = next
    return next
  }

  /// - Returns: nil when the rule holds for no URL any more.
  private static func step(_ rule: RuleLanguage, _ own: Int32, _ phase: Walk.Phase, _ letter: Letter)
    -> Int32?
  {
    let scalars = letter.readings[rule.readingIndex]
    switch phase {
    case .path:
      let next = scalars.reduce(own) { rule.path.step($0, $1) }
      return next == PathAutomaton.dead ? nil : next
    case .query:
      switch rule.query {
      case nil: return own
      case .items(let items):
        let separator: UInt32 = letter.written == 0x26 || letter.written == 0x3D ? letter.written : 0
        let next = items.step(own, scalars, separator: separator)
        return next == ItemsAutomaton.dead ? nil : next
      case .whole(let text): return step(text, own, scalars)
      }
    case .fragment:
      guard let fragment = rule.fragment else { return own }
      return step(fragment, own, scalars)
    }
  }

  private static func step(_ text: TextAutomaton, _ state: Int32, _ scalars: [UInt32]) -> Int32? {
    var next = state
    for scalar in scalars where next != TextAutomaton.dead { next = text.step(next, scalar) }
    return next == TextAutomaton.dead ? nil : next
  }

  private func facts(of state: State) -> Facts {
    let rule = rules[Int(state.rule)]
    switch state.phase {
    case .path:
      return Facts(
        isCertain: rule.isPathOnly && rule.path.isUniversal(state.own),
        holdsAtEnd: rule.path.accepts(state.own) && rule.allowsNoQuery && rule.allowsNoFragment,
        distinguished: rule.path.distinguished(at: state.own))
    case .query:
      return Facts(
        isCertain: rule.fragment == nil && (rule.query?.isUniversal(state.own) ?? true),
        holdsAtEnd: (rule.query?.accepts(state.own) ?? true) && rule.allowsNoFragment,
        distinguished: rule.query?.distinguished(at: state.own) ?? ScalarSet())
    case .fragment:
      return Facts(
        isCertain: rule.fragment?.isUniversal(state.own) ?? true,
        holdsAtEnd: rule.fragment?.accepts(state.own) ?? true,
        distinguished: rule.fragment?.distinguished(at: state.own) ?? ScalarSet())
    }
  }
}
