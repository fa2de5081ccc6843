extension RouteTable {
  /// Routes that never get a link, and pairs that compete for some.
  func problems() -> [RouterError.Problem] {
    var overlap = Overlap(rows: rows)
    overlap.walk()
    return overlap.problems()
  }

  /// What a walk over all paths learns of the routes.
  private struct Overlap {
    let rows: [Row]
    /// For each route, whether some path is left to it, and which earlier ones took the others.
    private var isReached: [Bool]
    private var takers: [Set<Int>]
    /// Example paths of pairs, by the number of the earlier route times the count, plus the later one's.
    private var shared: [Int: String] = [:]
    /// Pairs of which some path has the first and not the second.
    private var apart: Set<Int> = []
    private var isComplete = true

    init(rows: [Row]) {
      self.rows = rows
      isReached = Array(repeating: false, count: rows.count)
      takers = Array(repeating: [], count: rows.count)
    }

    mutating func walk() {
      let count = rows.count
      var isReached = isReached
      var takers = takers
      var shared = shared
      var seen: Set<[Int]> = []
      var companions = Array(repeating: Set(0..<count), count: count)
      let conditions = rows.map(Condition.init)
      isComplete = PathWalk.run(rows.map(\.pattern.pathExpression)) { labels, path in
        guard seen.insert(labels).inserted, !labels.isEmpty else { return true }
        let present = Set(labels)
        for route in labels {
          companions[route].formIntersection(present)
          let before = labels.filter { $0 < route && conditions[$0].covers(conditions[route]) }
          // Paths of one route may share links; all of them lead to it.
          if before.first.map({ rows[$0].route == rows[route].route }) ?? true {
            isReached[route] = true
          } else {
            takers[route].formUnion(before)
          }
          for other in labels
          where other > route && rows[other].route != rows[route].route
            && conditions[route].canHold(with: conditions[other])
          {
            if shared[route * count + other] == nil { shared[route * count + other] = path() }
          }
        }
        return true
      }
      self.isReached = isReached
      self.takers = takers
      self.shared = shared
      for route in 0..<count {
        for other in 0..<count
        where !companions[route].contains(other) || !conditions[other].covers(conditions[route]) {
          apart.insert(route * count + other)
        }
      }
    }

    /// What a route demands besides its path.
    private struct Condition {
      private var demands: [String: PathExpression] = [:]
      private let sources: Set<LinkSource.Kind>

      init(_ row: Row) {
        sources = row.sources
        for item in row.pattern.query where item.condition.isRequired {
          demands["?" + item.name] = Self.expression(item.condition)
        }
        if let fragment = row.pattern.fragment, fragment.isRequired {
          demands["#"] = Self.expression(fragment)
        }
      }

      private static func expression(_ condition: RoutePattern.Condition) -> PathExpression {
        switch condition {
        case .literal(let text): .literal(text)
        case .parameter(let parameter): parameter.expression
        }
      }

      /// Whether it holds wherever the other does.
      func covers(_ other: Condition) -> Bool {
        sources.isSuperset(of: other.sources)
          && demands.allSatisfy { name, expression in
            guard let its = other.demands[name] else { return false }
            return its == expression || expression == .segment && !its.acceptsEmpty
          }
      }

      /// Whether both can hold at once; different literals cannot.
      func canHold(with other: Condition) -> Bool {
        !sources.isDisjoint(with: other.sources)
          && demands.allSatisfy { name, expression in
            guard let its = other.demands[name], its != expression else { return true }
            return !(its.isLiteral && expression.isLiteral)
          }
      }
    }

    func problems() -> [RouterError.Problem] {
      guard isComplete else { return [] }
      var problems: [RouterError.Problem] = []
      for route in rows.indices where !isReached[route] {
        var others: [String] = []
        for taker in takers[route].sorted() where !others.contains(rows[taker].name) {
          others.append(rows[taker].name)
        }
        let names = others.map { "'\($0)'" }.joined(separator: ", ")
        problems.append(
          RouterError.Problem(
            kind: .unreachable, routes: [rows[route].name] + others,
            description:
              "Route '\(rows[route].name)' (\(rows[route].pattern.text)) is unreachable: \(names), declared "
              + "before it, \(others.count == 1 ? "takes" : "take") each of its URLs. Declare it first, or remove it."
          ))
      }
      for (pair, path) in shared.sorted(by: { $0.key < $1.key }) {
        let (first, second) = (pair / rows.count, pair % rows.count)
        guard isReached[first], isReached[second], apart.contains(pair),
          apart.contains(second * rows.count + first)
        else { continue }
        problems.append(
          RouterError.Problem(
            kind: .clash, routes: [rows[first].name, rows[second].name],
            description:
              "Routes '\(rows[first].name)' (\(rows[first].pattern.text)) and '\(rows[second].name)' "
              + "(\(rows[second].pattern.text)) clash: both take \(path), and neither is a special case of the other. "
              + "Make them differ, or pass 'clashes: .firstDeclaredWins' to let '\(rows[first].name)' have it."
          ))
      }
      return problems
    }
  }
}

extension PathExpression {
  fileprivate var isLiteral: Bool {
    guard case .sequence(let parts) = self else { return false }
    return parts.allSatisfy { if case .set(let set) = $0 { set.members.count == 1 } else { false } }
  }
}
