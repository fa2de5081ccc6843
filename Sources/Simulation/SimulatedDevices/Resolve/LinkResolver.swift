package import AppSiteAssociation
package import AssociatedDomains
package import LinkspanCore

/// An app as far as links care: who it is and which hosts it claims.
package struct LinkedApp: Hashable, Sendable {
  package var identifier: String
  package var domains: [AssociatedDomain]

  package init(identifier: String, domains: [AssociatedDomain]) {
    self.identifier = identifier
    self.domains = domains
  }
}

/// Which of the installed apps a URL belongs to, and through which entry of its entitlement (section 8).
package struct LinkResolution: Sendable {
  /// One (app, entry) pair that speaks for the URL's host.
  package struct Step: Sendable {
    package var app: String
    package var domain: AssociatedDomain
    /// nil when the pair has no usable file: nothing was published, or it was not fetched.
    package var trace: MatchTrace?
  }

  /// The app that opens; nil for the browser.
  package var app: String?
  /// The step that decided: the match, or the exclusion that ended the search of the last app.
  package var decisive: Step?
  /// Every pair in the order it was asked.
  package var steps: [Step]

  /// Match when an app opens, excluded when one would have and the file forbade it, else no match.
  package var verdict: Decision.Verdict {
    if app != nil { return .match }
    return steps.contains { $0.trace?.decision.verdict == .excluded } ? .excluded : .noMatch
  }
}

/// Decides between the apps of a device as the device does, from files that it has stored.
package enum LinkResolver {
  /// Asks the exact entries first, then the longest wildcard and so on (E9); within one file the earlier entry
  /// of `details` wins among apps (J12); an exclusion ends the search for its app only.
  ///
  /// - Parameters:
  ///   - work: For all comparisons together; what it leaves open counts as no match.
  ///   - file: The compiled file that counts for an entry of an app, or nil when there is none. For a wildcard entry it
  ///     is the parent's (E6).
  package static func resolve(
    _ url: LinkURL, apps: [LinkedApp], _ work: inout WorkBudget,
    file: (_ app: String, _ domain: AssociatedDomain) -> AssociationMatcher?
  ) -> LinkResolution {
    var resolution = LinkResolution(steps: [])
    var excluded: Set<String> = []
    for level in levels(for: url.host, apps: apps) {
      var winner: (entry: Int, step: LinkResolution.Step)?
      for (app, domain) in level where !excluded.contains(app) {
        let scope = HostScope(of: domain)
        let trace = file(app, domain).map { $0.trace(url, app: app, host: scope, &work) }
        let step = LinkResolution.Step(app: app, domain: domain, trace: trace)
        resolution.steps.append(step)
        guard let decision = trace?.decision else { continue }
        switch decision.verdict {
        case .match:
          if winner.map({ decision.entry! < $0.entry }) ?? true { winner = (decision.entry!, step) }
        case .excluded:
          excluded.insert(app)
          resolution.decisive = step
        case .noMatch: break
        }
      }
      if let winner {
        resolution.app = winner.step.app
        resolution.decisive = winner.step
        return resolution
      }
    }
    return resolution
  }

  /// The pairs that speak for a host, those asked together side by side.
  private static func levels(for host: String, apps: [LinkedApp]) -> [[(
    app: String, domain: AssociatedDomain
  )]] {
    var levels: [Int: [(app: String, domain: AssociatedDomain)]] = [:]
    for app in apps {
      for domain in app.domains.covering(host: host) {
        // The exact host outranks every wildcard, and a longer wildcard a shorter one.
        let rank = domain.isWildcard ? -domain.host.utf8.count : Int.min
        levels[rank, default: []].append((app.identifier, domain))
      }
    }
    return levels.sorted { $0.key < $1.key }.map { $0.value }
  }
}
