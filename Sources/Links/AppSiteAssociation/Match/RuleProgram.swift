internal import LinkspanCore

/// One rule as steps of ``PatternPrograms``, as far as its patterns are such steps.
struct RuleProgram: Sendable {
  /// What is compared behind the path.
  private enum Rest: UInt8, Sendable {
    case nothing
    case steps
    /// The compiled rule answers.
    case compiled
  }

  /// The place of the rule in its table.
  let number: Int32
  /// nil where the compiled rule answers for the path as well.
  private var path: PatternPrograms.Program?
  private var parent: PatternPrograms.Program?
  private var rest = Rest.nothing
  private var query: PatternPrograms.Program?
  private var fragment: PatternPrograms.Program?
  private var items: Range<Int32> = 0..<0

  /// What a rule wants of the items of one name.
  struct Item: Sendable {
    var name: Range<Int32>
    var value: PatternPrograms.Program
  }

  /// The items of all rules, those of rules that say the same once.
  struct Items {
    private(set) var list: [Item] = []
    private var ranges: [ObjectIdentifier: Range<Int32>?] = [:]

    /// - Returns: nil when a pattern is no steps.
    fileprivate mutating func range(of items: QueryItems, _ programs: inout PatternPrograms) -> Range<Int32>?
    {
      if let known = ranges[ObjectIdentifier(items)] { return known }
      let range = added(items, &programs)
      ranges[ObjectIdentifier(items)] = .some(range)
      return range
    }

    private mutating func added(_ items: QueryItems, _ programs: inout PatternPrograms) -> Range<Int32>? {
      let start = list.count
      for item in items.list {
        guard let value = programs.add(item.pattern) else {
          list.removeSubrange(start...)
          return nil
        }
        list.append(Item(name: programs.add(item.name), value: value))
      }
      return Int32(start)..<Int32(list.count)
    }
  }

  init(_ number: Int32, _ rule: CompiledRule, _ programs: inout PatternPrograms, _ allItems: inout Items) {
    self.number = number
    let forms = rule.path.forms.map { programs.add($0) }
    if forms.allSatisfy({ $0 != nil }) {
      path = forms[0]
      parent = forms.count > 1 ? forms[1] : nil
    }
    if rule.query.coversEverything, rule.fragment == nil { return }
    rest = rule.form.isAsWritten && addRest(of: rule, &programs, &allItems) ? .steps : .compiled
  }

  /// - Returns: Whether all of it is steps.
  private mutating func addRest(
    of rule: CompiledRule, _ programs: inout PatternPrograms, _ allItems: inout Items
  ) -> Bool {
    switch rule.query {
    case .anything: break
    case .whole(let pattern):
      query = programs.add(pattern)
      if query == nil { return false }
    case .items(let items):
      guard let range = allItems.range(of: items, &programs) else { return false }
      self.items = range
    }
    guard let pattern = rule.fragment else { return true }
    fragment = programs.add(pattern)
    return fragment != nil
  }

  /// - Parameter path: In the rule's form, without its trailing slashes.
  @inline(__always)
  func pathHolds(
    _ path: UnsafeBufferPointer<UInt8>, _ reader: PatternReader, _ rules: [CompiledRule],
    _ work: inout WorkBudget
  ) -> Bool {
    guard let own = self.path else { return rules[Int(number)].path.covers(path, &work) }
    if reader.covers(own, path, &work) { return true }
    if path.isEmpty, PathPattern.root.withUnsafeBufferPointer({ reader.covers(own, $0, &work) }) {
      return true
    }
    return parent.map { reader.covers($0, path, &work) } ?? false
  }

  /// Whether query and fragment hold.
  @inline(__always)
  func holdsBehindPath(
    _ subject: inout Subject, _ reader: PatternReader, _ allItems: [Item], _ rules: [CompiledRule]
  ) -> Bool {
    switch rest {
    case .nothing: return true
    case .compiled: return rules[Int(number)].holdsBehindPath(&subject)
    case .steps:
      if let query {
        guard subject.spend(bytes: subject.writtenQuery.count),
          reader.covers(query, subject.writtenQuery, &subject.work)
        else { return false }
      }
      if let fragment {
        guard subject.spend(bytes: subject.writtenFragment.count),
          reader.covers(fragment, subject.writtenFragment, &subject.work)
        else { return false }
      }
      for place in items where !Self.holds(allItems[Int(place)], &subject, reader) { return false }
      return true
    }
  }

  /// Whether every value of the name is covered; a name that is absent has the empty value (Q3, Q4).
  private static func holds(_ item: Item, _ subject: inout Subject, _ reader: PatternReader) -> Bool {
    guard subject.spendOnItems() else { return false }
    var isPresent = false
    var holds = true
    var work = subject.work
    subject.visitWrittenItems { name, value in
      guard holds, reader.isLiteral(item.name, name) else { return }
      isPresent = true
      holds = reader.covers(item.value, value, &work)
    }
    if holds, !isPresent {
      holds = reader.covers(item.value, UnsafeBufferPointer(start: nil, count: 0), &work)
    }
    subject.work = work
    return holds
  }
}
