internal import LinkLanguages
package import LinkspanCore

/// What the rules of a file mean together: exclusions without effect, apps that compete, releases that differ. Each answer
/// is exact; what a bound leaves open is not told.
package struct MeaningSurvey {
  /// An exclusion, and whether some later rule would match a URL that it keeps out.
  package struct Exclusion {
    package var place: Reachability.Place
    var settings: RuleSettings
  }

  /// Two lists of rules that match the same URL.
  package struct Competition {
    package var apps: (first: String, second: String)
    package var rules: (first: Reachability.Place, second: Reachability.Place)
    package var url: String
  }

  /// Our choice: some hundredths of a second for each kind of question.
  private static let stepLimit = 300_000
  private static let stateLimit = 30_000
  /// Our choice: apps with different rules that are compared with one another.
  private static let listLimit = 6
  /// Our choice: more rules of one app than this are not looked at.
  private static let ruleLimit = 2_000
  private static let host = "example.com"

  /// Exclusions that keep nothing out on a release for any app, in the order of the file.
  ///
  /// - Parameter os: nil stands for the newest behaviour, here and below.
  package static func idleExclusions(
    in file: AssociationFile, on os: OSVersion?, _ work: inout WorkBudget
  ) -> [Exclusion] {
    work.withShare(of: stepLimit, stateLimit: stateLimit) {
      idleExclusions(in: AssociationMatcher(file, os: os), within: &$0)
    }
  }

  private static func idleExclusions(
    in matcher: AssociationMatcher, within budget: inout WorkBudget
  ) -> [Exclusion] {
    var idle: [Reachability.Place: Exclusion] = [:]
    var effective: Set<Reachability.Place> = []
    for app in matcher.applicationsWithOwnRules {
      let rules = matcher.rules(of: app) ?? []
      let languages = RuleLanguages()
      guard rules.count <= ruleLimit, rules.contains(where: { $0.isExclusion }) else {
        effective.formUnion(rules.filter { $0.isExclusion }.map(Reachability.Place.init))
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
    return idle.filter { !effective.contains($0.key) }.sorted { $0.key < $1.key }.map { $0.value }
  }

  /// Apps of different entries that match a common URL: one for each pair of their lists of rules.
  package static func competitions(
    in file: AssociationFile, on os: OSVersion?, _ work: inout WorkBudget
  ) -> [Competition] {
    work.withShare(of: stepLimit, stateLimit: stateLimit) {
      competitions(in: AssociationMatcher(file, os: os), within: &$0)
    }
  }

  private static func competitions(
    in matcher: AssociationMatcher, within budget: inout WorkBudget
  ) -> [Competition] {
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

  /// What a rule means on some releases and not on the newest of those that were asked about.
  package struct ReleaseDependence {
    package var place: Reachability.Place
    /// A URL that shows it, and what the oldest of the releases and the newest say of it.
    package var change: FileComparison.Change
    /// The releases that read the rule otherwise.
    package var old: [ReleaseRange]
    /// The newest ones of their platform.
    package var newest: ReleaseRange
  }

  /// Rules whose URLs a release decides differently from the newest of its platform that was asked about: the first such
  /// URL of each rule. Releases that read only `paths` are not compared.
  ///
  /// - Parameter readings: Those of the file.
  package static func releaseDependence(
    in file: AssociationFile, readings: [ReleaseRange], _ work: inout WorkBudget
  ) -> [ReleaseDependence] {
    var limits = FileComparison.Limits()
    limits.states = stateLimit
    var found: [ReleaseDependence] = []
    for newest in readings.indices
    where newest + 1 == readings.count
      || readings[newest + 1].first.platform != readings[newest].first.platform
    {
      let last = readings[newest]
      let older = readings[..<newest].filter {
        $0.first.platform == last.first.platform && $0.first.readsComponents
      }
      let matchers = older.map { AssociationMatcher(file, os: $0.first) }
      let own = found.count
      for range in older {
        limits.steps = min(stepLimit, work.steps)
        let comparison = FileComparison(file, on: range.first, andOn: last.first, host: host, limits: limits)
        _ = work.spend(comparison.spentSteps)
        // `$(` in a URL is nobody's link: a release that knows no variables reads it as text.
        for change in comparison.changes where !change.url.contains("$(") {
          let side = change.new.decision.entry != nil ? change.new : change.old
          guard let entry = side.decision.entry else { continue }
          let isPath = file.appLinks?.entries.first { $0.index == entry }?.components == nil
          let place = Reachability.Place(entry: entry, rule: side.decision.rule, isPath: isPath)
          guard !found[own...].contains(where: { $0.place == place }) else { continue }
          let url = LinkURL(change.url)
          let old = zip(older, matchers).filter { _, matcher in
            matcher.decide(url, app: change.app, host: .exactly(host)).verdict != change.new.decision.verdict
          }.map { $0.0 }
          found.append(ReleaseDependence(place: place, change: change, old: old, newest: last))
        }
      }
    }
    return found
  }
}
