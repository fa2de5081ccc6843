internal import LinkLanguages
package import LinkspanCore

extension RouteProof {
  /// What a list of rules opens beside what another one does.
  package enum Likeness: Hashable, Sendable {
    case alike
    /// Path, query and fragment of a URL that only one of the two opens.
    case different(String)
    /// The search takes more than its bound on work.
    case undecided
  }

  /// Compares what two lists of rules open; whether a URL that does not open is excluded makes no difference here.
  ///
  /// - Parameter range: The place of a rule of `others`: only URLs that it holds for are compared, and rules that share
  ///   no URL with its literal beginning are passed over. nil for all URLs.
  package static func compare(
    _ rules: [RuleSettings], _ others: [RuleSettings], variables: SubstitutionVariables = .none,
    within range: Int? = nil, _ budget: inout WorkBudget
  ) -> Likeness {
    let languages = RuleLanguages()
    let lists = [rules, others].map { rules in
      RuleList(
        rules.enumerated().map { index, settings in
          CompiledRule(entry: 0, rule: index, isPath: false, settings: settings, variables: variables)
        }, languages)
    }
    var places = lists.map { Array($0.elements.indices) }
    var own: Int?
    if let range {
      guard let place = lists[1].rules.firstIndex(where: { $0.rule == range }) else { return .alike }
      own = lists[1].elements[place].language
      places = lists.map { $0.meeting(lists[1].prefixes[place]) }
    }
    let elements = places[0].map { lists[0].elements[$0] } + places[1].map { lists[1].elements[$0] }
    let count = places[0].count
    let numbers = elements.map { $0.language } + (own.map { [$0] } ?? [])
    guard !numbers.isEmpty else { return .alike }
    func opens(_ place: Int) -> Bool { !elements[place].isExclusion }
    var witness: String?
    let search = languages.search(numbers)
    let ending = search.run(
      [Array(0..<count), Array(count..<elements.count), Array(elements.count..<numbers.count)],
      budget: &budget,
      canMatter: { (own == nil || !$0.isEmpty(2)) && $0.canDiffer(opens) },
      visit: { deciding, url in
        guard own == nil || deciding[2] != nil,
          (deciding[0].map(opens) ?? false) != (deciding[1].map(opens) ?? false)
        else { return .goOn }
        witness = url()
        return .stop
      })
    if let witness { return .different(witness) }
    return ending == .budgetExceeded ? .undecided : .alike
  }

  /// What finding the URLs of one rule may cost. Our choice.
  private static let stepsOfRule = 2_000_000

  /// The places of rules that decide no URL, as far as the budget goes; without them every URL is decided as before.
  package static func undeciding(
    _ rules: [RuleSettings], variables: SubstitutionVariables, _ budget: inout WorkBudget
  ) -> [Int] {
    let languages = RuleLanguages()
    let list = RuleList(
      rules.enumerated().map { index, settings in
        CompiledRule(entry: 0, rule: index, isPath: false, settings: settings, variables: variables)
      }, languages)
    let questions = RuleQuestions(list: list, languages: languages)
    var deciding: Set<Int> = []
    for (place, rule) in list.rules.enumerated() {
      guard let number = rule.rule else { continue }
      let answer = budget.withShare(of: min(budget.steps, stepsOfRule)) { questions.decides(place, &$0) }
      if case .none = answer { continue }
      deciding.insert(number)
    }
    return rules.indices.filter { !deciding.contains($0) }
  }
}
