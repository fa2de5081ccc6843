package import LinkLanguages
package import LinkspanCore

/// Compares the rules of one application with the routes that they are meant to open.
package struct RouteProof {
  /// URLs that a list of rules and the routes disagree about, by one of them.
  package struct Difference: Hashable, Sendable {
    /// Path, query and fragment.
    package var rest: String
    /// Whether a route is there for it, and no exclusion.
    package var isWanted: Bool
    package var got: Decision.Verdict
    /// The place of the rule that decides; nil when none does.
    package var rule: Int?
    /// The route or exclusion that decides; nil when none does.
    package var wanted: WantedRule?

    package var route: Route? { wanted?.route }
  }

  package struct Outcome: Sendable {
    package var differences: [Difference] = []
    /// Whether the search came to its end, or to the number of differences asked for.
    package var isDecided = true
  }

  private let languages = RuleLanguages()
  private let wanted: [(rule: WantedRule, language: Int)]

  /// What one comparison may cost. Our choice.
  package static let budget = WorkBudget(steps: 60_000_000)
  /// Steps that compiling a rule is worth; measured.
  private static let costOfRule = 2_000

  package init(routes: [Route], exclusions: [Route]) {
    // What no automaton decides comes last: a URL of another route is certain.
    let known = routes.filter { $0.unknown == nil } + routes.filter { $0.unknown != nil }
    self.init(exclusions.map { WantedRule($0, isExclusion: true) } + known.map { WantedRule($0) })
  }

  /// - Parameters:
  ///   - wanted: The first that holds for a URL decides.
  ///   - variables: What `$(name)` stands for in it.
  package init(_ wanted: [WantedRule], variables: SubstitutionVariables = .none) {
    let languages = languages
    self.wanted = wanted.compactMap { rule in
      languages.number(of: rule, variables: variables).map { (rule, $0) }
    }
  }

  /// - Parameters:
  ///   - rules: As in `components`, in their order.
  ///   - limit: How many differences are of interest, each of other rules.
  package func differences(
    of rules: [RuleSettings], variables: SubstitutionVariables = .none, limit: Int, _ budget: inout WorkBudget
  ) -> Outcome {
    guard budget.spend(Self.costOfRule * rules.count) else { return Outcome(isDecided: false) }
    return differences(
      of: rules.enumerated().map { index, settings in
        CompiledRule(entry: 0, rule: index, isPath: false, settings: settings, variables: variables)
      }, limit: limit, &budget)
  }

  /// The same of the rules that a file has for an application.
  package func differences(
    of app: String, in matcher: AssociationMatcher, limit: Int, _ budget: inout WorkBudget
  ) -> Outcome {
    let rules = matcher.rules(of: app) ?? []
    guard budget.spend(Self.costOfRule * rules.count) else { return Outcome(isDecided: false) }
    return differences(of: rules, limit: limit, &budget)
  }

  private func differences(
    of rules: [CompiledRule], limit: Int, _ budget: inout WorkBudget
  ) -> Outcome {
    let list = RuleList(rules, languages)
    let count = list.elements.count
    let numbers = list.elements.map { $0.language } + wanted.map { $0.language }
    func opens(_ place: Int) -> Bool {
      place < count ? !list.elements[place].isExclusion : !wanted[place - count].rule.isExclusion
    }
    func isUnknown(_ place: Int) -> Bool {
      place >= count && wanted[place - count].rule.route?.unknown != nil
    }
    var outcome = Outcome()
    var seen: Set<Places> = []
    // A router reads `/%61` as `/a`, and a route is written without needless escapes; routers differ on `%2F`.
    let search = languages.search(numbers, isNormalised: true)
    let ending = search.run(
      [Array(0..<count), Array(count..<numbers.count)], budget: &budget,
      canMatter: { $0.canDiffer { isUnknown($0) ? nil : opens($0) } },
      visit: { deciding, url in
        if deciding[1].map(isUnknown) ?? false { return .goOn }
        let isWanted = deciding[1].map(opens) ?? false
        guard (deciding[0].map(opens) ?? false) != isWanted else { return .goOn }
        let places = Places(rule: deciding[0], route: deciding[1])
        guard seen.insert(places).inserted else { return .goOn }
        let rule = places.rule.map { list.rules[$0] }
        outcome.differences.append(
          Difference(
            rest: url(), isWanted: isWanted,
            got: rule.map { $0.isExclusion ? .excluded : .match } ?? .noMatch,
            rule: rule?.rule, wanted: places.route.map { wanted[$0 - count].rule }))
        return outcome.differences.count < limit ? .goOn : .stop
      })
    outcome.isDecided = ending != .budgetExceeded
    return outcome
  }
}

extension URLSearch.Prospect {
  /// Whether a URL may still be opened by one of the first two lists and not by the other.
  ///
  /// - Parameter opens: What a rule says; nil for one that does not count. A list without a rule opens nothing.
  func canDiffer(_ opens: (Int) -> Bool?) -> Bool {
    var first: Bool?
    for list in 0...1 {
      if !isCertain(list) {
        if first == true { return true }
        first = false
      }
      for rule in rules(list) {
        guard let kind = opens(rule) else { continue }
        if let first, first != kind { return true }
        first = kind
      }
    }
    return false
  }
}

/// The rule and the route that decide a URL.
private struct Places: Hashable {
  var rule: Int?
  var route: Int?
}
