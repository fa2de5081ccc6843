package import LinkspanCore

/// Decides many URLs of one file, each with its reason, at little more than the cost of the decisions.
///
/// Its answers are those of ``AssociationMatcher/trace(_:app:host:)``, and the rule that the reason names is their only
/// step: only rules whose path may hold are looked at, and for a miss the closest rule is found by an index. What is
/// learned about a rule is kept for the next URL.
package struct ReasonedMatcher: Sendable {
  package let matcher: AssociationMatcher
  /// By the number of the table; made when a URL is first compared with its rules.
  private var tables: [Int: ReasonedRules] = [:]
  private var questions: [ExactText: OpenQuestions] = [:]

  package init(_ matcher: AssociationMatcher) { self.matcher = matcher }

  /// The decision with its reason, and with at most one step.
  ///
  /// - Parameters:
  ///   - app: An application identifier, compared byte by byte.
  ///   - host: The host that the file is for.
  ///   - work: When it ends, the decision is ``Decision/undecided``.
  package mutating func trace(
    _ url: LinkURL, app: String, host: HostScope, _ work: inout WorkBudget
  ) -> MatchTrace {
    if let miss = matcher.missBeforeRules(url, app: app, host: host) {
      return MatchTrace(decision: .noMatch, steps: [], miss: miss)
    }
    // Without an authority a path may begin with anything; nothing is gained by being quick about it.
    guard url.path.isEmpty || url.withBytes({ $0[url.path.lowerBound] == UInt8(ascii: "/") }),
      let (number, table) = matcher.onlyTable(of: app)
    else { return matcher.trace(url, app: app, host: host, &work) }
    return tables[number, default: ReasonedRules(table, os: matcher.os)].trace(url, &work)
  }

  /// How sure a decision is; nil for one that is not decided.
  package mutating func basis(
    of trace: MatchTrace, _ url: LinkURL, app: String, host: HostScope, _ work: inout WorkBudget
  ) -> MatchBasis? {
    let key = ExactText(app)
    if questions[key] == nil { questions[key] = OpenQuestions(matcher, app: app) }
    return questions[key]?.basis(of: trace, url, host: host, &work)
  }
}

/// The rules of one application, and what was learned about them.
private struct ReasonedRules: Sendable {
  /// Rules that compare in one form.
  private struct Group {
    var form: TextForm
    /// Ascending.
    var rules: [Int]
    /// Over the paths as the file states them.
    var index: PrefixIndex
  }

  private let table: RuleTable
  private let os: OSVersion?
  /// What the author wants to open is closer than what should not: exclusions count where there is nothing else.
  private let countsExclusions: Bool
  /// Made at the first miss.
  private var groups: [Group]?
  private var traces: [Int: MatchTrace] = [:]
  private var remedies: [Int: RuleRemedies] = [:]

  init(_ table: RuleTable, os: OSVersion?) {
    self.table = table
    self.os = os
    countsExclusions = table.rules.allSatisfy { $0.isExclusion }
  }

  mutating func trace(_ url: LinkURL, _ work: inout WorkBudget) -> MatchTrace {
    Subject.comparing(url, within: &work) { subject in
      if let place = table.firstDecisivePlace(&subject) { return decision(of: place) }
      if subject.work.isExhausted { return .undecided }
      let near = table.nearMisses(&subject).filter { counts(table.rules[$0]) }
      let closest =
        near.isEmpty ? closestPath(&subject).flatMap { step($0, &subject) } : closest(among: near, &subject)
      guard var closest, let component = closest.step.failure?.component else {
        return MatchTrace(decision: .noMatch, steps: [], miss: .noRules)
      }
      if subject.work.isExhausted { return MatchTrace(decision: .noMatch, steps: [], miss: .unexplained) }
      let rule = table.rules[closest.place]
      let remedy = remedies[closest.place] ?? RuleRemedies(rule, on: os)
      remedies[closest.place] = remedy
      closest.step.failure?.remedy = remedy.remedy(for: component, in: &subject)
      return MatchTrace(decision: .noMatch, steps: [], miss: .noRuleHolds(closest: closest.step))
    }
  }

  private func counts(_ rule: CompiledRule) -> Bool { countsExclusions || !rule.isExclusion }

  /// What a rule decides is the same for every URL.
  private mutating func decision(of place: Int) -> MatchTrace {
    if let known = traces[place] { return known }
    let rule = table.rules[place]
    var trace = MatchTrace(
      decision: Decision(
        verdict: rule.isExclusion ? .excluded : .match, entry: rule.entry, rule: rule.rule),
      steps: [
        MatchTrace.Step(entry: rule.entry, rule: rule.rule, settings: rule.settings, failure: nil)
      ])
    trace.keepReason()
    traces[place] = trace
    return trace
  }

  private typealias Candidate = (place: Int, step: MatchTrace.Step)

  private func step(_ place: Int, _ subject: inout Subject) -> Candidate? {
    let rule = table.rules[place]
    guard let failure = rule.failure(&subject) else { return nil }
    return (
      place,
      MatchTrace.Step(entry: rule.entry, rule: rule.rule, settings: rule.settings, failure: failure)
    )
  }

  /// Of rules whose path holds: the one that came furthest, and of those the first.
  private func closest(among near: [Int], _ subject: inout Subject) -> Candidate? {
    var closest: Candidate?
    for place in near.sorted() {
      guard let step = step(place, &subject) else { continue }
      if closest.map({ step.step.failure!.progress > $0.step.failure!.progress }) ?? true { closest = step }
    }
    return closest
  }

  /// The first of the rules whose path has most in common with the URL's, where no path holds.
  private mutating func closestPath(_ subject: inout Subject) -> Int? {
    let groups = self.groups ?? makeGroups()
    self.groups = groups
    var best: (commonBytes: Int, place: Int)?
    for group in groups {
      let path = subject.text(of: .path, in: group.form)
      guard let found = path.withUnsafeBufferPointer(group.index.closest) else { continue }
      let place = group.rules[found.number]
      if best.map({ (found.commonBytes, $0.place) > ($0.commonBytes, place) }) ?? true {
        best = (found.commonBytes, place)
      }
    }
    return best?.place
  }

  private func makeGroups() -> [Group] {
    var rules: [TextForm: [Int]] = [:]
    for (place, rule) in table.rules.enumerated() where counts(rule) {
      rules[rule.form, default: []].append(place)
    }
    return rules.map { form, places in
      let paths = places.map { CompiledRule.rooted(table.rules[$0].settings.path ?? "*") }
      return Group(form: form, rules: places, index: PrefixIndex(paths))
    }.sorted { $0.rules[0] < $1.rules[0] }
  }
}
