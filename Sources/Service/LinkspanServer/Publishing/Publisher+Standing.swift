package import LinkspanCore
internal import RegistryRequests

/// Decisions that go before the folder.
extension Publisher {
  /// Has a decision of before this process began go on.
  package mutating func restore(_ standing: Standing) {
    put(standing.site)
    standings[Self.key(standing.site.host)] = standing
  }

  /// A decision as it would be made now: what lies in the folder is what it replaces.
  package func decision(
    _ kind: Standing.Kind, _ site: AssociationSite, number: Int? = nil, actor: String, at now: WallTime
  ) -> Standing {
    Standing(
      kind, site, number: number, replaced: [folder[Self.key(site.host)]?.digest], actor: actor, since: now)
  }

  /// What a verdict comes to, before anything is changed by it.
  package enum Ruling: Hashable, Sendable {
    case refused
    case held
    /// They are served, by the decision of a client of the API or else by the folder's.
    case live(Standing?)
  }

  /// What ``settle(_:_:at:)`` makes of a verdict; nil when the files are other ones by now, or gone.
  package func ruling(
    on check: PublicationCheck, _ verdict: PublicationVerdict, at now: WallTime
  ) -> Ruling? {
    let (site, author) = (check.candidate.site, check.candidate.author)
    let key = Self.key(site.host)
    guard (author == nil ? pending[key] : sent[key]) == Question(check) else { return nil }
    #if PLANTED_BUGS
      let isRefused = ServiceBug.refusedFilesServed.isPlanted ? false : verdict.isRefused
    #else
      let isRefused = verdict.isRefused
    #endif
    if isRefused { return .refused }
    if check.isHeld { return .held }
    return .live(author.map { decision(.published, site, actor: $0, at: now) })
  }

  /// Serves an earlier publication from now on. What lies in the folder stays there as a draft.
  ///
  /// - Parameter standing: A rollback or a pin; of another server also what the API published.
  /// - Returns: What became of the host.
  package mutating func stand(_ standing: Standing) -> PublicationOutcome {
    let (kind, site) = (standing.kind, standing.site)
    let key = Self.key(site.host)
    let before = live[key]
    standings[key] = standing
    // Somebody wants it served, whatever became of its folder.
    heldRemovals[key] = nil
    // A verdict would say nothing about what is served now.
    #if PLANTED_BUGS
      if !ServiceBug.rollbackBesideDeploy.isPlanted { (pending[key], sent[key]) = (nil, nil) }
    #else
      (pending[key], sent[key]) = (nil, nil)
    #endif
    hindered[key] = nil
    if kind != .pin {
      refusals[key] = nil
      refusedFiles[key] = nil
    }
    put(site)
    if let found = folder[key], found != site {
      // A pin is told of newer files by their check; a rollback knows what it replaced.
      if kind != .pin || drafts[key]?.site != found {
        drafts[key] = PublicationDraft(site: found, state: .replaced)
      }
    } else if kind != .pin || drafts[key]?.site == site || drafts[key]?.state == .checking {
      // What waits for the end of a pin comes to nothing where something else than a pin takes its place.
      drafts[key] = nil
    }
    return PublicationOutcome(
      host: site.host, kind: before == nil ? .published : before == site ? .unchanged : .changed, errors: [],
      differences: before.map { Self.differences(from: $0, to: site) } ?? [], isServed: true)
  }

  /// Ends a rollback, a pin or what the API published; the next reading of the folder decides.
  ///
  /// - Returns: The decision that ended; nil when there was none.
  package mutating func release(_ host: String?) -> Standing? {
    guard let standing = endDecision(host) else { return nil }
    folder[Self.key(host)] = nil
    return standing
  }

  /// Ends a decision; what was noted of the folder stays.
  mutating func endDecision(_ host: String?) -> Standing? {
    let key = Self.key(host)
    guard let standing = standings.removeValue(forKey: key) else { return nil }
    // Of a draft that was held by a pin nothing is known any more.
    if drafts[key]?.author == nil { drafts[key] = nil }
    return standing
  }

  /// The draft of a host that may be served once somebody approves it; nil without one.
  package func heldDraft(of host: String?) -> PublicationDraft? {
    drafts[Self.key(host)].flatMap { $0.state == .held ? $0 : nil }
  }

  /// What clients of the API sent and may be served once somebody approves it, or takes a pin away.
  package var heldSentDrafts: [PublicationDraft] {
    Self.byHost(drafts.filter { $0.value.author != nil && $0.value.state == .held })
  }

  /// The newest files of a host, where they are not what is served.
  package func draft(of host: String?) -> PublicationDraft? { drafts[Self.key(host)] }

  /// What is served for a host.
  package func site(of host: String?) -> AssociationSite? { live[Self.key(host)] }

  /// The decision about a host; nil where its folder decides.
  package func standing(of host: String?) -> Standing? { standings[Self.key(host)] }

  /// The decision about a host once a draft that was held is approved.
  package func standing(approving draft: PublicationDraft, at now: WallTime) -> Standing? {
    draft.author.map { decision(.published, draft.site, actor: $0, at: now) }
      ?? standings[Self.key(draft.site.host)]
  }

  /// Serves a draft that was held.
  package mutating func approve(_ draft: PublicationDraft, at now: WallTime) -> PublicationOutcome {
    let key = Self.key(draft.site.host)
    let before = live[key]
    standings[key] = standing(approving: draft, at: now)
    put(draft.site)
    drafts[key] = nil
    hindered[key] = nil
    return PublicationOutcome(
      host: draft.site.host, kind: before == nil ? .published : .changed, errors: [],
      differences: before.map { Self.differences(from: $0, to: draft.site) } ?? [], isServed: true)
  }

  /// With the files of the host that a client of the API did not send.
  package func completed(_ candidate: PublicationCandidate) -> PublicationCandidate {
    let key = Self.key(candidate.site.host)
    // A draft of the same client that may still be served grows by the next file; without one, what is served does.
    let draft = drafts[key].flatMap { draft in
      draft.author == candidate.author && [.checking, .held].contains(draft.state) ? draft.site : nil
    }
    return candidate.completed(by: draft ?? live[key])
  }

  /// Takes note of files that a client of the API sent: they are checked like those of a folder.
  ///
  /// - Returns: nil when the same files are being checked already.
  package mutating func submit(_ candidate: PublicationCandidate) -> Step? {
    let key = Self.key(candidate.site.host)
    let candidate = completed(candidate)
    rank(candidate.site.host)
    var outcome: PublicationOutcome
    if let excess = candidate.excess {
      outcome = refuse(candidate, .hindered(excess))
    } else if candidate.site == live[key] {
      if drafts[key]?.author != nil { endDraft(key) }
      outcome = PublicationOutcome(
        host: candidate.site.host, kind: .unchanged, errors: [], differences: [], isServed: true)
    } else {
      return check(candidate)
    }
    sent[key] = nil
    outcome.isSent = true
    return .outcome(outcome)
  }

  /// Forgets what a client of the API sent and is being checked, as if it had not been sent.
  package mutating func forgetSent(of host: String?) {
    let key = Self.key(host)
    sent[key] = nil
    if let draft = drafts[key], draft.author != nil, draft.state == .checking { drafts[key] = nil }
  }

  private mutating func endDraft(_ key: String) {
    drafts[key] = nil
    refusals[key] = nil
    refusedFiles[key] = nil
  }
}
