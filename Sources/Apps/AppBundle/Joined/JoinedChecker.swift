internal import AppSiteAssociation
internal import AssociatedDomains
package import AssociationCheck
package import LinkspanCore

/// One host's association file, or that a host of the site has none.
package struct SiteHost: Sendable {
  /// Lower-case.
  package var host: String
  /// nil when the site has the host and no file for it.
  package var source: AssociationSource?

  package init(host: String, source: AssociationSource?) {
    self.host = host
    self.source = source
  }
}

/// What an app claims against what its hosts grant: most links that fail, fail between the two.
package struct JoinedChecker: Sendable {
  private let claims: AppClaims
  private let hosts: [SiteHost]
  private let unplaced: [AssociationSource]
  private let isWholeSite: Bool
  private let resolution: PartialIdentifier.Resolution
  private let identifier: String?

  /// - Parameters:
  ///   - hosts: The hosts whose files are known.
  ///   - unplaced: Files whose host is not known.
  ///   - isWholeSite: Whether `hosts` is all there is, so that a claimed host that is absent has no file; else
  ///     nothing can be said of it.
  package init(
    claims: AppClaims, hosts: [SiteHost], unplaced: [AssociationSource] = [], isWholeSite: Bool
  ) {
    self.claims = claims
    self.hosts = hosts
    self.unplaced = unplaced
    self.isWholeSite = isWholeSite
    let files: [(host: String?, file: AssociationFile)] =
      hosts.compactMap { site in site.source?.content.file.map { (site.host, $0) } }
      + unplaced.compactMap { source in source.content.file.map { (nil, $0) } }
    resolution = claims.partialIdentifier.resolved(among: claims.associatedDomains.candidates(in: files))
    identifier =
      switch resolution {
      case .known(let identifier), .assumed(let identifier): identifier
      case .ambiguous, .unknown: nil
      }
  }

  /// Findings in reading order, and what could not be checked.
  package func check() -> (findings: [Finding], notChecked: [String]) {
    var (findings, notChecked) = checkEntries()
    if let identifier { findings += hosts.flatMap { unclaimed($0, identifier) } }
    findings += namedByNoFile
    findings += onlyThroughWildcard
    findings += oldReleases
    findings += claimsNothing
    if claims.entitlements == nil {
      let question =
        hosts.isEmpty && unplaced.isEmpty ? "which hosts the app claims" : "whether the app claims the hosts"
      notChecked.append(
        claims.isUnsigned
          ? "\(question): the program of \(claims.name) is not signed, so it has no entitlements yet; name its "
            + ".entitlements with '--app'"
          : "\(question): no entitlements of \(claims.name) were given")
    }
    return (findings.inReadingOrder(), notChecked)
  }

  /// What is wrong with the entries alone: all that is asked of what is inside an app.
  ///
  /// - Parameter asksForIdentifier: Whether the files have to list the identifier.
  package func checkEntries(asksForIdentifier: Bool = true) -> (findings: [Finding], notChecked: [String]) {
    var findings: [Finding] = []
    var notChecked = claims.remarks + (asksForIdentifier ? identityRemarks : [])
    var unknownHosts: Set<String> = []
    // Why a top-level domain has no file is for EntitlementChecker to say.
    for (entry, domain) in claims.readableEntries where !domain.isTopLevelWildcard {
      guard let site = hosts.first(where: { $0.host.isExactly(domain.host) }) else {
        if isWholeSite { findings.append(noFile(entry, domain)) } else { unknownHosts.insert(domain.host) }
        continue
      }
      guard let source = site.source else {
        findings.append(noFile(entry, domain))
        continue
      }
      if asksForIdentifier, let identifier, let finding = notNamed(entry, domain, identifier, source) {
        findings.append(finding)
      }
    }
    if !unknownHosts.isEmpty {
      notChecked.append("the files of \(Self.listed(unknownHosts.sorted())), which the app claims")
    }
    return (findings, notChecked)
  }

  /// What is assumed of the app's identifier, or missing from it.
  private var identityRemarks: [String] {
    let advice = "pass --team and --bundle-identifier, or the app's Info.plist or profile"
    switch resolution {
    case .known: return []
    case .assumed(let identifier):
      return [
        "the identity of \(claims.name): assumed to be \(identifier), the only app in the files that fits; "
          + "\(claims.identityGap); \(advice)"
      ]
    case .ambiguous(let apps):
      return [
        "whether the files list the app: \(claims.name) fits several apps (\(Self.list(apps))); "
          + "\(claims.identityGap); \(advice)"
      ]
    case .unknown:
      if hosts.isEmpty, unplaced.isEmpty { return [] }
      return [
        "whether the files list the app: the application identifier of \(claims.name) is not known; "
          + "\(claims.identityGap); \(advice)"
      ]
    }
  }

  /// The first few, and how many more there are.
  private static func listed(_ hosts: [String]) -> String {
    let limit = 8
    let shown = hosts.prefix(limit).joined(separator: ", ")
    return hosts.count > limit ? "\(shown) and \(hosts.count - limit) more" : shown
  }

  private static func list(_ apps: [String]) -> String {
    apps.prefix(3).joined(separator: ", ") + (apps.count > 3 ? ", …" : "")
  }

  /// An app whose domains are not known, and that no file names for anything.
  private var namedByNoFile: [Finding] {
    guard claims.entitlements == nil, let identifier else { return [] }
    let sources = hosts.compactMap { $0.source } + unplaced
    let files = sources.compactMap { source in source.content.file.map { (source, $0) } }
    guard !files.contains(where: { $0.1.allApplications.contains(identifier) }) else { return [] }
    return files.map { source, file in
      notNamed(
        identifier, among: file.allApplications, source, service: nil, host: nil,
        at: .init(file: source.text.name))
    }
  }

  /// Entitlements without the key at all.
  private var claimsNothing: [Finding] {
    guard let entitlements = claims.entitlements, !entitlements.hasAssociatedDomainsKey,
      claims.lostDomains.isEmpty
    else { return [] }
    if let misspelled = entitlements.misspelledDomainsKey {
      return [
        Finding(
          rule: "joined.claims-nothing", severity: .error,
          at: entitlements.origin.location(of: misspelled.keyRange, pointer: nil),
          message: "the app claims no domain: '\(misspelled.key)' is not the key of associated domains",
          help: "No link opens the app. Write '\(Entitlements.associatedDomainsKey)'.", source: "E1")
      ]
    }
    // Alone, an entitlements file may well be of an app, or of an extension, without links.
    let isAlone = hosts.isEmpty && unplaced.isEmpty && !isWholeSite
    let host = hosts.first { AssociatedDomain.unnamed($0.host) == nil }?.host ?? "HOST"
    let remedy =
      claims.isAppClip
      ? "Only Apple's own links open the clip. Add 'appclips:\(host)' to the clip and to its app"
      : "No link opens the app. Add 'applinks:\(host)'"
    return [
      Finding(
        rule: "joined.claims-nothing", severity: isAlone ? .note : .error, at: .init(file: entitlements.name),
        message:
          "the \(claims.isAppClip ? "clip" : "app") claims no domain: '\(Entitlements.associatedDomainsKey)' is missing",
        help: "\(remedy) under Associated Domains, and check that signing did not remove it (E19).",
        source: "E1")
    ]
  }

  private func noFile(_ entry: Entitlements.DomainText, _ domain: AssociatedDomain) -> Finding {
    let parent =
      domain.isWildcard ? " For a wildcard, the file of the parent, '\(domain.host)', is used (E6)." : ""
    let other = hosts.contains {
      $0.source != nil && ("www." + $0.host == domain.host || $0.host == "www." + domain.host)
    }
    let www = other ? " The file of the host with or without 'www.' does not apply to this host." : ""
    return Finding(
      rule: "joined.host-without-file", severity: domain.service.isObsolete ? .note : .error,
      at: claims.entitlements!.location(of: entry),
      message: "'\(domain.host)' has no association file",
      help: "The app claims '\(entry.text)', and each host needs its own file.\(parent)\(www) Publish "
        + "\(AssociationLocation.wellKnown.url(host: domain.host)), or remove the entry.", source: "E7")
  }

  private func notNamed(
    _ entry: Entitlements.DomainText, _ domain: AssociatedDomain, _ identifier: String,
    _ source: AssociationSource
  ) -> Finding? {
    guard let file = source.content.file else { return nil }
    let named = Self.applications(of: file, for: domain.service)
    guard !named.contains(where: { $0.isExactly(identifier) || isClip($0, of: identifier, domain.service) })
    else {
      return nil
    }
    return notNamed(
      identifier, among: named, source, service: domain.service, host: domain.host,
      at: claims.entitlements!.location(of: entry))
  }

  /// Whether the file grants the entry of an app by listing its clip: under `appclips` the clip alone is listed, and
  /// the app claims the domain beside it (J4, AC6).
  private func isClip(_ listed: String, of identifier: String, _ service: Service) -> Bool {
    service == .appclips && claims.entitlements?.isAppClip == false && listed.hasPrefix(identifier + ".")
  }

  /// - Parameters:
  ///   - service: nil when the file does not name the app for any.
  ///   - host: nil when no single host is meant.
  private func notNamed(
    _ identifier: String, among named: [String], _ source: AssociationSource, service: Service?,
    host: String?, at location: Finding.Location
  ) -> Finding {
    let bundle = identifier.drop { $0 != "." }
    if let other = named.first(where: { $0.drop { $0 != "." }.isExactly(bundle) }) {
      let effect =
        service.map { "'\($0.rawValue)' is not granted" + (host.map { " on '\($0)'" } ?? "") }
        ?? "the file has no effect for the app"
      return Finding(
        rule: "joined.other-prefix", severity: .error, at: location,
        message: "'\(source.text.name)' lists \(other), but the app is \(identifier)",
        help: "The prefix differs, so \(effect). "
          + "Use the prefix that the app is signed with (J5).", source: "J5")
    }
    if let other = named.first(where: { ASCII.lowercased($0) == ASCII.lowercased(identifier) }) {
      return Finding(
        rule: "joined.other-case", severity: .error, at: location,
        message: "'\(source.text.name)' lists \(other), but the app is \(identifier)",
        help: "Identifiers are case-sensitive. Write the identifier exactly as in the app.", source: "J5")
    }
    // Under `appclips` the clip is listed, and not the app beside it (J4).
    let wantsClip = service == .appclips && claims.entitlements?.isAppClip == false
    let what = wantsClip ? "the App Clip's identifier" : "the identifier"
    let listed =
      named.isEmpty
      ? "It lists no app\(service == nil ? "" : " for this service")." : "It lists \(Self.list(named))."
    let isObsolete = service?.isObsolete ?? false
    let remedy =
      service == nil
      ? "Add \(what) there."
      : isObsolete
        ? "Only iOS 8 asks for this service; since iOS 9 'applinks' covers it. Remove the entry here."
        : "Add \(what) there, or remove the entry here."
    return Finding(
      rule: "joined.app-not-named", severity: isObsolete ? .note : .error, at: location,
      message: "'\(source.text.name)' does not list \(wantsClip ? "an App Clip of " : "")\(identifier)"
        + (service.map { " for '\($0.rawValue)'" } ?? ""),
      help: "\(listed) \(remedy)", source: wantsClip ? "J4" : isObsolete ? "J3" : "V1")
  }

  /// A file that names the app, on a host the app does not claim.
  private func unclaimed(_ site: SiteHost, _ identifier: String) -> [Finding] {
    guard let source = site.source, let file = source.content.file, claims.entitlements != nil,
      AssociatedDomain.unnamed(site.host) == nil
    else { return [] }
    return Service.allCases.compactMap { service in
      guard Self.applications(of: file, for: service).contains(exactly: identifier),
        claims.associatedDomains.reading(fileOf: site.host, service: service).isEmpty,
        !isOnlyThroughWildcard(site.host, service)
      else { return nil }
      return Finding(
        rule: "joined.host-not-claimed", severity: service.isObsolete ? .note : .warning,
        at: .init(file: source.text.name),
        message:
          "the file lists \(identifier) for '\(service.rawValue)', but the app does not claim '\(site.host)'",
        help: "Both sides must refer to each other. Add '\(service.rawValue):\(site.host)' to the "
          + "entitlement.",
        source: "E8")
    }
  }

  /// Whether ``onlyThroughWildcard`` says why the host's file does nothing for a service.
  private func isOnlyThroughWildcard(_ host: String, _ service: Service) -> Bool {
    let entries = claims.associatedDomains
    return entries.contains { $0.service == service && $0.isWildcard && $0.covers(host: host) }
      && !entries.contains { !$0.isWildcard && $0.host.isExactly(host) }
  }

  /// A host with a file of its own that no entry names: a wildcard asks the parent only (E6).
  private var onlyThroughWildcard: [Finding] {
    hosts.compactMap { site in
      guard let source = site.source,
        let wildcard = claims.associatedDomains.first(where: { $0.isWildcard && $0.covers(host: site.host) }),
        !claims.associatedDomains.contains(where: { !$0.isWildcard && $0.host.isExactly(site.host) })
      else { return nil }
      return Finding(
        rule: "joined.file-not-consulted", severity: .warning, at: .init(file: source.text.name),
        message: "the file of '\(site.host)' is not used",
        help: "The app claims the host only through '\(wildcard.text)', and for a wildcard the file of "
          + "'\(wildcard.host)' is used. Add '\(wildcard.service.rawValue):\(site.host)' to use this file.",
        source: "E6")
    }
  }

  /// Files that the oldest release the app runs on cannot read.
  private var oldReleases: [Finding] {
    guard let identifier, let os = claims.infoPlist?.minimumRelease, os.hasUniversalLinks,
      !os.readsComponents
    else { return [] }
    return hosts.compactMap { site in
      guard let source = site.source, let file = source.content.file,
        !claims.associatedDomains.reading(fileOf: site.host).isEmpty,
        AssociationMatcher(file).applications.contains(exactly: identifier),
        !AssociationMatcher(file, os: os).applications.contains(exactly: identifier)
      else { return nil }
      return Finding(
        rule: "joined.old-release", severity: .warning, at: .init(file: source.text.name),
        message: "\(os.name), which the app supports, uses no link of '\(site.host)' from this file",
        help:
          "iOS 12 and older read only \"appID\" and \"paths\" and require \"apps\": []. Add such an entry, "
          + "or raise the app's minimum iOS version.", source: "J8")
    }
  }

  private static func applications(of file: AssociationFile, for service: Service) -> [String] {
    service == .applinks ? AssociationMatcher(file).applications : file.apps[service] ?? []
  }
}

extension Service {
  /// Whether only iOS 8 asks for it, so that nothing is lost without it (J3).
  fileprivate var isObsolete: Bool { self == .activitycontinuation }
}
