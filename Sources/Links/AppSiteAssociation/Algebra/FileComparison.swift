package import AssociatedDomains
internal import LinkLanguages
package import LinkspanCore

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
    /// Those of the releases asked about that decide the URL so; nil where one file is compared as two releases read it.
    package var releases: HeldReleases?
    package var old: Side
    package var new: Side
  }

  /// Applications that a service without URLs lists in one file only.
  package struct ServiceChange: Hashable, Sendable {
    package var service: Service
    package var added: [String]
    package var removed: [String]
  }

  /// URLs that both files match for two apps, and that another one of them opens where both are installed (J12).
  package struct PrecedenceChange: Hashable, Sendable {
    package var url: String
    /// The app that opens it by the old file, and by the new one.
    package var old: String
    package var new: String
    /// Those of the releases asked about on which that is so.
    package var releases: HeldReleases?
  }

  package private(set) var changes: [Change] = []
  package private(set) var precedence: [PrecedenceChange] = []
  package private(set) var services: [ServiceChange] = []
  /// Clauses for what a bound left open.
  package private(set) var undecided: [String] = []
  /// Whether there may be more changes: the search ended at a bound, or at the number asked for.
  package private(set) var isCutShort = false
  /// What the comparison took.
  package private(set) var spentSteps = 0

  package var isEqual: Bool {
    changes.isEmpty && precedence.isEmpty && services.isEmpty && undecided.isEmpty
  }

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
  ///   - releases: Only what one of them decides differently counts.
  package init(
    _ old: AssociationFile, _ new: AssociationFile, host: String, apps: [String] = [],
    releases: ReleaseSet = .standard, limits: Limits = Limits()
  ) {
    var budget = WorkBudget(steps: limits.steps, stateLimit: limits.states)
    let readings = releases.readings(of: [old, new])
    var pairs = readings.map {
      MatcherPair(
        AssociationMatcher(old, os: $0.first), AssociationMatcher(new, os: $0.first), host, limits)
    }
    var seen = SeenChanges()
    for place in readings.indices {
      let found = pairs[place].changes(apps, &budget)
      for change in found.changes where !seen.has(change, on: place) {
        let held = pairs.indices.filter { $0 == place || pairs[$0].shows(change) }
        seen.add(change, on: held)
        changes.append(change)
        changes[changes.count - 1].releases = releases.held(held.map { readings[$0] })
      }
      let order = pairs[place].precedence.run(apps, &budget)
      undecided += (found.undecided + order.undecided).map {
        readings.count == 1 ? $0 : "\($0), on \(readings[place].name)"
      }
      isCutShort = isCutShort || found.isCutShort || order.isCutShort
      for change in order.changes where !precedence.contains(where: { $0.isSame(as: change) }) {
        let held = pairs.indices.filter { $0 == place || pairs[$0].precedence.shows(change) }
        precedence.append(change)
        precedence[precedence.count - 1].releases = releases.held(held.map { readings[$0] })
      }
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
    var pair = MatcherPair(
      AssociationMatcher(file, os: old), AssociationMatcher(file, os: new), host, limits)
    let found = pair.changes([], &budget)
    changes = found.changes
    undecided = found.undecided
    isCutShort = found.isCutShort
    spentSteps = limits.steps - budget.steps
  }
}

extension FileComparison.PrecedenceChange {
  /// Whether it is about the same apps.
  fileprivate func isSame(as other: Self) -> Bool { old == other.old && new == other.new }
}

/// Which rules decided otherwise on which readings: the same on a later one says nothing new.
private struct SeenChanges {
  private struct Key: Hashable {
    var app: String
    var old: Decision
    var new: Decision
  }

  private var readings: [Key: Set<Int>] = [:]

  private func key(_ change: FileComparison.Change) -> Key {
    Key(app: change.app, old: change.old.decision, new: change.new.decision)
  }

  func has(_ change: FileComparison.Change, on reading: Int) -> Bool {
    readings[key(change)]?.contains(reading) ?? false
  }

  mutating func add(_ change: FileComparison.Change, on held: [Int]) {
    readings[key(change), default: []].formUnion(held)
  }
}

/// Two files for one release.
private struct MatcherPair {
  struct Found {
    var changes: [FileComparison.Change] = []
    var undecided: [String] = []
    var isCutShort = false
  }

  private let old: AssociationMatcher
  private let new: AssociationMatcher
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

  /// - Parameter apps: Those that count; empty for all.
  mutating func changes(_ apps: [String], _ budget: inout WorkBudget) -> Found {
    var all = Found()
    for app in old.applications + new.applications.filter({ !old.names($0) })
    where apps.isEmpty || apps.contains(app) {
      let found = changes(for: app, &budget)
      all.changes += found.changes
      all.undecided += found.undecided
      all.isCutShort = all.isCutShort || found.isCutShort
    }
    return all
  }

  var precedence: PrecedenceSearch {
    PrecedenceSearch(old: old, new: new, host: host, languages: languages, limits: limits)
  }

  /// Whether the same rules decide the URL of a change here.
  func shows(_ change: FileComparison.Change) -> Bool {
    let url = LinkURL(change.url)
    return old.decide(url, app: change.app, host: .exactly(host)) == change.old.decision
      && new.decide(url, app: change.app, host: .exactly(host)) == change.new.decision
  }

  private mutating func changes(for app: String, _ budget: inout WorkBudget) -> Found {
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
      url: "https://\(host)\(difference.rest)", app: app, old: side(difference.old), new: side(difference.new)
    )
  }
}
