/// The states of the rules' automata in one search, numbered together, and where each letter leads from them, found out
/// once: a search asks the same thousands of times.
final class Transitions {
  static let dead: Int32 = -1

  private struct State: Hashable {
    var rule: Int32
    var phase: Walk.Phase
    var own: Int32
  }

  private let rules: [RuleLanguage]
  private let letters: [Letter]
  private var states: [State] = []
  private var numbers: [State: Int32] = [:]
  private var certain: [Bool] = []
  /// Where the row of a state begins in the table; negative as long as nothing was asked of it.
  private var rows: [Int] = []
  private var table: [Int32] = []

  private static let unknown: Int32 = -2
  /// Our choice: 64 MB. What does not fit is found out each time.
  private static let tableLimit = 16_000_000

  init(_ rules: [RuleLanguage], _ letters: [Letter]) {
    self.rules = rules
    self.letters = letters
  }

  func number(of rule: Int32, _ own: Int32, in phase: Walk.Phase) -> Int32 {
    let state = State(rule: rule, phase: phase, own: own)
    if let known = numbers[state] { return known }
    let number = Int32(states.count)
    numbers[state] = number
    states.append(state)
    certain.append(isCertain(state))
    rows.append(-1)
    return number
  }

  /// The state of the rule's own automaton.
  @inline(__always)
  func own(_ number: Int32) -> Int32 { states[Int(number)].own }

  /// Whether the rule holds whatever follows.
  @inline(__always)
  func isCertain(_ number: Int32) -> Bool { certain[Int(number)] }

  /// - Returns: ``dead`` when the rule holds for no URL any more.
  @inline(__always)
  func step(_ number: Int32, _ letter: Int) -> Int32 {
    let row = rows[Int(number)]
    if row >= 0 {
      let next = table[row + letter]
      if next != Self.unknown { return next }
    }
    return found(number, letter)
  }

  private func found(_ number: Int32, _ letter: Int) -> Int32 {
    let state = states[Int(number)]
    let own = Self.step(rules[Int(state.rule)], state.own, state.phase, letters[letter])
    let next = own.map { self.number(of: state.rule, $0, in: state.phase) } ?? Self.dead
    if rows[Int(number)] < 0 {
      guard table.count + letters.count <= Self.tableLimit else { return next }
      rows[Int(number)] = table.count
      table.append(contentsOf: repeatElement(Self.unknown, count: letters.count))
    }
    table[rows[Int(number)] + letter] = next
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

  private func isCertain(_ state: State) -> Bool {
    let rule = rules[Int(state.rule)]
    return switch state.phase {
    case .path: rule.isPathOnly && rule.path.isUniversal(state.own)
    case .query: rule.fragment == nil && (rule.query?.isUniversal(state.own) ?? true)
    case .fragment: rule.fragment?.isUniversal(state.own) ?? true
    }
  }
}
