/// Makes one rule of rules that differ in one literal segment: a substitution variable stands for the segment.
///
/// So 300 routes `/a17/{id:int}` have the rules of one route, and comparing them costs as much as reading them.
struct ComponentSharing {
  private(set) var variables: ComponentVariables

  /// Our choice: a shorter list keeps a rule for each route, as people read it.
  private static let unsharedCount = 40

  init(_ variables: ComponentVariables) { self.variables = variables }

  /// - Parameter isExact: Whether a rule opens what its route does, and nothing else; others keep their names in messages.
  mutating func shared(
    _ rules: [ComponentPlan.Rule], where isExact: (ComponentPlan.Rule) -> Bool
  ) -> [ComponentPlan.Rule] {
    guard rules.count > Self.unsharedCount else { return rules }
    var result: [ComponentPlan.Rule] = []
    var start = 0
    // Neighbours with the same effect decide the same in any order.
    while start < rules.count {
      var end = start
      while end < rules.count, rules[end].component.isExclusion == rules[start].component.isExclusion {
        end += 1
      }
      result += rules[start..<end].filter { !isExact($0) }
      result += run(rules[start..<end].filter(isExact))
      start = end
    }
    return result
  }

  private struct Shape: Hashable {
    var segments: [String]
    var query: [String: String]
    var fragment: String?
  }

  private struct Group {
    var first: ComponentPlan.Rule
    var values: [String]
  }

  /// Shares the segment that leaves the fewest rules, until none leaves fewer.
  private mutating func run(_ rules: [ComponentPlan.Rule]) -> [ComponentPlan.Rule] {
    var rules = rules
    while true {
      let split = rules.map { Self.segments(of: $0.component.path) }
      let places = 0..<(split.map(\.count).max() ?? 0)
      let choices = places.map { (place: $0, groups: Self.groups(rules, split, at: $0)) }
      guard let (place, groups) = choices.min(by: { $0.groups.count < $1.groups.count }),
        groups.count < rules.count
      else { return rules }
      rules = groups.map { group in
        guard group.values.count > 1 else { return group.first }
        var rule = group.first
        var segments = Self.segments(of: rule.component.path)
        segments[place] = "$(\(variables.name(of: group.values, wanted: "segment")))"
        rule.component.path = segments.joined(separator: "/")
        return rule
      }
    }
  }

  /// Rules that are the same but for a literal in one place, in the order of their first.
  private static func groups(
    _ rules: [ComponentPlan.Rule], _ split: [[String]], at place: Int
  ) -> [Group] {
    var groups: [Group] = []
    var known: [Shape: Int] = [:]
    for (rule, segments) in zip(rules, split) {
      guard place < segments.count, !segments[place].isEmpty,
        !segments[place].contains(where: { "*?$".contains($0) })
      else {
        groups.append(Group(first: rule, values: []))
        continue
      }
      var shape = Shape(
        segments: segments, query: rule.component.query, fragment: rule.component.fragment)
      shape.segments[place] = ""
      if let group = known[shape] {
        if !groups[group].values.contains(segments[place]) { groups[group].values.append(segments[place]) }
      } else {
        known[shape] = groups.count
        groups.append(Group(first: rule, values: [segments[place]]))
      }
    }
    return groups
  }

  /// The text between slashes that stand in no variable's name.
  private static func segments(of path: String) -> [String] {
    var segments = [""]
    var isInName = false
    var previous: Character = " "
    for character in path {
      if previous == "$", character == "(" { isInName = true }
      if character == ")" { isInName = false }
      previous = character
      if character == "/", !isInName {
        segments.append("")
      } else {
        segments[segments.count - 1].append(character)
      }
    }
    return segments
  }
}
