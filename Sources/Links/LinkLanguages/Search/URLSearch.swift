package import LinkspanCore

/// Walks the URLs that an ordered set of rules tells apart, cheapest first, until an answer is found or no URL is left.
///
/// A state is the place in the URL and, for each list of rules, those that may still hold, in their order, each with the
/// state of its automaton; what stands behind a rule that certainly holds is left out. States are made as they are
/// reached, so a question about few of many rules stays small.
package struct URLSearch {
  /// The rules that may still hold, list by list.
  package struct Prospect {
    fileprivate let state: [Int32]
    fileprivate let starts: [Int]

    package func isEmpty(_ list: Int) -> Bool { state[starts[list]] == 0 }

    /// The rules of a list that may still hold, in their order.
    package func rules(_ list: Int) -> some Sequence<Int> {
      let start = starts[list]
      return (0..<Int(state[start])).lazy.map { Int(state[start + 2 + 2 * $0]) }
    }

    /// The last of the rules of a list that may still hold.
    package func last(_ list: Int) -> Int? {
      let start = starts[list]
      let count = Int(state[start])
      return count == 0 ? nil : Int(state[start + 2 * count])
    }

    /// Whether one of the list will certainly decide.
    package func isCertain(_ list: Int) -> Bool { state[starts[list] + 1] == 1 }
  }

  package enum Step {
    case goOn
    /// Goes on; looking at the URL cost so many steps.
    case goOnSpending(Int)
    case stop
  }

  package enum Ending {
    /// Every URL was looked at.
    case exhausted
    case stopped
    case budgetExceeded
  }

  private let rules: [RuleLanguage]
  private let alphabet: Alphabet

  /// What making the letters and reading the rules costs, in steps.
  private static let setupCost = 2_000
  private static let costOfRule = 8
  /// Our choice: 64 MB for the states of one search, where each names thousands of rules.
  private static let numberLimit = 16_000_000

  package init(_ rules: [RuleLanguage], alphabet: Alphabet) {
    self.rules = rules
    self.alphabet = alphabet
  }

  /// Looks at URLs until one stops the search.
  ///
  /// - Parameters:
  ///   - lists: Numbers of rules, each list in the order in which its rules decide.
  ///   - needed: Whether only URLs are of interest that the last rule of the first list decides there.
  ///   - canMatter: Whether a URL with these rules left may still be of interest.
  ///   - visit: Called with one URL of every kind, those that a person finds plausible first: which rule of each list
  ///     decides it, nil where none holds, and its path, query and fragment.
  package func run(
    _ lists: [[Int]], needingLast needed: Bool = false, budget: inout WorkBudget,
    canMatter: (Prospect) -> Bool,
    visit: (_ deciding: [Int?], _ url: () -> String) -> Step
  ) -> Ending {
    let count = lists.reduce(0) { $0 + $1.count }
    guard budget.spend(Self.setupCost * (alphabet.decodes ? 4 : 1) + count * Self.costOfRule) else {
      return .budgetExceeded
    }
    let walk = Walk(
      rules: rules, alphabet: alphabet, listCount: lists.count, needed: needed ? lists[0].last : nil)
    guard walk.begin(lists, &budget) else { return .budgetExceeded }
    while let place = walk.next() {
      if walk.nodes.count > budget.stateLimit || walk.numberCount > Self.numberLimit {
        budget.exhaust()
        return .budgetExceeded
      }
      if let deciding = walk.deciding(walk.nodes[place].state) {
        switch visit(deciding, { Self.url(place, walk.nodes, alphabet) }) {
        case .goOn: break
        case .goOnSpending(let steps): guard budget.spend(steps) else { return .budgetExceeded }
        case .stop: return .stopped
        }
      }
      guard walk.expand(place, &budget, canMatter) else { return .budgetExceeded }
    }
    return .exhausted
  }

  private static func url(_ place: Int, _ nodes: [Walk.Node], _ alphabet: Alphabet) -> String {
    var parts: [[UInt8]] = []
    var place = place
    while nodes[place].parent >= 0 {
      parts.append(alphabet.letters[Int(nodes[place].letter)].text)
      place = Int(nodes[place].parent)
    }
    return String(decoding: parts.reversed().joined(), as: UTF8.self)
  }

  static func prospect(_ state: [Int32], _ starts: [Int]) -> Prospect {
    Prospect(state: state, starts: starts)
  }
}
