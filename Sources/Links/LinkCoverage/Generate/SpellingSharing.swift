internal import AppSiteAssociation

/// Makes one spelling of spellings that differ in one literal segment: a substitution variable stands for the segment.
///
/// So 300 routes `/a17/:id(\d{1,18})` have the rules of one route, and proving them costs as much as reading them.
struct SpellingSharing {
  private typealias Piece = RouteSpelling.Piece

  var variables: VariableNames

  /// Our choice: fewer spellings keep a rule each, as people read them.
  private static let unsharedCount = 40

  private struct Shape: Hashable {
    var segments: [[RouteSpelling.Piece]]
    var hasRest: Bool
    var settings: RuleSettings
  }

  private struct Group {
    var first: SpelledRule
    var values: [String] = []
  }

  /// Shares the segment that leaves the fewest spellings, until none leaves fewer.
  mutating func shared(_ rules: [SpelledRule]) -> [SpelledRule] {
    guard rules.count > Self.unsharedCount else { return rules }
    var rules = rules
    while true {
      let split = rules.map { Self.segments(of: $0.spelling) }
      let choices = (0..<(split.map { $0.count }.max() ?? 0)).map { place in
        (place: place, groups: Self.groups(rules, split, at: place))
      }
      guard let (place, groups) = choices.min(by: { $0.groups.count < $1.groups.count }),
        groups.count < rules.count
      else { return rules }
      rules = groups.map { group in
        guard group.values.count > 1, let spelling = group.first.spelling else { return group.first }
        var segments = Self.segments(of: spelling)
        segments[place] = [.variable(variables.name(of: group.values, wanted: "segment"))]
        let pieces = segments.flatMap { [.literal("/")] + $0 }
        return SpelledRule(
          spelling: RouteSpelling(RouteSpeller.merged(pieces), hasRest: spelling.hasRest),
          settings: group.first.settings)
      }
    }
  }

  private static func groups(
    _ rules: [SpelledRule], _ split: [[[RouteSpelling.Piece]]], at place: Int
  ) -> [Group] {
    var groups: [Group] = []
    var known: [Shape: Int] = [:]
    for (rule, segments) in zip(rules, split) {
      guard place < segments.count, segments[place].count == 1, case .literal(let text) = segments[place][0],
        let spelling = rule.spelling
      else {
        groups.append(Group(first: rule))
        continue
      }
      var shape = Shape(segments: segments, hasRest: spelling.hasRest, settings: rule.settings)
      shape.segments[place] = []
      if let group = known[shape] {
        if !groups[group].values.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
          groups[group].values.append(text)
        }
      } else {
        known[shape] = groups.count
        groups.append(Group(first: rule, values: [text]))
      }
    }
    return groups
  }

  /// What stands between the slashes of its literals, from behind the first slash.
  private static func segments(of spelling: RouteSpelling?) -> [[RouteSpelling.Piece]] {
    var segments: [[RouteSpelling.Piece]] = []
    for piece in spelling?.pieces ?? [] {
      guard case .literal(let text) = piece else {
        if segments.isEmpty { segments.append([]) }
        segments[segments.count - 1].append(piece)
        continue
      }
      for (index, part) in text.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
        if index > 0 { segments.append([]) }
        if !part.isEmpty, !segments.isEmpty { segments[segments.count - 1].append(.literal(String(part))) }
      }
    }
    return segments
  }
}
