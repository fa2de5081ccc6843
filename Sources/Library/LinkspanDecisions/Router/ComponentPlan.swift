/// Finds the rules for routes: the fewest found that a walk over all paths proves equal, else the nearest.
///
/// In a pattern `*` and `?` cover slashes too. So the rules go depth by depth from the deepest paths, and exclude what no
/// route of a depth takes before the next one; then no `?*` reaches beyond its segment.
struct ComponentPlan {
  struct Rule: Hashable {
    var component: AssociationComponent
    /// The row it is for; nil for the exclusion of a depth.
    var row: Int?
  }

  /// What a rule demands besides the path.
  struct Demand: Hashable {
    var query: [String: String] = [:]
    var fragment: String?

    static let nothing = Demand()

    mutating func add(_ other: Demand) {
      query.merge(other.query) { own, _ in own }
      fragment = fragment ?? other.fragment
    }
  }

  /// One row with its constraints as patterns.
  private struct Written {
    var index: Int
    var isBrowser: Bool
    var hasRest: Bool
    /// Whether the patterns say exactly what the row says.
    var isExact: Bool
    var depth: Int
    var paths: [String]
    var demands: [Demand]
  }

  private let rows: [RouteTable.Row]
  private var written: [Written] = []
  private var variables = ComponentVariables()
  /// What the patterns cannot say, whatever their order.
  private var losses: [AssociationComponents.Difference] = []

  /// Our choice: leaving out rules one by one compares as often; with more rules the first good plan stays.
  private static let shortenedCount = 80

  /// - Parameter patternsPerRoute: A route that needs more rules than that gets the nearest ones.
  init(_ rows: [RouteTable.Row], patternsPerRoute: Int) {
    self.rows = rows
    for index in rows.indices { write(index, limit: max(1, patternsPerRoute)) }
  }

  /// - Parameter others: What the app's closures do not read although the templates take it.
  mutating func components(besides others: [AssociationComponents.Difference]) -> AssociationComponents {
    var best: (rules: [Rule], check: Check)?
    for (index, plan) in [inOrder, byDepth(afterOpen: true), byDepth(afterOpen: false)].enumerated() {
      var sharing = ComponentSharing(variables)
      let rules = sharing.shared(plan) { rule in rule.row.map { written[$0].isExact } ?? false }
      variables = sharing.variables
      let check = check(rules)
      // The rules as a person would write them reach into every depth, so they are only good when they are exact.
      if index > 0 || check.cost == 0, check.cost < best?.check.cost ?? .max { best = (rules, check) }
      if check.cost == 0 { break }
    }
    guard case (var rules, let outcome)? = best else { preconditionFailure("there are two plans by depth") }
    let whole = rules
    if rules.count <= Self.shortenedCount, outcome.isComplete {
      for index in rules.indices.reversed() {
        var fewer = rules
        fewer.remove(at: index)
        if isSame(whole, fewer) { rules = fewer }
      }
    }
    let components = rules.map(\.component)
    return AssociationComponents(
      components: components, substitutionVariables: variables.used(by: components),
      differences: outcome.differences + losses + others)
  }

  // MARK: - Patterns

  private mutating func write(_ index: Int, limit: Int) {
    let row = rows[index]
    var choices: [(part: String, writing: ComponentPattern.Writing)] = []
    func add(_ part: String, _ name: String?, _ writing: ComponentPattern.Writing) {
      guard writing.isList, let name else { return choices.append((part, writing)) }
      let variable = variables.name(of: writing.patterns, wanted: row.name + " " + name)
      choices.append(
        (part, ComponentPattern.Writing(patterns: ["$(\(variable))"], isExact: writing.isExact)))
    }
    func add(_ part: String, _ condition: RoutePattern.Condition) {
      switch condition {
      case .literal(let text): add(part, nil, ComponentPattern.writing(of: text))
      case .parameter(let parameter):
        add(part, parameter.name, ComponentPattern.writing(of: parameter.expression))
      }
    }
    for segment in row.pattern.segments {
      switch segment {
      case .literal(let text): add("path", nil, ComponentPattern.writing(of: text))
      case .parameters(let parameters):
        for parameter in parameters { add("path", .parameter(parameter)) }
      }
    }
    let required = row.pattern.query.filter(\.condition.isRequired)
    for item in required { add("the query item '\(item.name)'", item.condition) }
    let fragment = row.pattern.fragment.flatMap { $0.isRequired ? $0 : nil }
    if let fragment { add("the fragment", fragment) }
    while choices.reduce(1, { $0 * $1.writing.patterns.count }) > limit {
      guard
        let widest = choices.indices.max(by: {
          choices[$0].writing.patterns.count < choices[$1].writing.patterns.count
        })
      else { break }
      choices[widest].writing = ComponentPattern.Writing(patterns: [ComponentPattern.nearest], isExact: false)
    }
    // Below a parameter with `/*` behind it, patterns cannot tell one segment from two.
    let isExact =
      choices.allSatisfy(\.writing.isExact) && (row.pattern.rest == .none || !row.pattern.hasPathParameters)
    for choice in choices where !choice.writing.isExact && choice.part != "path" && !row.isBrowser {
      losses.append(
        AssociationComponents.Difference(
          route: row.name, alsoCatches: nil,
          description: "Route '\(row.name)': a pattern cannot say what \(choice.part) must be; the nearest, "
            + "'\(choice.writing.patterns[0])', also opens the app for other values."))
    }
    written.append(
      combined(index, choices.map(\.writing.patterns), required.map(\.name), fragment != nil, isExact))
  }

  private func combined(
    _ index: Int, _ patterns: [[String]], _ items: [String], _ hasFragment: Bool, _ isExact: Bool
  ) -> Written {
    let pattern = rows[index].pattern
    var paths = [""]
    var place = 0
    func literal(_ text: String) -> String { ComponentPattern.writing(of: text).patterns[0] }
    for segment in pattern.segments {
      switch segment {
      case .literal:
        paths = paths.flatMap { path in patterns[place].map { path + "/" + $0 } }
        place += 1
      case .parameters(let parameters):
        paths = paths.map { $0 + "/" }
        for parameter in parameters {
          paths = paths.flatMap { path in
            patterns[place].map { path + literal(parameter.prefix) + $0 + literal(parameter.suffix) }
          }
          place += 1
        }
      }
    }
    var demands = [Demand.nothing]
    for (offset, name) in items.enumerated() {
      demands = demands.flatMap { demand in
        patterns[place + offset].map { text in
          var demand = demand
          demand.query[name] = text
          return demand
        }
      }
    }
    if hasFragment {
      demands = demands.flatMap { demand in
        (patterns.last ?? []).map { Demand(query: demand.query, fragment: $0) }
      }
    }
    return Written(
      index: index, isBrowser: rows[index].isBrowser, hasRest: pattern.rest != .none, isExact: isExact,
      depth: pattern.segments.count, paths: paths, demands: demands)
  }

  // MARK: - Plans

  /// An exclusion that cannot be said is left out: better a link that the app hands to the browser than one that is lost.
  private func rules(_ row: Written, _ path: (String) -> String) -> [Rule] {
    if row.isBrowser, !row.isExact { return [] }
    return row.paths.flatMap { text in
      row.demands.map { demand in
        Rule(
          component: AssociationComponent(
            path: path(text), query: demand.query, fragment: demand.fragment, isExclusion: row.isBrowser),
          row: row.index)
      }
    }
  }

  /// One rule for each row, as a person would write it.
  private var inOrder: [Rule] {
    written.flatMap { row in rules(row) { row.hasRest ? $0 + "/*" : $0.isEmpty ? "/" : $0 } }
  }

  /// - Parameter isAfterOpen: Whether `/help/*` goes first as it is, not depth by depth.
  private func byDepth(afterOpen isAfterOpen: Bool) -> [Rule] {
    func isOpen(_ row: Written) -> Bool {
      isAfterOpen && row.hasRest && !row.paths.contains { $0.contains { "*?$".contains($0) } }
    }
    var all: [Rule] = []
    for row in written where isOpen(row) { all += rules(row) { $0 + "/*" } }
    let others = written.filter { !isOpen($0) }
    let deepest = others.map(\.depth).max() ?? 0
    for depth in (0...(deepest + 1)).reversed() {
      for row in others where row.depth == depth || row.hasRest && row.depth < depth {
        let below =
          row.depth == depth
          ? "" : String(repeating: "/*", count: depth - row.depth - 1) + "/" + ComponentPattern.nearest
        all += rules(row) { $0 + below == "" ? "/" : $0 + below }
      }
      if depth > 0 {
        let path = String(repeating: "/*", count: depth - 1) + "/" + ComponentPattern.nearest
        all.append(Rule(component: AssociationComponent(path: path, isExclusion: true), row: nil))
      }
    }
    return all
  }

  // MARK: - Proof

  private struct Check {
    var differences: [AssociationComponents.Difference] = []
    /// How far the rules are from the routes: pages lost weigh more than pages caught besides.
    var cost = 0
    var isComplete = true
  }

  private static let lostWeight = 1_000

  /// Compares, for every kind of path, what the routes and what the rules open, and on which demands.
  private func check(_ rules: [Rule]) -> Check {
    var check = Check()
    let expressions = rows.map(\.pattern.pathExpression) + rules.map(expression)
    var blamed: Set<Int?> = []
    check.isComplete = PathWalk.run(expressions) { labels, path in
      var wanted: [Decision] = []
      var got: [Decision] = []
      for label in labels {
        if label < rows.count {
          wanted += written[label].demands.map {
            Decision(demand: $0, opens: !written[label].isBrowser, row: label)
          }
        } else {
          got.append(Decision(rules[label - rows.count]))
        }
      }
      let (normalWanted, normalGot) = (Decision.normal(wanted), Decision.normal(got))
      guard normalWanted.map(\.key) != normalGot.map(\.key) else { return true }
      // Exclusions that are left out catch; everything else that differs may be a link lost.
      let withoutExclusions = Decision.normal(wanted.filter(\.opens))
      let isLeftOut = withoutExclusions.map(\.key) == normalGot.map(\.key)
      let isCaught = isLeftOut || normalWanted.allSatisfy { !$0.opens } && normalGot.contains(where: \.opens)
      check.cost += isCaught ? 1 : Self.lostWeight
      let blame =
        isLeftOut
        ? normalWanted.first { !$0.opens } : (isCaught ? normalGot : normalWanted).first(where: \.opens)
      if blamed.insert(blame?.row).inserted {
        var demand = blame?.demand ?? .nothing
        // What opens the link where an exclusion is missing has demands of its own.
        if isLeftOut, let opening = normalGot.first(where: \.opens) { demand.add(opening.demand) }
        check.differences.append(
          difference(blame?.row, path() + demand.example(with: variables.values), isCaught))
      }
      return true
    }
    if !check.isComplete {
      check.cost += Self.lostWeight
      check.differences.append(
        AssociationComponents.Difference(
          route: nil, alsoCatches: nil,
          description:
            "The routes are too many, or their constraints too intricate, to prove the rules equal to them."))
    }
    return check
  }

  private func expression(_ rule: Rule) -> PathExpression {
    ComponentPattern.expression(ofPath: rule.component.path, variables: variables.values)
  }

  /// Whether two lists of rules open the same.
  private func isSame(_ first: [Rule], _ second: [Rule]) -> Bool {
    var isSame = true
    let isComplete = PathWalk.run((first + second).map(expression)) { labels, _ in
      let one = labels.filter { $0 < first.count }.map { Decision(first[$0]) }
      let other = labels.filter { $0 >= first.count }.map { Decision(second[$0 - first.count]) }
      isSame = Decision.normal(one).map(\.key) == Decision.normal(other).map(\.key)
      return isSame
    }
    return isSame && isComplete
  }

  private func difference(_ row: Int?, _ path: String, _ isCaught: Bool) -> AssociationComponents.Difference {
    let name = row.map { rows[$0].name }
    let route = name.map { "Route '\($0)' (\(row.map { rows[$0].pattern.text } ?? ""))" } ?? "The rules"
    return AssociationComponents.Difference(
      route: name, alsoCatches: isCaught ? path : nil,
      description: isCaught
        ? "\(route): patterns cannot say its constraint; the nearest also catches \(path), which no route takes."
        : "\(route): the rules and the routes disagree about \(path).")
  }

  private struct Decision {
    var demand: Demand
    var opens: Bool
    var row: Int?

    init(demand: Demand, opens: Bool, row: Int?) {
      self.demand = demand
      self.opens = opens
      self.row = row
    }

    init(_ rule: Rule) {
      self.init(
        demand: Demand(query: rule.component.query, fragment: rule.component.fragment),
        opens: !rule.component.isExclusion, row: rule.row)
    }

    struct Key: Hashable {
      var demand: Demand
      var opens: Bool
    }

    var key: Key { Key(demand: demand, opens: opens) }

    /// The same decisions in one form: nothing behind a decision without demands, no demand twice, none that decides as
    /// what follows does anyhow, neighbours that decide alike in one order, and no exclusion at the end.
    static func normal(_ decisions: [Decision]) -> [Decision] {
      var seen: Set<Demand> = []
      var result: [Decision] = []
      for decision in decisions where seen.insert(decision.demand).inserted {
        result.append(decision)
        if decision.demand == .nothing { break }
      }
      if result.last?.opens == true, result.last?.demand == .nothing {
        let last = result.removeLast()
        while result.last?.opens == true { result.removeLast() }
        result.append(last)
      }
      while result.last?.opens == false { result.removeLast() }
      var start = 0
      while start < result.count {
        var end = start
        while end < result.count, result[end].opens == result[start].opens { end += 1 }
        result[start..<end].sort { "\($0.demand.sortKey)" < "\($1.demand.sortKey)" }
        start = end
      }
      return result
    }
  }
}

extension ComponentPlan.Demand {
  /// A query and a fragment that satisfy it.
  fileprivate func example(with variables: [String: [String]]) -> String {
    func text(_ pattern: String) -> String { ComponentPattern.example(of: pattern, variables: variables) }
    let items = query.sorted { $0.key < $1.key }.map { $0.key + "=" + text($0.value) }
    let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
    return query + (fragment.map { "#" + text($0) } ?? "")
  }

  fileprivate var sortKey: String {
    query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&") + "#"
      + (fragment ?? "")
  }
}

extension Router {
  /// The rules for an association file that open the app for exactly the router's web links.
  ///
  /// Where a constraint cannot be written as patterns, the nearest rules also catch other URLs, and the answer names each
  /// such route with an example. The app gets those links and hands them to the browser.
  ///
  /// - Parameters:
  ///   - kind: Universal links, or invocations of an App Clip.
  ///   - patternsPerRoute: `{id:int}` is 4 patterns, for lengths up to 2, 6, 14 and 18. A route that needs more than this many
  ///     gets the nearest pattern; 1 makes the shortest file.
  public func associationComponents(
    for kind: LinkSource.Kind = .universalLink, patternsPerRoute: Int = 40
  ) -> AssociationComponents {
    var plan = ComponentPlan(
      table.rows.filter { $0.sources.contains(kind) }, patternsPerRoute: patternsPerRoute)
    return plan.components(besides: readingDifferences(for: kind))
  }
}
