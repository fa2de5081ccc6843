internal import AppSiteAssociation
internal import LinkspanCore

/// One way to write a wanted line as a rule; its conditions besides the path stay with every rule made from it.
struct SpelledRule: Hashable {
  /// nil where the line is a rule already.
  let spelling: RouteSpelling?
  /// What a rule says besides the spelling's path.
  let settings: RuleSettings

  /// A line that is a rule already is written as it is, like a path and all below it.
  var isOpen: Bool { spelling?.isOpen ?? true }
  var depth: Int { spelling?.depth ?? 0 }
  var guards: [String] { spelling?.guards ?? [] }

  /// The whole rule.
  func rule(isExclusion: Bool) -> RuleSettings {
    guard let spelling else { return rule(settings.path, isExclusion: isExclusion) }
    return rule(spelling.pattern, isExclusion: isExclusion)
  }

  /// A rule for some of its paths, with its conditions.
  func rule(_ path: String?, isExclusion: Bool) -> RuleSettings {
    var rule = settings
    rule.path = path
    rule.exclude = isExclusion ? true : nil
    return rule
  }
}

extension RuleSettings {
  /// Every pattern in it.
  var patterns: [String] {
    let ofQuery: [String] =
      switch query {
      case .whole(let text): [text]
      case .items(let items): items.map({ $0.pattern })
      case .ignored, nil: []
      }
    return [path, fragment].compactMap { $0 } + ofQuery
  }

  /// Whether a pattern of it has a substitution variable.
  var usesVariables: Bool { patterns.contains { $0.contains("$(") } }

  /// The same patterns, whatever they do with a URL.
  var withoutEffect: RuleSettings {
    var rule = self
    rule.exclude = nil
    return rule
  }
}
