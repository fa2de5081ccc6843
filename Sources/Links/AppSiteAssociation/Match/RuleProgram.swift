internal import LinkspanCore

/// One rule as steps of ``PatternPrograms``, as far as its patterns are such steps.
struct RuleProgram: Sendable {
  /// What is compared behind the path: few rules have it, so it stands apart, and those that lie side by side are small.
  struct Rest: Sendable {
    fileprivate var query: PatternPrograms.Program?
    fileprivate var fragment: PatternPrograms.Program?
    fileprivate var items: Range<Int32> = 0..<0
  }

  /// What a path that begins with the rule's literal beginning must have behind it. Most rules of most sites say no more, and
  /// are decided without another look at their pattern.
  private enum Behind: UInt8 {
    /// `/a`
    case nothing
    /// `/a/*` (P7)
    case slashOrNothing
    /// `/a*`
    case anything
    /// Only the whole pattern tells.
    case pattern

    init(_ path: PathPattern) {
      let forms = path.forms
      guard case .literal(let beginning)? = forms.last?.tokens?.first else {
        self = .pattern
        return
      }
      let literal = Pattern.Token.literal(beginning)
      switch (forms.count, forms[0].tokens, forms.last?.tokens) {
      case (1, [literal], _): self = .nothing
      case (1, [literal, .anyRun], _): self = .anything
      case (2, [.literal(beginning + [UInt8(ascii: "/")]), .anyRun], [literal]): self = .slashOrNothing
      default: self = .pattern
      }
    }
  }

  /// The steps of its path. Apart, since most rules are decided without: what those need lies closer together then.
  struct Path: Sendable {
    /// nil where the compiled rule answers for the path as well.
    fileprivate var own: PatternPrograms.Program?
    fileprivate var parent: PatternPrograms.Program?

    init(_ rule: CompiledRule, _ programs: inout PatternPrograms) {
      let forms = rule.path.forms.map { programs.add($0) }
      guard forms.allSatisfy({ $0 != nil }) else { return }
      own = forms[0]
      parent = forms.count > 1 ? forms[1] : nil
    }
  }

  /// The place of the rule in its table.
  let number: Int32
  /// The place of a ``Rest``, or one of the two below.
  private var rest = nothing
  private static let nothing: Int32 = -1
  /// The compiled rule answers.
  private static let compiled: Int32 = -2
  private let behind: Behind
  /// Whether the next one belongs to another group of its index.
  let endsGroup: Bool

  /// What a rule wants of the items of one name.
  struct Item: Sendable {
    var name: Range<Int32>
    var value: PatternPrograms.Program
  }

  /// What all rules compare behind the path, the items of rules that say the same once.
  struct Rests {
    private(set) var list: [Rest] = []
    private(set) var items: [Item] = []
    private var ranges: [ObjectIdentifier: Range<Int32>?] = [:]

    /// - Returns: nil when a pattern is no steps.
    private mutating func range(of items: QueryItems, _ programs: inout PatternPrograms) -> Range<Int32>? {
      if let known = ranges[ObjectIdentifier(items)] { return known }
      let range = added(items, &programs)
      ranges[ObjectIdentifier(items)] = .some(range)
      return range
    }

    private mutating func added(_ items: QueryItems, _ programs: inout PatternPrograms) -> Range<Int32>? {
      let start = self.items.count
      for item in items.list {
        guard let value = programs.add(item.pattern) else {
          self.items.removeSubrange(start...)
          return nil
        }
        self.items.append(Item(name: programs.add(item.name), value: value))
      }
      return Int32(start)..<Int32(self.items.count)
    }

    /// - Returns: nil when not all of it is steps.
    fileprivate mutating func add(of rule: CompiledRule, _ programs: inout PatternPrograms) -> Int32? {
      var rest = Rest()
      switch rule.query {
      case .anything: break
      case .whole(let pattern):
        rest.query = programs.add(pattern)
        if rest.query == nil { return nil }
      case .items(let items):
        guard let range = range(of: items, &programs) else { return nil }
        rest.items = range
      }
      if let pattern = rule.fragment {
        rest.fragment = programs.add(pattern)
        if rest.fragment == nil { return nil }
      }
      list.append(rest)
      return Int32(list.count - 1)
    }
  }

  init(
    _ number: Int32, _ rule: CompiledRule, endsGroup: Bool, _ programs: inout PatternPrograms,
    _ rests: inout Rests
  ) {
    self.number = number
    self.endsGroup = endsGroup
    behind = Behind(rule.path)
    if rule.query.coversEverything, rule.fragment == nil { return }
    rest = (rule.form.isAsWritten ? rests.add(of: rule, &programs) : nil) ?? Self.compiled
  }

  /// Whether the path holds, of which is known that it begins with the rule's literal beginning (``PathKeys/prefix``); nil
  /// where the whole pattern must be asked, as for an empty path, which may be meant as `/`.
  @inline(__always)
  func pathHolds(behind beginning: Int, of path: UnsafeBufferPointer<UInt8>) -> Bool? {
    if path.isEmpty { return nil }
    switch behind {
    case .nothing: return path.count == beginning
    case .slashOrNothing: return path.count == beginning || path[beginning] == UInt8(ascii: "/")
    case .anything: return true
    case .pattern: return nil
    }
  }

  /// - Parameter path: In the rule's form, without its trailing slashes.
  @inline(__always)
  func pathHolds(
    _ path: UnsafeBufferPointer<UInt8>, _ steps: Path, _ reader: PatternReader, _ rules: [CompiledRule],
    _ work: inout WorkBudget
  ) -> Bool {
    guard let own = steps.own else { return rules[Int(number)].path.covers(path, &work) }
    if reader.covers(own, path, &work) { return true }
    if path.isEmpty, PathPattern.root.withUnsafeBufferPointer({ reader.covers(own, $0, &work) }) {
      return true
    }
    return steps.parent.map { reader.covers($0, path, &work) } ?? false
  }

  /// Whether query and fragment hold.
  @inline(__always)
  func holdsBehindPath(
    _ subject: inout Subject, _ reader: PatternReader, _ rests: [Rest], _ items: [Item],
    _ rules: [CompiledRule]
  ) -> Bool {
    if rest == Self.nothing { return true }
    if rest == Self.compiled { return rules[Int(number)].holdsBehindPath(&subject) }
    let rest = rests[Int(rest)]
    if let query = rest.query {
      guard subject.spend(bytes: subject.writtenQuery.count),
        reader.covers(query, subject.writtenQuery, &subject.work)
      else { return false }
    }
    if let fragment = rest.fragment {
      guard subject.spend(bytes: subject.writtenFragment.count),
        reader.covers(fragment, subject.writtenFragment, &subject.work)
      else { return false }
    }
    for place in rest.items where !Self.holds(items[Int(place)], &subject, reader) { return false }
    return true
  }

  /// Whether every value of the name is covered; a name that is absent has the empty value (Q3, Q4).
  private static func holds(_ item: Item, _ subject: inout Subject, _ reader: PatternReader) -> Bool {
    guard subject.spendOnItems() else { return false }
    var isPresent = false
    var holds = true
    Subject.visitItems(of: subject.writtenQuery) { name, value in
      guard holds, reader.isLiteral(item.name, name) else { return }
      isPresent = true
      holds = reader.covers(item.value, value, &subject.work)
    }
    if holds, !isPresent {
      holds = reader.covers(item.value, UnsafeBufferPointer(start: nil, count: 0), &subject.work)
    }
    return holds
  }
}
