package import AppSiteAssociation
package import LinkLanguages
package import LinkspanCore

/// Finds rules for routes and exclusions: the fewest found whose meaning is proven equal, else the nearest.
///
/// Apple's `*` also matches `/`, so a parameter is written as `?*` behind an exclusion of deeper paths. Two plans are
/// tried: exclusions beside each route, and, where routes get in each other's way, the whole site depth by depth from
/// the deepest, where no `?*` can reach beyond its segment. Both are tried again with exclusions that say only what they
/// take from each route. Then every rule is left out that the meaning does not need.
package struct RuleGenerator {
  package struct Plan: Sendable {
    package var rules: [RuleSettings]
    /// What the rules and the request disagree about; empty when they are proven equal.
    package var differences: [RouteProof.Difference]
    /// Whether ``differences`` is all there is, as far as one of each kind goes.
    package var isDecided: Bool
    /// Whether each rule was tried to be left out.
    package var isShortest = false

    package var isExact: Bool { differences.isEmpty && isDecided }

    /// Whether a rule stands on a substitution variable.
    package var usesVariables: Bool { rules.contains(where: { $0.usesVariables }) }
  }

  /// What all comparisons for one request may cost together.
  package static let budget = WorkBudget(steps: WorkLimits.generation)

  private let routes: [SpelledRule]
  private let exclusions: [SpelledRule]
  /// The exclusions as what they take from each route; nil where that is not known.
  private let narrowed: [SpelledRule]?
  /// Rules in the order of the request, of which the first that holds decides.
  private let ordered: [OrderedLine]
  private let hasVariables: Bool
  private let proof: RouteProof
  /// The substitution variables that the rules may use.
  package let variables: SubstitutionVariables

  /// Our choice: where no plan is exact, this many rules at most are tried, each with so many steps.
  private static let mendedCount = 60
  private static let mendingSteps = 2_000_000
  /// Our choice: pairs of a route and an exclusion of which the common URLs are written.
  private static let narrowedPairs = 1_000
  /// Our choice: differences that are told.
  private static let differenceLimit = 20

  /// - Parameter usesVariables: false where the file can have no substitution variables.
  package init(routes: [Route], exclusions: [Route], usesVariables: Bool = true) {
    var speller = RouteSpeller(variables: usesVariables ? VariableNames() : nil)
    self.init(
      Lines(
        routes: routes.map { WantedRule($0) },
        exclusions: exclusions.map { WantedRule($0, isExclusion: true) }),
      variables: .none, speller: &speller)
  }

  /// What one application asks for: routes and exclusions, which win over routes, or rules in their order.
  package struct Lines: Sendable {
    package var routes: [WantedRule] = []
    package var exclusions: [WantedRule] = []
    package var rules: [WantedRule] = []

    package var count: Int { routes.count + exclusions.count + rules.count }

    /// Rules with routes as the other two lists, where that means the same: exclusions before everything that opens.
    var withoutNeedlessOrder: Self {
      let start = rules.firstIndex { !$0.isExclusion } ?? rules.count
      guard rules.contains(where: { $0.route != nil }), start < rules.count,
        !rules[start...].contains(where: { $0.isExclusion })
      else { return self }
      return Self(routes: routes + rules[start...], exclusions: exclusions + rules[..<start])
    }

    /// For each exclusion and each route what the exclusion takes from it; nil where a route is a rule already, and for more
    /// pairs than the limit.
    func narrowedExclusions(_ limit: Int) -> [WantedRule]? {
      let opened = routes.compactMap { $0.route }
      guard !exclusions.isEmpty, opened.count == routes.count, exclusions.count * opened.count <= limit else {
        return nil
      }
      return exclusions.flatMap { exclusion in
        guard let route = exclusion.route else { return [exclusion] }
        return opened.compactMap { route.narrowed(to: $0) }.map { narrowed in
          WantedRule(
            narrowed, isExclusion: true, query: exclusion.settings.query,
            fragment: exclusion.settings.fragment)
        }
      }
    }
  }

  /// - Parameters:
  ///   - variables: What `$(name)` stands for in the lines.
  ///   - speller: Keeps the names of variables among the applications of one file.
  init(_ lines: Lines, variables own: SubstitutionVariables, speller: inout RouteSpeller) {
    let lines = lines.withoutNeedlessOrder
    exclusions = speller.spellings(of: lines.exclusions)
    routes = speller.spellings(of: lines.routes)
    narrowed = lines.narrowedExclusions(Self.narrowedPairs).map { speller.spellings(of: $0) }
    var ordered: [OrderedLine] = []
    for line in lines.rules {
      ordered.append(
        OrderedLine(wanted: line, spelled: line.route == nil ? [] : speller.spellings(of: [line])))
    }
    self.ordered = ordered
    hasVariables = speller.variables != nil
    variables = SubstitutionVariables(speller.variables?.dictionary ?? [:])
    proof = RouteProof(lines.rules + lines.exclusions + lines.routes, variables: own)
  }

  /// - Parameters:
  ///   - budget: Spent on comparisons. When it is used up, the best plan so far stays.
  ///   - progress: Told how far the search has come.
  package func plan(_ budget: inout WorkBudget, progress: (String) -> Void = { _ in }) -> Plan {
    if !ordered.isEmpty { return inOrder(&budget, progress) }
    var candidates: [Plan] = []
    var plans = [simple, besideRoutes(exclusions), byDepth(exclusions)]
    if let narrowed { plans += [besideRoutes(narrowed), byDepth(narrowed)] }
    for rules in plans.map(Self.withoutRepetitions) {
      progress("plan \(candidates.count + 1) of \(plans.count), \(rules.count.counted("rule"))")
      let plan = compared(rules, &budget)
      if plan.isExact { return shortened(plan, &budget, progress) }
      candidates.append(plan)
    }
    progress("no plan is exact; looking for the nearest")
    // Of plans that are as good, the one with the exclusions beside the routes is the narrowest.
    let ordered = [candidates[1], candidates[2], candidates[0]] + candidates.dropFirst(3)
    return nearer(
      ordered.dropFirst().reduce(ordered[0]) { Self.catches($1) < Self.catches($0) ? $1 : $0 }, &budget)
  }

  /// The rules as they are, without those that decide no URL; those that name a route as patterns.
  private func inOrder(_ budget: inout WorkBudget, _ progress: (String) -> Void) -> Plan {
    if ordered.contains(where: { $0.wanted.route != nil }) {
      let candidates = [plainInOrder, guardedInOrder].map(Self.withoutRepetitions).map { rules in
        progress("comparing \(rules.count.counted("rule")) with those of the request")
        return compared(rules, &budget)
      }
      if let exact = candidates.first(where: { $0.isExact }) { return shortened(exact, &budget, progress) }
      return nearer(
        Self.catches(candidates[0]) < Self.catches(candidates[1]) ? candidates[0] : candidates[1], &budget)
    }
    var rules = Self.withoutRepetitions(ordered.map { $0.wanted.settings })
    // A file without variables cannot hold the others.
    guard hasVariables || !rules.contains(where: { $0.usesVariables }) else {
      return compared(rules.filter { !$0.usesVariables }, &budget)
    }
    progress("looking for rules that decide no URL, among \(rules.count)")
    let idle = Set(
      budget.withShare(of: budget.steps / 2) { RouteProof.undeciding(rules, variables: variables, &$0) })
    rules = rules.indices.filter { !idle.contains($0) }.map { rules[$0] }
    return Plan(rules: rules, differences: [], isDecided: true, isShortest: true)
  }

  private func compared(_ rules: [RuleSettings], _ budget: inout WorkBudget) -> Plan {
    let outcome = differences(rules, limit: Self.differenceLimit, &budget)
    return Plan(rules: rules, differences: outcome.differences, isDecided: outcome.isDecided)
  }

  private func differences(
    _ rules: [RuleSettings], limit: Int, _ budget: inout WorkBudget
  ) -> RouteProof.Outcome {
    budget.withShare(of: RouteProof.budget.steps) {
      proof.differences(of: rules, variables: variables, limit: limit, &$0)
    }
  }

  /// What an earlier rule says as well never decides.
  private static func withoutRepetitions(_ rules: [RuleSettings]) -> [RuleSettings] {
    var known: Set<[UInt8]> = []
    return rules.filter { known.insert($0.withoutEffect.json.bytes).inserted }
  }

  /// How far a plan is from the request: pages lost weigh more than pages caught besides.
  private static func catches(_ plan: Plan) -> Int {
    plan.differences.reduce(0) { $0 + ($1.isWanted ? 100 : 1) }
  }

  private static func lost(_ plan: Plan) -> Int { plan.differences.count(where: { $0.isWanted }) }

  /// The same meaning with fewer rules, as far as the budget goes.
  private func shortened(_ plan: Plan, _ budget: inout WorkBudget, _ progress: (String) -> Void) -> Plan {
    var plan = plan
    plan.rules = Self.withoutTrailingExclusions(plan.rules)
    let count = plan.rules.count
    var needs = RuleNeeds(plan.rules, variables: variables)
    for index in plan.rules.indices.reversed() where !needs.isNeeded(index, &budget) {
      guard budget.steps > 0 else { return plan }
      progress("leaving out what is not needed, rule \(count - index) of \(count)")
      var fewer = plan.rules
      fewer.remove(at: index)
      let outcome = differences(fewer, limit: 1, &budget)
      if outcome.differences.isEmpty, outcome.isDecided {
        plan.rules = fewer
        needs.remove(index)
      }
    }
    plan.isShortest = budget.steps > 0
    return plan
  }

  /// Behind the last rule that opens something an exclusion only stops the search for a wildcard host (E9).
  private static func withoutTrailingExclusions(_ rules: [RuleSettings]) -> [RuleSettings] {
    Array(rules.prefix((rules.lastIndex { $0.exclude != true } ?? -1) + 1))
  }

  // MARK: - Where no plan is exact

  /// The plan with exclusions that take nothing away that is wanted, and without rules that change nothing that opens.
  private func nearer(_ plan: Plan, _ budget: inout WorkBudget) -> Plan {
    var plan = plan
    plan.rules = Self.withoutTrailingExclusions(plan.rules)
    if plan.rules.count <= Self.mendedCount, plan.isDecided {
      // The other half is for the last comparison.
      budget.withShare(of: budget.steps / 2) { mend(&plan, &$0) }
    }
    return compared(plan.rules, &budget)
  }

  private func mend(_ plan: inout Plan, _ budget: inout WorkBudget) {
    plan = withoutHarm(guarded(plan, &budget), &budget)
    for index in plan.rules.indices.reversed() {
      var fewer = plan.rules
      fewer.remove(at: index)
      let likeness = budget.withShare(of: Self.mendingSteps) {
        RouteProof.compare(plan.rules, fewer, variables: variables, &$0)
      }
      if likeness == .alike { plan.rules = fewer }
    }
  }

  /// An exclusion only takes away; where it takes nothing that is wanted, what remains is nearer.
  private func guarded(_ plan: Plan, _ budget: inout WorkBudget) -> Plan {
    var plan = plan
    for route in routes {
      for path in route.guards {
        let exclusion = route.rule(path, isExclusion: true)
        guard !plan.rules.contains(exclusion) else { continue }
        guard let place = plan.rules.firstIndex(of: route.rule(isExclusion: false)),
          plan.rules.count < Self.mendedCount
        else { break }
        var rules = plan.rules
        rules.insert(exclusion, at: place)
        let other = compared(rules, &budget)
        if other.isDecided, Self.lost(other) <= Self.lost(plan) { plan = other }
      }
    }
    return plan
  }

  /// Without exclusions that take away more kinds of pages than they keep out.
  private func withoutHarm(_ plan: Plan, _ budget: inout WorkBudget) -> Plan {
    var plan = plan
    guard Self.lost(plan) > 0 else { return plan }
    for index in plan.rules.indices.reversed() where plan.rules[index].exclude == true {
      var fewer = plan.rules
      fewer.remove(at: index)
      let other = compared(fewer, &budget)
      if other.isDecided, Self.catches(other) < Self.catches(plan) { plan = other }
    }
    return plan
  }

  // MARK: - Plans

  /// One rule for each line of the request.
  private var simple: [RuleSettings] {
    exclusions.map { $0.rule(isExclusion: true) } + routes.map { $0.rule(isExclusion: false) }
  }

  /// Deeper routes first, each with the exclusion of what its parameters would catch besides.
  private func besideRoutes(_ exclusions: [SpelledRule]) -> [RuleSettings] {
    exclusions.map { $0.rule(isExclusion: true) } + Self.guarded(routes, isExclusion: false)
  }

  /// Lines of one effect, the deeper ones first, each behind rules of the other effect for what its parameters would
  /// catch besides.
  private static func guarded(_ lines: [SpelledRule], isExclusion: Bool) -> [RuleSettings] {
    var rules = lines.filter { $0.isOpen }.map { $0.rule(isExclusion: isExclusion) }
    for line in deepestFirst(lines) where !line.isOpen {
      rules += line.guards.map { line.rule($0, isExclusion: !isExclusion) }
      rules.append(line.rule(isExclusion: isExclusion))
    }
    return rules
  }

  /// The lines of the request in their order, a route as its patterns.
  private var plainInOrder: [RuleSettings] {
    ordered.flatMap { line in line.patterns.map { $0.rule(isExclusion: line.wanted.isExclusion) } }
  }

  /// The same, where neighbours of one effect, whose order does not matter, are kept to what they say.
  private var guardedInOrder: [RuleSettings] {
    var rules: [RuleSettings] = []
    var rest = ordered[...]
    while let isExclusion = rest.first?.wanted.isExclusion {
      let block = rest.prefix { $0.wanted.isExclusion == isExclusion }
      rest = rest.dropFirst(block.count)
      rules += Self.guarded(block.flatMap { $0.patterns }, isExclusion: isExclusion)
    }
    return rules
  }

  /// In the order of the request where the depth is the same.
  private static func deepestFirst(_ routes: [SpelledRule]) -> [SpelledRule] {
    routes.enumerated().sorted {
      ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset)
    }.map { $0.element }
  }

  /// Depth by depth, from the deepest; what no route of a depth opens is excluded before the next one.
  private func byDepth(_ exclusions: [SpelledRule]) -> [RuleSettings] {
    let deepest = (exclusions + routes).map { $0.depth }.max() ?? 0
    var rules = exclusions.filter { $0.spelling == nil }.map { $0.rule(isExclusion: true) }
    let asTheyAre = routes.filter { $0.spelling == nil }.map { $0.rule(isExclusion: false) }
    if !asTheyAre.isEmpty { rules += exclusions.map { $0.rule(isExclusion: true) } + asTheyAre }
    for depth in (0...(deepest + 1)).reversed() {
      // Beyond the deepest only what ends in `*` is left.
      for (list, isExclusion) in [(exclusions, true), (routes, false)] {
        for line in list {
          guard let path = line.spelling?.pattern(atDepth: depth) else { continue }
          rules.append(line.rule(path, isExclusion: isExclusion))
        }
      }
      if depth > 0 {
        let below = String(repeating: "/*", count: depth - 1) + "/?*"
        rules.append(RuleSettings(path: below, exclude: true))
      }
    }
    return rules
  }
}

/// A line of `rules`, whose place decides.
private struct OrderedLine {
  let wanted: WantedRule
  /// The patterns of its route; empty where it names none.
  let spelled: [SpelledRule]

  /// What to write for it.
  var patterns: [SpelledRule] {
    wanted.route == nil
      ? [SpelledRule(spelling: nil, settings: wanted.settings.withoutEffect)] : spelled
  }
}
