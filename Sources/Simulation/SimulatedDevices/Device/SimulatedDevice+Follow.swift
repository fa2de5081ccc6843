package import AppSiteAssociation
import AssociatedDomains
import LinkspanCore

extension SimulatedDevice {
  /// Decides what following a link does, from what is stored; nothing is asked (V7).
  package func follow(_ link: LinkURL, _ way: WayOfFollowing) -> LinkVerdict {
    renewWork()
    var verdict = followed(link, way)
    verdict.isDecided = verdict.app != nil || !work.isExhausted
    return verdict
  }

  private func followed(_ link: LinkURL, _ way: WayOfFollowing) -> LinkVerdict {
    let os = traits.os
    let chain = way.navigation
    guard os.hasUniversalLinks else {
      var verdict = LinkVerdict(
        step: .release, reason: "\(os.name) has no universal links", rules: ["section 2"],
        certainty: .documented, change: "Update the device.")
      verdict.destination = chain.withoutApp
      return verdict
    }
    let urls = chain.urls(to: link)
    for hop in urls.indices.dropLast() {
      if let verdict = ending(chain, urls, at: hop) { return verdict }
    }
    return last(chain, urls)
  }

  /// What comes of a URL that redirects, when the exchange ends there: its app opens, or nothing goes on.
  private func ending(_ chain: Navigation, _ urls: [LinkURL], at hop: Int) -> LinkVerdict? {
    let rule = chain.rule(urls, at: hop, on: traits.os)
    guard rule.destination == nil || rule.destination == .unknown else { return nil }
    var verdict = weighed(decide(urls[hop], chain, at: hop), by: rule)
    if verdict.app == nil, !verdict.isUnknown {
      return hop == 0 ? stranded(verdict, chain, rule) : nil
    }
    verdict.reason =
      "'\(urls[hop].text.withoutUserInformation)', which redirects, comes first: \(verdict.reason)"
    return verdict
  }

  /// What comes of the link itself.
  private func last(_ chain: Navigation, _ urls: [LinkURL]) -> LinkVerdict {
    let hop = urls.count - 1
    let rule = chain.rule(urls, at: hop, on: traits.os)
    if let destination = rule.destination, destination != .unknown {
      var verdict = LinkVerdict(
        step: .wayOfFollowing, reason: rule.reason, rules: rule.rules, certainty: rule.certainty,
        change: rule.change)
      verdict.destination = destination
      return verdict
    }
    var verdict = weighed(decide(urls[hop], chain, at: hop), by: rule)
    guard verdict.app == nil, !verdict.isUnknown else { return verdict }
    if hop == 0, let stranded = stranded(verdict, chain, rule) { return stranded }
    // What the user chose, or a Mac without a choice, goes to the browser.
    if verdict.destination == .browser, verdict.step != .userChoice { verdict.destination = chain.withoutApp }
    return verdict
  }

  /// A decision of what is stored together with the rule of how the URL comes: where no source settles whether apps may
  /// open, an app that would makes the outcome unknown.
  private func weighed(_ decision: LinkVerdict, by rule: WayRule) -> LinkVerdict {
    guard decision.app != nil else { return decision }
    var verdict = decision
    if rule.destination == .unknown {
      verdict = LinkVerdict(
        step: .wayOfFollowing, reason: rule.reason, rules: rule.rules, certainty: rule.certainty,
        change: rule.change, domain: decision.domain, claimant: decision.claimant)
      verdict.destination = .unknown
      return verdict
    }
    verdict.rules += rule.rules
    verdict.certainty = verdict.certainty.and(rule.certainty)
    return verdict
  }

  /// Where no app opens at first and no browser takes over.
  private func stranded(_ verdict: LinkVerdict, _ chain: Navigation, _ rule: WayRule) -> LinkVerdict? {
    var verdict = verdict
    if chain.gesture == .openUniversal {
      verdict.destination = .nothing
      verdict.rules += rule.rules
    } else if traits.os.platform == .watchOS {
      verdict.destination = .alert
      verdict.rules.append("section 10 row 16")
    } else {
      return nil
    }
    return verdict
  }

  /// The decision of what is stored, for a way that lets apps open.
  private func decide(_ link: LinkURL, _ chain: Navigation, at hop: Int) -> LinkVerdict {
    let usable = resolve(link) { $0.isUsable }
    if let app = usable.app, let step = usable.decisive {
      // Behind a redirect the browser asks, and no longer the app; a web view stays in its app.
      if chain.app == app, hop == 0 || chain.container == .webView { return keptByOwner(chain, step) }
      if let verdict = keptByMac(step, app) { return verdict }
      return verdict(of: step, app: app, link)
    }
    // Were it not for the user's choice, would an app open?
    let approved = resolve(link) { $0.siteApproval == .approved }
    if let app = approved.app, let step = approved.decisive {
      return LinkVerdict(
        step: .userChoice,
        reason: "the user chose the browser for '\(step.domain.host)', and \(app) would open",
        rules: ["section 10 row 6"], certainty: .documented,
        change: traits.os.platform == .macOS
          ? "Control-click the link in Notes and choose the app."
          : "Press the link long in Notes and choose the app.", domain: step.domain, claimant: app)
    }
    if let step = usable.decisive { return verdict(of: step, app: nil, link) }
    return missing(link)
  }

  /// An app never opens itself by its own link.
  private func keptByOwner(_ chain: Navigation, _ step: LinkResolution.Step) -> LinkVerdict {
    var verdict = LinkVerdict(
      step: .wayOfFollowing, reason: "an app that opens its own universal link leaves it to the browser",
      rules: ["section 10 row 10"], certainty: .documented,
      change: "Show the page inside the app instead of opening the URL.", domain: step.domain,
      claimant: step.app)
    if chain.container == .webView {
      verdict.reason = "a tap in a WKWebView of the app that owns the link stays in that view"
      verdict.rules = ["section 10 row 12", "section 10 row 10"]
      verdict.certainty = .inferred
      verdict.change = "Catch the navigation in the app and show the page there."
      verdict.destination = .webView
    }
    return verdict
  }

  /// A Mac opens the browser until the user has chosen the app there.
  private func keptByMac(_ step: LinkResolution.Step, _ app: String) -> LinkVerdict? {
    let record = records[.init(app: app, entry: step.domain.canonicalText)]
    guard traits.os.platform == .macOS, record?.userApproval != .approved else { return nil }
    return LinkVerdict(
      step: .userChoice,
      reason: "a Mac opens the browser, where Safari offers \(app), until the user has chosen the app",
      rules: ["section 10 row 15"], certainty: .documented,
      change: "Take Safari's offer to open the app; the choice is remembered.", domain: step.domain,
      claimant: app)
  }

  private func resolve(
    _ link: LinkURL, where counts: (AssociationRecord) -> Bool
  ) -> LinkResolution {
    let known = records.values.filter { counts($0) }.sorted { $0.key < $1.key }
    var linked: [LinkedApp] = []
    for record in known {
      if linked.last?.identifier == record.app {
        linked[linked.count - 1].domains.append(record.domain)
      } else {
        linked.append(LinkedApp(identifier: record.app, domains: [record.domain]))
      }
    }
    return LinkResolver.resolve(link, apps: linked, &work) { app, domain in
      records[.init(app: app, entry: domain.canonicalText)]?.file?.matcher
    }
  }

  /// The verdict of a rule, for or against.
  private func verdict(
    of step: LinkResolution.Step, app: String?, _ link: LinkURL
  ) -> LinkVerdict {
    let trace = step.trace!
    var verdict = LinkVerdict(
      app: app, step: .pattern, reason: trace.reason, rules: ["section 7", "E9"], certainty: .documented,
      domain: step.domain, claimant: step.app)
    rest(&verdict, on: trace, link)
    verdict.entry = trace.decision.entry
    verdict.rule = trace.decision.rule
    if step.domain.isWildcard { verdict.rules.append("E6") }
    if app == nil {
      // That an exclusion at the exact host keeps the wildcard from being asked is inferred (E9).
      let another = records.values.contains {
        $0.app == step.app && $0.domain.isWildcard && $0.domain.covers(host: link.host)
      }
      if another, !step.domain.isWildcard { verdict.certainty = verdict.certainty.and(.inferred) }
      verdict.change = advice(trace, app: step.app, domain: step.domain)
    }
    return verdict
  }

  /// Makes a verdict no surer than the rules of the file that decided it.
  private func rest(_ verdict: inout LinkVerdict, on trace: MatchTrace, _ link: LinkURL) {
    guard let app = verdict.claimant, let domain = verdict.domain,
      let record = records[.init(app: app, entry: domain.canonicalText)],
      let basis = basis(of: trace, link, record)
    else { return }
    verdict.certainty = verdict.certainty.and(basis.certainty)
    verdict.basis = basis
  }

  /// How sure a record's file is of a decision, and which open question decides it, as `match` tells it; nil without a file
  /// and for a decision that is none. Its work is counted, and leaves a decision that was made as it is.
  package func basis(of trace: MatchTrace, _ link: LinkURL, _ record: AssociationRecord) -> MatchBasis? {
    guard let file = record.file else { return nil }
    return work.withShare(of: work.steps) { share in
      file.matcher.basis(of: trace, link, app: record.app, host: record.scope, &share)
    }
  }

  /// Why nothing speaks for a link: of the entries that cover its host the one asked first is named.
  private func missing(_ link: LinkURL) -> LinkVerdict {
    let covering = state.filter { $0.domain.covers(host: link.host) }
    let order = covering.map { $0.domain }.covering(host: link.host)
    let first = order.first.flatMap { domain in covering.first { $0.domain == domain } }
    if let record = first {
      let name = record.domain.canonicalText
      if let file = record.file {
        let trace = file.matcher.trace(link, app: record.app, host: record.scope, &work)
        var verdict = LinkVerdict(
          step: .pattern, reason: trace.reason, rules: ["section 7"], certainty: .documented,
          change: advice(trace, app: record.app, domain: record.domain), domain: record.domain,
          claimant: record.app)
        rest(&verdict, on: trace, link)
        return verdict
      }
      guard let problem = record.problem else {
        return LinkVerdict(
          step: .fetch, reason: "the file for '\(name)' has not been fetched yet",
          rules: apps[record.app]?.isReady == false ? ["V9"] : ["V1", "V5"],
          certainty: .documented, change: awaited(record), domain: record.domain,
          claimant: record.app)
      }
      return LinkVerdict(
        step: .fetch, reason: problem.reason, rules: problem.rules, certainty: problem.certainty,
        change: problem.change, domain: record.domain, claimant: record.app)
    }
    return unclaimed(link)
  }

  private func awaited(_ record: AssociationRecord) -> String {
    apps[record.app]?.isReady == false
      ? "Start the app once: outside the App Store that is when the file is fetched."
      : "Wait until the device has fetched it."
  }

  private func advice(_ trace: MatchTrace, app: String, domain: AssociatedDomain) -> String {
    let file = records[.init(app: app, entry: domain.canonicalText)]?.file?.matcher.file
    return PatternChange.advice(
      for: trace, app: app, os: traits.os, isNamedToday: file?.namesForLinks(app, on: nil) ?? false)
  }

  /// Why no entry that counts here covers the host of a link.
  private func unclaimed(_ link: LinkURL) -> LinkVerdict {
    let installed = apps.values.sorted { $0.build.identifier < $1.build.identifier }
    guard !installed.isEmpty else {
      return LinkVerdict(
        step: .noAssociation, reason: "no app is installed", rules: ["section 1"], certainty: .documented,
        change: "Install the app.")
    }
    for skipped in installed.flatMap({ $0.skipped }) where skipped.isForLinks {
      let isMeant = skipped.obstacle.domain?.covers(host: link.host) ?? skipped.text.contains(link.host)
      guard isMeant else { continue }
      return LinkVerdict(
        step: .noAssociation, reason: "the entry '\(skipped.text)' \(skipped.obstacle.reason)",
        rules: skipped.obstacle.rules, certainty: skipped.obstacle.certainty,
        change: skipped.obstacle.change, domain: skipped.obstacle.domain, claimant: skipped.app)
    }
    var rules = ["section 1"]
    var reason = "no installed app claims '\(link.host)'"
    let near = state.map { $0.domain }.first {
      $0.host == link.host || link.host.hasSuffix("." + $0.host) || $0.host.hasSuffix("." + link.host)
    }
    if let near {
      reason += "; '\(near.canonicalText)' does not cover it"
      rules.append("E8")
    }
    return LinkVerdict(
      step: .noAssociation, reason: reason, rules: rules, certainty: .documented,
      change: "Add 'applinks:\(link.host)' to the app's associated domains, and a file at that host.")
  }
}
