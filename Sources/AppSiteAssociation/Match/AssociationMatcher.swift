internal import LinkspanCore

/// Which hosts a file speaks for, as the entitlement has it.
package enum HostScope: Hashable, Sendable {
  /// The host itself, lower-cased.
  case exactly(String)
  /// Any host below it, and not the host itself (E8); what a wildcard entry means.
  case subdomains(of: String)

  /// Reads `example.com`, or `*.example.com` for the hosts below it.
  package init(_ text: String) {
    let text = ASCII.lowercased(text)
    self = text.hasPrefix("*.") ? .subdomains(of: String(text.dropFirst(2))) : .exactly(text)
  }

  /// - Parameter host: In lower case.
  package func contains(_ host: String) -> Bool {
    switch self {
    case .exactly(let name): host == name
    case .subdomains(let parent): host.utf8.count > parent.utf8.count + 1 && host.hasSuffix("." + parent)
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

  package static let noMatch = Decision(verdict: .noMatch)
}

/// One association file compiled for one release (or for the newest behaviour), to decide URLs with.
///
/// Follows spec associated-domains section 7. Compiling reads every pattern once; a decision then looks only at
/// the rules whose literal beginning the path shares.
package struct AssociationMatcher: Sendable {
  package let file: AssociationFile
  /// nil: the newest behaviour.
  package let os: OSVersion?
  /// Every application the file names, in the order it first does.
  package let applications: [String]
  private let tables: [RuleTable]
  private let tableOfApplication: [String: Int]

  package init(_ file: AssociationFile, os: OSVersion? = nil) {
    self.file = file
    self.os = os
    var entriesOfApplication: [String: [Int]] = [:]
    var applications: [String] = []
    let entries = Self.isRead(file, on: os) ? file.appLinks?.entries ?? [] : []
    for (place, entry) in entries.enumerated() {
      for application in entry.applications(on: os) {
        if entriesOfApplication[application] == nil { applications.append(application) }
        if entriesOfApplication[application]?.last != place {
          entriesOfApplication[application, default: []].append(place)
        }
      }
    }
    let variables =
      os?.readsSubstitutionVariables ?? true
      ? SubstitutionVariables(file.appLinks?.substitutionVariables ?? [:]) : nil
    var compiled: [Int: [CompiledRule]] = [:]
    var tables: [RuleTable] = []
    var tableOfEntries: [[Int]: Int] = [:]
    var tableOfApplication: [String: Int] = [:]
    for application in applications {
      let places = entriesOfApplication[application]!
      if let known = tableOfEntries[places] {
        tableOfApplication[application] = known
        continue
      }
      var rules: [CompiledRule] = []
      for place in places {
        if compiled[place] == nil {
          compiled[place] = Self.compile(entries[place], of: file.appLinks!, variables, on: os)
        }
        rules += compiled[place]!
      }
      tableOfEntries[places] = tables.count
      tableOfApplication[application] = tables.count
      tables.append(RuleTable(rules))
    }
    self.applications = applications
    self.tables = tables
    self.tableOfApplication = tableOfApplication
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
    for reading in [nil, OSVersion(.iOS, 12, 5)] where reading != os {
      all += AssociationMatcher(file, os: reading).applications.filter { !all.contains($0) }
    }
    return all
  }

  /// What the file says of a URL for an application: the first of its rules that holds (M4).
  ///
  /// - Parameters:
  ///   - app: An application identifier, compared byte by byte.
  ///   - host: The host that the file is for; a URL of any other is no match.
  package func decide(_ url: LinkURL, app: String, host: HostScope) -> Decision {
    guard url.bytes.count <= LinkURL.lengthLimitBytes, url.scheme == "https" || url.scheme == "http",
      host.contains(url.host), url.hasDefaultPort,
      let rules = rules(of: app)
    else { return .noMatch }
    return url.bytes.withUnsafeBufferPointer { bytes in
      var subject = Subject(url, bytes: bytes)
      guard let rule = rules.firstDecisive(&subject) else { return .noMatch }
      return Decision(verdict: rule.isExclusion ? .excluded : .match, entry: rule.entry, rule: rule.rule)
    }
  }

  func rules(of app: String) -> RuleTable? { tableOfApplication[app].map { tables[$0] } }

  /// Which of the tables has the rules of an application; several applications may share one.
  func tableNumber(of app: String) -> Int? { tableOfApplication[app] }

  private static func compile(
    _ entry: AppLinks.Entry, of appLinks: AppLinks, _ variables: SubstitutionVariables?, on os: OSVersion?
  ) -> [CompiledRule] {
    func rule(_ index: Int?, _ settings: RuleSettings, isPath: Bool = false) -> CompiledRule {
      var merged = settings
      if os?.readsDefaults ?? true {
        merged = settings.over(entry.defaults.over(appLinks.defaults))
      } else {
        merged.percentEncoded = nil
      }
      if !(os?.readsCaseSensitive ?? true) { merged.caseSensitive = nil }
      return CompiledRule(
        entry: entry.index, rule: index, isPath: isPath, settings: merged, variables: variables)
    }
    if os?.readsComponents ?? true, let components = entry.components {
      return components.map { rule($0.index, $0.settings) }
    }
    if let paths = entry.paths { return paths.map { rule($0.index, $0.settings, isPath: true) } }
    return [rule(nil, RuleSettings())]
  }
}
