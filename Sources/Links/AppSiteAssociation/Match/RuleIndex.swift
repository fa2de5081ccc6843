internal import LinkspanCore

/// The rules that compare text in one form, compiled together, so that a URL is compared with few of them.
///
/// Each rule is found by one key that only few rules share: the literal text that its paths begin with; else two to four
/// bytes that they hold; else an item, a query or a fragment with one exact text. Rules that no such key tells apart are
/// asked one after the other, after a look at which bytes the path holds at all. A key only leaves out rules that cannot
/// hold: what it leads to is compared in full, so that the answer is that of a walk over all rules (M4).
///
/// A class, so that searching it costs one reference count instead of one for every part.
final class RuleIndex: Sendable {
  /// The first of its rules.
  let first: Int32
  private let form: TextForm
  /// All of the table.
  private let rules: [CompiledRule]
  private let programs: PatternPrograms
  private let rests: [RuleProgram.Rest]
  private let items: [RuleProgram.Item]
  /// The rules of each group side by side, ascending.
  private let members: [RuleProgram]
  private let paths: [RuleProgram.Path]
  /// By the literal beginning of the path, the first member of a group.
  private let prefixes: PrefixIndex
  /// By neighbouring bytes of the path.
  private let grams: NumberTable
  /// Of how many bytes ``grams`` has some.
  private let gramLengths: [Int]
  private let conditions: NumberTable
  /// The members that ``conditions`` lead to.
  private let conditional: Range<Int32>
  /// The members that no key tells apart, and what each wants its path to hold.
  private let shared: Range<Int32>
  private let contents: [PathContent]
  /// Of the same members; nil where they are too few to gain by it.
  private let order: PathOrder?

  /// Our choice: comparing so many rules costs no more than telling them apart.
  private static let largestGroup = 16
  /// Our choice: so many rules are looked at one by one.
  private static let largestUnordered = 64
  /// Our choice: so many rules with one beginning are compared without a look for a better key.
  private static let largestBeginning = 4

  /// - Parameter places: Of rules with the same form that cover something, ascending; one at least.
  init(_ places: [Int32], of rules: [CompiledRule]) {
    first = places[0]
    self.rules = rules
    form = rules[Int(places[0])].form
    var keys = Keys()
    keys.place(places, of: rules)
    var programs = PatternPrograms()
    var rests = RuleProgram.Rests()
    var members: [RuleProgram] = []
    var steps: [RuleProgram.Path] = []
    /// - Returns: The place of the first.
    func add(_ numbers: [Int32]) -> Int32 {
      let start = Int32(members.count)
      for (place, number) in numbers.enumerated() {
        let rule = rules[Int(number)]
        let endsGroup = place == numbers.count - 1
        members.append(RuleProgram(number, rule, endsGroup: endsGroup, &programs, &rests))
        steps.append(RuleProgram.Path(rule, &programs))
      }
      return start
    }
    let groups = keys.groups.map(add)
    shared = add(keys.shared)..<Int32(members.count)
    let paths = keys.shared.map { rules[Int($0)].path }
    contents = paths.map { PathContent($0) }
    order = paths.count > Self.largestUnordered ? PathOrder(paths) : nil
    self.programs = programs
    self.rests = rests.list
    items = rests.items
    self.members = members
    self.paths = steps
    prefixes = PrefixIndex(keys.beginnings, numbers: groups)
    grams = NumberTable(keys.grams.map { ($0.number, groups[Int($0.group)]) })
    gramLengths = Gram.lengths.filter { length in keys.grams.contains { Gram.length(of: $0.number) == length }
    }
    conditions = NumberTable(keys.conditions.map { ($0.number, groups[Int($0.group)]) })
    let firstConditional = keys.conditions.first.map { groups[Int($0.group)] }
    conditional = (firstConditional ?? shared.lowerBound)..<shared.lowerBound
  }

  /// Looks for the first rule that decides.
  func search(_ subject: inout Subject, _ search: inout RuleSearch) {
    if form.withPlain(subject.writtenPath, { self.search(&subject, &search, path: $0) }) { return }
    subject.path(in: form).withUnsafeBufferPointer { self.search(&subject, &search, path: $0) }
  }

  private func search(
    _ subject: inout Subject, _ search: inout RuleSearch, path: UnsafeBufferPointer<UInt8>
  ) {
    // A rule may also cover an empty path as `/`.
    if path.isEmpty {
      PathPattern.root.withUnsafeBufferPointer { self.search(&subject, &search, path: path, text: $0) }
    } else {
      self.search(&subject, &search, path: path, text: path)
    }
  }

  @inline(__always)
  private func search(
    _ subject: inout Subject, _ search: inout RuleSearch, path: UnsafeBufferPointer<UInt8>,
    text: UnsafeBufferPointer<UInt8>
  ) {
    programs.withReader { reader in
      prefixes.visit(text) { numbers, length in
        look(at: numbers[0], &subject, &search, path, reader, beginning: length)
      }
      var seen = SeenGroups()
      grams.withFilter { filter in
        for place in gramLengths.indices {
          Gram.visit(text, gramLengths[place]) { gram in
            if filter.mayHold(gram) { look(at: grams, gram, &seen, &subject, &search, path, reader) }
          }
        }
      }
      if search.collectsPaths {
        for place in conditional { _ = look(atMember: Int(place), &subject, &search, path, reader) }
      } else if !conditional.isEmpty {
        conditions.withFilter { filter in
          visitConditions(&subject) { subject, condition in
            if filter.mayHold(condition) {
              look(at: conditions, condition, &seen, &subject, &search, path, reader)
            }
          }
        }
      }
      if shared.isEmpty || members[Int(shared.lowerBound)].number >= search.best { return }
      let content = PathContent(text)
      func ends(atShared place: Int) -> Bool {
        contents[place].isWithin(content)
          && look(atMember: Int(shared.lowerBound) + place, &subject, &search, path, reader)
      }
      if let order {
        order.visit(text) { ends(atShared: $0) }
      } else {
        for place in contents.indices where ends(atShared: place) { return }
      }
    }
  }

  /// Calls with every exact condition that the URL meets.
  @inline(__always)
  private func visitConditions(_ subject: inout Subject, _ body: (inout Subject, UInt64) -> Void) {
    guard form.isAsWritten else {
      for condition in subject.conditions(in: form) { body(&subject, condition) }
      return
    }
    let query = subject.writtenQuery
    Subject.visitItems(of: query) { body(&subject, ConditionNumber.item(name: $0, value: $1)) }
    body(&subject, ConditionNumber.query(query))
    body(&subject, ConditionNumber.fragment(subject.writtenFragment))
  }

  /// Looks at the group of a key, if it has one that was not looked at before.
  private func look(
    at table: NumberTable, _ key: UInt64, _ seen: inout SeenGroups, _ subject: inout Subject,
    _ search: inout RuleSearch, _ path: UnsafeBufferPointer<UInt8>, _ reader: PatternReader
  ) {
    guard let group = table.group(of: key), seen.insert(group) else { return }
    look(at: group, &subject, &search, path, reader)
  }

  @inline(__always)
  private func look(
    at group: Int32, _ subject: inout Subject, _ search: inout RuleSearch,
    _ path: UnsafeBufferPointer<UInt8>, _ reader: PatternReader, beginning: Int? = nil
  ) {
    var place = Int(group)
    while !look(atMember: place, &subject, &search, path, reader, beginning: beginning),
      !members[place].endsGroup
    {
      place += 1
    }
  }

  /// - Parameter beginning: How long the literal beginning is that the path shares with the rule, where it was found by that.
  /// - Returns: Whether the rules behind it in its group are of no interest any more.
  @inline(__always)
  private func look(
    atMember place: Int, _ subject: inout Subject, _ search: inout RuleSearch,
    _ path: UnsafeBufferPointer<UInt8>, _ reader: PatternReader, beginning: Int? = nil
  ) -> Bool {
    let number = members[place].number
    if number >= search.best { return true }
    guard subject.spend(bytes: path.count) else { return true }
    let isKnown = beginning.flatMap { members[place].pathHolds(behind: $0, of: path) }
    guard isKnown ?? members[place].pathHolds(path, paths[place], reader, rules, &subject.work) else {
      return false
    }
    if search.collectsPaths {
      search.paths.append(Int(number))
      return false
    }
    guard members[place].holdsBehindPath(&subject, reader, rests, items, rules) else { return false }
    search.best = number
    return true
  }

  /// The patterns of a rule, all in one form. By bytes: two spellings of a character are two patterns.
  private struct Spelling: Hashable {
    private let path: [UInt8]?
    private let query: [UInt8]?
    private let items: ObjectIdentifier?
    private let fragment: [UInt8]?

    init(_ rule: CompiledRule) {
      path = rule.settings.path.map { Array($0.utf8) }
      if case .whole(let text) = rule.settings.query { query = Array(text.utf8) } else { query = nil }
      if case .items(let items) = rule.query { self.items = ObjectIdentifier(items) } else { items = nil }
      fragment = rule.settings.fragment.map { Array($0.utf8) }
    }
  }

  /// Which key each rule is found by.
  private struct Keys {
    var groups: [[Int32]] = []
    /// One for each of the first groups.
    var beginnings: [[UInt8]] = []
    var grams: [(number: UInt64, group: Int32)] = []
    var conditions: [(number: UInt64, group: Int32)] = []
    var shared: [Int32] = []

    mutating func place(_ places: [Int32], of rules: [CompiledRule]) {
      var seen: Set<Spelling> = []
      var byBeginning: [[UInt8]: [(number: Int32, keys: PathKeys)]] = [:]
      for place in places {
        // What an earlier rule says as well never decides.
        if !seen.insert(Spelling(rules[Int(place)])).inserted { continue }
        let keys = PathKeys(rules[Int(place)].path)
        byBeginning[Array(keys.prefix), default: []].append((place, keys))
      }
      var rest: [(number: Int32, keys: PathKeys)] = []
      for (beginning, found) in byBeginning {
        if found.count > RuleIndex.largestBeginning {
          rest += found
        } else {
          beginnings.append(beginning)
          groups.append(found.map { $0.number })
        }
      }
      rest.sort { $0.number < $1.number }
      placeByGram(rest, of: rules)
    }

    private mutating func placeByGram(_ found: [(number: Int32, keys: PathKeys)], of rules: [CompiledRule]) {
      guard !found.isEmpty else { return }
      var counts = GramCounts(ruleCount: found.count)
      for rule in found {
        for length in Gram.lengths { rule.keys.visitGrams(length) { counts.add($0) } }
      }
      var byGram: [UInt64: [Int32]] = [:]
      var rest: [Int32] = []
      for rule in found {
        if let gram = rule.keys.rarestGram(counts) {
          byGram[gram, default: []].append(rule.number)
        } else {
          rest.append(rule.number)
        }
      }
      for (gram, numbers) in byGram {
        if numbers.count > RuleIndex.largestGroup {
          rest += numbers
        } else {
          grams.append((gram, Int32(groups.count)))
          groups.append(numbers)
        }
      }
      var byCondition: [UInt64: [Int32]] = [:]
      for number in rest.sorted() {
        if let condition = rules[Int(number)].exactCondition {
          byCondition[condition, default: []].append(number)
        } else {
          shared.append(number)
        }
      }
      for (condition, numbers) in byCondition {
        if numbers.count > RuleIndex.largestGroup {
          shared += numbers
        } else {
          conditions.append((condition, Int32(groups.count)))
          groups.append(numbers)
        }
      }
      shared.sort()
    }
  }
}

/// The groups that one URL was compared with: a hostile one leads to the same again and again.
private struct SeenGroups {
  private var last: (Int32, Int32, Int32, Int32) = (-1, -1, -1, -1)
  private var count = 0
  /// Not made of an empty list, which is made and thrown away each time.
  private var rest = Set<Int32>()

  /// - Returns: false when it is in it already.
  @inline(__always)
  mutating func insert(_ group: Int32) -> Bool {
    if group == last.0 || group == last.1 || group == last.2 || group == last.3 { return false }
    guard count < 4 else { return rest.insert(group).inserted }
    last = (group, last.0, last.1, last.2)
    count += 1
    return true
  }
}
