internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer

/// What people and clients of the API want done.
extension PublicationManager {
  /// Carries out what somebody wants.
  ///
  /// - Returns: What became of hosts at once; the rest comes out of ``takeOutcomes(at:)``.
  func perform(_ item: PublicationOrders.Item, at now: WallTime) -> (
    outcomes: [PublicationOutcome], answer: Result<PublicationOrders.Answer, LinkspanError>?
  ) {
    do throws(LinkspanError) {
      switch item.work {
      case .order(let order):
        let answer = try audited(order, item.actor, at: now)
        return (answer.outcomes + answer.others, .success(answer))
      case .publish(let candidate):
        guard let outcome = try publish(candidate, item.completion, at: now) else { return ([], nil) }
        return ([outcome], .success(PublicationOrders.Answer(words: "", outcomes: [outcome])))
      case .obey(let orders):
        return (obey(orders, at: now), .success(PublicationOrders.Answer(words: "")))
      }
    } catch {
      return ([], .failure(error))
    }
  }

  /// Carries out an order, with one line in the log, which says what became of it.
  private func audited(
    _ order: PublicationOrder, _ actor: String, at now: WallTime
  ) throws(LinkspanError) -> PublicationOrders.Answer {
    let what = "audit: \(actor) \(order.action) \(order.hosts.joined(separator: " "))"
    do throws(LinkspanError) {
      let answer = try perform(order, actor, at: now)
      log.info("\(what): \(answer.words)")
      return answer
    } catch {
      log.info("\(what), refused: \(error.text.onOneLine)")
      throw error
    }
  }

  private func perform(
    _ order: PublicationOrder, _ actor: String, at now: WallTime
  ) throws(LinkspanError) -> PublicationOrders.Answer {
    switch order {
    case .rollBack(let host, let number): return try stand(.rollback, host, number, actor, at: now)
    case .pin(let host, let number): return try stand(.pin, host, number, actor, at: now)
    case .release(let host):
      return try release(host, actor, at: now)
    case .approve(let host, let digest): return try approve(host, digest, actor, at: now)
    case .remove(let hosts): return try remove(hosts, actor, at: now)
    }
  }

  /// Has the folder decide again. Where it cannot be read, or that cannot be kept, the decision stands.
  private func release(
    _ host: String, _ actor: String, at now: WallTime
  ) throws(LinkspanError) -> PublicationOrders.Answer {
    guard let standing = publisher.standing(of: host) else {
      throw LinkspanError("the folder of '\(host)' decides already.", help: "Nothing was changed.")
    }
    let candidates = try read()
    let found = candidates.first { $0.site.host.map(HostName.key) == standing.site.host.map(HostName.key) }
    let what =
      switch standing.kind {
      case .rollback: "rollback"
      case .pin: "pin"
      case .published: "publication by the API"
      }
    if let outcome = try publishHeld(of: host, at: now) {
      return PublicationOrders.Answer(
        words: "The \(what) has ended; what was published meanwhile is served for \(host).",
        outcomes: finish([outcome], at: now))
    }
    if let outcome = try publishBefore(standing, folder: found?.site, at: now) {
      return PublicationOrders.Answer(
        words: "The \(what) has ended; what the API published before it is served for \(host).",
        outcomes: finish([outcome], at: now))
    }
    if standing.site.host != nil, publisher.site(of: host) != nil, found == nil {
      throw LinkspanError(
        "the folder has no files of '\(host)', so nothing would be served for it.",
        help: "Nothing was changed. Publish what is to be served"
          + (publisher.removal(of: host).map { ", or '\($0)' ends it." } ?? ".")
      )
    }
    try share([SiteOrder(.released, AssociationSite(host: standing.site.host), actor, at: now)])
    try keep(nil, of: standing.site.host, isShared: shared != nil) {}
    _ = publisher.release(host)
    let outcomes = publish(candidates, at: now)
    return PublicationOrders.Answer(
      words: "The \(what) has ended; the folder of \(host) decides again.",
      outcomes: outcomes.filter { $0.host == host }, others: outcomes.filter { $0.host != host },
      undecidedHost: host)
  }

  /// An answer once it is known what is served; nil while the files that it is about are checked.
  func completed(_ answer: PublicationOrders.Answer) -> PublicationOrders.Answer? {
    guard let host = answer.undecidedHost else { return answer }
    guard !publisher.isChecking(host) else { return nil }
    var answer = answer
    answer.undecidedHost = nil
    let draft = publisher.draft(of: host)?.state
    answer.isServed = draft != .refused && draft != .held && publisher.site(of: host) != nil
    let rest = publisher.site(of: host) == nil ? "nothing is served for it" : "what was served before stays"
    switch draft {
    case .refused: answer.words += " Its files are refused; \(rest)."
    case .held: answer.words += " Its files wait for approval; until then \(rest)."
    case .checking, .replaced, nil: break
    }
    return answer
  }

  /// Serves what a client of the API sent while the host was pinned, in the place of the pin.
  ///
  /// - Returns: nil where nothing waits for the end of a pin alone.
  func publishHeld(
    of host: String, at now: WallTime
  ) throws(LinkspanError) -> PublicationOutcome? {
    guard let draft = publisher.heldDraft(of: host), draft.author != nil, !publisher.needsApproval else {
      return nil
    }
    try keep(publisher.standing(approving: draft, at: now), of: draft.site.host) { () throws(LinkspanError) in
      try history?.add(draft.site, at: now, author: draft.author)
    }
    var outcome = publisher.approve(draft, at: now)
    outcome.isSent = true
    return outcome
  }

  /// Serves what a client of the API had published before a rollback or a pin, where the folder is as it was then: it stood for
  /// what lies there.
  ///
  /// - Parameter site: What the folder has now.
  /// - Returns: nil where the folder decides.
  private func publishBefore(
    _ standing: Standing, folder site: AssociationSite?, at now: WallTime
  ) throws(LinkspanError) -> PublicationOutcome? {
    guard standing.kind != .published, standing.replaced.contains(site?.digest), let history else {
      return nil
    }
    let entries = try history.entries(
      of: standing.site.host, wantsAssociationFiles: !settings.acceptsErrors
    ) { log.error($0) }
    guard let newest = entries.first(where: { $0.origin == .published }), let author = newest.author else {
      return nil
    }
    let decision = Standing(.published, newest.site, replaced: [site?.digest], actor: author, since: now)
    try keep(decision, of: newest.site.host) { () throws(LinkspanError) in
      if entries.first?.site != newest.site { try history.add(newest.site, at: now, author: author) }
    }
    var outcome = publisher.stand(decision)
    outcome.isSent = true
    return outcome
  }

  /// Serves an earlier publication.
  private func stand(
    _ kind: Standing.Kind, _ host: String, _ number: Int?, _ actor: String, at now: WallTime
  ) throws(LinkspanError) -> PublicationOrders.Answer {
    guard let history else {
      throw LinkspanError(
        "there is no state, so no earlier publications are known.", help: "Start 'serve' with --state FOLDER."
      )
    }
    if number == nil { try requireHistory(of: host, at: now) }
    let rollback = try Rollback(of: host, in: history, wantsAssociationFiles: !settings.acceptsErrors) {
      log.error($0)
    }
    let entry: PublicationHistory.Entry
    if kind == .pin, number == nil, let newest = rollback.entries.first {
      entry = newest
    } else {
      entry = try rollback.chosen(number)
    }
    let served = publisher.site(of: host)
    let newest = rollback.entries.first
    // The newest publication is what a start serves, whatever became of the folder.
    let isNewest = newest?.site == entry.site && served != nil
    var added: Int?
    let standing = publisher.decision(kind, entry.site, number: entry.number, actor: actor, at: now)
    try keep(standing, of: entry.site.host) { () throws(LinkspanError) in
      if !isNewest { added = try history.add(entry.site, at: now, rolledBackTo: entry.number) }
    }
    let outcome = publisher.stand(standing)
    let outcomes = finish([outcome], at: now)
    let words =
      "Publication \(isNewest ? newest?.number ?? entry.number : entry.number) of \(host) is"
      + (kind == .pin ? " pinned and served" : " served") + (isNewest ? "" : " again")
      + (added.map { ", as publication \($0)." } ?? ".")
      + (kept.behind.contains(entry.site.host)
        ? " The history has no record of that until it can be written." : "")
    return PublicationOrders.Answer(words: words, number: entry.number, outcomes: outcomes)
  }

  /// Refuses to count from what is served where the history does not have it.
  private func requireHistory(of host: String, at now: WallTime) throws(LinkspanError) {
    let name = publisher.site(of: host)?.host
    if kept.behind.contains(name) { keepDecisions([], at: now) }
    guard kept.behind.contains(name) else { return }
    throw LinkspanError(
      "the history lacks what is served for '\(host)', since it cannot be written.",
      help: "Nothing was changed. Make room, let the owner of the state write there, or choose a number.")
  }

  private func approve(
    _ host: String, _ digest: String?, _ actor: String, at now: WallTime
  ) throws(LinkspanError) -> PublicationOrders.Answer {
    guard publisher.standing(of: host)?.kind != .pin else {
      throw LinkspanError(
        "'\(host)' is pinned.", help: "Take the pin away first; then its draft is published.")
    }
    guard let draft = publisher.heldDraft(of: host) else {
      throw LinkspanError("no draft of '\(host)' waits for approval.", help: "Nothing was changed.")
    }
    guard digest == nil || draft.site.digest == digest else {
      throw LinkspanError(
        "another draft of '\(host)' waits by now.",
        help: "Nothing was changed. Look at that one, then approve it.")
    }
    guard draft.author != actor else {
      throw LinkspanError("who sent a draft cannot approve it.", help: "Ask another person.")
    }
    if draft.author == nil { try share([SiteOrder(.approved, draft.site, actor, at: now)]) }
    try keep(publisher.standing(approving: draft, at: now), of: draft.site.host, isShared: shared != nil) {
      () throws(LinkspanError) in
      try history?.add(draft.site, at: now, author: draft.author)
    }
    let outcome = publisher.approve(draft, at: now)
    return PublicationOrders.Answer(
      words: "The draft of \(host) is approved and served.", outcomes: finish([outcome], at: now))
  }

  /// Takes files that a client of the API sent.
  ///
  /// - Returns: What became of the host; nil when a check has to be waited for.
  private func publish(
    _ candidate: PublicationCandidate, _ completion: @escaping PublicationOrders.Completion,
    at now: WallTime
  ) throws(LinkspanError) -> PublicationOutcome? {
    guard history != nil || shared != nil else {
      throw LinkspanError(
        "the server has no place to keep publications in.",
        help: "Start 'serve' with --state FOLDER or --registry STORE.")
    }
    let candidate = publisher.completed(candidate)
    // The same files have one check, whose end this client hears.
    let steps = unshared.removeValue(forKey: candidate.site.host).map { [Publisher.Step.check($0)] } ?? []
    let outcomes = begin(steps + (publisher.submit(candidate).map { [$0] } ?? []))
    if let outcome = finish(outcomes, at: now).first { return outcome }
    waiting[candidate.site.host, default: []].append((candidate.site, completion))
    return nil
  }

  /// The clients that waited for these outcomes, with their answers. To be called when they are served.
  ///
  /// A client hears what became of what it sent; where something else has ended its check, that it is to send it again.
  func takeAnswers(to outcomes: [PublicationOutcome]) -> [() -> Void] {
    let ended = outcomes.filter { $0.isSent || !publisher.isCheckingSent(of: $0.host) }
    return (ended.filter(\.isSent) + ended.filter { !$0.isSent }).flatMap { outcome in
      (waiting.removeValue(forKey: outcome.host) ?? []).map { site, completion in
        let result = answer(to: site, outcome)
        return { completion(result) }
      }
    }
  }

  private func answer(
    to site: AssociationSite, _ outcome: PublicationOutcome
  ) -> Result<PublicationOrders.Answer, LinkspanError> {
    let draft = publisher.draft(of: outcome.host)
    let isDraft = draft?.site == site && (draft?.state == .refused || draft?.state == .held)
    if isDraft || publisher.site(of: outcome.host) == site {
      return .success(PublicationOrders.Answer(words: "", outcomes: [outcome]))
    }
    return .failure(
      .temporary(
        "Something else was decided about '\(outcome.host ?? "_")' meanwhile.",
        help: "What you sent is not published. Send it again in a moment."))
  }

  /// Has files be published once the registry takes that, where their client has its answer since before this start.
  func postpone(_ check: PublicationCheck, _ error: LinkspanError) -> Bool {
    let host = check.candidate.site.host
    guard shared != nil, waiting[host] == nil else { return false }
    noteFailure("what the API sent for \(host ?? "every other host") waits for the registry: \(error.text)")
    unshared[host] = check
    return true
  }

  /// Forgets files that a client sent and that cannot be kept, and answers that it may send them again.
  func giveUp(_ check: PublicationCheck, _ error: LinkspanError) {
    let host = check.candidate.site.host
    log.error("what the API sent for \(host ?? "every other host") is not published: \(error.text)")
    publisher.forgetSent(of: host)
    let isKnown = error.kind != .uncertain
    let answer: LinkspanError =
      isKnown ? .temporary(error.message, help: error.help ?? "Try again later.") : error
    for (_, completion) in waiting.removeValue(forKey: host) ?? [] { completion(.failure(answer)) }
  }
}
