internal import LinkLanguages
internal import LinkspanCore

/// Searches two lists of rules for URLs that they decide differently.
struct PairSearch {
  struct Difference {
    /// Path, query and fragment.
    var rest: String
    var old: CompiledRule?
    var new: CompiledRule?
  }

  struct Outcome {
    var differences: [Difference] = []
    var undecided: [String] = []
    var isCutShort = false
  }

  let old: RuleList
  let new: RuleList
  let languages: RuleLanguages
  let limits: FileComparison.Limits

  /// What a list says of a URL.
  private enum Verdict: Hashable {
    case match
    case excluded
    case nothing

    init(_ element: RuleList.Element?) {
      self = element.map { $0.isExclusion ? .excluded : .match } ?? .nothing
    }
  }

  private struct Places: Hashable {
    var old: Int?
    var new: Int?
  }

  func run(_ budget: inout SearchBudget) -> Outcome {
    var outcome = Outcome()
    var seen: Set<Places> = []
    var searched: Set<Int> = []
    let changed = RuleList.changed(old, new)
    let candidates =
      changed.old.map { (old, $0) } + changed.new.map { (new, $0) }
    let examples = PairExamples(old: old, new: new)
    var shown: Set<[ObjectIdentifier?]> = []
    for (index, (list, place)) in candidates.enumerated()
    where searched.insert(list.elements[place].language).inserted {
      if outcome.differences.count >= limits.changes {
        outcome.isCutShort = true
        break
      }
      // Where so many rules changed, one URL of each says more than every URL of few.
      if candidates.count > Self.manyChanges, let difference = examples.difference(of: list.rules[place]) {
        outcome.isCutShort = true
        let pair = [difference.old, difference.new].map { $0.map(ObjectIdentifier.init) }
        if shown.insert(pair).inserted { outcome.differences.append(difference) }
        continue
      }
      // No rule may take much more than its share, so that the others are looked at as well: half of what each of them
      // is due is kept for it.
      let left = candidates.count - index
      let kept = budget.steps / left / 2 * (left - 1)
      let due = max(Self.leastSteps, budget.steps / left * Self.sharesOfOne)
      var share = SearchBudget(steps: max(0, min(budget.steps - kept, due)), stateLimit: limits.states)
      let before = share.steps
      let ending =
        before <= 0
        ? (ending: .budgetExceeded, hasDifference: false)
        : search(list, place, left, &share, &outcome, &seen)
      budget.take(before - share.steps)
      if ending.ending == .budgetExceeded {
        guard !ending.hasDifference else {
          outcome.isCutShort = true
          continue
        }
        let rule = list.rules[place]
        if let difference = examples.difference(of: rule) {
          outcome.differences.append(difference)
          outcome.isCutShort = true
          continue
        }
        outcome.undecided.append(
          "URLs that match \(rule.settings.json.text) (entry \(rule.entry)"
            + (rule.rule.map { ", rule \($0)" } ?? "") + ")")
      }
    }
    return outcome
  }

  /// Our choice: what every search may cost, and how many shares of what is left one may take.
  private static let leastSteps = 100_000
  private static let sharesOfOne = 8
  /// Our choice: with more changed rules, URLs built from their patterns are tried before the search.
  private static let manyChanges = 60
  /// Our choice: how many more URLs are looked at, all searches together, where a difference is known already.
  private static let furtherVisits = 400_000
  private static let leastFurtherVisits = 50

  /// Searches the URLs that one rule holds for, to the end or, behind the first difference, for a while.
  private func search(
    _ list: RuleList, _ place: Int, _ left: Int, _ budget: inout SearchBudget, _ outcome: inout Outcome,
    _ seen: inout Set<Places>
  ) -> (ending: URLSearch.Ending, hasDifference: Bool) {
    let prefix = list.prefixes[place]
    let oldRules = old.meeting(prefix)
    let newRules = new.meeting(prefix)
    let count = oldRules.count
    let elements = oldRules.map { old.elements[$0] } + newRules.map { new.elements[$0] }
    let own = elements.count
    var visitsLeft: Int?
    let allowed = max(Self.leastFurtherVisits, Self.furtherVisits / left / max(1, own / 20))
    let numbers = elements.map(\.language) + [list.elements[place].language]
    let search = URLSearch(
      numbers.map { languages.all[$0] }, alphabet: languages.alphabet(of: Set(numbers).sorted()))
    func element(_ number: Int?) -> RuleList.Element? { number.map { elements[$0] } }
    let ending = search.run(
      [Array(0..<count), Array(count..<own), [own]], budget: &budget,
      canMatter: { prospect in
        if prospect.isEmpty(2) { return false }
        var first: Verdict?
        for list in 0...1 {
          if !prospect.isCertain(list) {
            if let first, first != .nothing { return true }
            first = .nothing
          }
          for rule in prospect.rules(list) {
            let verdict = Verdict(elements[rule])
            if let first, first != verdict { return true }
            first = verdict
          }
        }
        return false
      },
      visit: { deciding, url in
        if let count = visitsLeft {
          visitsLeft = count - 1
          if count <= 0 {
            outcome.isCutShort = true
            return .stop
          }
        }
        guard deciding[2] != nil, Verdict(element(deciding[0])) != Verdict(element(deciding[1])) else {
          return .goOn
        }
        if visitsLeft == nil { visitsLeft = allowed }
        let places = Places(
          old: deciding[0].map { oldRules[$0] }, new: deciding[1].map { newRules[$0 - count] })
        if seen.insert(places).inserted {
          outcome.differences.append(
            Difference(
              rest: url(), old: places.old.map { old.rules[$0] }, new: places.new.map { new.rules[$0] }))
        }
        guard outcome.differences.count < limits.changes else {
          outcome.isCutShort = true
          return .stop
        }
        return .goOn
      })
    return (ending, visitsLeft != nil)
  }
}
