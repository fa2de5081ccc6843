internal import LinkspanCore

/// One host as it is now: one state, with the reason for it.
package struct HostReport: Sendable {
  package enum State: String, CaseIterable, Sendable {
    case refused
    case removalHeld = "removal held"
    case waiting = "awaits approval"
    case pinned
    case rolledBack = "rolled back"
    case published = "published by API"
    case checking = "being checked"
    case live

    /// Whether somebody has to do something.
    package var needsAttention: Bool { [.refused, .removalHeld, .waiting].contains(self) }
  }

  /// Nil for the site of every host without one of its own.
  package var host: String?
  package var state: State
  /// In a sentence or two.
  package var reason: String
  /// What is served, before it is signed; nil when nothing is.
  package var site: AssociationSite?
  package var draft: PublicationDraft?
  package var standing: Standing?
  /// The first findings of severity error in the newest files, where they are refused.
  package var findings: [String] = []
  package var errorCount = 0

  package init(
    host: String?, state: State, reason: String, site: AssociationSite?, draft: PublicationDraft? = nil,
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
    if state == .refused, let refusal = refusals[key] {
      report.errorCount = max(1, refusal.errorCount)
      report.findings =
        refusal.problem.map { [$0] } ?? refusal.errors.prefix(Readiness.findingLimit).map(\.text)
    }
    return report
  }

  private func stateAndReason(_ key: String, _ host: String?) -> (HostReport.State, String) {
    let standing = standings[key]
    if let since = heldRemovals[key] {
      return (
        .removalHeld,
        "Its folder has been gone since \(since). It is served until the removal is confirmed: linkspan publish --remove \(host ?? "_")"
      )
    }
    if let refusal = refusals[key] {
      let why =
        refusal.problem
        ?? (refusal.errorCount.counted("error")) + " in the newest files."
      return (.refused, why + " " + consequence(key))
    }
    let draft = drafts[key]
    if standing?.kind == .pin {
      let held = draft == nil ? "" : " Newer files are held back."
      return (.pinned, "\(Self.words(of: standing)) is pinned.\(held)")
    }
    if draft?.state == .held {
      let author = draft?.author.map { " by \($0)" } ?? ""
      return (.waiting, "A draft\(author) has no errors and waits for approval. " + consequence(key))
    }
    if pending[key] != nil || sent[key] != nil {
      return (.checking, "Its newest files are being checked. " + consequence(key))
    }
    switch standing?.kind {
    case .rollback:
      return (
        .rolledBack, "\(Self.words(of: standing)) is served until other files are put into its folder."
      )
    case .published:
      return (
        .published, "What \(standing?.actor ?? "the API") published is served until its folder changes."
      )
    case .pin, nil: return (.live, "")
    }
  }

  private static func words(of standing: Standing?) -> String {
    standing?.number.map { "Publication \($0)" } ?? "The publication"
  }

  /// What is served although the newest files are not.
  private func consequence(_ key: String) -> String {
    guard live[key] != nil else { return "Nothing is served." }
    if let number = standings[key]?.number { return "Publication \(number) is served." }
    return "The previous version is served."
  }
}
