internal import LinkspanCore

/// A rule with its patterns made ready to be compared with those of many others.
struct CoverageRule {
  /// One character of a pattern, or a part that is opaque: a list by its place in its row, so that no symbol is counted by
  /// reference while thousands of them are compared.
  fileprivate enum Symbol: Equatable {
    case byte(UInt8)
    case one
    case set(ASCIISet)
    case run
    case list(Int)
  }

  fileprivate struct Row {
    private(set) var symbols: [Symbol] = []
    private(set) var lists: [PatternList] = []
    let coversEverything: Bool

    /// nil for a pattern that can never match.
    init?(_ pattern: Pattern) {
      guard let tokens = pattern.tokens else { return nil }
      coversEverything = pattern.coversEverything
      for token in tokens {
        switch token {
        case .literal(let bytes): symbols += bytes.map(Symbol.byte)
        case .anyOne: symbols.append(.one)
        case .anyRun: symbols.append(.run)
        case .oneCharacter(let set): symbols.append(.set(set))
        case .oneOf(let list):
          symbols.append(.list(lists.count))
          lists.append(list)
        }
      }
    }
  }

  /// The items of rules made ready, those of rules that say the same once.
  struct Queries {
    private var known: [ObjectIdentifier: [(name: [UInt8], row: Row)]] = [:]

    fileprivate mutating func rows(of items: QueryItems) -> [(name: [UInt8], row: Row)] {
      if let known = known[ObjectIdentifier(items)] { return known }
      let made = items.list.compactMap { item in Row(item.pattern).map { (name: item.name, row: $0) } }
      known[ObjectIdentifier(items)] = made
      return made
    }
  }

  let rule: CompiledRule
  private let path: [Row]
  private let pathCoversEverything: Bool
  let coversEverything: Bool
  /// What all its paths hold: it covers none that lacks some of it.
  let content: PathContent
  private let query: [(name: [UInt8], row: Row)]
  private let fragment: Row?

  /// - Parameter queries: What was made of items of other rules.
  init(_ rule: CompiledRule, _ queries: inout Queries) {
    self.rule = rule
    path = rule.path.forms.compactMap(Row.init)
    pathCoversEverything = rule.path.coversEverything
    coversEverything = rule.coversEverything
    content = pathCoversEverything ? .nothing : PathContent(rule.path)
    switch rule.query {
    case .anything: query = []
    case .whole(let pattern): query = Row(pattern).map { [(name: [], row: $0)] } ?? []
    case .items(let items): query = queries.rows(of: items)
    }
    fragment = rule.fragment.flatMap(Row.init)
  }

  /// Whether every URL the other rule holds for is one this rule holds for; false as well when the budget ends.
  ///
  /// Sound and not complete: a yes is certain. Neither rule may hold a pattern that never matches.
  func coversAll(of other: CoverageRule, _ budget: inout WorkBudget) -> Bool {
    if coversEverything { return true }
    // Text in another form is another text; comparing across forms is left undecided.
    guard rule.form == other.rule.form, content.isWithin(other.content) else { return false }
    return pathCovers(other, &budget) && queryCovers(other, &budget) && fragmentCovers(other, &budget)
  }

  private func pathCovers(_ other: CoverageRule, _ budget: inout WorkBudget) -> Bool {
    if pathCoversEverything { return true }
    for theirs in other.path {
      var isCovered = false
      for mine in path where !isCovered { isCovered = Self.covers(mine, theirs, &budget) }
      if !isCovered { return false }
    }
    return true
  }

  private func queryCovers(_ other: CoverageRule, _ budget: inout WorkBudget) -> Bool {
    if rule.query.coversEverything { return true }
    switch (rule.query, other.rule.query) {
    case (.whole, .whole):
      guard let mine = query.first, let theirs = other.query.first else { return false }
      return Self.covers(mine.row, theirs.row, &budget)
    case (.items(let mine), .items(let theirs)) where mine === theirs: return true
    case (.items, .items):
      guard budget.spend(query.count * other.query.count) else { return false }
      for mine in query where !mine.row.coversEverything {
        var isCovered = false
        for theirs in other.query where !isCovered && theirs.name == mine.name {
          isCovered = Self.covers(mine.row, theirs.row, &budget)
        }
        if !isCovered { return false }
      }
      return true
    default: return false
    }
  }

  private func fragmentCovers(_ other: CoverageRule, _ budget: inout WorkBudget) -> Bool {
    guard let fragment, !fragment.coversEverything else { return true }
    return other.fragment.map { Self.covers(fragment, $0, &budget) } ?? false
  }

  /// Compares one pattern with the other's symbols: its star takes any of them, its `?` one character, everything else
  /// only its like.
  private static func covers(_ mine: Row, _ theirs: Row, _ budget: inout WorkBudget) -> Bool {
    func areAlike(_ list: PatternList, _ other: PatternList) -> Bool {
      // Long lists are the same when they are one variable's; comparing them each time costs too much.
      list === other || (list.isShort && other.isShort && list == other)
    }
    func takes(_ symbol: Symbol, _ other: Symbol) -> Bool {
      switch (symbol, other) {
      case (.one, .one), (.one, .set): true
      case (.one, .byte(let byte)): byte < 0x80
      case (.set(let set), .byte(let byte)): set.contains(byte)
      case (.list(let list), .list(let other)): areAlike(mine.lists[list], theirs.lists[other])
      default: symbol == other
      }
    }
    let (symbols, others) = (mine.symbols, theirs.symbols)
    var index = 0
    var place = 0
    var star: (index: Int, place: Int)?
    var steps = 0
    defer { _ = budget.spend(steps) }
    while place < others.count || index < symbols.count {
      steps += 1
      if steps > budget.steps { return false }
      if index < symbols.count {
        if symbols[index] == .run {
          star = (index, place)
          index += 1
          continue
        }
        if place < others.count, takes(symbols[index], others[place]) {
          index += 1
          place += 1
          continue
        }
      }
      guard let last = star, last.place < others.count else { return false }
      star = (last.index, last.place + 1)
      index = last.index + 1
      place = last.place + 1
    }
    return true
  }
}
