import AppSiteAssociation
import AssociatedDomains
import LinkspanCore

extension Device {
  /// Decides what following a link does, from what is stored; nothing is asked (V7).
  func follow(_ link: LinkURL, _ way: WayOfFollowing) -> LinkVerdict {
    renewWork()
    var verdict = followed(link, way)
    verdict.isDecided = verdict.app != nil || !work.isExhausted
    return verdict
  }

  private func followed(_ link: LinkURL, _ way: WayOfFollowing) -> LinkVerdict {
    let os = traits.os
    guard os.hasUniversalLinks else {
      return LinkVerdict(
        step: .release, reason: "\(os.name) has no universal links", rules: ["section 2"],
        certainty: .documented, change: "Update the device.")
    }
    if let verdict = followTouched(way) { return verdict }
    let rule = way.rule(for: link, on: os)
    if let destination = rule.destination {
      var verdict = LinkVerdict(
        step: .wayOfFollowing, reason: rule.reason, rules: rule.rules, certainty: rule.certainty,
        change: rule.change)
      verdict.destination = destination
      return verdict
    }
    var verdict = decide(link, way)
    if verdict.app != nil {
      verdict.rules += rule.rules
      verdict.certainty = verdict.certainty.and(rule.certainty)
    } else if case .universalLinksOnly = way {
      verdict.destination = .nothing
      verdict.rules += rule.rules
    } else if os.platform == .watchOS {
      verdict.destination = .alert
      verdict.rules.append("section 10 row 16")
    }
    return verdict
  }

  /// The tap itself counts by the link that is touched: when that one has an app, it opens (row 8).
  private func followTouched(_ way: WayOfFollowing) -> LinkVerdict? {
    for text in way.touched {
      let link = LinkURL(text)
      let usable = resolve(link) { $0.isUsable }
      guard let app = usable.app, let step = usable.decisive, keptByMac(step, app) == nil else { continue }
      var verdict = verdict(of: step, app: app, link)
      verdict.reason = "'\(text)', which redirects to it, has an app of its own: \(verdict.reason)"
      verdict.rules.append("section 10 row 8")
      verdict.certainty = verdict.certainty.and(.observed)
      return verdict
    }
    return nil
  }

  /// The decision of what is stored, for a way that lets apps open.
  private func decide(_ link: LinkURL, _ way: WayOfFollowing) -> LinkVerdict {
    let usable = resolve(link) { $0.isUsable }
    if let app = usable.app, let step = usable.decisive {
      if way.opener == app { return keptByOwner(way, step) }
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
  private func keptByOwner(_ way: WayOfFollowing, _ step: LinkResolution.Step) -> LinkVerdict {
    var verdict = LinkVerdict(
      step: .wayOfFollowing, reason: "an app that opens its own universal link leaves it to the browser",
      rules: ["section 10 row 10"], certainty: .documented,
      change: "Show the page inside the app instead of opening the URL.", domain: step.domain,
      claimant: step.app)
    if case .webView = way {
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
    verdict.entry = trace.decision.entry
    verdict.rule = trace.decision.rule
    if step.domain.isWildcard { verdict.rules.append("E6") }
    if app == nil {
      // That an exclusion at the exact host keeps the wildcard from being asked is inferred (E9).
      let another = records.values.contains {
        $0.app == step.app && $0.domain.isWildcard && $0.domain.covers(host: link.host)
      }
      verdict.certainty = another && !step.domain.isWildcard ? .inferred : .documented
      verdict.change = advice(trace, app: step.app, domain: step.domain)
    }
    return verdict
  }

  /// Why nothing speaks for a link: of the entries that cover its host the one asked first is named.
  private func missing(_ link: LinkURL) -> LinkVerdict {
    let covering = state.filter { $0.domain.covers(host: link.host) }
    let order = covering.map(\.domain).covering(host: link.host)
    let first = order.first.flatMap { domain in covering.first { $0.domain == domain } }
    if let record = first {
      let name = record.domain.canonicalText
      if let file = record.file {
        let scope: HostScope =
          record.domain.isWildcard ? .subdomains(of: record.domain.host) : .exactly(record.domain.host)
        let trace = file.matcher.trace(link, app: record.app, host: scope, &work)
        return LinkVerdict(
          step: .pattern, reason: trace.reason, rules: ["section 7"], certainty: .documented,
          change: advice(trace, app: record.app, domain: record.domain), domain: record.domain,
          claimant: record.app)
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
    for skipped in installed.flatMap(\.skipped) {
      let isMeant = skipped.obstacle.domain?.covers(host: link.host) ?? skipped.text.contains(link.host)
      guard isMeant else { continue }
      return LinkVerdict(
        step: .noAssociation, reason: "the entry '\(skipped.text)' \(skipped.obstacle.reason)",
        rules: skipped.obstacle.rules, certainty: skipped.obstacle.certainty,
        change: skipped.obstacle.change, domain: skipped.obstacle.domain, claimant: skipped.app)
    }
    var rules = ["section 1"]
    var reason = "no installed app claims '\(link.host)'"
    let near = state.map(\.domain).first {
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
