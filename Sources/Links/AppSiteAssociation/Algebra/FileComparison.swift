package import AssociatedDomains
internal import LinkLanguages
internal import LinkspanCore

/// What two association files decide differently: by meaning, whatever their text.
///
/// Rules are compared as sets of URLs. Only URLs that a changed rule decides can be decided differently, so each
/// changed rule is searched for one, among the rules of both files that can hold for such a URL too.
package struct FileComparison: Sendable {
  /// One side's answer.
  package struct Side: Hashable, Sendable {
    package var decision: Decision
    /// The rule that decided, its defaults merged in; nil when none did.
    package var settings: RuleSettings?
  }

  /// URLs that are decided differently, by one of them.
  package struct Change: Hashable, Sendable {
    package var url: String
    package var app: String
    /// nil: the newest behaviour.
    package var os: OSVersion?
    package var old: Side
    package var new: Side
  }

  /// Applications that a service without URLs lists in one file only.
  package struct ServiceChange: Hashable, Sendable {
    package var service: Service
    package var added: [String]
    package var removed: [String]
  }

  package private(set) var changes: [Change] = []
  package private(set) var services: [ServiceChange] = []
  /// Clauses for what a bound left open.
  package private(set) var undecided: [String] = []
  /// Whether there may be more changes: the search ended at a bound, or at the number asked for.
  package private(set) var isCutShort = false
  /// What the comparison took.
  package private(set) var spentSteps = 0

  package var isEqual: Bool { changes.isEmpty && services.isEmpty && undecided.isEmpty }

  package struct Limits: Sendable {
    /// All comparisons together.
    package var steps = WorkLimits.comparison
    /// States that one search may remember.
    package var states = WorkLimits.states
    /// Changes reported for one application and release.
    package var changes = 200

    package init() {}
  }

  /// - Parameters:
  ///   - host: The host both files are for; the witnesses are its URLs.
  ///   - apps: The applications that count; empty for all that either file names.
  ///   - releases: nil stands for the newest behaviour.
  package init(
    _ old: AssociationFile, _ new: AssociationFile, host: String, apps: [String] = [],
    releases: [OSVersion?] = [nil], limits: Limits = Limits()
  ) {
    var budget = WorkBudget(steps: limits.steps, stateLimit: limits.states)
    for os in releases {
      compare(
        MatcherPair(AssociationMatcher(old, os: os), AssociationMatcher(new, os: os), host, limits), apps,
        &budget)
    }
    spentSteps = limits.steps - budget.steps
    for service in Service.allCases where service != .applinks {
      let before = old.apps[service] ?? []
      let after = new.apps[service] ?? []
      let change = ServiceChange(
        service: service, added: after.filter { !before.contains($0) },
        removed: before.filter { !after.contains($0) })
      if !change.added.isEmpty || !change.removed.isEmpty { services.append(change) }
    }
  }

  /// One file as two releases read it: the first one's decisions are the old side's.
  ///
  /// - Parameters:
  ///   - old: nil stands for the newest behaviour, here and below.
  package init(
    _ file: AssociationFile, on old: OSVersion?, andOn new: OSVersion?, host: String,
    limits: Limits = Limits()
  ) {
    var budget = WorkBudget(steps: limits.steps, stateLimit: limits.states)
    compare(
      MatcherPair(AssociationMatcher(file, os: old), AssociationMatcher(file, os: new), host, limits), [],
      &budget)
    spentSteps = limits.steps - budget.steps
  }

  private mutating func compare(_ matchers: MatcherPair, _ apps: [String], _ budget: inout WorkBudget) {
    var pair = matchers
    for app in pair.applications where apps.isEmpty || apps.contains(app) {
      let found = pair.changes(for: app, &budget)
      changes += found.changes
      undecided += found.undecided
      isCutShort = isCutShort || found.isCutShort
    }
  }
}

/// Two files for one release.
private struct MatcherPair {
  struct Found {
    var changes: [FileComparison.Change] = []
    var undecided: [String] = []
    var isCutShort = false
  }

  let old: AssociationMatcher
  let new: AssociationMatcher
  private let host: String
  private let limits: FileComparison.Limits
  private let languages = RuleLanguages()
  private var known: [[Int]: Found] = [:]

  init(
    _ old: AssociationMatcher, _ new: AssociationMatcher, _ host: String, _ limits: FileComparison.Limits
  ) {
    self.old = old
    self.new = new
    self.host = host
    self.limits = limits
  }

  var applications: [String] {
    old.applications + new.applications.filter { !old.names($0) }
  }

  mutating func changes(for app: String, _ budget: inout WorkBudget) -> Found {
    // Applications with the same rules in both files have the same changes.
    let key = (old.tableNumbers(of: app) ?? []) + [-1] + (new.tableNumbers(of: app) ?? [])
    var found: Found
    if let earlier = known[key] {
      found = earlier
    } else {
      let search = PairSearch(
        old: RuleList(old.rules(of: app) ?? [], languages),
        new: RuleList(new.rules(of: app) ?? [], languages),
        languages: languages, limits: limits)
      found = Found()
      let outcome = search.run(&budget)
      found.changes = outcome.differences.map { change($0, app) }
      found.undecided = outcome.undecided
      found.isCutShort = outcome.isCutShort
      known[key] = found
    }
    for index in found.changes.indices { found.changes[index].app = app }
    if let os = old.os { found.undecided = found.undecided.map { "\($0), on \(os.name)" } }
    return found
  }

  private func change(_ difference: PairSearch.Difference, _ app: String) -> FileComparison.Change {
    func side(_ rule: CompiledRule?) -> FileComparison.Side {
      guard let rule else { return .init(decision: .noMatch, settings: nil) }
      let verdict: Decision.Verdict = rule.isExclusion ? .excluded : .match
      return .init(
        decision: Decision(verdict: verdict, entry: rule.entry, rule: rule.rule), settings: rule.settings)
    }
    return FileComparison.Change(
      url: "https://\(host)\(difference.rest)", app: app, os: old.os, old: side(difference.old),
      new: side(difference.new))
  }
}
