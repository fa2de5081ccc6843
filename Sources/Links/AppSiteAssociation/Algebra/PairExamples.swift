internal import LinkLanguages
internal import LinkspanCore

/// Differences at URLs that are built from a rule's own patterns: no search, and no proof where there is none.
struct PairExamples {
  private let old: RuleTable
  private let new: RuleTable

  /// Our estimates.
  private static let leastCost = 50
  private static let costOfItem = 10
  private static let itemsPerStep = 4
  private static let host = "example.com"
  private static let start = "https://\(host)"

  init(old: RuleList, new: RuleList) {
    self.old = RuleTable(old.rules)
    self.new = RuleTable(new.rules)
  }

  /// What writing the examples of a rule costs, and looking for each of its items among those of a URL.
  func cost(of rule: CompiledRule) -> Int {
    guard case .items(let items) = rule.query else { return Self.leastCost }
    return Self.leastCost + items.list.count * (Self.costOfItem + items.list.count / Self.itemsPerStep)
  }

  /// - Returns: nil as well when the budget is spent.
  func difference(of rule: CompiledRule, _ budget: inout WorkBudget) -> PairSearch.Difference? {
    guard budget.spend(cost(of: rule)) else { return nil }
    for rest in urls(of: rule) {
      // The other list may decode escapes where this rule does not.
      for rest in [rest] + Self.escaped(rest) {
        guard budget.spend(Self.leastCost) else { return nil }
        if let difference = difference(at: rest, &budget) { return difference }
      }
    }
    return nil
  }

  /// - Parameter rest: Path, query and fragment, as everywhere here.
  /// - Returns: nil as well when the budget is spent.
  func difference(at rest: String, _ budget: inout WorkBudget) -> PairSearch.Difference? {
    let url = LinkURL(Self.start + rest)
    // The matcher takes no longer one.
    guard url.byteCount <= LinkURL.lengthLimitBytes else { return nil }
    let (before, after) = deciding(url, &budget)
    if before?.isExclusion == after?.isExclusion || budget.isExhausted { return nil }
    return PairSearch.Difference(rest: rest, old: before, new: after)
  }

  /// URLs that are built from a rule's patterns.
  func urls(of rule: CompiledRule) -> [String] {
    rule.witnesses(host: Self.host).map { String($0.dropFirst(Self.start.count)) }
  }

  /// The place of the rule that decides; nil as well when the budget is spent.
  func decidingPlace(_ rest: String, inOld: Bool, _ budget: inout WorkBudget) -> Int? {
    let url = LinkURL(Self.start + rest)
    return Subject.comparing(url, within: &budget) { subject in
      (inOld ? old : new).firstDecisivePlace(&subject)
    }
  }

  private func deciding(
    _ url: LinkURL, _ budget: inout WorkBudget
  ) -> (old: CompiledRule?, new: CompiledRule?) {
    Subject.comparing(url, within: &budget) { subject in
      (old.firstDecisive(&subject), new.firstDecisive(&subject))
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
