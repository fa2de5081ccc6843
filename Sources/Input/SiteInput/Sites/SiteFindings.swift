package import AppBundle
package import AppSiteAssociation
internal import AssetLinks
import AssociationCheck
package import LinkspanCore

/// What is wrong with the files of a site and of apps, as far as no host is asked: what `check` and the editor report.
package struct SiteFindings {
  package private(set) var findings: [Finding] = []
  /// Clauses for the list of what was not checked.
  package private(set) var notChecked: [String] = []
  package private(set) var hasSignedFiles = false

  /// - Parameters:
  ///   - parsed: The files of the site.
  ///   - embedded: What is inside the apps and claims domains.
  ///   - isWanted: Asked now and then; when it is false, what is found is worth nothing.
  package init(
    of site: SiteReader, _ parsed: ParsedSite, apps: [AppClaims],
    embedded: [(claims: AppClaims, isOfWatchApp: Bool)] = [], on releases: ReleaseSet,
    while isWanted: () -> Bool = { true }
  ) {
    for file in parsed.files {
      var work = WorkBudget.answer
      let outcome = AssociationChecker.check(file.source, on: releases, &work, while: isWanted)
      findings += outcome.findings
      notChecked += outcome.notChecked
      hasSignedFiles = hasSignedFiles || file.source.content.format == .signed
    }
    findings += SiteChecker.findings(in: site, parsed)
    for file in site.assetLinks { findings += StatementChecker.findings(in: StatementSource(file.source)) }
    check(apps, with: parsed, isWholeSite: site.isWholeSite)
    for (claims, isOfWatchApp) in embedded {
      check(embedded: claims, isOfWatchApp: isOfWatchApp, with: parsed, isWholeSite: site.isWholeSite)
    }
  }

  /// What is wrong with the domains of a watch app or an extension. Which identifier a file has to list for an extension that
  /// is no watch app's is not documented (E18 speaks of watchOS only).
  private mutating func check(
    embedded claims: AppClaims, isOfWatchApp: Bool, with site: ParsedSite, isWholeSite: Bool
  ) {
    guard let entitlements = claims.entitlements else { return }
    var found = (EntitlementChecker.check(entitlements) + claims.lostDomains).map { $0.withoutFix }
    let joined = JoinedChecker(
      claims: claims, hosts: site.hosts, unplaced: site.unplacedSources, isWholeSite: isWholeSite
    ).checkEntries(asksForIdentifier: isOfWatchApp)
    found += joined.findings
    findings += isOfWatchApp ? found + claims.watchTarget : found.ofExtension
    notChecked += joined.notChecked
    if !isOfWatchApp {
      notChecked.append(
        "whether devices use the domains that the extension \(entitlements.name) claims, and for which identifier: "
          + "Apple documents them for apps, App Clips and watchOS")
    }
  }

  /// What is wrong with apps, by themselves and together with the site.
  private mutating func check(_ apps: [AppClaims], with site: ParsedSite, isWholeSite: Bool) {
    let (hosts, unplaced) = apps.isEmpty ? ([], []) : (site.hosts, site.unplacedSources)
    for app in apps {
      if let entitlements = app.entitlements {
        let found = EntitlementChecker.check(entitlements)
        findings += app.isSigned || !entitlements.isPropertyList ? found.map { $0.withoutFix } : found
      }
      findings += (app.infoPlist?.findings ?? []) + app.findings + app.clipOfAnotherApp
      let joined = JoinedChecker(
        claims: app, hosts: hosts, unplaced: unplaced, isWholeSite: isWholeSite
      ).check()
      findings += joined.findings
      notChecked += joined.notChecked
      if let profile = app.profile {
        notChecked.append("the signature of \(profile.name): what it says was read without verifying it")
      }
    }
  }
}

extension ReleaseSet {
  /// The releases that a check is about where nobody names any: those that the apps install on, else the usual ones.
  package static func installing(_ apps: [AppClaims]) -> ReleaseSet? {
    let minima = apps.compactMap { $0.infoPlist?.minimumRelease }
    return minima.isEmpty ? nil : ReleaseSet(minima.map { ReleaseRange(first: $0, last: nil) })
  }
}
