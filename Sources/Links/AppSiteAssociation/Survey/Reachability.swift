package import LinkspanCore

/// Which rules of a file can never decide on a release: for no app, because an earlier one covers all they could.
///
/// Every rule is compared with the earlier ones whose literal beginning it shares; what no single one covers is asked of
/// all of them together (``JointCover``). Files can be made in which those are all of them, so the work is bounded; beyond
/// the bound only rules for every URL are looked for.
package struct Reachability {
  /// Where a rule stands.
  package struct Place: Hashable, Comparable {
    package var entry: Int
    package var rule: Int?
    package var isPath: Bool

    package init(_ rule: CompiledRule) {
      entry = rule.entry
      self.rule = rule.rule
      isPath = rule.isPath
    }

    package init(entry: Int, rule: Int?, isPath: Bool) {
      self.entry = entry
      self.rule = rule
      self.isPath = isPath
    }

    package static func < (left: Place, right: Place) -> Bool {
      (left.entry, left.isPath ? 1 : 0, left.rule ?? -1) < (
        right.entry, right.isPath ? 1 : 0, right.rule ?? -1
      )
    }
  }

  /// Our choice: symbols of patterns that are compared, about a tenth of a second.
  package static let stepLimit = 20_000_000
  /// Our choice: rules, those that several apps share counted for each list they stand in.
  package static let ruleLimit = 300_000
  /// Our choice: looking at a pair that cannot cover one another costs this part of comparing a symbol.
  private static let pairsPerStep = 8

  /// In the order of the file, each with the rules that decide in its place: the first that covers it, else those
  /// that cover it together.
  package let unreachable: [(place: Place, by: (rule: CompiledRule, earlier: [CompiledRule]))]
  /// Whether every pair of rules was looked at.
  package let isComplete: Bool
  /// How many rules were not decided although every pair was looked at.
  package let undecidedCount: Int

  /// - Parameter os: nil stands for the newest behaviour.
  /// - Returns: nil when there are too many rules even to look for those behind a rule for every URL.
  package init?(of file: AssociationFile, on os: OSVersion?, _ work: inout WorkBudget) {
    let share = min(Self.stepLimit, max(0, work.steps))
    var survey = Survey(budget: WorkBudget(steps: share), comparesPairs: true)
    let matcher = AssociationMatcher(file, os: os)
    let count = matcher.applicationsWithOwnRules.reduce(0) { $0 + matcher.ruleCount(of: $1) }
    guard count <= Self.ruleLimit else { return nil }
    survey.look(at: matcher)
    isComplete = !survey.budget.isExhausted
    _ = work.spend(share - max(0, survey.budget.steps))
    if !isComplete {
      survey = Survey(budget: WorkBudget(steps: .max), comparesPairs: false)
      survey.look(at: matcher)
    }
    let reachable = survey.reachable
    var covered = survey.coveredBy.filter { !reachable.contains($0.key) }
      .mapValues { (rule: $0.rule, earlier: [$0.earlier]) }
    if isComplete {
      let joint = JointCover(matcher, but: Set(covered.keys), &work)
      covered.merge(joint.covered) { first, _ in first }
      undecidedCount = joint.undecided.count
    } else {
      undecidedCount = 0
    }
    unreachable = covered.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether a release that knows no variables reads `$(…)` of this rule as text. URLs with that text are nobody's links,
  /// so that they count for nothing here.
  static func readsVariablesAsText(_ rule: CompiledRule) -> Bool {
    rule.variables == nil && rule.usesVariables
  }

  private struct Survey {
    var budget: WorkBudget
    let comparesPairs: Bool
    var coveredBy: [Place: (rule: CompiledRule, earlier: CompiledRule)] = [:]
    var reachable: Set<Place> = []

    init(budget: WorkBudget, comparesPairs: Bool) {
      self.budget = budget
      self.comparesPairs = comparesPairs
    }

    mutating func look(at matcher: AssociationMatcher) {
      for app in matcher.applicationsWithOwnRules where !budget.isExhausted {
        let rules = (matcher.rules(of: app) ?? []).filter { !$0.coversNothing }
        // Reading a pattern costs about as much as comparing it a few times.
        guard budget.spend(rules.count * 16) else { return }
        let pairs = comparesPairs ? Pairs(rules) : nil
        var catchAll: Int?
        for (index, rule) in rules.enumerated() where !budget.isExhausted {
          // The first rule that covers it counts: it is what decides in its place.
          let earlier = pairs.map { $0.firstCovering(index, before: catchAll, &budget) } ?? catchAll
          if let earlier {
            if coveredBy[Place(rule)] == nil { coveredBy[Place(rule)] = (rule, rules[earlier]) }
          } else if !Reachability.readsVariablesAsText(rule) {
            reachable.insert(Place(rule))
          }
          if catchAll == nil, rule.coversEverything { catchAll = index }
        }
      }
    }
  }

  /// The rules of one app, ready to be compared with one another.
  private struct Pairs {
    private let rules: [CoverageRule]
    private let contents: [PathContent]
    private let prefixes: [[UInt8]]
    private let index: PrefixIndex

    init(_ compiled: [CompiledRule]) {
      var queries = CoverageRule.Queries()
      rules = compiled.map { CoverageRule($0, &queries) }
      contents = rules.map { $0.content }
      // A rule can cover another only when its literal beginning is one of the other's.
      prefixes = compiled.map { $0.path.coversEverything ? [] : $0.path.literalPrefix }
      index = PrefixIndex(prefixes)
    }

    /// The first of the rules before one that covers it.
    ///
    /// - Parameter catchAll: A rule that covers it in any case.
    func firstCovering(_ place: Int, before catchAll: Int?, _ budget: inout WorkBudget) -> Int? {
      var best = catchAll ?? place
      let mine = contents[place]
      var looked = 0
      _ = prefixes[place].withUnsafeBufferPointer { text in
        index.visit(text) { candidates, _ in
          for candidate in candidates {
            let candidate = Int(candidate)
            if candidate >= best { break }
            looked += 1
            guard contents[candidate].isWithin(mine) else { continue }
            if rules[candidate].coversAll(of: rules[place], &budget) {
              best = candidate
              break
            }
            if budget.isExhausted { break }
          }
        }
      }
      _ = budget.spend(looked / Reachability.pairsPerStep)
      return best < place ? best : nil
    }
  }
}
