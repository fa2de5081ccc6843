import AssociatedDomains
package import LinkspanCore

/// What is wrong or odd in an entitlements file, at its line and column.
///
/// - Source: section 2.
package enum EntitlementChecker {
  /// Apple's archived guides advise at most about 20 to 30 hosts; apps with more are in production (E20).
  package static let advisedHostCount = 30

  /// The number of entries that are checked. Our choice; the largest reported list has 43 hosts (E20).
  package static let entryLimit = 500

  /// - Returns: Findings in reading order; those of reading the file are among them.
  package static func check(_ entitlements: Entitlements) -> [Finding] {
    var findings = entitlements.findings
    let all = entitlements.associatedDomains ?? []
    let entries = all.prefix(entryLimit)
    if all.count > entryLimit {
      findings.append(
        Finding(
          rule: "entitlement.unchecked", severity: .warning,
          at: entitlements.location(ofKey: Entitlements.associatedDomainsKey),
          message: "Only the first \(entryLimit) of \(all.count) entries were checked.",
          help: "No known app claims this many domains. Check that this is the right file.",
          source: "E20"))
    }
    var claims: [Claim] = []
    for entry in entries {
      do throws(AssociatedDomainProblem) {
        let domain = try AssociatedDomain(entry.text)
        claims.append(Claim(domain: domain, entry: entry))
        findings += domain.remarks.map { finding($0, entry, entitlements) }
      } catch {
        findings.append(finding(error, entry, entitlements))
      }
    }
    if entitlements.associatedDomains?.isEmpty == true {
      findings.append(
        Finding(
          rule: "entitlement.empty-list", severity: .note,
          at: entitlements.location(ofKey: Entitlements.associatedDomainsKey),
          message: "The list of associated domains is empty.",
          help: "The app claims no website, so no link opens it.", source: "E1"))
    }
    findings += duplicates(claims, entitlements)
    findings += developerModeOnly(claims, entitlements)
    findings += withoutBareHost(claims, entitlements)
    findings += manyHosts(claims, entitlements)
    findings += browser(claims, entitlements)
    findings += developerModeInDistribution(claims, entitlements)
    findings += identity(entitlements) + clip(entitlements)
    return findings.inReadingOrder()
  }

  private struct Claim {
    let domain: AssociatedDomain
    let entry: Entitlements.DomainText

    /// The entry without its mode: what it claims.
    var subject: String { "\(domain.service.rawValue):\(name)" }
    var name: String { (domain.isWildcard ? "*." : "") + domain.host }
  }

  private static func finding(
    _ problem: AssociatedDomainProblem, _ entry: Entitlements.DomainText, _ entitlements: Entitlements
  ) -> Finding {
    Finding(
      rule: "entitlement.\(problem.kind.rawValue)", severity: problem.severity,
      at: entitlements.location(of: entry, part: problem.range), message: problem.message,
      help: problem.help, source: problem.source,
      fix: problem.severity == .note && problem.kind != .upperCase ? nil : entitlements.fix(of: entry))
  }

  private static func duplicates(_ claims: [Claim], _ entitlements: Entitlements) -> [Finding] {
    var seen: Set<String> = []
    return claims.filter { !seen.insert($0.domain.canonicalText).inserted }.map { claim in
      Finding(
        rule: "entitlement.duplicate", severity: .note, at: entitlements.location(of: claim.entry),
        message: "'\(claim.domain.canonicalText)' is claimed twice.",
        help: "Remove one of the two; the order of entries has no meaning.", source: "E10")
    }
  }

  private static func developerModeOnly(_ claims: [Claim], _ entitlements: Entitlements) -> [Finding] {
    claims.filter { claim in
      claim.domain.mode == .developer
        && !claims.contains { other in
          other.domain.mode == nil && other.domain.service == claim.domain.service
            && (other.name == claim.name
              || (!claim.domain.isWildcard && other.domain.covers(host: claim.domain.host)))
        }
    }.map { claim in
      Finding(
        rule: "entitlement.developer-mode-only", severity: .warning,
        at: entitlements.location(of: claim.entry),
        message: "'\(claim.name)' is claimed for '\(claim.domain.service.rawValue)' in developer mode only.",
        help: "The entry only works in development builds on devices in developer mode, never in TestFlight "
          + "or the "
          + "App Store. Add '\(claim.subject)'.", source: "E16")
    }
  }

  private static func withoutBareHost(_ claims: [Claim], _ entitlements: Entitlements) -> [Finding] {
    var told: Set<String> = []
    return claims.filter { claim in
      claim.domain.isWildcard && claim.domain.mode == nil
        && claim.domain.host.utf8.contains(UInt8(ascii: "."))
        && !claims.contains {
          $0.domain.service == claim.domain.service && $0.domain.mode == nil
            && $0.domain.covers(host: claim.domain.host)
        } && told.insert(claim.subject).inserted
    }.map { claim in
      Finding(
        rule: "entitlement.bare-host", severity: .note, at: entitlements.location(of: claim.entry),
        message: "'\(claim.name)' does not include '\(claim.domain.host)' itself.",
        help: "If that host has links for the app, add "
          + "'\(claim.domain.service.rawValue):\(claim.domain.host)'.", source: "E8")
    }
  }

  private static func manyHosts(_ claims: [Claim], _ entitlements: Entitlements) -> [Finding] {
    let count = Set(claims.map { $0.name }).count
    guard count > advisedHostCount else { return [] }
    return [
      Finding(
        rule: "entitlement.many-hosts", severity: .note,
        at: entitlements.location(ofKey: Entitlements.associatedDomainsKey),
        message: "The app claims \(count) hosts.",
        help:
          "Apple once recommended at most \(advisedHostCount), but some apps have more. Devices fetch each host's file at "
          + "installation; if hosts share a parent, one '*.' entry may replace them.", source: "E20")
    ]
  }

  private static func browser(_ claims: [Claim], _ entitlements: Entitlements) -> [Finding] {
    guard entitlements.isBrowser, let claim = claims.first(where: { $0.domain.service == .applinks }) else {
      return []
    }
    return [
      Finding(
        rule: "entitlement.browser", severity: .error,
        at: entitlements.location(ofKey: Entitlements.browserKey),
        message: "A browser claims '\(claim.domain.text)'.",
        help: "Apps with '\(Entitlements.browserKey)' may not claim 'applinks'. Remove one of the two.",
        source: "E22")
    ]
  }

  private static func developerModeInDistribution(
    _ claims: [Claim], _ entitlements: Entitlements
  ) -> [Finding] {
    guard let getTaskAllow = entitlements.getTaskAllow, !getTaskAllow.value else { return [] }
    return claims.filter { $0.domain.mode == .developer || $0.domain.mode == .developerAndManaged }.map {
      claim in
      Finding(
        rule: "entitlement.developer-mode-distribution", severity: .note,
        at: entitlements.location(of: claim.entry),
        message: "'\(claim.domain.text)' has no effect in an app signed for distribution.",
        help: "'get-task-allow' is false, and developer mode requires a development signature.",
        source: "E13")
    }
  }

  private static func identity(_ entitlements: Entitlements) -> [Finding] {
    guard let identifier = entitlements.applicationIdentifier else { return [] }
    do throws(ApplicationIdentifierProblem) {
      let known = try ApplicationIdentifier(identifier.value)
      guard let team = entitlements.teamIdentifier?.value, team != known.prefix else { return [] }
      return [
        Finding(
          rule: "entitlement.prefix-not-team", severity: .note,
          at: entitlements.location(of: identifier),
          message: "The prefix '\(known.prefix)' differs from the Team ID '\(team)'.",
          help: "That is allowed for older apps. The association file must list '\(known)'.", source: "J5")
      ]
    } catch {
      // Before signing the identifier is a build setting, and a profile's may end in '*'.
      if error.kind == .buildSetting || error.kind == .wildcard { return [] }
      return [
        Finding(
          rule: "entitlement.application-identifier", severity: error.severity,
          at: entitlements.location(of: identifier),
          message: error.message, help: error.help, source: error.source)
      ]
    }
  }
}
