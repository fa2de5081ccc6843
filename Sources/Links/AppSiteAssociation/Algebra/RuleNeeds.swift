package import LinkspanCore

/// Tells at little cost that a rule is needed: at a URL that is built from its own patterns the rest of the list decides
/// otherwise.
package struct RuleNeeds {
  private let rules: [CompiledRule]
  private var isThere: [Bool]

  private static let host = "example.com"

  /// - Parameter rules: As in `components`, in their order.
  package init(_ rules: [RuleSettings], variables: SubstitutionVariables = .none) {
    self.rules = rules.enumerated().map { index, settings in
      CompiledRule(entry: 0, rule: index, isPath: false, settings: settings, variables: variables)
    }
    isThere = Array(repeating: true, count: rules.count)
  }

  /// Leaves a rule out.
  package mutating func remove(_ place: Int) { isThere[place] = false }

  /// - Returns: false also where no URL shows it, or the budget is spent.
  package func isNeeded(_ place: Int, _ budget: inout WorkBudget) -> Bool {
    for text in rules[place].witnesses(host: Self.host) {
      guard budget.spend(rules.count) else { return false }
      let url = LinkURL(text)
      let isShown = Subject.comparing(url, within: &budget) { subject in
        guard rules[place].firstFailure(&subject) == nil else { return false }
        for earlier in 0..<place where isThere[earlier] && rules[earlier].firstFailure(&subject) == nil {
          return false
        }
        let next = ((place + 1)..<rules.count).first {
          isThere[$0] && rules[$0].firstFailure(&subject) == nil
        }
        // Whether a URL that does not open is excluded makes no difference here.
        let opensWithout = next.map { !rules[$0].isExclusion } ?? false
        return opensWithout == rules[place].isExclusion && !subject.work.isExhausted
      }
      if isShown { return true }
    }
    return false
  }
}
