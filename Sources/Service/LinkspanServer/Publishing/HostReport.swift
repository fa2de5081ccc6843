internal import LinkspanCore

/// One host as it is now: one state, with the reason for it.
package struct HostReport: Equatable, Sendable {
  package enum State: String, CaseIterable, Sendable {
    case refused
    case removalHeld = "removal held"
    case waiting = "awaits approval"
    case pinned
    case rolledBack = "rolled back"
    case published = "published by API"
    case checking = "being checked"
    case live

    /// Whether somebody has to do something, whatever else there is.
    fileprivate var needsAttention: Bool { [.refused, .removalHeld, .waiting].contains(self) }
  }

  /// Nil for the site of every host without one of its own.
  package var host: String?
  package var state: State
  /// In a sentence or two.
  package var reason: HostReason
  /// What is served, before it is signed; nil when nothing is.
  package var site: AssociationSite?
  /// The SHA-256 of the association file as it is served, where it is signed.
  package var signedDigest: String?
  package var draft: PublicationDraft?
  package var standing: Standing?
  /// The first findings of severity error in the newest files, where they are refused.
  package var findings: [String] = []
  package var errorCount = 0
  /// Whether its folder was read and has no files of it.
  package var lacksFiles = false

  package init(
    host: String?, state: State, reason: HostReason, site: AssociationSite?, draft: PublicationDraft? = nil,
    standing: Standing? = nil
  ) {
    self.host = host
    self.state = state
    self.reason = reason
    self.site = site
    self.draft = draft
    self.standing = standing
  }

  package var name: String { host ?? "every other host" }

  /// Whether newer files wait for the end of a pin.
  package var isHeldByPin: Bool { state == .pinned && draft?.state == .held }

  /// Whether somebody has to do something.
  package var needsAttention: Bool { state.needsAttention || isHeldByPin }
}

extension Publisher {
  /// Every host that is served or has files, in the order the hosts were first read; the site of all others last.
  package var reports: [HostReport] {
    var keys = order
    if live[""] != nil || drafts[""] != nil { keys.append("") }
    return keys.compactMap { report($0) }
  }

  private func report(_ key: String) -> HostReport? {
    let (site, draft, standing) = (live[key], drafts[key], standings[key])
    guard let known = site ?? draft?.site else { return nil }
    let (state, reason) = stateAndReason(key, known.host)
    var report = HostReport(
      host: known.host, state: state, reason: reason, site: site, draft: draft, standing: standing)
    report.lacksFiles = hasRead && folder[key] == nil
    if state == .refused, let refusal = refusals[key] {
      report.errorCount = max(1, refusal.errorCount)
      report.findings =
        refusal.problem.map { [$0] } ?? refusal.errors.prefix(Readiness.findingLimit).map(\.text)
    }
    return report
  }

  private func stateAndReason(_ key: String, _ host: String?) -> (HostReport.State, HostReason) {
    let standing = standings[key]
    if let since = heldRemovals[key] {
      return (
        .removalHeld,
        "Its folder has been gone since \(time: since). It is served until \(confirmation(of: host))."
      )
    }
    if let refusal = refusals[key] {
      let why = refusal.problem ?? (refusal.errorCount.counted("error")) + " in the newest files."
      return (.refused, "\(why) \(consequence(key))")
    }
    let draft = drafts[key]
    if standing?.kind == .pin {
      let held = draft == nil ? "" : " Newer files are held back."
      let gone = hasRead && folder[key] == nil ? " Its folder has no files." : ""
      return (.pinned, "What is served is pinned.\(held)\(gone)")
    }
    if draft?.state == .held {
      let author: HostReason = draft?.author.map { " by \(actor: $0)" } ?? ""
      return (.waiting, "A draft\(author) has no errors and waits for approval. \(consequence(key))")
    }
    if pending[key] != nil || sent[key] != nil {
      return (.checking, "Its newest files are being checked. \(consequence(key))")
    }
    switch standing?.kind {
    case .rollback:
      return (.rolledBack, "An earlier publication is served until other files are put into its folder.")
    case .published:
      let author: HostReason = standing.map { "\(actor: $0.actor)" } ?? "the API"
      return (.published, "What \(author) published is served until its folder changes.")
    case .pin, nil: return (.live, "")
    }
  }

  /// The command that confirms a removal; nil where it would not reach this server. The site of every host without one of
  /// its own is called `_` there.
  ///
  /// - Parameter hosts: Or what stands for them.
  package func removal(of hosts: String?) -> String? {
    orderFlags.map { "linkspan publish --remove \(hosts ?? PublicationOrder.everyOtherHost) \($0)" }
  }

  /// What ends a removal that is held back, as a clause.
  package func confirmation(of hosts: String?) -> String {
    removal(of: hosts).map { "'\($0)' confirms it" }
      ?? "the server is restarted (without 'state' it takes no orders)"
  }

  /// What is served although the newest files are not. Its number is the history's to tell: a rollback to publication 1 is a
  /// publication with a number of its own.
  private func consequence(_ key: String) -> String {
    guard live[key] != nil else { return "Nothing is served." }
    return switch standings[key]?.kind {
    case .pin: "What is pinned is served."
    case .rollback: "An earlier publication is served."
    case .published, nil: "The previous version is served."
    }
  }
}
