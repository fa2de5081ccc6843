package import AppSiteAssociation
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
  private let isWholeSite: Bool
  private let identifier: String?

  /// - Parameters:
  ///   - hosts: The hosts whose files are known.
  ///   - isWholeSite: Whether `hosts` is all there is, so that a claimed host that is absent has no file; else
  ///     nothing can be said of it.
  ///   - prefix: The application identifier's prefix, for entitlements from before signing.
  package init(claims: AppClaims, hosts: [SiteHost], isWholeSite: Bool, prefix: String? = nil) {
    self.claims = claims
    self.hosts = hosts
    self.isWholeSite = isWholeSite
    identifier = claims.applicationIdentifier(prefix: prefix)?.description
  }

  /// Findings in reading order, and what could not be looked at.
  package func check() -> (findings: [Finding], notChecked: [String]) {
    var findings: [Finding] = []
    var notChecked: [String] = []
    if identifier == nil {
      notChecked.append(
        "whether the files name the app: its application identifier is not known from "
          + "\(claims.entitlements?.document.name ?? claims.infoPlist!.document.name); "
          + "give its Info.plist with --app and its prefix with --team")
    }
    var unknownHosts: Set<String> = []
    for (entry, domain) in readableEntries {
      guard let site = hosts.first(where: { $0.host == domain.host }) else {
        if isWholeSite { findings.append(noFile(entry, domain)) } else { unknownHosts.insert(domain.host) }
        continue
      }
      guard let source = site.source else {
        findings.append(noFile(entry, domain))
        continue
      }
      if let identifier, let finding = notNamed(entry, domain, identifier, source) {
        findings.append(finding)
      }
    }
    if !unknownHosts.isEmpty {
      notChecked.append("the files of \(unknownHosts.sorted().joined(separator: ", ")), which the app claims")
    }
    if let identifier { findings += hosts.flatMap { unclaimed($0, identifier) } }
    findings += onlyThroughWildcard
    findings += oldReleases
    return (findings.inReadingOrder(), notChecked)
  }

  /// Entries that can be read, with their places.
  private var readableEntries: [(Entitlements.DomainText, AssociatedDomain)] {
    (claims.entitlements?.associatedDomains ?? []).compactMap { entry in
      do throws(AssociatedDomainProblem) {
        return (entry, try AssociatedDomain(entry.text))
      } catch {
        // What is wrong with it is for EntitlementChecker to say.
        return nil
      }
    }
  }

  private func noFile(_ entry: Entitlements.DomainText, _ domain: AssociatedDomain) -> Finding {
    let parent =
      domain.isWildcard ? " For a wildcard the file of the parent, '\(domain.host)', counts (E6)." : ""
    let other = hosts.contains {
      $0.source != nil && ("www." + $0.host == domain.host || $0.host == "www." + domain.host)
    }
    let www = other ? " A file for the name with or without 'www.' does not serve this one." : ""
    return Finding(
      rule: "joined.host-without-file", severity: .error, at: claims.entitlements!.location(of: entry),
      message: "'\(domain.host)' has no association file",
      help: "The app claims '\(entry.text)', and each host needs a file of its own.\(parent)\(www) Publish "
        + "\(AssociationLocation.wellKnown.url(host: domain.host)), or remove the entry.", source: "E7")
  }

  private func notNamed(
    _ entry: Entitlements.DomainText, _ domain: AssociatedDomain, _ identifier: String,
    _ source: AssociationSource
  ) -> Finding? {
    guard let file = source.content.file else { return nil }
    let named = Self.applications(of: file, for: domain.service)
    guard !named.contains(identifier) else { return nil }
    let bundle = identifier.drop { $0 != "." }
    let location = claims.entitlements!.location(of: entry)
    if let other = named.first(where: { $0.drop { $0 != "." } == bundle }) {
      return Finding(
        rule: "joined.other-prefix", severity: .error, at: location,
        message: "'\(source.text.name)' names \(other), and the app is \(identifier)",
        help: "The prefix differs, so '\(domain.service.rawValue)' is not granted on '\(domain.host)'. "
          + "The prefix of the identifier the app is signed with counts (J5).", source: "J5")
    }
    if let other = named.first(where: { ASCII.lowercased($0) == ASCII.lowercased(identifier) }) {
      return Finding(
        rule: "joined.other-case", severity: .error, at: location,
        message: "'\(source.text.name)' writes \(other), and the app is \(identifier)",
        help: "Identifiers are compared letter by letter. Write it as the app has it.", source: "J5")
    }
    return Finding(
      rule: "joined.app-not-named", severity: .error, at: location,
      message: "'\(source.text.name)' does not name \(identifier) for '\(domain.service.rawValue)'",
      help: named.isEmpty
        ? "It names no app for this service. Add the identifier there, or remove the entry here."
        : "It names \(named.prefix(3).joined(separator: ", "))\(named.count > 3 ? ", …" : ""). "
          + "Add the identifier there, or remove the entry here.", source: "V1")
  }

  /// A file that names the app, on a host the app does not claim.
  private func unclaimed(_ site: SiteHost, _ identifier: String) -> [Finding] {
    guard let source = site.source, let file = source.content.file, claims.entitlements != nil else {
      return []
    }
    return Service.allCases.compactMap { service in
      guard Self.applications(of: file, for: service).contains(identifier),
        !claims.associatedDomains.contains(where: { $0.service == service && $0.host == site.host })
      else { return nil }
      return Finding(
        rule: "joined.host-not-claimed", severity: .warning, at: .init(file: source.text.name),
        message:
          "the file names \(identifier) for '\(service.rawValue)', and the app does not claim '\(site.host)'",
        help: "Both sides must agree. Add '\(service.rawValue):\(site.host)' to the entitlement.",
        source: "E8")
    }
  }

  /// A host with a file of its own that no entry names: a wildcard asks the parent only (E6).
  private var onlyThroughWildcard: [Finding] {
    hosts.compactMap { site in
      guard let source = site.source,
        let wildcard = claims.associatedDomains.first(where: { $0.isWildcard && $0.covers(host: site.host) }),
        !claims.associatedDomains.contains(where: { !$0.isWildcard && $0.host == site.host })
      else { return nil }
      return Finding(
        rule: "joined.file-not-consulted", severity: .warning, at: .init(file: source.text.name),
        message: "the file of '\(site.host)' is not consulted",
        help: "The app claims it through '\(wildcard.text)' only, and for a wildcard the file of "
          + "'\(wildcard.host)' counts. Add '\(wildcard.service.rawValue):\(site.host)' to use this one.",
        source: "E6")
    }
  }

  /// Files that the oldest release the app runs on cannot read.
  private var oldReleases: [Finding] {
    guard let identifier, let minimum = claims.infoPlist?.minimumOS?.value,
      let os = Self.release(minimum), os.hasUniversalLinks, !os.readsComponents
    else { return [] }
    return hosts.compactMap { site in
      guard let source = site.source, let file = source.content.file,
        claims.associatedDomains.contains(where: { $0.service == .applinks && $0.host == site.host }),
        AssociationMatcher(file).applications.contains(identifier),
        !AssociationMatcher(file, os: os).applications.contains(identifier)
      else { return nil }
      return Finding(
        rule: "joined.old-release", severity: .warning, at: .init(file: source.text.name),
        message: "\(os.name), which the app runs on, takes no link of '\(site.host)' from this file",
        help:
          "Before iOS 13 only \"appID\" and \"paths\" are read, and \"apps\": [] must be there. Add an entry in "
          + "that form, or raise the app's minimum.", source: "J8")
    }
  }

  private static func release(_ text: String) -> OSVersion? {
    do throws(OSVersionError) {
      return try OSVersion("ios:" + text)
    } catch {
      return nil
    }
  }

  private static func applications(of file: AssociationFile, for service: Service) -> [String] {
    service == .applinks ? AssociationMatcher(file).applications : file.apps[service] ?? []
  }
}
