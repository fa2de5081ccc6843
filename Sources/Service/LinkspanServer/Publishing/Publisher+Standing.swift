package import LinkspanCore

#if PLANTED_BUGS
  internal import DeviceRegistry
#endif

/// Decisions that go before the folder.
extension Publisher {
  /// Has a decision of before this process began go on.
  package mutating func restore(_ standing: Standing) {
    put(standing.site)
    standings[Self.key(standing.site.host)] = standing
  }

  /// Serves an earlier publication from now on. What lies in the folder stays there as a draft.
  ///
  /// - Parameter kind: A rollback or a pin.
  /// - Returns: What became of the host.
  package mutating func stand(
    _ kind: Standing.Kind, _ site: AssociationSite, number: Int?, actor: String, at now: WallTime
  ) -> PublicationOutcome {
    let key = Self.key(site.host)
    let before = live[key]
    standings[key] = Standing(
      kind, site, number: number, replaced: folder[key]?.digest, actor: actor, since: now)
    if kind == .pin { heldRemovals[key] = nil }
    // Its verdict would say nothing about what is served now.
    #if PLANTED_BUGS
      if !ServiceBug.rollbackBesideDeploy.isPlanted { pending[key] = nil }
    #else
      pending[key] = nil
    #endif
    if kind == .rollback {
      refusals[key] = nil
      refusedFiles[key] = nil
    }
    put(site)
    if let found = folder[key], found != site {
      // A pin is told of newer files by their check; a rollback knows what it replaced.
      if kind == .rollback || drafts[key]?.site != found {
        drafts[key] = PublicationDraft(site: found, state: .replaced)
      }
    } else if drafts[key]?.site == site {
      drafts[key] = nil
    }
    return PublicationOutcome(
      host: site.host, kind: before == site ? .unchanged : .changed, errors: [],
      differences: before.map { Self.differences(from: $0, to: site) } ?? [], isServed: true)
  }

  /// Ends a rollback, a pin or what the API published; the next reading of the folder decides.
  ///
  /// - Returns: The decision that ended; nil when there was none.
  package mutating func release(_ host: String?) -> Standing? {
    let key = Self.key(host)
    guard let standing = standings.removeValue(forKey: key) else { return nil }
    // Of a draft that was held by a pin nothing is known any more.
    if drafts[key]?.author == nil { drafts[key] = nil }
    folder[key] = nil
    return standing
  }

  /// The draft of a host that may be served once somebody approves it; nil without one.
  package func heldDraft(of host: String?) -> PublicationDraft? {
    drafts[Self.key(host)].flatMap { $0.state == .held ? $0 : nil }
  }

  /// The newest files of a host, where they are not what is served.
  package func draft(of host: String?) -> PublicationDraft? { drafts[Self.key(host)] }

  /// What is served for a host.
  package func site(of host: String?) -> AssociationSite? { live[Self.key(host)] }

  /// The decision about a host; nil where its folder decides.
  package func standing(of host: String?) -> Standing? { standings[Self.key(host)] }

  /// Serves a draft that was held.
  package mutating func approve(_ draft: PublicationDraft, actor: String, at now: WallTime)
    -> PublicationOutcome
  {
    let key = Self.key(draft.site.host)
    let before = live[key]
    put(draft.site)
    drafts[key] = nil
    if let author = draft.author {
      standings[key] = Standing(
        .published, draft.site, replaced: folder[key]?.digest, actor: author, since: now)
    }
    return PublicationOutcome(
      host: draft.site.host, kind: before == nil ? .published : .changed, errors: [],
      differences: before.map { Self.differences(from: $0, to: draft.site) } ?? [], isServed: true)
  }

  /// Takes note of files that a client of the API sent: they are checked like those of a folder.
  ///
  /// - Returns: nil when the same files are being checked already.
  package mutating func submit(_ candidate: PublicationCandidate) -> Step? {
    let key = Self.key(candidate.site.host)
    // A draft of the same client grows by the next file; without one, what is served does.
    let draft = drafts[key].flatMap { $0.author == candidate.author ? $0.site : nil }
    let candidate = candidate.completed(by: draft ?? live[key])
    rank(candidate.site.host)
    if let excess = candidate.excess {
      pending[key] = nil
      return .outcome(refuse(candidate, .hindered(excess)))
    }
    if candidate.site == live[key] {
      if drafts[key]?.author != nil { endDraft(key) }
      return .outcome(
        PublicationOutcome(
          host: candidate.site.host, kind: .unchanged, errors: [], differences: [], isServed: true))
    }
    return check(candidate)
  }

  private mutating func endDraft(_ key: String) {
    drafts[key] = nil
    refusals[key] = nil
    refusedFiles[key] = nil
  }
}
