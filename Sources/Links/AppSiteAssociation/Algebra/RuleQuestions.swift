internal import LinkLanguages
internal import LinkspanCore

/// Questions about the rules of one application, answered exactly or not at all.
struct RuleQuestions {
  enum Answer {
    /// Path, query and fragment of a URL that shows it.
    case witness(String)
    /// There is no such URL; with the rules that decide in its place.
    case none(instead: [Int])
    case undecided
  }

  let list: RuleList
  let languages: RuleLanguages

  /// Whether a URL exists that the rule decides.
  func decides(_ place: Int, _ budget: inout WorkBudget) -> Answer {
    let earlier = list.meeting(list.prefixes[place]).filter { $0 < place }
    let elements = earlier.map { list.elements[$0].language } + [list.elements[place].language]
    let own = earlier.count
    var instead: Set<Int> = []
    var witness: String?
    let ending = languages.search(elements).run(
      [Array(0...own), [own]], budget: &budget, canMatter: { !$0.isEmpty(1) },
      visit: { deciding, url in
        guard deciding[1] != nil, let decider = deciding[0] else { return .goOn }
        if decider == own {
          witness = url()
          return .stop
        }
        instead.insert(earlier[decider])
        return .goOn
      })
    return answer(ending, witness, instead)
  }

  /// Whether a URL exists that the exclusion decides and that a later rule would match.
  func keepsOut(_ place: Int, _ budget: inout WorkBudget) -> Answer {
    let near = list.meeting(list.prefixes[place])
    let earlier = near.filter { $0 < place }
    let later = near.filter { $0 > place }
    let elements = earlier + [place] + later
    let own = earlier.count
    var witness: String?
    let ending = languages.search(elements.map { list.elements[$0].language }).run(
      [Array(0...own), Array((own + 1)..<elements.count), [own]], budget: &budget,
      canMatter: { prospect in
        !prospect.isEmpty(2) && prospect.rules(0).contains(own)
          && prospect.rules(1).contains { !list.elements[elements[$0]].isExclusion }
      },
      visit: { deciding, url in
        guard deciding[2] != nil, deciding[0] == own, let other = deciding[1],
          !list.elements[elements[other]].isExclusion
        else { return .goOn }
        witness = url()
        return .stop
      })
    return answer(ending, witness, [])
  }

  /// Whether a URL exists that both lists match.
  func shares(with other: RuleList, _ budget: inout WorkBudget) -> (Answer, first: Int, second: Int) {
    let elements = list.elements + other.elements
    let count = list.elements.count
    var witness: String?
    var places = (0, 0)
    let ending = languages.search(elements.map { $0.language }).run(
      [Array(0..<count), Array(count..<elements.count)], budget: &budget,
      canMatter: { prospect in
        (0...1).allSatisfy { prospect.rules($0).contains { !elements[$0].isExclusion } }
      },
      visit: { deciding, url in
        guard let first = deciding[0], let second = deciding[1], !elements[first].isExclusion,
          !elements[second].isExclusion
        else { return .goOn }
        places = (first, second - count)
        witness = url()
        return .stop
      })
    return (answer(ending, witness, []), places.0, places.1)
  }

  private func answer(_ ending: URLSearch.Ending, _ witness: String?, _ instead: Set<Int>) -> Answer {
    if let witness { return .witness(witness) }
    return ending == .exhausted ? .none(instead: instead.sorted()) : .undecided
  }
}
