internal import LinkLanguages
internal import LinkspanCore

/// The sets of URLs that rules hold for, each made once: rules that say the same share a number.
///
/// Automata grow while a search walks them, so one of these belongs to one comparison.
final class RuleLanguages {
  private struct Key: Hashable {
    var reading: TextReading
    var path: [PatternElement]
    var parentCount: Int?
    var query: Query?
    var fragment: [PatternElement]?
  }

  private enum Query: Hashable {
    case whole([PatternElement])
    /// A number in ``queries``.
    case items(Int)
  }

  /// What the items of a rule come to: the same for all rules that have them from the same defaults.
  private enum ItemsQuery {
    case anything
    case stated(Query)
    /// No URL is long enough for one of them.
    case tooLong
  }

  private struct Item: Hashable {
    var name: [UInt32]
    var value: [PatternElement]
  }

  private(set) var all: [RuleLanguage] = []
  private var numbers: [Key: Int] = [:]
  private var texts: [[PatternElement]: TextAutomaton] = [:]
  private var alternatives: [ObjectIdentifier: Alternatives] = [:]
  private var alternativesBySpelling: Set<Alternatives> = []
  private var queries: [(automaton: ItemsAutomaton, names: NamedScalars)] = []
  private var queryNumbers: [[Item]: Int] = [:]
  private var queriesOfItems: [ObjectIdentifier: ItemsQuery] = [:]
  // Keeps the lists and items alive whose identities are keys above.
  private var lists: [PatternList] = []
  private var items: [QueryItems] = []

  /// The number of the URLs a rule holds for; nil when it holds for none (S6).
  func number(of rule: CompiledRule) -> Int? {
    guard !rule.coversNothing, let key = key(of: rule) else { return nil }
    return number(of: key)
  }

  /// The number of the URLs that are wanted, or kept out; nil where no URL satisfies the conditions.
  func number(of wanted: WantedRule, variables: SubstitutionVariables) -> Int? {
    let conditions = CompiledRule(
      entry: 0, rule: nil, isPath: false, settings: wanted.settings, variables: variables)
    guard let route = wanted.route else { return number(of: conditions) }
    guard !conditions.coversNothing, var key = key(of: conditions) else { return nil }
    (key.path, key.parentCount) = route.elements
    return number(of: key)
  }

  private func number(of key: Key) -> Int {
    if let known = numbers[key] { return known }
    all.append(language(of: key))
    numbers[key] = all.count - 1
    return all.count - 1
  }

  private func key(of rule: CompiledRule) -> Key? {
    guard let path = elements(of: rule.path.forms[0]) else { return nil }
    let parent = rule.path.forms.count > 1 ? elements(of: rule.path.forms[1]) : nil
    guard Self.fitsURL(path.prefix(parent?.count ?? path.count)) else { return nil }
    var key = Key(
      reading: TextReading(
        foldsCase: !rule.form.isCaseSensitive, decodesEscapes: !rule.form.isPercentEncoded),
      path: path, parentCount: parent?.count)
    if rule.path.coversEverything {
      key.path = [.run]
      key.parentCount = nil
    }
    switch rule.query {
    case .anything: break
    case .whole(let pattern):
      guard let elements = elements(of: pattern), Self.fitsURL(elements[...]) else { return nil }
      if !pattern.coversEverything { key.query = .whole(elements) }
    case .items(let items):
      switch query(of: items) {
      case .anything: break
      case .stated(let query): key.query = query
      case .tooLong: return nil
      }
    }
    if let fragment = rule.fragment, !fragment.coversEverything {
      guard let elements = elements(of: fragment), Self.fitsURL(elements[...]) else { return nil }
      key.fragment = elements
    }
    // A rule for every URL means the same in every reading.
    if key.path == [.run], key.query == nil, key.fragment == nil {
      key.reading = TextReading(foldsCase: false, decodesEscapes: false)
    }
    return key
  }

  /// Whether a URL may be long enough for it: no device matches one of more bytes, and a scalar takes at least one. What is longer
  /// would keep a search busy for a minute, to find no URL.
  private static func fitsURL(_ elements: ArraySlice<PatternElement>) -> Bool {
    let least = elements.count { element in
      switch element {
      case .scalar, .any, .set, .segment: true
      case .run, .oneOf, .expression: false
      }
    }
    return least <= LinkURL.lengthLimitBytes
  }

  private func query(of items: QueryItems) -> ItemsQuery {
    if let known = queriesOfItems[ObjectIdentifier(items)] { return known }
    self.items.append(items)
    let stated = items.list.filter { !$0.pattern.coversEverything }.map { item in
      Item(name: Self.scalars(item.name), value: elements(of: item.pattern) ?? [])
    }.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    let made: ItemsQuery =
      if !stated.allSatisfy({ Self.fitsURL($0.value[...]) }) {
        .tooLong
      } else {
        stated.isEmpty ? .anything : .stated(.items(number(of: stated)))
      }
    queriesOfItems[ObjectIdentifier(items)] = made
    return made
  }

  private func number(of stated: [Item]) -> Int {
    if let known = queryNumbers[stated] { return known }
    var names = NamedScalars()
    for item in stated {
      names.add(item.name)
      names.add(item.value)
    }
    queries.append(
      (
        ItemsAutomaton(stated.map { ItemsAutomaton.Item(name: $0.name, value: text($0.value)) }),
        names
      ))
    queryNumbers[stated] = queries.count - 1
    return queries.count - 1
  }

  private func language(of key: Key) -> RuleLanguage {
    var names = NamedScalars()
    names.add(key.path)
    let query: QueryAutomaton?
    switch key.query {
    case nil: query = nil
    case .whole(let elements):
      names.add(elements)
      query = .whole(text(elements))
    case .items(let number):
      names.formUnion(queries[number].names)
      query = .items(queries[number].automaton)
    }
    if let fragment = key.fragment { names.add(fragment) }
    return RuleLanguage(
      reading: key.reading, path: PathAutomaton(key.path, parentCount: key.parentCount), query: query,
      fragment: key.fragment.map(text), names: names)
  }

  private func text(_ elements: [PatternElement]) -> TextAutomaton {
    if let known = texts[elements] { return known }
    let made = TextAutomaton(elements)
    texts[elements] = made
    return made
  }

  // MARK: - Patterns

  private static func scalars(_ bytes: [UInt8]) -> [UInt32] {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.map { $0.value }
  }

  private func elements(of pattern: Pattern) -> [PatternElement]? { pattern.tokens.map(elements) }

  private func elements(of tokens: [Pattern.Token]) -> [PatternElement] {
    tokens.flatMap { token -> [PatternElement] in
      switch token {
      case .literal(let bytes): Self.scalars(bytes).map(PatternElement.scalar)
      case .anyOne: [.any]
      case .anyRun: [.run]
      case .oneCharacter(let set):
        [.set(ScalarSet((0..<UInt32(128)).filter { set.contains(UInt8($0)) }))]
      case .oneOf(let list): [.oneOf(alternatives(of: list))]
      }
    }
  }

  private func alternatives(of list: PatternList) -> Alternatives {
    if let known = alternatives[ObjectIdentifier(list)] { return known }
    // Two files may spell the same list.
    let made = alternativesBySpelling.insert(
      Alternatives(literals: list.literals.map(Self.scalars), patterns: list.patterns.map(elements))
    ).memberAfterInsert
    alternatives[ObjectIdentifier(list)] = made
    lists.append(list)
    return made
  }

  // MARK: - Searches

  /// A search among the URLs that some of the languages hold for.
  ///
  /// - Parameter isNormalised: Whether URLs with needless escapes are left out.
  func search(_ numbers: [Int], isNormalised: Bool = false) -> URLSearch {
    let alphabet = Alphabet(
      of: Set(numbers).sorted().map { all[$0] }, isNormalised: isNormalised, fold: Self.fold,
      foldingTo: Self.foldingTo)
    return URLSearch(numbers.map { all[$0] }, alphabet: alphabet)
  }

  private static func fold(_ scalar: UInt32) -> UInt32 {
    if scalar < 0x80 { return UInt32(ASCII.lowercased(UInt8(scalar))) }
    guard let text = Unicode.Scalar(scalar) else { return scalar }
    return scalars(CaseFolding.fold(Array(String(text).utf8))).first ?? scalar
  }

  /// The blocks that hold letters with case. Our choice, from Unicode 15's table of simple case mappings.
  private static let cased: [ClosedRange<UInt32>] = [
    0x80...0x58F, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1C80...0x1CBF, 0x1D79...0x1D8E, 0x1E00...0x1FFF,
    0x2126...0x2188, 0x24B6...0x24E9, 0x2C00...0x2D2D, 0xA640...0xA7FF, 0xAB53...0xABBF, 0xFF21...0xFF5A,
    0x10400...0x104FF, 0x10570...0x105BF, 0x10C80...0x10CFF, 0x118A0...0x118DF, 0x16E40...0x16E7F,
    0x1E900...0x1E943,
  ]

  /// The letters with case by what they fold to.
  private static let casedByFold = Dictionary(grouping: cased.joined(), by: fold)

  private static func foldingTo(_ targets: Set<UInt32>) -> Set<UInt32> {
    targets.union(targets.flatMap { casedByFold[$0] ?? [] })
  }
}
