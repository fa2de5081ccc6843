package import AppSiteAssociation
package import LinkLanguages

/// Finds rules for routes and exclusions: the fewest found whose meaning is proven equal, else the nearest.
///
/// Apple's `*` also matches `/`, so a parameter is written as `?*` behind an exclusion of deeper paths. Two plans are
/// tried: exclusions beside each route, and, where routes get in each other's way, the whole site depth by depth from
/// the deepest, where no `?*` can reach beyond its segment. Then every rule is left out that the meaning does not need.
package struct RuleGenerator {
  package struct Plan: Sendable {
    package var rules: [RuleSettings]
    /// What the rules and the request disagree about; empty when they are proven equal.
    package var differences: [RouteProof.Difference]
    /// Whether ``differences`` is all there is, as far as one of each kind goes.
    package var isDecided: Bool

    package var isExact: Bool { differences.isEmpty && isDecided }

    /// Whether a rule stands on a substitution variable.
    package var usesVariables: Bool { rules.contains { $0.path?.contains("$(") ?? false } }
  }

  private let routes: [RouteSpelling]
  private let exclusions: [RouteSpelling]
  private let proof: RouteProof
  /// The substitution variables that the rules may use.
  package let variables: [String: [String]]

  /// Our choice: leaving out rules one by one compares as often; above this many the first plan that is exact stays.
  private static let shortenedCount = 300
  /// Our choice: the same where no plan is exact, and steps for one comparison there.
  private static let mendedCount = 60
  private static let mendingSteps = 2_000_000
  /// Our choice: differences that are told.
  private static let differenceLimit = 20

  /// - Parameter usesVariables: false where the file can have no substitution variables.
  package init(routes: [Route], exclusions: [Route], usesVariables: Bool = true) {
    var speller = RouteSpeller(variables: usesVariables ? VariableNames() : nil)
    self.init(routes: routes, exclusions: exclusions, speller: &speller)
  }

  /// - Parameter speller: Keeps the names of variables among the applications of one file.
  init(routes: [Route], exclusions: [Route], speller: inout RouteSpeller) {
    self.exclusions = exclusions.flatMap { speller.spellings(of: $0) }
    self.routes = routes.flatMap { speller.spellings(of: $0) }
    variables = speller.variables?.dictionary ?? [:]
    proof = RouteProof(routes: routes, exclusions: exclusions)
  }

  package func plan() -> Plan {
    var candidates: [Plan] = []
    for rules in [simple, besideRoutes, byDepth].map(Self.withoutRepetitions) {
      let plan = compared(rules)
      if plan.isExact { return shortened(plan) }
      candidates.append(plan)
    }
    // Of plans that are as good, the one with the exclusions beside the routes is the narrowest.
    let ordered = [candidates[1], candidates[2], candidates[0]]
    return nearer(ordered.dropFirst().reduce(ordered[0]) { Self.catches($1) < Self.catches($0) ? $1 : $0 })
  }

  private func compared(_ rules: [RuleSettings]) -> Plan {
    let outcome = proof.differences(of: rules, variables: variables, limit: Self.differenceLimit)
    return Plan(rules: rules, differences: outcome.differences, isDecided: outcome.isDecided)
  }

  /// What an earlier rule says as well never decides.
  private static func withoutRepetitions(_ rules: [RuleSettings]) -> [RuleSettings] {
    var paths: Set<[UInt8]?> = []
    return rules.filter { rule in paths.insert(rule.path.map { Array($0.utf8) }).inserted }
  }

  /// How far a plan is from the request: pages lost weigh more than pages caught besides.
  private static func catches(_ plan: Plan) -> Int {
    plan.differences.reduce(0) { $0 + ($1.isWanted ? 100 : 1) }
  }

  private static func lost(_ plan: Plan) -> Int { plan.differences.count(where: \.isWanted) }

  private func isExact(_ rules: [RuleSettings]) -> Bool {
    let outcome = proof.differences(of: rules, variables: variables, limit: 1)
    return outcome.differences.isEmpty && outcome.isDecided
  }

  /// The same meaning with fewer rules.
  private func shortened(_ plan: Plan) -> Plan {
    var rules = Self.withoutTrailingExclusions(plan.rules)
    guard rules.count <= Self.shortenedCount else {
      return Plan(rules: rules, differences: [], isDecided: true)
    }
    for index in rules.indices.reversed() {
      var fewer = rules
      fewer.remove(at: index)
      if isExact(fewer) { rules = fewer }
    }
    return Plan(rules: rules, differences: [], isDecided: true)
  }

  /// Behind the last rule that opens something an exclusion only stops the search for a wildcard host (E9).
  private static func withoutTrailingExclusions(_ rules: [RuleSettings]) -> [RuleSettings] {
    Array(rules.prefix((rules.lastIndex { $0.exclude != true } ?? -1) + 1))
  }

  // MARK: - Where no plan is exact

  /// The plan with exclusions that take nothing away that is wanted, and without rules that change nothing that opens.
  private func nearer(_ plan: Plan) -> Plan {
    var plan = plan
    plan.rules = Self.withoutTrailingExclusions(plan.rules)
    if plan.rules.count <= Self.mendedCount, plan.isDecided {
      plan = withoutHarm(guarded(plan))
      var index = plan.rules.count - 1
      while index >= 0 {
        var fewer = plan.rules
        fewer.remove(at: index)
        let likeness = RouteProof.compare(
          plan.rules, fewer, variables: variables, stepLimit: Self.mendingSteps)
        if likeness == .alike { plan.rules = fewer }
        index -= 1
      }
    }
    return compared(plan.rules)
  }

  /// An exclusion only takes away; where it takes nothing that is wanted, what remains is nearer.
  private func guarded(_ plan: Plan) -> Plan {
    var plan = plan
    for route in routes {
      let paths = route.guards.filter { path in !plan.rules.contains { $0.path == path && $0.exclude == true }
      }
      for path in paths {
        guard let place = plan.rules.firstIndex(where: { $0.path == route.pattern && $0.exclude != true }),
          plan.rules.count < Self.mendedCount
        else { break }
        var rules = plan.rules
        rules.insert(RuleSettings(path: path, exclude: true), at: place)
        let other = compared(rules)
        if other.isDecided, Self.lost(other) <= Self.lost(plan) { plan = other }
      }
    }
    return plan
  }

  /// Without exclusions that take away more kinds of pages than they keep out.
  private func withoutHarm(_ plan: Plan) -> Plan {
    var plan = plan
    guard Self.lost(plan) > 0 else { return plan }
    for index in plan.rules.indices.reversed() where plan.rules[index].exclude == true {
      var fewer = plan.rules
      fewer.remove(at: index)
      let other = compared(fewer)
      if other.isDecided, Self.catches(other) < Self.catches(plan) { plan = other }
    }
    return plan
  }

  // MARK: - Plans

  /// One rule for each line of the request.
  private var simple: [RuleSettings] {
    exclusions.map { RuleSettings(path: $0.pattern, exclude: true) }
      + routes.map { RuleSettings(path: $0.pattern) }
  }

  /// Deeper routes first, each with the exclusion of what its parameters would catch besides.
  private var besideRoutes: [RuleSettings] {
    var rules: [RuleSettings] = []
    for route in exclusions { rules.append(RuleSettings(path: route.pattern, exclude: true)) }
    for route in routes where route.isOpen { rules.append(RuleSettings(path: route.pattern)) }
    for route in Self.deepestFirst(routes) where !route.isOpen {
      for path in route.guards { rules.append(RuleSettings(path: path, exclude: true)) }
      rules.append(RuleSettings(path: route.pattern))
    }
    return rules
  }

  /// In the order of the request where the depth is the same.
  private static func deepestFirst(_ routes: [RouteSpelling]) -> [RouteSpelling] {
    routes.enumerated().sorted {
      ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset)
    }.map(\.element)
  }

  /// Depth by depth, from the deepest; what no route of a depth opens is excluded before the next one.
  private var byDepth: [RuleSettings] {
    let deepest = (exclusions + routes).map(\.depth).max() ?? 0
    var rules: [RuleSettings] = []
    for depth in (0...(deepest + 1)).reversed() {
      // Beyond the deepest only what ends in `*` is left.
      for (list, isExclusion) in [(exclusions, true), (routes, false)] {
        for route in list {
          guard let path = route.pattern(atDepth: depth) else { continue }
          rules.append(RuleSettings(path: path, exclude: isExclusion ? true : nil))
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
