package import AppSiteAssociation

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
  }

  private let routes: [Route]
  private let exclusions: [Route]
  private let proof: RouteProof

  /// Our choice: leaving out rules one by one compares as often; above this many the first plan that is exact stays.
  private static let shortenedCount = 300
  /// Our choice: differences that are told.
  private static let differenceLimit = 20

  package init(routes: [Route], exclusions: [Route]) {
    self.routes = routes
    self.exclusions = exclusions
    proof = RouteProof(routes: routes, exclusions: exclusions)
  }

  package func plan() -> Plan {
    var best: Plan?
    for rules in [simple, besideRoutes, byDepth].map(Self.withoutRepetitions) {
      let outcome = proof.differences(of: rules, limit: Self.differenceLimit)
      let plan = Plan(rules: rules, differences: outcome.differences, isDecided: outcome.isDecided)
      if plan.isExact { return shortened(plan) }
      if best.map({ Self.catches(plan) < Self.catches($0) }) ?? true { best = plan }
    }
    return best ?? Plan(rules: [], differences: [], isDecided: true)
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

  private func isExact(_ rules: [RuleSettings]) -> Bool {
    let outcome = proof.differences(of: rules, limit: 1)
    return outcome.differences.isEmpty && outcome.isDecided
  }

  /// The same meaning with fewer rules.
  private func shortened(_ plan: Plan) -> Plan {
    guard plan.rules.count <= Self.shortenedCount else { return plan }
    var rules = plan.rules
    for index in plan.rules.indices.reversed() {
      var fewer = rules
      fewer.remove(at: index)
      if isExact(fewer) { rules = fewer }
    }
    return Plan(rules: rules, differences: [], isDecided: true)
  }

  // MARK: - Plans

  /// One rule for each line of the request.
  private var simple: [RuleSettings] {
    exclusions.map { RuleSettings(path: $0.pattern(), exclude: true) }
      + routes.map { RuleSettings(path: $0.pattern()) }
  }

  /// Deeper routes first, each with the exclusion of what its parameters would catch besides.
  private var besideRoutes: [RuleSettings] {
    var rules: [RuleSettings] = []
    for route in exclusions { rules.append(RuleSettings(path: route.pattern(), exclude: true)) }
    let open = routes.filter { $0.hasRest && !$0.segments.contains(where: \.isParameter) }
    for route in open { rules.append(RuleSettings(path: route.pattern())) }
    for route in Self.deepestFirst(routes) where !open.contains(route) {
      for path in Self.guards(of: route) { rules.append(RuleSettings(path: path, exclude: true)) }
      rules.append(RuleSettings(path: route.pattern()))
    }
    return rules
  }

  /// In the order of the request where the depth is the same.
  private static func deepestFirst(_ routes: [Route]) -> [Route] {
    routes.enumerated().sorted {
      ($1.element.segments.count, $0.offset) < ($0.element.segments.count, $1.offset)
    }.map(\.element)
  }

  /// Patterns for what a route's own pattern matches besides: a parameter with a slash in it.
  private static func guards(of route: Route) -> [String] {
    route.segments.indices.filter { route.segments[$0].isParameter }.map { place in
      route.pattern { index in
        guard index == place else { return "?*" }
        if case .parameter(_, let suffix, _) = route.segments[index], suffix.isEmpty, !route.hasRest,
          index == route.segments.count - 1
        {
          return "*/?*"
        }
        return "*/*"
      }
    }
  }

  /// Depth by depth, from the deepest; what no route of a depth opens is excluded before the next one.
  private var byDepth: [RuleSettings] {
    let all = exclusions + routes
    let deepest = all.map(\.segments.count).max() ?? 0
    var rules: [RuleSettings] = []
    for depth in (0...(deepest + 1)).reversed() {
      // Beyond the deepest only what ends in `*` is left.
      for (list, isExclusion) in [(exclusions, true), (routes, false)] {
        for route in list {
          guard let path = Self.pattern(of: route, atDepth: depth) else { continue }
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

  /// A pattern with as many slashes as a depth has segments; nil when the route has none there.
  private static func pattern(of route: Route, atDepth depth: Int) -> String? {
    let own = route.segments.count
    if own == depth {
      let path = route.pattern()
      return route.hasRest ? (own == 0 ? "/" : String(path.dropLast(2))) : path
    }
    guard route.hasRest, depth > own else { return nil }
    return String(route.pattern().dropLast(2)) + String(repeating: "/*", count: depth - own - 1) + "/?*"
  }
}
