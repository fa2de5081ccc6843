internal import LinkLanguages
internal import LinkspanCore

/// What the rules of a file mean together: exclusions without effect, apps that compete, releases that differ. Each answer
/// is exact; what a bound leaves open is not told.
struct MeaningSurvey {
  /// An exclusion, and whether some later rule would match a URL that it keeps out.
  struct Exclusion {
    var place: Reachability.Place
    var settings: RuleSettings
  }

  /// Two lists of rules that match the same URL.
  struct Competition {
    var apps: (first: String, second: String)
    var rules: (first: Reachability.Place, second: Reachability.Place)
    var url: String
  }

  /// Our choice: some hundredths of a second for each kind of question.
  private static let stepLimit = 300_000
  private static let stateLimit = 30_000
  /// Our choice: apps with different rules that are compared with one another.
  private static let listLimit = 6
  /// Our choice: more rules of one app than this are not looked at.
  private static let ruleLimit = 2_000
  private static let host = "example.com"

  /// Exclusions that keep nothing out on any release and for any app, in the order of the file.
  static func idleExclusions(in file: AssociationFile, _ work: inout WorkBudget) -> [Exclusion] {
    work.withShare(of: stepLimit, stateLimit: stateLimit) { idleExclusions(in: file, within: &$0) }
  }

  private static func idleExclusions(
    in file: AssociationFile, within budget: inout WorkBudget
  ) -> [Exclusion] {
    var idle: [Reachability.Place: Exclusion] = [:]
    var effective: Set<Reachability.Place> = []
    for os in Reachability.readings(of: file) {
      let matcher = AssociationMatcher(file, os: os)
      for app in matcher.applicationsWithOwnRules {
        let rules = matcher.rules(of: app) ?? []
        let languages = RuleLanguages()
        guard rules.count <= ruleLimit, rules.contains(where: \.isExclusion) else {
          effective.formUnion(rules.filter(\.isExclusion).map(Reachability.Place.init))
          continue
        }
        let list = RuleList(rules, languages)
        let questions = RuleQuestions(list: list, languages: languages)
        let lastMatch = list.rules.lastIndex { !$0.isExclusion }
        for (index, rule) in list.rules.enumerated()
        where rule.isExclusion && !Reachability.readsVariablesAsText(rule) {
          let place = Reachability.Place(rule)
          guard lastMatch != nil, !effective.contains(place) else {
            effective.insert(place)
            continue
          }
          // Behind the last rule that matches nothing is left to exclude.
          var isIdle = index > lastMatch ?? 0
          if !isIdle, !budget.isExhausted, case .none = questions.keepsOut(index, &budget) { isIdle = true }
          if isIdle {
            idle[place] = Exclusion(place: place, settings: rule.settings)
          } else {
            effective.insert(place)
          }
        }
      }
    }
    return idle.filter { !effective.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Apps of different entries that match a common URL: one for each pair of their lists of rules.
  static func competitions(in file: AssociationFile, _ work: inout WorkBudget) -> [Competition] {
    work.withShare(of: stepLimit, stateLimit: stateLimit) { competitions(in: file, within: &$0) }
  }

  private static func competitions(
    in file: AssociationFile, within budget: inout WorkBudget
  ) -> [Competition] {
    let matcher = AssociationMatcher(file)
    let apps = matcher.applicationsWithOwnRules.prefix(listLimit).filter {
      matcher.ruleCount(of: $0) <= ruleLimit
    }
    let languages = RuleLanguages()
    let lists = apps.map { RuleList(matcher.rules(of: $0) ?? [], languages) }
    var found: [Competition] = []
    for second in lists.indices {
      for first in lists.indices.prefix(second) {
        let questions = RuleQuestions(list: lists[first], languages: languages)
        guard !budget.isExhausted else { return found }
        let (answer, one, other) = questions.shares(with: lists[second], &budget)
        guard case .witness(let rest) = answer else { continue }
        let rules = (lists[first].rules[one], lists[second].rules[other])
        guard rules.0.entry != rules.1.entry else { continue }
        let url = LinkURL("https://\(host)\(rest)")
        let isConfirmed = [apps[first], apps[second]].allSatisfy {
          matcher.decide(url, app: $0, host: .exactly(host), &budget).verdict == .match
        }
        guard isConfirmed else { continue }
        found.append(
          Competition(
            apps: (apps[first], apps[second]),
            rules: (Reachability.Place(rules.0), Reachability.Place(rules.1)), url: url.text))
      }
    }
    return found
  }

  /// Rules whose URLs a release decides differently from the newest: the first such URL of each rule.
  static func releaseDependence(
    in file: AssociationFile, _ work: inout WorkBudget
  ) -> [(place: Reachability.Place, change: FileComparison.Change)] {
    guard let appLinks = file.appLinks else { return [] }
    var limits = FileComparison.Limits()
    limits.steps = min(stepLimit, work.steps)
    limits.states = stateLimit
    var seen: Set<Reachability.Place> = []
    var found: [(place: Reachability.Place, change: FileComparison.Change)] = []
    for period in ReleasePeriod.iOS.dropFirst() {
      guard let last = period.last, appLinks.readsMore(than: last) else { continue }
      let comparison = FileComparison(file, on: last, andOn: nil, host: host, limits: limits)
      _ = work.spend(comparison.spentSteps)
      // `$(` in a URL is nobody's link: a release that knows no variables reads it as text.
      for change in comparison.changes where !change.url.contains("$(") {
        let side = change.new.decision.entry != nil ? change.new : change.old
        guard let entry = side.decision.entry else { continue }
        let isPath = appLinks.entries.first { $0.index == entry }?.components == nil
        let place = Reachability.Place(entry: entry, rule: side.decision.rule, isPath: isPath)
        if seen.insert(place).inserted { found.append((place, change)) }
      }
    }
    return found
  }
}

extension AppLinks {
  /// Whether a later release reads something in this file that this one does not.
  fileprivate func readsMore(than os: OSVersion) -> Bool {
    [OSVersion(.iOS, 13, 5), OSVersion(.iOS, 14)].contains { first in
      !os.isAtLeast(first.major, first.minor) && !news(since: first).isEmpty
    }
  }
}
