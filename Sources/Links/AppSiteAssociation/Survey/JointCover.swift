internal import LinkLanguages
internal import LinkspanCore

/// Which rules can never decide because several earlier ones together cover all they could, though none does alone.
///
/// A URL that the rule decides settles most cases: one is built from its own patterns. The rest is asked of the algebra.
struct JointCover {
  private(set) var covered: [Reachability.Place: (rule: CompiledRule, earlier: [CompiledRule])] = [:]
  /// What the bound left open.
  private(set) var undecided: Set<Reachability.Place> = []
  private var reachable: Set<Reachability.Place> = []

  /// Our choice: steps for the URLs that are tried, less than a tenth of a second.
  private static let trialLimit = 8_000_000
  /// Our choice: steps of automata, one or two tenths of a second.
  private static let stepLimit = 800_000
  private static let stateLimit = 60_000
  /// Our choice: passing over a rule whose bytes the URL lacks costs this part of a comparison.
  private static let passedPerStep = 8
  private static let host = "example.com"

  /// - Parameter known: Rules that one earlier rule covers.
  init(
    _ matcher: AssociationMatcher, but known: Set<Reachability.Place>, _ work: inout WorkBudget
  ) {
    work.withShare(of: Self.trialLimit + Self.stepLimit, stateLimit: Self.stateLimit) { budget in
      var trials = WorkBudget(steps: min(Self.trialLimit, budget.steps))
      let before = trials.steps
      for app in matcher.applicationsWithOwnRules {
        look(at: matcher, app, but: known, &trials, &budget)
      }
      _ = budget.spend(before - trials.steps)
    }
    undecided.subtract(reachable)
    covered = covered.filter { !reachable.contains($0.key) && !undecided.contains($0.key) }
  }

  private mutating func look(
    at matcher: AssociationMatcher, _ app: String, but known: Set<Reachability.Place>,
    _ trials: inout WorkBudget, _ budget: inout WorkBudget
  ) {
    var rules = (matcher.rules(of: app) ?? []).filter { !$0.coversNothing }
    if let last = rules.firstIndex(where: { $0.coversEverything }) { rules.removeSubrange((last + 1)...) }
    let contents = rules.map { rule in
      rule.form.isAsWritten && !rule.path.coversEverything ? PathContent(rule.path) : .nothing
    }
    var open: [Int] = []
    for (place, rule) in rules.enumerated() {
      let own = Reachability.Place(rule)
      if known.contains(own) || reachable.contains(own) || Reachability.readsVariablesAsText(rule) {
        continue
      }
      if Self.decidesAnExample(place, rules, contents, &trials) {
        reachable.insert(own)
      } else {
        open.append(place)
      }
    }
    guard !open.isEmpty else { return }
    let languages = RuleLanguages()
    let list = RuleList(rules, languages)
    let questions = RuleQuestions(list: list, languages: languages)
    for place in open {
      let own = Reachability.Place(list.rules[place])
      guard !budget.isExhausted else {
        undecided.insert(own)
        continue
      }
      switch questions.decides(place, &budget) {
      case .witness(let rest):
        let url = LinkURL("https://\(Self.host)\(rest)")
        let decision = matcher.decide(url, app: app, host: .exactly(Self.host))
        // What the matcher does not confirm stays open.
        if decision.entry == own.entry, decision.rule == own.rule {
          reachable.insert(own)
        } else {
          undecided.insert(own)
        }
      case .none(let instead):
        if covered[own] == nil { covered[own] = (list.rules[place], instead.map { list.rules[$0] }) }
      case .undecided: undecided.insert(own)
      }
    }
  }

  /// Whether the rule decides a URL that is built from its own patterns.
  private static func decidesAnExample(
    _ place: Int, _ rules: [CompiledRule], _ contents: [PathContent], _ trials: inout WorkBudget
  ) -> Bool {
    guard trials.spend(rules[place].costOfWitnesses) else { return false }
    for text in rules[place].witnesses(host: host) {
      let url = LinkURL(text)
      guard trials.spend(place / passedPerStep) else { return false }
      let isDecided = Subject.comparing(url, within: &trials) { subject in
        guard rules[place].firstFailure(&subject) == nil else { return false }
        let content = PathContent(ofPath: subject.writtenPath)
        for earlier in 0..<place where contents[earlier].isWithin(content) {
          if rules[earlier].firstFailure(&subject) == nil { return false }
          if subject.work.isExhausted { return false }
        }
        return true
      }
      if isDecided { return true }
      if trials.isExhausted { return false }
    }
    return false
  }
}
