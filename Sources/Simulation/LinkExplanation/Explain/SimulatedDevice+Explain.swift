import AppSiteAssociation
internal import AssociatedDomains
import LinkspanCore
import LinkspanStories
import SimulatedDevices

extension SimulatedDevice {
  /// Follows a link and explains every step. Steps after the first "no" are explained as if it had been a yes,
  /// as far as there is anything to check.
  func explain(_ link: LinkURL, _ way: WayOfFollowing) async -> LinkExplanation {
    let verdict = follow(link, way)
    // The rest of the chain is that of an ordinary tap.
    let rest = verdict.step == .wayOfFollowing ? follow(link, .messages) : verdict
    let record = rest.domain.flatMap { domain in
      rest.claimant.flatMap { records[.init(app: $0, entry: domain.canonicalText)] }
    }
    var steps = [releaseStep, wayStep(link, way, verdict), entitlementStep(link, rest)]
    if let record {
      steps.append(hostStep(record, link))
      steps.append(routeStep(record))
      steps.append(await fileStep(record))
      steps.append(choiceStep(record, rest))
      steps.append(patternStep(record, link, rest))
    } else {
      for name in [ExplanationStep.Name.host, .route, .file, .userChoice, .pattern] {
        steps.append(notReached(name, "no entry covers '\(link.host)'"))
      }
    }
    steps.append(screenStep(verdict))
    return LinkExplanation(verdict: verdict, steps: steps)
  }

  private func notReached(_ name: ExplanationStep.Name, _ message: String) -> ExplanationStep {
    ExplanationStep(name: name, verdict: .notReached, rules: [], certainty: .documented, message: message)
  }

  private var releaseStep: ExplanationStep {
    let os = traits.os
    return ExplanationStep(
      name: .release, verdict: os.hasUniversalLinks ? .yes : .no, rules: ["section 2"],
      certainty: .documented,
      message: "\(os.name) has \(os.hasUniversalLinks ? "" : "no ")universal links")
  }

  private func wayStep(_ link: LinkURL, _ way: WayOfFollowing, _ verdict: LinkVerdict) -> ExplanationStep {
    if verdict.step == .wayOfFollowing {
      return ExplanationStep(
        name: .wayOfFollowing, verdict: verdict.isUnknown ? .unknown : .no, rules: verdict.rules,
        certainty: verdict.certainty, message: verdict.reason)
    }
    let urls = way.navigation.urls(to: link)
    // An app opens for what is touched, or for nothing: behind a redirect no source is sure of it.
    let hop = verdict.app == nil ? urls.count - 1 : 0
    let rule = way.navigation.rule(urls, at: hop, on: traits.os)
    return ExplanationStep(
      name: .wayOfFollowing, verdict: rule.destination == nil ? .yes : .unknown, rules: rule.rules,
      certainty: rule.certainty, message: rule.reason)
  }

  private func entitlementStep(_ link: LinkURL, _ rest: LinkVerdict) -> ExplanationStep {
    if rest.step == .noAssociation {
      return ExplanationStep(
        name: .entitlement, verdict: .no, rules: rest.rules, certainty: rest.certainty, message: rest.reason)
    }
    let skipped = apps.values.sorted { $0.build.identifier < $1.build.identifier }.flatMap { $0.skipped }
      .filter { $0.obstacle.domain?.covers(host: link.host) ?? false }
    let covering = state.filter { $0.domain.covers(host: link.host) }
    guard !covering.isEmpty else { return notReached(.entitlement, "there is no entry to check") }
    var message = covering.map { "\($0.app) claims '\(link.host)' by '\($0.domain.canonicalText)'" }
      .joined(separator: ", ")
    var rules = ["E1"]
    var certainty = Certainty.documented
    for entry in skipped {
      message += "; '\(entry.text)' \(entry.obstacle.reason)"
      rules += entry.obstacle.rules
      certainty = certainty.and(entry.obstacle.certainty)
    }
    return ExplanationStep(
      name: .entitlement, verdict: .yes, rules: rules, certainty: certainty, message: message)
  }

  private func hostStep(_ record: AssociationRecord, _ link: LinkURL) -> ExplanationStep {
    let domain = record.domain
    let count = Set(state.map { $0.domain }.covering(host: link.host).map { $0.canonicalText }).count
    var message =
      domain.isWildcard
      ? "'\(domain.canonicalText)' reads the file of its parent domain, '\(domain.host)'"
      : "'\(domain.canonicalText)' reads the file of exactly that host"
    if count > 1 { message += "; of \(count) matching entries, this one decides" }
    return ExplanationStep(
      name: .host, verdict: .yes, rules: (domain.isWildcard ? ["E6"] : ["E7"]) + (count > 1 ? ["E9"] : []),
      certainty: .documented, message: message)
  }

  private func routeStep(_ record: AssociationRecord) -> ExplanationStep {
    let route = FetchRoute(record.domain, on: traits.os)
    let provenance = route.provenance.and(traits.simulatorProvenance)
    let message: String
    switch route {
    case .cdn: message = "\(traits.os.name) asks \(world.cdn.name), which asks '\(record.domain.host)'"
    case .direct(let places):
      let asked = places.map { "https://\(record.domain.host)\($0.rawValue)" }.joined(separator: ", then ")
      message =
        "\(traits.os.name) asks the host itself"
        + (record.domain.mode.map { " because of '?mode=\($0.rawValue)'" } ?? "") + ": \(asked)"
    }
    return ExplanationStep(
      name: .route, verdict: .yes, rules: provenance.rules, certainty: provenance.certainty, message: message)
  }

  private func fileStep(_ record: AssociationRecord) async -> ExplanationStep {
    let name = record.domain.host
    if record.file != nil {
      var message = "the device has the file of '\(name)'"
      if let checked = record.lastChecked {
        let age = world.clock.now - checked
        message +=
          age < .seconds(1) ? ", fetched just now" : ", checked \(StoryDuration.text(age, unitCount: 2)) ago"
      }
      if let problem = record.problem {
        message += "; since then \(problem.reason), but the stored file still counts"
      }
      return ExplanationStep(
        name: .file, verdict: .yes, rules: record.problem == nil ? ["V1", "V2"] : ["V7", "R1"],
        certainty: record.problem == nil ? .documented : .inferred, message: message)
    }
    guard let problem = record.problem else {
      return ExplanationStep(
        name: .file, verdict: .no, rules: apps[record.app]?.isReady == false ? ["V9"] : ["V1", "V5"],
        certainty: .documented, message: "the file of '\(name)' has not been fetched yet")
    }
    var message = problem.reason
    if let filter = await world.network.filter(at: name) { message += ", because \(filter)" }
    return ExplanationStep(
      name: .file, verdict: .no, rules: problem.rules, certainty: problem.certainty, message: message)
  }

  private func choiceStep(_ record: AssociationRecord, _ rest: LinkVerdict) -> ExplanationStep {
    if rest.step == .userChoice {
      return ExplanationStep(
        name: .userChoice, verdict: .no, rules: rest.rules, certainty: rest.certainty, message: rest.reason)
    }
    let chosen = record.userApproval == .approved
    // It counts all the same when something before it has decided.
    if record.userApproval == .denied {
      return ExplanationStep(
        name: .userChoice, verdict: .no, rules: ["section 10 row 6"], certainty: .documented,
        message: "the user chose the browser for '\(record.domain.host)'")
    }
    if traits.os.platform == .macOS, !chosen {
      return ExplanationStep(
        name: .userChoice, verdict: .no, rules: ["section 10 row 15"], certainty: .documented,
        message: "a Mac opens the browser until the user has chosen the app")
    }
    return ExplanationStep(
      name: .userChoice, verdict: .yes, rules: ["section 10 row 6"], certainty: .documented,
      message: chosen ? "the user chose the app" : "the user has not chosen the browser")
  }

  private func patternStep(
    _ record: AssociationRecord, _ link: LinkURL, _ rest: LinkVerdict
  ) -> ExplanationStep {
    guard let file = record.file else { return notReached(.pattern, "there is no file to read rules from") }
    let trace = file.matcher.trace(link, app: record.app, host: record.scope, &work)
    let basis = rest.step == .pattern ? rest.basis : basis(of: trace, link, record)
    let certainty = basis?.certainty ?? .documented
    let question = basis?.question.map { "; other readings differ (open question \($0))" } ?? ""
    if rest.step == .pattern {
      let rules = rest.rules.filter { !$0.hasPrefix("section 10") }
      return ExplanationStep(
        name: .pattern, verdict: rest.app == nil ? .no : .yes, rules: rules,
        certainty: rest.app == nil ? rest.certainty.and(certainty) : certainty,
        message: rest.reason + question)
    }
    return ExplanationStep(
      name: .pattern, verdict: trace.decision.verdict == .match ? .yes : .no, rules: ["section 7"],
      certainty: certainty, message: trace.reason + question)
  }

  private func screenStep(_ verdict: LinkVerdict) -> ExplanationStep {
    ExplanationStep(
      name: .screen, verdict: verdict.isUnknown ? .unknown : verdict.app == nil ? .no : .yes,
      rules: ["section 8"],
      certainty: verdict.certainty, message: "it opens \(verdict.app ?? verdict.destination.words)")
  }
}
