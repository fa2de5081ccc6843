internal import LinkLanguages

/// Differences at URLs that are built from a rule's own patterns: no search, and no proof where there is none.
struct PairExamples {
  private let old: RuleTable
  private let new: RuleTable

  private let comparisonsPerByte: Int

  /// Our choice: rules that cost less for a byte are not counted.
  private static let longList = 64
  /// Our estimates: most rules are passed over by their literal text.
  private static let comparisonsPerStep = 2_000
  private static let leastCost = 50
  private static let costOfItem = 10
  private static let itemsPerStep = 4
  private static let host = "example.com"
  private static let start = "https://\(host)"

  init(old: RuleList, new: RuleList) {
    self.old = RuleTable(old.rules)
    self.new = RuleTable(new.rules)
    comparisonsPerByte = (old.rules + new.rules).reduce(0) { sum, rule in
      let cost = rule.costPerByte
      return cost < Self.longList ? sum : sum + cost
    }
  }

  /// What deciding a URL costs, in steps of automata: next to nothing beside variables with long lists of patterns, which
  /// are compared one by one.
  func cost(of rest: String) -> Int {
    Self.leastCost + comparisonsPerByte * rest.utf8.count / Self.comparisonsPerStep
  }

  /// What writing the examples of a rule costs, and looking for each of its items among those of a URL.
  func cost(of rule: CompiledRule) -> Int {
    guard case .items(let items) = rule.query else { return Self.leastCost }
    return Self.leastCost + items.list.count * (Self.costOfItem + items.list.count / Self.itemsPerStep)
  }

  /// - Returns: nil as well when the budget is spent.
  func difference(of rule: CompiledRule, _ budget: inout SearchBudget) -> PairSearch.Difference? {
    guard budget.spend(cost(of: rule)) else { return nil }
    for rest in urls(of: rule) {
      // The other list may decode escapes where this rule does not.
      for rest in [rest] + Self.escaped(rest) {
        guard budget.spend(cost(of: rest)) else { return nil }
        if let difference = difference(at: rest) { return difference }
      }
    }
    return nil
  }

  /// - Parameter rest: Path, query and fragment, as everywhere here.
  func difference(at rest: String) -> PairSearch.Difference? {
    let url = LinkURL(Self.start + rest)
    // The matcher takes no longer one.
    guard url.bytes.count <= LinkURL.lengthLimitBytes else { return nil }
    let (before, after) = deciding(url)
    if before?.isExclusion == after?.isExclusion { return nil }
    return PairSearch.Difference(rest: rest, old: before, new: after)
  }

  /// URLs that are built from a rule's patterns.
  func urls(of rule: CompiledRule) -> [String] {
    rule.witnesses(host: Self.host).map { String($0.dropFirst(Self.start.count)) }
  }

  /// The place of the rule that decides.
  func decidingPlace(_ rest: String, inOld: Bool) -> Int? {
    let url = LinkURL(Self.start + rest)
    return url.bytes.withUnsafeBufferPointer { bytes in
      var subject = Subject(url, bytes: bytes)
      return (inOld ? old : new).firstDecisivePlace(&subject)
    }
  }

  private func deciding(_ url: LinkURL) -> (old: CompiledRule?, new: CompiledRule?) {
    url.bytes.withUnsafeBufferPointer { bytes in
      var subject = Subject(url, bytes: bytes)
      return (old.firstDecisive(&subject), new.firstDecisive(&subject))
    }
  }

  /// With the last letter of the path as an escape, and with the first, which a star seldom stands for: the same only where
  /// escapes are decoded.
  private static func escaped(_ rest: String) -> [String] {
    let path = rest.prefix { $0 != "?" && $0 != "#" }
    if path.contains("%") { return [] }
    func isLetter(_ character: Character) -> Bool { character.isASCII && character.isLetter }
    return [path.lastIndex(where: isLetter), path.firstIndex(where: isLetter)].compactMap {
      place -> String? in
      guard let place, let byte = path[place].asciiValue else { return nil }
      let digits = String(byte, radix: 16, uppercase: true)
      return rest[..<place] + "%" + digits + rest[rest.index(after: place)...]
    }
  }
}
