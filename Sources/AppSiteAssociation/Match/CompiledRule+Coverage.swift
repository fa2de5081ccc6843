/// Whether one rule covers all that another can: sound and not complete, so a yes is certain.
extension CompiledRule {
  /// Whether a pattern of it can never match (S6).
  var coversNothing: Bool {
    if path.forms.allSatisfy(\.isNothing) || fragment?.isNothing ?? false { return true }
    return switch query {
    case .anything: false
    case .whole(let pattern): pattern.isNothing
    case .items(let items): items.contains { $0.pattern.isNothing }
    }
  }

  var coversEverything: Bool {
    path.coversEverything && query.coversEverything && (fragment?.coversEverything ?? true)
  }

  /// Whether every URL the other rule holds for is one this rule holds for.
  func coversAll(of other: CompiledRule) -> Bool {
    if coversEverything { return true }
    // Text in another form is another text; comparing across forms is left undecided.
    guard form == other.form else { return false }
    let fragmentHolds =
      fragment.map { mine in mine.coversEverything || other.fragment.map { mine.coversAll(of: $0) } ?? false }
      ?? true
    return fragmentHolds && query.coversAll(of: other.query) && path.coversAll(of: other.path)
  }
}

extension PathPattern {
  func coversAll(of other: PathPattern) -> Bool {
    coversEverything
      || other.forms.allSatisfy { form in form.isNothing || forms.contains { $0.coversAll(of: form) } }
  }
}

extension CompiledQuery {
  var coversEverything: Bool {
    switch self {
    case .anything: true
    case .whole(let pattern): pattern.coversEverything
    case .items(let items): items.allSatisfy { $0.pattern.coversEverything }
    }
  }

  func coversAll(of other: CompiledQuery) -> Bool {
    if coversEverything { return true }
    switch (self, other) {
    case (.whole(let mine), .whole(let others)): return mine.coversAll(of: others)
    case (.items(let mine), .items(let others)):
      return mine.allSatisfy { item in
        item.pattern.coversEverything
          || others.contains { $0.name == item.name && item.pattern.coversAll(of: $0.pattern) }
      }
    default: return false
    }
  }
}

extension Pattern {
  /// The pattern as a row of symbols, each standing for one character or for a part that is opaque.
  private enum Symbol: Equatable {
    case byte(UInt8)
    case one
    case set(ASCIISet)
    case run
    case list(PatternList)
  }

  private var symbols: [Symbol]? {
    tokens?.flatMap { token -> [Symbol] in
      switch token {
      case .literal(let bytes): bytes.map(Symbol.byte)
      case .anyOne: [.one]
      case .anyRun: [.run]
      case .oneCharacter(let set): [.set(set)]
      case .oneOf(let list): [.list(list)]
      }
    }
  }

  /// Matches this pattern against the other one's symbols: my star takes any of them, my `?` one character,
  /// everything else only its like.
  func coversAll(of other: Pattern) -> Bool {
    guard let mine = symbols, let others = other.symbols else { return other.isNothing }
    func takes(_ mine: Symbol, _ other: Symbol) -> Bool {
      switch (mine, other) {
      case (.one, .one), (.one, .set): true
      case (.one, .byte(let byte)): byte < 0x80
      case (.set(let set), .byte(let byte)): set.contains(byte)
      default: mine == other
      }
    }
    var index = 0
    var place = 0
    var star: (index: Int, place: Int)?
    while place < others.count || index < mine.count {
      if index < mine.count {
        if mine[index] == .run {
          star = (index, place)
          index += 1
          continue
        }
        if place < others.count, takes(mine[index], others[place]) {
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
