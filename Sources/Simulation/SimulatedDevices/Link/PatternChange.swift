import AppSiteAssociation

/// What to change in an association file so that a link opens the app, read off the trace of the matcher.
enum PatternChange {
  /// - Parameter isNamedToday: Whether the newest release reads the app's name in the file.
  static func advice(for trace: MatchTrace, app: String, os: OSVersion, isNamedToday: Bool) -> String {
    let rule = os.readsComponents ? "a component" : "a path in \"paths\""
    if trace.decision.verdict == .excluded {
      let place = "entry \(trace.decision.entry!), rule \(trace.decision.rule ?? 0)"
      return "Narrow the exclusion (\(place)), or put a rule that covers this link before it."
    }
    switch trace.miss {
    case .noAppsKey:
      return "Add \"apps\": [] inside \"applinks\", and entries with \"appID\" and \"paths\": all that "
        + "releases before 13 read."
    case .applicationNotNamed(_, let similar):
      if !os.readsComponents, isNamedToday {
        return "Add an entry with \"appID\" and \"paths\": \(os.name) reads no \"appIDs\" and \"components\"."
      }
      if let other = similar.first {
        return "Give the app the prefix of \(other), or name \(app) in the file."
      }
      return "Name \(app) in \"\(os.readsComponents ? "appIDs" : "appID")\" of an entry."
    case .noApplication: return "Name \(app) in the file."
    case .noURL: return "Write the link percent-encoded, as a URL."
    case .noAppLinks: return "Add an \"applinks\" object that names \(app)."
    case .noRules: return "Give the entry that names \(app) \(rule) that covers this link."
    case .noRuleHolds(let closest):
      if let remedy = closest.failure?.remedy {
        return remedy.prefix(1).uppercased() + remedy.dropFirst() + "."
      }
      return "Add \(rule) that covers this link."
    case .scheme, .unnamedHost, .host, .port:
      return "Link to the host the app claims, by https and without a port."
    case .tooLong: return "Shorten the link."
    case .undecided, .unexplained: return "Shorten the link, or write simpler rules."
    case .noUniversalLinks, nil: return "There is nothing to change in the file."
    }
  }
}
