package import AssociatedDomains
package import LinkspanCore

/// Why a URL was decided as it was: every rule that was tried, and the component that did not match.
package struct MatchTrace: Sendable {
  /// One rule that was tried.
  package struct Step: Sendable {
    package var entry: Int
    package var rule: Int?
    /// What the rule says with its defaults merged in.
    package var settings: RuleSettings
    /// nil for the rule that decided.
    package var failure: Failure?
  }

  /// The first component of a rule that did not hold.
  package struct Failure: Hashable, Sendable {
    package var component: URLComponent
    /// The name of the query item, when the rule asks for items.
    package var item: String?
    /// What the URL has there, in the form it was compared in; nil for an item that is absent.
    package var text: String?
    package var pattern: String
    /// What would make this component hold.
    package var remedy: String?
    /// How far it got, for finding the closest failure: more is closer.
    var progress: Progress
  }

  /// How near a rule came: the component it failed at, then items that held, then bytes in common.
  struct Progress: Comparable, Hashable, Sendable {
    var component: Int
    var items: Int
    var bytes: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.component, left.items, left.bytes) < (right.component, right.items, right.bytes)
    }
  }

  /// Why nothing matched.
  package enum Miss: Sendable {
    /// No URL comes of the text; the clause says why.
    case noURL(String)
    /// Longer than ``LinkURL/lengthLimitBytes``.
    case tooLong(bytes: Int)
    case scheme(String)
    /// No entry of an app can name the host.
    case unnamedHost(String, AssociatedDomain.UnnamedHost)
    case host(String, HostScope)
    case port(String)
    case noUniversalLinks(OSVersion)
    case noAppLinks
    /// `"apps": []` is absent and the release demands it.
    case noAppsKey(OSVersion)
    /// The file does not name the application; `similar` has identifiers that differ in their prefix only.
    case applicationNotNamed(String, similar: [String])
    /// The file names no application at all; `isHidden` where an entry's `appIDs` without a name hides its `appID` (J6).
    case noApplication(isHidden: Bool)
    /// The entries that name the application have no rules.
    case noRules
    /// Rules were tried and none held; the step is the closest.
    case noRuleHolds(closest: Step)
    /// The budget ended before the first rule that holds was found.
    case undecided
    /// No rule holds, and the budget ended before the closest was found.
    case unexplained
  }

  static let undecided = MatchTrace(decision: .undecided, steps: [], miss: .undecided)

  package var decision: Decision
  /// In the order they were tried, up to and with the one that decided; at most ``stepLimit``.
  package var steps: [Step]
  package var miss: Miss?
  /// The sentence of the reason, where it was made in advance.
  var keptReason: String?

  package init(decision: Decision, steps: [Step], miss: Miss? = nil) {
    self.decision = decision
    self.steps = steps
    self.miss = miss
  }

  /// Our choice: a trace is for reading.
  package static let stepLimit = 1000
}

extension AssociationMatcher {
  /// The decision together with how it came about. Slower than ``decide(_:app:host:)`` and always equal to it.
  package func trace(_ url: LinkURL, app: String, host: HostScope) -> MatchTrace {
    var work = WorkBudget.decision
    return trace(url, app: app, host: host, &work)
  }

  /// The same within a budget.
  package func trace(
    _ url: LinkURL, app: String, host: HostScope, _ work: inout WorkBudget
  ) -> MatchTrace {
    func miss(_ miss: MatchTrace.Miss, steps: [MatchTrace.Step] = []) -> MatchTrace {
      MatchTrace(decision: .noMatch, steps: steps, miss: miss)
    }
    if let early = missBeforeRules(url, app: app, host: host) { return miss(early) }
    let rules = rules(of: app) ?? []
    return Subject.comparing(url, within: &work) { subject in
      var steps: [MatchTrace.Step] = []
      var closest: MatchTrace.Step?
      var closestRule: CompiledRule?
      for rule in rules {
        let failure = rule.failure(&subject)
        if subject.work.isExhausted { return .undecided }
        let step = MatchTrace.Step(
          entry: rule.entry, rule: rule.rule, settings: rule.settings, failure: failure)
        if steps.count < MatchTrace.stepLimit || failure == nil { steps.append(step) }
        guard let failure else {
          let verdict: Decision.Verdict = rule.isExclusion ? .excluded : .match
          return MatchTrace(
            decision: Decision(verdict: verdict, entry: rule.entry, rule: rule.rule), steps: steps)
        }
        // What the author wants to open is closer than what should not.
        if rule.isExclusion, let closest, !(closest.settings.exclude ?? false) { continue }
        if closest.map({
          failure.progress > $0.failure!.progress || (($0.settings.exclude ?? false) && !rule.isExclusion)
        }) ?? true {
          closest = step
          closestRule = rule
        }
      }
      guard var closest, let closestRule, let component = closest.failure?.component else {
        return miss(.noRules)
      }
      closest.failure?.remedy = RuleRemedies(closestRule, on: os).remedy(for: component, in: &subject)
      return miss(.noRuleHolds(closest: closest), steps: steps)
    }
  }

  /// Why the URL is compared with no rule; nil when it is.
  func missBeforeRules(_ url: LinkURL, app: String, host: HostScope) -> MatchTrace.Miss? {
    if let fault = url.fault { return .noURL(fault) }
    guard url.byteCount <= LinkURL.lengthLimitBytes else { return .tooLong(bytes: url.byteCount) }
    guard url.scheme == "https" || url.scheme == "http" else { return .scheme(url.scheme) }
    if let unnamed = url.unnamedHost { return .unnamedHost(url.host, unnamed) }
    guard host.contains(hostOf: url) else { return .host(url.host, host) }
    guard url.hasDefaultPort else { return .port(url.port ?? "") }
    if let os, !os.hasUniversalLinks { return .noUniversalLinks(os) }
    guard let appLinks = file.appLinks else { return .noAppLinks }
    if let os, os.needsAppsKey, !appLinks.hasAppsKey { return .noAppsKey(os) }
    guard !names(app) else { return nil }
    let bundle = app.drop { $0 != "." }
    // Another prefix, or none: what was given is the bundle identifier alone.
    let similar = applications.filter { other in
      let rest = other.drop { $0 != "." }
      return rest.isExactly(bundle) || rest.dropFirst().isExactly(app)
    }
    return .applicationNotNamed(app, similar: similar)
  }
}

extension CompiledRule {
  /// Where the rule fails first and how near it came; nil when it decides.
  func failure(_ subject: inout Subject) -> MatchTrace.Failure? {
    guard let component = firstFailure(&subject) else { return nil }
    let text = subject.string(of: component, in: form)
    switch component {
    case .path:
      let pattern = settings.path ?? "*"
      return MatchTrace.Failure(
        component: .path, text: text.isEmpty ? "/" : text, pattern: pattern,
        progress: .init(component: 0, items: 0, bytes: commonPrefix(text, pattern)))
    case .query:
      if case .items(let items) = query, case .items(let stated)? = settings.query {
        let index = items.list.firstIndex { !subject.itemsHold(named: $0.name, in: form, $0.pattern) } ?? 0
        let values = subject.queryItems(in: form).filter { $0.name == items.list[index].name }
        let offending = values.first { !items.list[index].pattern.covers($0.value, &subject.work) }
        return MatchTrace.Failure(
          component: .query, item: stated[index].name,
          text: offending.map { String(decoding: $0.value, as: UTF8.self) }, pattern: stated[index].pattern,
          progress: .init(component: 1, items: index, bytes: 0))
      }
      var pattern = ""
      if case .whole(let stated)? = settings.query { pattern = stated }
      return MatchTrace.Failure(
        component: .query, text: text, pattern: pattern,
        progress: .init(component: 1, items: 0, bytes: commonPrefix(text, pattern)))
    case .fragment:
      return MatchTrace.Failure(
        component: .fragment, text: text, pattern: settings.fragment ?? "*",
        progress: .init(component: 2, items: 0, bytes: commonPrefix(text, settings.fragment ?? "")))
    }
  }

  private func commonPrefix(_ text: String, _ pattern: String) -> Int {
    let isRooted = text.utf8.first == UInt8(ascii: "/")
    return zip(text.utf8, isRooted ? Self.rooted(pattern) : Array(pattern.utf8)).prefix { $0 == $1 }.count
  }

  /// A pattern as a path is compared with it: `buy` means `/buy`.
  static func rooted(_ pattern: String) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    return pattern.utf8.first == slash ? Array(pattern.utf8) : [slash] + pattern.utf8
  }
}
