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
    private(set) var differences: [Difference] = []
    private(set) var undecided: [String] = []
    var isCutShort = false
    private var pairs: Set<[ObjectIdentifier?]> = []

    /// Keeps one URL of each pair of rules.
    ///
    /// - Parameter confirmed: The URL, and whether the matcher decides it so: one that it does not confirm is none.
    mutating func add(
      _ old: CompiledRule?, _ new: CompiledRule?, confirmed: () -> (rest: String, isConfirmed: Bool)
    ) {
      guard pairs.insert([old, new].map { $0.map(ObjectIdentifier.init) }).inserted else { return }
      let (rest, isConfirmed) = confirmed()
      if isConfirmed {
        differences.append(Difference(rest: rest, old: old, new: new))
      } else {
        undecided.append("\(rest), on which the matcher and the algebra disagree")
      }
    }

    mutating func leaveOpen(_ rule: CompiledRule) {
      var shown = rule.settings
      var rest = ""
      if case .items(let items) = shown.query, items.count > PairSearch.shownItems {
        shown.query = .items(Array(items.prefix(PairSearch.shownItems)))
        rest = " and \((items.count - PairSearch.shownItems).counted("more item"))"
      }
      undecided.append(
        "URLs that match \(shown.json.text)\(rest) (entry \(rule.entry)"
          + (rule.rule.map { ", rule \($0)" } ?? "") + ")")
    }

    mutating func add(_ difference: Difference) {
      add(difference.old, difference.new, confirmed: { (difference.rest, true) })
    }
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

  /// A rule that the other list lacks in its place.
  private struct Candidate {
    var list: RuleList
    var other: RuleList
    var isOld: Bool
    var place: Int
    /// How many candidates are left to look at, this one among them.
    var left = 0

    var rule: CompiledRule { list.rules[place] }
    var verdict: Verdict { Verdict(list.elements[place]) }
  }

  /// What all candidates of a comparison share.
  private struct Plan {
    let examples: PairExamples
    /// Where so many rules changed, one URL of each says more than every URL of few.
    let oneWillDo: Bool
  }

  /// A URL is decided differently only if a changed rule decides it in its own list: of two unchanged rules the same one
  /// comes first in both lists.
  func run(_ budget: inout WorkBudget) -> Outcome {
    var outcome = Outcome()
    let changed = RuleList.changed(old, new)
    var candidates =
      changed.old.map { Candidate(list: old, other: new, isOld: true, place: $0) }
      + changed.new.map { Candidate(list: new, other: old, isOld: false, place: $0) }
    guard !candidates.isEmpty else { return outcome }
    for index in candidates.indices { candidates[index].left = candidates.count - index }
    let plan = Plan(
      examples: PairExamples(old: old, new: new), oneWillDo: candidates.count > Self.manyChanges)
    for candidate in candidates {
      if outcome.differences.count >= limits.changes {
        outcome.isCutShort = true
        break
      }
      if plan.oneWillDo, let difference = plan.examples.difference(of: candidate.rule, &budget) {
        outcome.add(difference)
        outcome.isCutShort = true
        continue
      }
      // No rule may take much more than its share, so that the others are looked at as well: half of what each of them
      // is due is kept for it.
      let kept = budget.steps / candidate.left / 2 * (candidate.left - 1)
      let due = max(Self.leastSteps, budget.steps / candidate.left * Self.sharesOfOne)
      budget.withShare(of: min(budget.steps - kept, due)) { look(at: candidate, plan, &$0, &outcome) }
    }
    return outcome
  }

  private func look(
    at candidate: Candidate, _ plan: Plan, _ budget: inout WorkBudget, _ outcome: inout Outcome
  ) {
    let examples = plan.examples
    var known: Difference?
    switch budget.steps > 0 ? firstURL(of: candidate, examples, &budget) : .unknown {
    case .none: return
    case .found(let rest): known = examples.difference(at: rest, &budget)
    case .unknown: break
    }
    if let known, plan.oneWillDo {
      outcome.add(known)
      outcome.isCutShort = true
      return
    }
    let search =
      budget.steps <= 0
      ? (ending: URLSearch.Ending.budgetExceeded, hasDifference: false)
      : search(candidate, examples, &budget, &outcome)
    guard search.ending == .budgetExceeded else { return }
    if search.hasDifference {
      outcome.isCutShort = true
    } else if let difference = known ?? examples.difference(of: candidate.rule, &budget) {
      outcome.add(difference)
      outcome.isCutShort = true
    } else {
      outcome.leaveOpen(candidate.rule)
    }
  }

  private enum FirstURL {
    /// A URL that the rule decides in its list: path, query and fragment.
    case found(String)
    /// Earlier rules hold for all of its URLs.
    case none
    case unknown
  }

  /// Looks for a URL that a rule decides in its list, beside few of the earlier ones: those that decide its examples, and
  /// each time a URL is found, the one that decides it.
  private func firstURL(
    of candidate: Candidate, _ examples: PairExamples, _ budget: inout WorkBudget
  ) -> FirstURL {
    let list = candidate.list
    let own = list.elements[candidate.place].language
    var earlier: Set<Int> = []
    guard budget.spend(examples.cost(of: candidate.rule)) else { return .unknown }
    for rest in examples.urls(of: candidate.rule) {
      guard let place = examples.decidingPlace(rest, inOld: candidate.isOld, &budget) else {
        if budget.isExhausted { return .unknown }
        continue
      }
      if place == candidate.place { return .found(rest) }
      if place < candidate.place { earlier.insert(place) }
    }
    while earlier.count <= Self.mostEarlier {
      let numbers = earlier.sorted().map { list.elements[$0].language } + [own]
      var rest: String?
      let ending = languages.search(numbers).run(
        [Array(numbers.indices)], needingLast: true, budget: &budget,
        canMatter: { $0.last(0) == earlier.count },
        visit: { deciding, url in
          guard deciding[0] == earlier.count else { return .goOn }
          rest = url()
          return .stop
        })
      guard let rest else { return ending == .exhausted ? .none : .unknown }
      guard let place = examples.decidingPlace(rest, inOld: candidate.isOld, &budget) else {
        return .unknown
      }
      if place == candidate.place { return .found(rest) }
      guard place < candidate.place, earlier.insert(place).inserted else { return .unknown }
    }
    return .unknown
  }

  /// Ours: what a person reads.
  private static let shownItems = 4
  /// Our choice: beyond so many, the search that knows every rule is as good.
  private static let mostEarlier = 24

  /// Our choice: what every search may cost, and how many shares of what is left one may take.
  private static let leastSteps = 100_000
  private static let sharesOfOne = 8
  /// Our choice: with more changed rules, URLs built from their patterns are tried before the search.
  private static let manyChanges = 60
  /// Our choice: how many more URLs are looked at, all searches together, where a difference is known already.
  private static let furtherVisits = 400_000
  private static let leastFurtherVisits = 50

  /// Searches the URLs that one rule decides in its list, to the end or, behind the first difference, for a while.
  private func search(
    _ candidate: Candidate, _ examples: PairExamples, _ budget: inout WorkBudget,
    _ outcome: inout Outcome
  ) -> (ending: URLSearch.Ending, hasDifference: Bool) {
    let (list, other) = (candidate.list, candidate.other)
    let prefix = list.prefixes[candidate.place]
    let own = list.meeting(prefix).filter { $0 <= candidate.place }
    let others = other.meeting(prefix)
    let count = own.count
    let elements = own.map { list.elements[$0] } + others.map { other.elements[$0] }
    var visitsLeft: Int?
    let allowed = max(
      Self.leastFurtherVisits, Self.furtherVisits / candidate.left / max(1, elements.count / 20))
    let verdict = candidate.verdict
    let ending = languages.search(elements.map { $0.language }).run(
      [Array(0..<count), Array(count..<elements.count)], needingLast: true, budget: &budget,
      canMatter: { prospect in
        prospect.last(0) == count - 1
          && (!prospect.isCertain(1) || prospect.rules(1).contains { Verdict(elements[$0]) != verdict })
      },
      visit: { deciding, url in
        if let count = visitsLeft {
          visitsLeft = count - 1
          if count <= 0 {
            outcome.isCutShort = true
            return .stop
          }
        }
        guard deciding[0] == count - 1, Verdict(deciding[1].map { elements[$0] }) != verdict else {
          return .goOn
        }
        if visitsLeft == nil { visitsLeft = allowed }
        let other = deciding[1].map { other.rules[others[$0 - count]] }
        let (before, after) = candidate.isOld ? (candidate.rule, other) : (other, candidate.rule)
        var work = WorkBudget.decision
        outcome.add(
          before, after,
          confirmed: {
            let rest = url()
            let difference = examples.difference(at: rest, &work)
            return (rest, difference?.old === before && difference?.new === after)
          })
        guard outcome.differences.count < limits.changes else {
          outcome.isCutShort = true
          return .stop
        }
        return .goOnSpending(WorkBudget.decision.steps - work.steps)
      })
    return (ending, visitsLeft != nil)
  }
}
