internal import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore

/// What to write into the rules of a file, and why none of them opens anything.
extension FileCauses {
  // MARK: - Writing a rule

  /// The list of an entry's rules that the release reads: `components` would take the place of `paths` (J8).
  private func list(of entry: AppLinks.Entry?) -> String {
    let isOld = entry.map { $0.components == nil && $0.paths != nil } ?? false
    return isOld || !os.readsComponents ? "paths" : "components"
  }

  /// A rule for a link, or for every one, as it is written into an entry: it says what the entry's defaults would change.
  private func rule(for link: LinkURL?, in entry: AppLinks.Entry?, of file: AssociationFile) -> String {
    let rule = Remedy.rule(for: link)
    if list(of: entry) == "paths" { return JSON.string(rule.path ?? "/").text }
    return rule.meaningTheSame(under: defaults(of: entry, file)).json.text
  }

  private func defaults(of entry: AppLinks.Entry?, _ file: AssociationFile) -> RuleSettings {
    guard os.readsDefaults else { return RuleSettings() }
    return (entry?.defaults ?? RuleSettings()).over(file.appLinks?.defaults ?? RuleSettings())
  }

  /// The keys of defaults that keep a path from being a rule as it is written: in `paths` nothing can be said of them.
  private func hindrance(for entry: AppLinks.Entry?, _ file: AssociationFile) -> String? {
    guard list(of: entry) == "paths" else { return nil }
    let defaults = defaults(of: entry, file)
    let keys =
      (defaults.exclude == true ? ["exclude"] : []) + (defaults.query == nil ? [] : ["?"])
      + (defaults.fragment == nil ? [] : ["#"])
    return keys.isEmpty ? nil : keys.map { "\"\($0)\"" }.joined(separator: " and ")
  }

  /// How a rule for a link gets into an entry.
  func adding(_ link: LinkURL?, to index: Int?, of file: AssociationFile) -> String {
    let entry = file.appLinks?.entry(index)
    let key = list(of: entry)
    let rule = rule(for: link, in: entry, of: file)
    guard let keys = hindrance(for: entry, file) else {
      return "Add a rule to '\(key)' of the app's entry:\n" + rule
    }
    return "Remove \(keys) from 'defaults', which 'paths' cannot overrule (DF2), and add the path:\n" + rule
  }

  /// How the file gets to name an app. Beside 'appID' a list would take the place of what is there (J6).
  func naming(_ app: String, in file: AssociationFile) -> String {
    let signed = "the identifier that the app is signed with"
    if os.readsComponents, file.appLinks?.entries.contains(where: { $0.appIDs != nil }) ?? false {
      return "Add \(signed) to 'appIDs' (J5):\n\"appIDs\": [\"\(app)\"]"
    }
    let rule = rule(for: subject.link, in: nil, of: file)
    let entry =
      os.readsComponents
      ? "{\"appIDs\":[\"\(app)\"],\"components\":[\(rule)]}" : "{\"appID\":\"\(app)\",\"paths\":[\(rule)]}"
    return "Add an entry to 'details' with \(signed) (J5):\n" + entry
  }

  /// That a rule excludes the link, by what it says itself or by what it has from defaults.
  func excludes(_ link: LinkURL, _ trace: MatchTrace, _ file: AssociationFile) -> FoundCause {
    let entry = file.appLinks?.entry(trace.decision.entry)
    let evidence = ["\(name): \(trace.reason)."]
    if let entry, let written = inheriting(entry).first(where: { $0.index == trace.decision.rule }) {
      return FoundCause(
        .ruleExcludes, evidence: evidence + ["\"exclude\": true comes from 'defaults' (DF3)."],
        remedy: overruling(written.settings, in: entry))
    }
    return FoundCause(
      .ruleExcludes, evidence: evidence,
      remedy: hindrance(for: entry, file).map {
        "Remove that exclusion, and \($0) from 'defaults', which 'paths' cannot overrule (DF2)."
      }
        ?? "Remove or narrow that exclusion, or put a rule for the link before it (the first rule that "
        + "holds decides):\n" + rule(for: link, in: entry, of: file))
  }

  /// The rules of an entry that the release reads and that do not say whether they exclude.
  private func inheriting(_ entry: AppLinks.Entry) -> [(index: Int, settings: RuleSettings)] {
    let rules: [(index: Int, settings: RuleSettings)] =
      list(of: entry) == "paths"
      ? (entry.paths ?? []).map { ($0.index, $0.settings) }
      : (entry.components ?? []).map { ($0.index, $0.settings) }
    return rules.filter { $0.settings.exclude == nil }
  }

  /// How a rule that has an exclusion from defaults opens pages.
  private func overruling(_ settings: RuleSettings, in entry: AppLinks.Entry) -> String {
    guard list(of: entry) == "components" else {
      return "Remove \"exclude\" from 'defaults', which 'paths' cannot overrule (DF2)."
    }
    var rule = settings
    rule.exclude = false
    return "Say in the rules that open pages that they do not exclude (DF2):\n" + rule.json.text
  }

  // MARK: - No link

  /// Why no rule of the file can open any app; nil when one can, or when that is not decided.
  func causeForEveryLink(_ work: inout WorkBudget) -> FoundCause? {
    guard let file = content.file, let links = file.appLinks else { return nil }
    let matcher = AssociationMatcher(file, os: os)
    guard !matcher.applications.isEmpty else {
      return ofRelease(links.hasAppsKey ? "no entry is read" : "\(os.name) reads no entry")
    }
    if let cause = noIdentifier(matcher.applications) { return cause }
    let rules = matcher.allRules
    let entry = links.entries.first { !$0.applications(on: os).isEmpty }
    if rules.isEmpty {
      return FoundCause(
        .noRule, evidence: ["\(name): the entries have no rules."],
        remedy: adding(nil, to: entry?.index, of: file))
    }
    if rules.allSatisfy({ $0.settings.exclude == true }) { return onlyExcludes(file, entry) }
    // As much as `check` looks for rules that never decide; a rule that is left open may match.
    let examples = work.withShare(of: Reachability.stepLimit) { work in
      RuleExamples(of: file, host: "example.com", on: os, &work)
    }
    let dead = Set(examples.deadRules.map { [$0.entry, $0.rule ?? -1] })
    let mending = RuleMending(of: file)
    var misplaced: FoundCause?
    for rule in rules where rule.settings.exclude != true && !dead.contains([rule.entry, rule.rule ?? -1]) {
      guard let form = mending.misplaced(rule.settings) else { return nil }
      misplaced = misplaced ?? neverMatches(rule.settings, form)
    }
    if let misplaced { return misplaced }
    return FoundCause(
      .ruleNeverMatches, evidence: ["\(name): no rule that opens pages can match a URL."],
      remedy: "Run 'linkspan check' on the file: it says of each rule why it never matches.")
  }

  /// That no app can have any of the names, since none begins with a prefix (J5). Where the app is known, its own name says
  /// more.
  func noIdentifier(_ apps: [String]) -> FoundCause? {
    guard subject.app == nil else { return nil }
    var first: ApplicationIdentifierProblem?
    for app in apps {
      do throws(ApplicationIdentifierProblem) {
        _ = try ApplicationIdentifier(app)
        return nil
      } catch {
        first = first ?? error
      }
    }
    return first.map { problem in
      FoundCause(
        .noApps, evidence: ["\(name): \(problem.message)"], remedy: problem.help,
        title: "The association file names no app by its whole identifier.")
    }
  }

  private func onlyExcludes(_ file: AssociationFile, _ entry: AppLinks.Entry?) -> FoundCause {
    let entries = (file.appLinks?.entries ?? []).filter { !$0.applications(on: os).isEmpty }
    for entry in entries {
      guard let written = inheriting(entry).first else { continue }
      return FoundCause(
        .ruleExcludes,
        evidence: ["\(name): 'defaults' say \"exclude\": true, and no rule says otherwise (DF3)."],
        remedy: overruling(written.settings, in: entry))
    }
    if let keys = hindrance(for: entry, file) {
      return FoundCause(
        .ruleExcludes, evidence: ["\(name): every rule is an exclusion."],
        remedy: "Remove \(keys) from 'defaults', which 'paths' cannot overrule (DF2), and add a path:\n"
          + rule(for: nil, in: entry, of: file))
    }
    let barrier = AssociationMatcher(file, os: os).allRules.first { $0.settings.excludesEverything }
    return FoundCause(
      .ruleExcludes, evidence: ["\(name): every rule is an exclusion."],
      remedy: barrier == nil
        ? "Add a rule that opens pages behind the exclusions (P1):\n" + rule(for: nil, in: entry, of: file)
        : "Remove the exclusion of every page, and add a rule that opens pages behind the others (P1):\n"
          + rule(for: nil, in: entry, of: file))
  }
}

extension AppLinks {
  fileprivate func entry(_ index: Int?) -> Entry? { entries.first { $0.index == index } }
}

extension RuleSettings {
  /// Whether it is an exclusion without a condition, behind which nothing is reached.
  fileprivate var excludesEverything: Bool {
    func isOpen(_ pattern: String?) -> Bool { pattern == nil || pattern == "*" }
    let isQueryOpen =
      switch query {
      case nil, .ignored: true
      case .whole(let pattern): pattern == "*"
      case .items(let items): items.isEmpty
      }
    return exclude == true && (isOpen(path) || path == "/*") && isOpen(fragment) && isQueryOpen
  }
}
