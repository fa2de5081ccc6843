package import AssociatedDomains
package import LinkspanCore

/// Which hosts a file speaks for, as the entitlement has it.
package enum HostScope: Hashable, Sendable {
  /// The host itself, lower-cased.
  case exactly(String)
  /// Any host below it, and not the host itself (E8); what a wildcard entry means.
  case subdomains(of: String)

  /// The hosts for whose links the file of an entry speaks (E6, E8).
  package init(of entry: AssociatedDomain) {
    self = entry.isWildcard ? .subdomains(of: entry.host) : .exactly(entry.host)
  }

  /// Reads `example.com`, or `*.example.com` for the hosts below it; letters beyond ASCII are read as Punycode.
  package init(_ text: String) {
    let isWildcard = text.hasPrefix("*.")
    let name = isWildcard ? text.dropFirst(2) : text[...]
    let host = (try? IDNA.ascii(name)) ?? ASCII.lowercased(name)
    self = isWildcard ? .subdomains(of: host) : .exactly(host)
  }

  /// Whether the host of a URL is one of them.
  func contains(hostOf url: LinkURL) -> Bool {
    if case .exactly(let name) = self { url.hasHost(name) } else { contains(url.host) }
  }

  /// - Parameter host: In lower case.
  package func contains(_ host: String) -> Bool {
    switch self {
    case .exactly(let name): host.isExactly(name)
    case .subdomains(let parent): host.utf8.count > parent.utf8.count + 1 && host.hasExactSuffix("." + parent)
    }
  }
}

/// What one file says of one URL for one application.
package struct Decision: Hashable, Sendable {
  package enum Verdict: String, Hashable, Sendable, CaseIterable {
    case match
    case excluded
    case noMatch
  }

  package var verdict: Verdict
  /// The place in `details` of the entry that decided; nil when none did.
  package var entry: Int?
  /// The place in `components` or `paths` of the rule that decided; nil as well when the entry has neither.
  package var rule: Int?
  /// false when the budget ended first: then the verdict says nothing.
  package var isDecided = true

  package static let noMatch = Decision(verdict: .noMatch)
  package static let undecided = Decision(verdict: .noMatch, isDecided: false)
}

/// One association file compiled for one release (or for the newest behaviour), to decide URLs with.
///
/// Follows section 7. Compiling reads every pattern once; a decision then looks only at
/// the rules whose literal beginning the path shares.
package struct AssociationMatcher: Sendable {
  package let file: AssociationFile
  /// nil: the newest behaviour.
  package let os: OSVersion?
  /// Every application the file names, in the order it first does.
  package let applications: [String]
  private let tables: [RuleTable]
  /// One table with all of its rules, in most files; one for each of its entries where that would multiply them.
  private let tablesOfApplication: [ExactText: [Int]]
  /// The application of a file that names one, whose table is found without a dictionary.
  private let loneApplication: String
  private let isLone: Bool
  /// One application for each list of rules, in the order of ``applications``.
  package let applicationsWithOwnRules: [String]

  /// Our choice: so many rules may stand in the tables of several applications with different entries.
  private static let mergedRuleLimit = 50_000

  package init(_ file: AssociationFile, os: OSVersion? = nil) {
    self.file = file
    self.os = os
    var entriesOfApplication: [ExactText: [Int]] = [:]
    var applications: [String] = []
    let entries = Self.isRead(file, on: os) ? file.appLinks?.entries ?? [] : []
    for (place, entry) in entries.enumerated() {
      for application in entry.applications(on: os) {
        let key = ExactText(application)
        if entriesOfApplication[key] == nil { applications.append(application) }
        if entriesOfApplication[key]?.last != place { entriesOfApplication[key, default: []].append(place) }
      }
    }
    let variables =
      os?.readsSubstitutionVariables ?? true
      ? SubstitutionVariables(file.appLinks?.substitutionVariables ?? [:]) : nil
    let queries = QueryCompiler()
    var compiled: [Int: [CompiledRule]] = [:]
    var applicationsWithOwnRules: [String] = []
    var tables: [RuleTable] = []
    var tablesOfEntries: [[Int]: [Int]] = [:]
    var tablesOfApplication: [ExactText: [Int]] = [:]
    var tableOfEntry: [Int: Int] = [:]
    var mergedRules = 0
    func table(_ rules: [CompiledRule]) -> Int {
      tables.append(RuleTable(rules))
      return tables.count - 1
    }
    for application in applications {
      let key = ExactText(application)
      let places = entriesOfApplication[key]!
      if let known = tablesOfEntries[places] {
        tablesOfApplication[key] = known
        continue
      }
      applicationsWithOwnRules.append(application)
      for place in places where compiled[place] == nil {
        compiled[place] = Self.compile(entries[place], of: file.appLinks!, variables, queries, on: os)
      }
      let count = places.reduce(0) { $0 + compiled[$1]!.count }
      var own: [Int] = []
      if places.count == 1 || mergedRules + count <= Self.mergedRuleLimit {
        mergedRules += count
        own = [table(places.flatMap { compiled[$0]! })]
      } else {
        own = places.map { place in
          if let known = tableOfEntry[place] { return known }
          let made = table(compiled[place]!)
          tableOfEntry[place] = made
          return made
        }
      }
      if applications.count > 1 { tablesOfEntries[places] = own }
      tablesOfApplication[key] = own
    }
    self.applications = applications
    self.applicationsWithOwnRules = applicationsWithOwnRules
    self.tables = tables
    self.tablesOfApplication = tablesOfApplication
    isLone = applications.count == 1 && tables.count == 1
    loneApplication = applications.first ?? ""
  }

  /// Whether the release takes universal links from the file at all.
  static func isRead(_ file: AssociationFile, on os: OSVersion?) -> Bool {
    guard let appLinks = file.appLinks else { return false }
    guard let os else { return true }
    return os.hasUniversalLinks && (appLinks.hasAppsKey || !os.needsAppsKey)
  }

  /// Every application the file names for any release: an old one may be read where the newest reads another.
  package var applicationsOfAnyRelease: [String] {
    var all = applications
    var seen = Set(all.map(ExactText.init))
    for reading in [nil, OSVersion(.iOS, 12, 5)] where reading != os {
      all += AssociationMatcher(file, os: reading).applications.filter { seen.insert(ExactText($0)).inserted }
    }
    return all
  }

  /// What the file says of a URL for an application: the first of its rules that holds (M4).
  ///
  /// - Parameters:
  ///   - app: An application identifier, compared byte by byte.
  ///   - host: The host that the file is for; a URL of any other is no match.
  package func decide(_ url: LinkURL, app: String, host: HostScope) -> Decision {
    var work = WorkBudget.decision
    return decide(url, app: app, host: host, &work)
  }

  /// The same within a budget: ``Decision/undecided`` when it ends first.
  package func decide(
    _ url: LinkURL, app: String, host: HostScope, _ work: inout WorkBudget
  ) -> Decision {
    guard url.byteCount <= LinkURL.lengthLimitBytes, url.fault == nil,
      url.scheme == "https" || url.scheme == "http",
      host.contains(hostOf: url), url.unnamedHost == nil, url.hasDefaultPort
    else { return .noMatch }
    return Subject.comparing(url, within: &work) { subject in
      if isLone {
        guard loneApplication.isExactly(app), let decision = tables[0].decision(&subject) else {
          return subject.work.isExhausted ? .undecided : .noMatch
        }
        return decision
      }
      guard let places = tablesOfApplication[ExactText(app)] else { return .noMatch }
      for place in places {
        if let decision = tables[place].decision(&subject) { return decision }
        if subject.work.isExhausted { return .undecided }
      }
      return .noMatch
    }
  }

  /// The rules of an application in their order; nil when the file does not name it.
  func rules(of app: String) -> [CompiledRule]? {
    guard let places = tablesOfApplication[ExactText(app)] else { return nil }
    return places.count == 1 ? tables[places[0]].rules : places.flatMap { tables[$0].rules }
  }

  /// Whether an application has rules, each of which keeps some URLs out.
  package func onlyExcludesSomething(_ app: String) -> Bool {
    let places = tablesOfApplication[ExactText(app)] ?? []
    return places.contains { !tables[$0].rules.isEmpty }
      && places.allSatisfy { place in
        tables[place].rules.allSatisfy { $0.isExclusion && !$0.coversEverything }
      }
  }

  /// How many rules an application has.
  func ruleCount(of app: String) -> Int {
    (tablesOfApplication[ExactText(app)] ?? []).reduce(0) { $0 + tables[$1].rules.count }
  }

  /// The table that has all the rules of an application, with its number; several applications may share one. nil
  /// for an application without rules, and for one whose rules stand in several tables.
  func onlyTable(of app: String) -> (number: Int, table: RuleTable)? {
    guard let places = tablesOfApplication[ExactText(app)], places.count == 1 else { return nil }
    return (places[0], tables[places[0]])
  }

  /// Every rule that some application has, its defaults merged in, in the order of the file.
  package var allRules: [(entry: Int, rule: Int?, settings: RuleSettings)] {
    var seen: Set<[Int]> = []
    var all: [(entry: Int, rule: Int?, settings: RuleSettings)] = []
    for table in tables {
      for rule in table.rules where seen.insert([rule.entry, rule.rule ?? -1]).inserted {
        all.append((rule.entry, rule.rule, rule.settings))
      }
    }
    return all.sorted { ($0.entry, $0.rule ?? -1) < ($1.entry, $1.rule ?? -1) }
  }

  /// The applications of the file, those with the same rules together.
  package var applicationGroups: [[String]] {
    var groups: [[String]] = []
    var places: [[Int]: Int] = [:]
    for application in applications {
      let tables = tablesOfApplication[ExactText(application)] ?? []
      if let place = places[tables] {
        groups[place].append(application)
      } else {
        places[tables] = groups.count
        groups.append([application])
      }
    }
    return groups
  }

  /// The tables that have the rules of an application; others with the same have the same rules. nil when the file does
  /// not name it.
  func tableNumbers(of app: String) -> [Int]? { tablesOfApplication[ExactText(app)] }

  func names(_ app: String) -> Bool { tablesOfApplication[ExactText(app)] != nil }

  private static func compile(
    _ entry: AppLinks.Entry, of appLinks: AppLinks, _ variables: SubstitutionVariables?,
    _ queries: QueryCompiler, on os: OSVersion?
  ) -> [CompiledRule] {
    let defaults = entry.defaults.over(appLinks.defaults)
    func rule(_ index: Int?, _ settings: RuleSettings, isPath: Bool = false) -> CompiledRule {
      var merged = settings
      if os?.readsDefaults ?? true {
        merged = settings.over(defaults)
      } else {
        merged.percentEncoded = nil
      }
      if !(os?.readsCaseSensitive ?? true) { merged.caseSensitive = nil }
      return CompiledRule(
        entry: entry.index, rule: index, isPath: isPath, settings: merged, variables: variables,
        queries: queries)
    }
    if os?.readsComponents ?? true, let components = entry.components {
      return components.map { rule($0.index, $0.settings) }
    }
    if let paths = entry.paths { return paths.map { rule($0.index, $0.settings, isPath: true) } }
    return [rule(nil, RuleSettings())]
  }
}
