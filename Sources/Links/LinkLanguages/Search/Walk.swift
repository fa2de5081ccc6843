internal import LinkspanCore

/// The open and the known states of one search, nearest first.
final class Walk {
  enum Phase: Int32 {
    case path
    case query
    case fragment
  }

  struct Node {
    var state: [Int32]
    var parent: Int32
    var letter: Int32
    var cost: Int32
    var isDone = false
  }

  private let rules: [RuleLanguage]
  private let alphabet: Alphabet
  private let listCount: Int
  private let needed: Int32?
  private let transitions: Transitions
  /// The letters that begin a query and a fragment.
  private let starts: (query: Int, fragment: Int)
  private(set) var nodes: [Node] = []
  /// Of all states together, which differ in their size.
  private(set) var numberCount = 0
  private var known: [[Int32]: Int32] = [:]
  /// Open nodes by their cost.
  private var buckets: [[Int32]] = []
  private var lowest = 0
  private var lettersOfView: [View: [Int]] = [:]

  // In a state: the phase with the dots of the path's segment, the escapes in two numbers, then each list: how many rules,
  // whether the last is certain, and pairs of a rule and the number of its state in ``transitions``.
  private static let costOfState = 10
  private static let headerCount = 3
  private static let costOfLetter = 2
  private static let slash: UInt32 = 0x2F
  /// No query that a device holds has one as it is written (``HeldText``).
  private static let apostrophe: UInt32 = 0x27
  /// Behind a slash another one is possible, and no person expects it.
  private static let doubleSlashCost: Int32 = 8

  /// - Parameter needed: The last rule of the first list, where only URLs that it holds for are of interest.
  init(rules: [RuleLanguage], alphabet: Alphabet, listCount: Int, needed: Int?) {
    self.rules = rules
    self.alphabet = alphabet
    self.listCount = listCount
    self.needed = needed.map(Int32.init)
    func letter(_ scalar: UInt32) -> Int { alphabet.letters.firstIndex { $0.written == scalar } ?? 0 }
    starts = (letter(0x3F), letter(0x23))
    transitions = Transitions(rules, alphabet.letters)
  }

  /// An empty path reads as `/` (M6), so every URL begins with a slash here.
  ///
  /// - Returns: false when the budget is spent.
  func begin(_ lists: [[Int]], _ budget: inout WorkBudget) -> Bool {
    guard let state = transitions.spending(&budget, { start(lists) }) else { return false }
    guard let slash = alphabet.letters.firstIndex(where: { $0.written == Self.slash }) else { return true }
    nodes.append(Node(state: [], parent: -1, letter: -1, cost: 0, isDone: true))
    add(state, parent: 0, letter: Int32(slash), cost: 0)
    return true
  }

  private static func packed(_ phase: Phase, _ dots: DotSegment) -> Int32 {
    phase.rawValue | dots.rawValue << 2
  }

  private static func phase(of state: [Int32]) -> Phase { Phase(rawValue: state[0] & 3) ?? .path }

  private static func dots(of state: [Int32]) -> DotSegment { DotSegment(rawValue: state[0] >> 2) ?? .other }

  private func start(_ lists: [[Int]]) -> [Int32] {
    let dots: DotSegment = alphabet.namesDots ? .start : .other
    var state: [Int32] = [Self.packed(.path, dots), 0, 0]
    for list in lists {
      let start = state.count
      state += [0, 0]
      for rule in list where transitions.allowance >= 0 {
        let path = rules[rule].path
        let next = path.step(path.start, Self.slash)
        transitions.count(rule)
        if next == PathAutomaton.dead { continue }
        let number = transitions.number(of: Int32(rule), next, in: .path)
        state += [Int32(rule), number]
        state[start] += 1
        if transitions.isCertain(number) {
          state[start + 1] = 1
          break
        }
      }
    }
    return state
  }

  private func add(_ state: [Int32], parent: Int32, letter: Int32, cost: Int32) {
    if let place = known[state] {
      let node = nodes[Int(place)]
      guard !node.isDone, cost < node.cost else { return }
      nodes[Int(place)].parent = parent
      nodes[Int(place)].letter = letter
      nodes[Int(place)].cost = cost
      open(place, cost)
      return
    }
    let place = Int32(nodes.count)
    // A state is made with room for all that its parent held; what is kept takes no more than it counts.
    let state = state.capacity > 2 * state.count ? state.withUnsafeBufferPointer { Array($0) } : state
    known[state] = place
    numberCount += state.count
    nodes.append(Node(state: state, parent: parent, letter: letter, cost: cost))
    open(place, cost)
  }

  private func open(_ place: Int32, _ cost: Int32) {
    while buckets.count <= Int(cost) { buckets.append([]) }
    buckets[Int(cost)].append(place)
  }

  func next() -> Int? {
    while lowest < buckets.count {
      guard let place = buckets[lowest].popLast() else {
        lowest += 1
        continue
      }
      let node = nodes[Int(place)]
      if node.isDone || node.cost != Int32(lowest) { continue }
      nodes[Int(place)].isDone = true
      return Int(place)
    }
    return nil
  }

  // MARK: - Ends

  /// Which rule of each list holds for a URL that ends here; nil where no URL ends.
  func deciding(_ state: [Int32]) -> [Int?]? {
    guard EscapeState(packed: (state[1], state[2])).mayEnd, Self.dots(of: state).mayEnd else { return nil }
    var result: [Int?] = []
    var index = Self.headerCount
    for _ in 0..<listCount {
      let count = Int(state[index])
      var decider: Int?
      for pair in 0..<count where decider == nil {
        if transitions.holdsAtEnd(state[index + 3 + 2 * pair]) { decider = Int(state[index + 2 + 2 * pair]) }
      }
      result.append(decider)
      index += 2 + 2 * count
    }
    return result
  }

  // MARK: - Steps

  /// - Returns: false when the budget is spent.
  func expand(
    _ place: Int, _ budget: inout WorkBudget, _ canMatter: (URLSearch.Prospect) -> Bool
  ) -> Bool {
    let node = nodes[place]
    let phase = Self.phase(of: node.state)
    let dots = Self.dots(of: node.state)
    let escapes = EscapeState(packed: (node.state[1], node.state[2]))
    let isAfterSlash = phase == .path && alphabet.letters[Int(node.letter)].written == Self.slash
    let view = view(of: node.state, phase, escapes)
    // Each number of a state is stepped, hashed and kept.
    let work = Self.costOfState + node.state.count
    guard budget.spend(work) else { return false }
    func isInteresting(_ state: [Int32], _ starts: [Int]) -> Bool {
      canMatter(URLSearch.prospect(state, starts))
    }
    if escapes.mayEnd, dots.mayEnd {
      for (letter, target) in phases(after: phase) {
        guard budget.spend(work) else { return false }
        guard
          let (state, starts) = transitions.spending(&budget, { entering(target, from: node.state, phase) })
        else { return false }
        if isInteresting(state, starts) {
          add(state, parent: Int32(place), letter: Int32(letter), cost: node.cost + 4)
        }
      }
    }
    let neededState = neededState(in: node.state)
    for index in letters(for: view) {
      guard budget.spend(Self.costOfLetter) else { return false }
      // Most letters end here, before any other rule is looked at.
      if let neededState {
        guard let next = transitions.spending(&budget, { transitions.step(neededState, index) }) else {
          return false
        }
        if next == Transitions.dead { continue }
      }
      let letter = alphabet.letters[index]
      guard let following = following(escapes, letter), let dots = self.dots(dots, escapes, letter, phase)
      else {
        continue
      }
      guard budget.spend(work) else { return false }
      let packed = following.packed
      let header = [Self.packed(phase, dots), packed.0, packed.1]
      guard let (state, starts) = transitions.spending(&budget, { stepped(node.state, header, index) })
      else { return false }
      guard isInteresting(state, starts) else { continue }
      let detour = isAfterSlash && letter.written == Self.slash ? Self.doubleSlashCost : 0
      add(state, parent: Int32(place), letter: Int32(index), cost: node.cost + letter.cost + detour)
    }
    return true
  }

  private func neededState(in state: [Int32]) -> Int32? {
    let count = Int(state[Self.headerCount])
    guard let needed, count > 0 else { return nil }
    let last = Self.headerCount + 2 * count
    return state[last] == needed ? state[last + 1] : nil
  }

  private func following(_ escapes: EscapeState, _ letter: Letter) -> EscapeState? {
    guard alphabet.decodes else { return escapes.afterText(letter.written) }
    return switch letter.kind {
    case .asWritten: escapes.afterAsWritten(letter.written)
    case .decoded: escapes.afterDecodedCharacter()
    case .decodedByte(let byte): escapes.afterDecodedByte(byte) { alphabet.namedBytes.contains($0) }
    }
  }

  /// nil where a segment of dots would end.
  private func dots(
    _ dots: DotSegment, _ escapes: EscapeState, _ letter: Letter, _ phase: Phase
  ) -> DotSegment? {
    guard alphabet.namesDots, phase == .path else { return .other }
    return switch letter.kind {
    case .asWritten: dots.after(letter.written, escapes)
    case .decoded: letter.readings[2] == [0x2E] ? dots.afterDot : .other
    case .decodedByte: .other
    }
  }

  /// What the rules that are left look at.
  private struct View: Hashable {
    var phase: Phase
    /// Whether an escape as it is written has begun.
    var isInEscape: Bool
    var sets = [ScalarSet](repeating: ScalarSet(), count: 4)
    var hasItems = false
    var hasUndecoded = false
  }

  private func view(of state: [Int32], _ phase: Phase, _ escapes: EscapeState) -> View {
    var view = View(phase: phase, isInEscape: escapes.partial != 0)
    visit(state) { rule, number in
      let rule = rules[rule]
      let reading = rule.readingIndex
      if reading < 2 { view.hasUndecoded = true }
      view.sets[reading].formUnion(transitions.distinguished(number))
      if phase == .query, case .items = rule.query { view.hasItems = true }
    }
    return view
  }

  private func visit(_ state: [Int32], _ body: (Int, Int32) -> Void) {
    var index = Self.headerCount
    for _ in 0..<listCount {
      let count = Int(state[index])
      for pair in 0..<count {
        body(Int(state[index + 2 + 2 * pair]), state[index + 3 + 2 * pair])
      }
      index += 2 + 2 * count
    }
  }

  /// The letters that lead to different states here: those the rules left look at, and one for all others.
  private func letters(for view: View) -> [Int] {
    if let known = lettersOfView[view] { return known }
    let phase = view.phase
    var result: [Int] = []
    var hasOther = false
    for index in 0..<(alphabet.decodes ? alphabet.escapes.lowerBound : alphabet.letters.count) {
      let letter = alphabet.letters[index]
      let written = letter.written
      if written == 0x23 || (written == 0x3F && phase == .path) { continue }
      if phase == .query, written == Self.apostrophe { continue }
      let digit = EscapeState.hexValue(written)
      if view.isInEscape, digit == nil { continue }
      let matters =
        alphabet.isDistinguished(letter, by: view.sets) || (phase == .path && written == Self.slash)
        || (view.hasItems && (written == 0x26 || written == 0x3D))
        || (alphabet.decodes && (written == 0x25 || view.isInEscape))
        || (alphabet.namesDots && view.isInEscape && (digit == 2 || digit == 0xE))
      if !matters {
        if hasOther { continue }
        hasOther = true
      }
      result.append(index)
    }
    for index in alphabet.escapes {
      // Where every rule left decodes, an escape is another way to write its character.
      if !view.hasUndecoded, case .decoded = alphabet.letters[index].kind,
        Self.isPlain(alphabet.letters[index].readings[2][0])
      {
        continue
      }
      result.append(index)
    }
    lettersOfView[view] = result
    return result
  }

  private static func isPlain(_ scalar: UInt32) -> Bool {
    (0x30...0x39).contains(scalar) || (0x41...0x5A).contains(scalar) || (0x61...0x7A).contains(scalar)
      || scalar == 0x2F || scalar == 0x2D || scalar == 0x2E
  }

  private func phases(after phase: Phase) -> [(letter: Int, target: Phase)] {
    switch phase {
    case .path: [(starts.query, .query), (starts.fragment, .fragment)]
    case .query: [(starts.fragment, .fragment)]
    case .fragment: []
    }
  }

  /// The state behind `?` or `#`.
  private func entering(_ target: Phase, from state: [Int32], _ phase: Phase) -> ([Int32], [Int]) {
    rebuilt(state, [Self.packed(target, .other), 0, 0]) { number, state in
      let rule = rules[Int(number)]
      let own = transitions.own(state)
      let isHeld =
        switch (phase, target) {
        case (.path, .query): rule.path.accepts(own)
        case (.path, _): rule.path.accepts(own) && rule.allowsNoQuery
        default: rule.query?.accepts(own) ?? true
        }
      guard isHeld else { return Transitions.dead }
      let start = target == .query ? rule.query?.start ?? 0 : rule.fragment?.start ?? 0
      return transitions.number(of: number, start, in: target)
    }
  }

  private func stepped(_ state: [Int32], _ header: [Int32], _ letter: Int) -> ([Int32], [Int]) {
    rebuilt(state, header) { _, state in transitions.step(state, letter) }
  }

  /// - Parameter next: Of a rule and its state, the next one, or ``Transitions/dead``.
  @inline(__always)
  private func rebuilt(
    _ state: [Int32], _ header: [Int32], _ next: (Int32, Int32) -> Int32
  ) -> ([Int32], [Int]) {
    var made = header
    made.reserveCapacity(state.count)
    var starts: [Int] = []
    var index = Self.headerCount
    for _ in 0..<listCount {
      let count = Int(state[index])
      let start = made.count
      starts.append(start)
      made.append(0)
      made.append(0)
      for pair in 0..<count {
        let rule = state[index + 2 + 2 * pair]
        let following = next(rule, state[index + 3 + 2 * pair])
        if following == Transitions.dead { continue }
        made.append(rule)
        made.append(following)
        made[start] += 1
        if transitions.isCertain(following) {
          made[start + 1] = 1
          break
        }
      }
      index += 2 + 2 * count
    }
    return (made, starts)
  }
}
