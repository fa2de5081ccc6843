internal import LinkspanCore

/// The open questions (section 15 of the specification) that a file raises for an app: rules that other readings of the same
/// sources read otherwise. A question decides a URL where such a reading gives another verdict.
struct OpenQuestions: Sendable {
  /// Another way to read one rule.
  enum Reading: Sendable {
    /// It holds for nothing.
    case ignored
    /// It holds for this path, too.
    case also(path: String)
    /// Its variables are these.
    case variables(SubstitutionVariables)
    /// It opens instead of excluding.
    case opening
    /// As it is, for a URL whose query is read so.
    case query(QueryReading)
    /// As it is, with `ſ` and the Kelvin sign as letters that no other is folded to.
    case lettersApart
    /// It holds only where `*` in the values of its variables can stay within a segment of the path.
    case valuesWithinSegments
  }

  private struct Suspect: Sendable {
    var place: Int
    var question: Int
    var certainty: Certainty
    var reading: Reading
    var other: OtherReading
  }

  private let matcher: AssociationMatcher
  private let rules: [CompiledRule]
  /// By their place.
  private let suspects: [Suspect]
  /// The file with `appID` beside `appIDs`, where that gives the app more rules (question 3).
  private let united: AssociationMatcher?
  /// The file with other answers to what is no question of section 15, where it raises them: paths of `paths` without the
  /// `defaults` (P11, inferred), and the first of keys that an object has twice (6.4, undefined).
  private let others: [(matcher: AssociationMatcher, certainty: Certainty)]
  private let app: String

  init(_ matcher: AssociationMatcher, app: String) {
    self.app = app
    self.matcher = matcher
    rules = matcher.rules(of: app) ?? []
    suspects = Self.suspects(among: rules, of: matcher)
    united = Self.united(matcher, app: app)
    others = Self.others(matcher)
  }

  /// - Returns: nil for a decision that is none.
  func basis(
    of trace: MatchTrace, _ url: LinkURL, host: HostScope, _ work: inout WorkBudget
  ) -> MatchBasis? {
    guard trace.decision.isDecided else { return nil }
    if case .port? = trace.miss { return MatchBasis(.open, question: 6) }
    var plain = MatchBasis(trace.certainty(for: url, on: matcher.os, rules.first?.variables))
    if trace.miss?.isOfURL == true { return plain }
    // That devices drop them is inferred (6.4).
    if matcher.file.dropsValues { plain.certainty = plain.certainty.and(.inferred) }
    // 6.2 documents an empty array; nobody has said what they make of a full one.
    if let os = matcher.os, os.needsAppsKey, matcher.file.appLinks?.fillsAppsKey ?? false {
      plain.certainty = plain.certainty.and(.inferred)
    }
    if case .noApplication(isHidden: true)? = trace.miss, hiddenMatches(url, host, &work) {
      return MatchBasis(.disputed, question: 3, other: .identifiersUnited)
    }
    if trace.decision.verdict == .match, url.hasCredentials {
      return MatchBasis(.open, question: 6, other: .userInformationRefused)
    }
    if let united, united.decide(url, app: app, host: host, &work).verdict != trace.decision.verdict {
      return MatchBasis(.disputed, question: 3, other: .identifiersUnited)
    }
    for other in others {
      let decision = other.matcher.decide(url, app: app, host: host, &work)
      guard decision.isDecided, decision.verdict != trace.decision.verdict else { continue }
      return MatchBasis(other.certainty.and(plain.certainty))
    }
    guard !suspects.isEmpty, let suspect = deciding(trace.decision, url, &work) else { return plain }
    return MatchBasis(
      suspect.certainty.and(plain.certainty), question: suspect.question, other: suspect.other)
  }

  /// Whether an `appID` that an `appIDs` without a name hides would match (J6).
  private func hiddenMatches(_ url: LinkURL, _ host: HostScope, _ work: inout WorkBudget) -> Bool {
    for entry in matcher.file.appLinks?.entries ?? [] where entry.hidesItsApplication(on: matcher.os) {
      guard let app = entry.appID, let united = Self.united(matcher, app: app) else { continue }
      if united.decide(url, app: app, host: host, &work).verdict == .match { return true }
    }
    return false
  }

  // MARK: - Deciding

  /// The first of the readings that gives the URL another verdict.
  private func deciding(_ decision: Decision, _ url: LinkURL, _ work: inout WorkBudget) -> Suspect? {
    let decisive = decision.entry.flatMap { entry in
      rules.firstIndex { $0.entry == entry && $0.rule == decision.rule }
    }
    for suspect in suspects where suspect.place <= decisive ?? rules.count {
      let rule = rules[suspect.place]
      var verdict: Decision.Verdict = rule.isExclusion ? .excluded : .match
      if case .opening = suspect.reading { verdict = .match }
      guard let doesHold = holds(rule, read: suspect.reading, url, &work) else { continue }
      if !doesHold {
        guard suspect.place == decisive else { continue }
        verdict = next(after: suspect.place, url, &work)
      }
      if work.isExhausted { return nil }
      if verdict != decision.verdict { return suspect }
    }
    return nil
  }

  /// What the rules decide when one question has another answer; nil when the work ends first.
  func verdict(
    _ url: LinkURL, host: HostScope, by other: OtherReading, _ work: inout WorkBudget
  ) -> Decision.Verdict? {
    if other == .identifiersUnited, let united {
      let decision = united.decide(url, app: app, host: host, &work)
      return decision.isDecided ? decision.verdict : nil
    }
    guard matcher.missBeforeRules(url, app: app, host: host) == nil else { return .noMatch }
    if other == .httpRefused, url.scheme == "http" { return .noMatch }
    if other == .userInformationRefused, url.hasCredentials { return .noMatch }
    for (place, rule) in rules.enumerated() {
      var isExclusion = rule.isExclusion
      var doesHold = Self.holds(rule, url, &work)
      for suspect in suspects where suspect.place == place && suspect.other == other {
        if case .opening = suspect.reading { isExclusion = false }
        doesHold = holds(rule, read: suspect.reading, url, &work) ?? doesHold
      }
      if work.isExhausted { return nil }
      if doesHold { return isExclusion ? .excluded : .match }
    }
    return .noMatch
  }

  private func next(after place: Int, _ url: LinkURL, _ work: inout WorkBudget) -> Decision.Verdict {
    for rule in rules[(place + 1)...] where Self.holds(rule, url, &work) {
      return rule.isExclusion ? .excluded : .match
    }
    return .noMatch
  }

  /// Whether the rule holds in another reading; nil where that is known to make no difference.
  private func holds(
    _ rule: CompiledRule, read reading: Reading, _ url: LinkURL, _ work: inout WorkBudget
  ) -> Bool? {
    switch reading {
    case .ignored: return false
    case .opening: return Self.holds(rule, url, &work)
    case .also(let path):
      if Self.holds(rule, url, &work) { return true }
      var settings = rule.settings
      settings.path = path
      return Self.holds(rule.with(settings, rule.variables, &work), url, &work)
    case .variables(let variables):
      return Self.holds(rule.with(rule.settings, variables, &work), url, &work)
    case .query(let reading):
      return reading.url(url, for: rule, &work).map { Self.holds(rule, $0, &work) }
    case .lettersApart:
      let apart = FoldedLetters.apart(url.text, escapes: !rule.form.isPercentEncoded)
      let settings = FoldedLetters.apart(rule.settings)
      if apart == url.text, settings == rule.settings { return nil }
      return Self.holds(rule.with(settings, rule.variables, &work), LinkURL(apart), &work)
    case .valuesWithinSegments:
      guard Self.holds(rule, url, &work) else { return nil }
      return ValuesWithinSegments.variables(rule, url, &work).map {
        Self.holds(rule.with(rule.settings, $0, &work), url, &work)
      }
    }
  }

  private static func holds(_ rule: CompiledRule, _ url: LinkURL, _ work: inout WorkBudget) -> Bool {
    Subject.comparing(url, within: &work) { subject in
      return rule.firstFailure(&subject) == nil
    }
  }

  // MARK: - Finding

  private static func suspects(among rules: [CompiledRule], of matcher: AssociationMatcher) -> [Suspect] {
    var suspects: [Suspect] = []
    let entries = matcher.file.appLinks?.entries ?? []
    let nodes = Dictionary(entries.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
    // All rules of a file have the same variables.
    let variables = rules.first?.variables
    for (place, rule) in rules.enumerated() {
      func add(
        _ question: Int, _ other: OtherReading, _ reading: Reading, _ certainty: Certainty? = nil
      ) {
        suspects.append(
          Suspect(
            place: place, question: question, certainty: certainty ?? .open, reading: reading, other: other))
      }
      if rule.rule == nil { add(2, .noRulesOpenNothing, .ignored, .disputed) }
      if let stem = stem(of: rule.settings.path) { add(1, .slashAdded, .also(path: stem)) }
      if let entry = nodes[rule.entry] {
        for (other, reading) in WrongTypes.readings(of: rule, in: entry) { add(9, other, reading) }
      }
      if rule.usesVariables, let variables {
        if let predefined = variables.withoutPredefinedNames {
          add(8, .predefinedListWins, .variables(predefined))
        }
        if let both = variables.withPredefinedValues { add(8, .listsUnited, .variables(both)) }
        if ValuesWithinSegments.concerns(rule) { add(8, .valuesWithinSegments, .valuesWithinSegments) }
      }
      for reading in QueryReading.allCases where reading.concerns(rule) {
        add(7, .query(reading), .query(reading))
      }
      if !rule.form.isCaseSensitive,
        !rule.form.isPercentEncoded || rule.settings.patterns.contains(where: FoldedLetters.occur)
      {
        add(7, .lettersApart, .lettersApart)
      }
    }
    return suspects
  }

  /// What stands before a final `?*`, right behind a name (question 1): with a slash added, it matches as well.
  private static func stem(of path: String?) -> String? {
    guard let path, path.hasSuffix("?*") else { return nil }
    let stem = path.dropLast(2)
    guard let last = stem.utf8.last, last != UInt8(ascii: "/") else { return nil }
    return String(stem)
  }

  private static func others(
    _ matcher: AssociationMatcher
  ) -> [(matcher: AssociationMatcher, certainty: Certainty)] {
    var others: [(matcher: AssociationMatcher, certainty: Certainty)] = []
    func add(_ links: AppLinks?, _ certainty: Certainty) {
      var file = matcher.file
      file.appLinks = links
      others.append((AssociationMatcher(file, os: matcher.os), certainty))
    }
    if matcher.file.hasRepeatedKey {
      add(matcher.file.root.withFirstMembers.flatMap(AssociationFile.init)?.appLinks, .open)
    }
    guard let links = matcher.file.appLinks else { return others }
    var plain = links
    plain.defaults = RuleSettings()
    for place in plain.entries.indices {
      let isOfPaths = plain.entries[place].components == nil
      let own = plain.entries[place].defaults
      plain.entries[place].defaults = isOfPaths ? RuleSettings() : own.over(links.defaults)
    }
    let hasDefaults = links.entries.contains { entry in
      entry.components == nil && entry.paths != nil && entry.defaults.over(links.defaults) != RuleSettings()
    }
    if hasDefaults { add(plain, .inferred) }
    return others
  }

  private static func united(_ matcher: AssociationMatcher, app: String) -> AssociationMatcher? {
    var file = matcher.file
    var isChanged = false
    for place in file.appLinks?.entries.indices ?? 0..<0 {
      guard let entry = file.appLinks?.entries[place], entry.appID?.isExactly(app) == true,
        let all = entry.appIDs, !all.contains(where: { $0.isExactly(app) })
      else { continue }
      file.appLinks?.entries[place].appIDs = all + [app]
      isChanged = true
    }
    return isChanged ? AssociationMatcher(file, os: matcher.os) : nil
  }
}

extension CompiledRule {
  /// Our estimate of what compiling a rule costs.
  private static let costOfCompiling = 100

  fileprivate func with(
    _ settings: RuleSettings, _ variables: SubstitutionVariables?, _ work: inout WorkBudget
  ) -> CompiledRule {
    _ = work.spend(Self.costOfCompiling)
    return CompiledRule(
      entry: entry, rule: rule, isPath: isPath, settings: settings, variables: variables)
  }
}

extension LinkURL {
  /// Whether there is user information.
  fileprivate var hasCredentials: Bool {
    text(of: 0..<path.lowerBound).utf8.contains(UInt8(ascii: "@"))
  }
}
