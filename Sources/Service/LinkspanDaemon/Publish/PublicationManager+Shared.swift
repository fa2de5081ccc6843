internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import PushSending

/// Orders that one server of a registry is given, and all of them obey.
///
/// Each has a folder of its own, and deployments reach them one after the other. So an order of another server stands for
/// what lies in either folder when it comes, and each server ends it when its own folder has other files. A server that
/// starts later obeys it where its folder has what was replaced.
extension PublicationManager {
  /// Obeys the orders that the registry has, from now on.
  ///
  /// - Returns: What became of hosts.
  /// - Throws: That the registry does not tell.
  func follow(_ registry: Registry, at now: WallTime) throws(LinkspanError) -> [PublicationOutcome] {
    let orders = SharedOrders(registry)
    let all = try orders.all()
    let kept = knownOrder(of: registry.hash.name)
    shared = orders
    orders.kept = kept
    // A registry that was restored from a backup counts on from there: the state knows what it has, and nothing that comes.
    let outcomes = obey(all, startingAfter: min(kept, all.last?.revision ?? 0), at: now)
    followsLater = false
    return hasRead ? outcomes + finish(begin(resumed()), at: now) : outcomes
  }

  private func knownOrder(of registry: String) -> Int64 {
    do throws(LinkspanError) {
      return try history?.knownOrder(of: registry) ?? 0
    } catch {
      // Then the registry goes before the state.
      log.error(error.text)
      return 0
    }
  }

  /// Obeys what other servers were told.
  ///
  /// - Parameter known: At a start: the newest order that the state knows. What the state has decided was decided after that one
  ///   and before the orders behind it, whatever the clocks of two servers say; so of a server that ran without the registry for a
  ///   while, too.
  func obey(
    _ orders: [SiteOrder], startingAfter known: Int64? = nil, at now: WallTime
  ) -> [PublicationOutcome] {
    let isStart = known != nil
    guard let shared else { return [] }
    let isBehind = shared.failures > 0
    var outcomes: [PublicationOutcome] = []
    var readsFolder = false
    for order in orders where shared.note(order) {
      let host = publisher.spelling(of: order.host)
      let site = order.site(of: host)
      if let known, order.endsDrafts(after: known) { forgetResumed(of: host) }
      if order.hasEnded {
        if leave(order, site, startingAfter: known) { readsFolder = true }
        continue
      }
      if !isStart {
        log.info(
          "audit: \(order.actor) site.\(order.kind.rawValue) \(host ?? "_"), as another server was told")
      }
      switch order.kind {
      case .rollback, .pin, .published:
        if let outcome = stand(by: order, site, startingAfter: known, at: now) {
          outcomes.append(outcome)
          // Whether its folder is gone by mistake, the next reading decides.
          if isStart, publisher.folderSite(of: host) == nil { readsFolder = true }
        } else if shared.standing(of: host) == nil, order.revision > known ?? 0 {
          // The folder goes before the order, and so before what the order had replaced.
          if publisher.release(host) != nil { readsFolder = true }
        }
      case .released:
        if order.revision > known ?? 0, release(host, by: order, &outcomes, at: now) { readsFolder = true }
      case .approved:
        if publisher.site(of: host) == site { continue }
        if let outcome = publisher.approveElsewhere(site, at: now) {
          kept.behind.insert(host)
          outcomes.append(outcome)
        }
      case .removalHeld:
        guard isStart else { continue }
        if publisher.folderSite(of: host) == nil {
          publisher.holdElsewhere(Publisher.Removal(site, at: order.since))
        } else {
          shared.end(order, at: now)
        }
      case .removed:
        if order.revision > known ?? 0, publisher.leaveToFolder(host) { readsFolder = true }
        if isStart, publisher.folderSite(of: host) != nil { continue }
        // It was served again since, and then removed with many others.
        if order.revision <= known ?? 0, heldBefore.contains(host) { continue }
        if let outcome = publisher.removeElsewhere(host) { outcomes.append(outcome) }
      }
    }
    if isBehind, catchUp(&outcomes, at: now) { readsFolder = true }
    let finished = finish(outcomes, at: now)
    return readsFolder ? finished + readAgain(at: now) : finished
  }

  /// Ends what another server was told to end. What a client of the API sent to this server while the host was pinned is served
  /// everywhere then; until the store takes that, the pin goes on.
  ///
  /// - Returns: Whether the folder decides now.
  private func release(
    _ host: String?, by order: SiteOrder, _ outcomes: inout [PublicationOutcome], at now: WallTime
  ) -> Bool {
    guard publisher.standing(of: host) != nil else { return false }
    do throws(LinkspanError) {
      if let host, let outcome = try publishHeld(of: host, at: now) {
        outcomes.append(outcome)
        return false
      }
    } catch {
      noteFailure(
        "\(host ?? "_") stays pinned until the registry takes what waited for its end: \(error.text)")
      shared?.postpone(order)
      return false
    }
    return publisher.release(host) != nil
  }

  /// Does again what the store did not take.
  ///
  /// - Returns: Whether the folder of a host decides now.
  private func catchUp(_ outcomes: inout [PublicationOutcome], at now: WallTime) -> Bool {
    var readsFolder = false
    for order in shared?.takePostponed() ?? [] {
      if release(publisher.spelling(of: order.host), by: order, &outcomes, at: now) { readsFolder = true }
    }
    let checks = unshared.sorted { ($0.key ?? "") < ($1.key ?? "") }.map(\.value)
    unshared = [:]
    outcomes += begin(checks.map { .check($0) })
    tellOthers(isAll: checks.isEmpty && shared?.hasObeyedAll == true)
    return readsFolder
  }

  /// Forgets what clients of the API had sent for a host before this process began.
  private func forgetResumed(of host: String?) {
    let key = host.map(HostName.key)
    for candidate in sent where candidate.site.host.map(HostName.key) == key {
      tellEnd(of: candidate.site, sentBy: candidate.author)
    }
    sent.removeAll { $0.site.host.map(HostName.key) == key }
  }

  /// Begins with what clients of the API had sent before this process began.
  func resumed() -> [Publisher.Step] {
    defer { sent = [] }
    return sent.compactMap { publisher.submit($0) }
  }

  /// Goes by the folder again, where a decision has ended on another server and a deployment had not reached this one.
  private func leave(_ order: SiteOrder, _ site: AssociationSite, startingAfter known: Int64?) -> Bool {
    guard let standing = publisher.standing(of: site.host) else { return false }
    if Self.isSame(standing, order, site) {
      guard publisher.folderSite(of: site.host)?.digest != order.replaced.first else { return false }
    } else {
      // It had replaced what stands here, and ended before it was heard of.
      guard order.standing != nil, order.revision > known ?? 0 else { return false }
    }
    return publisher.release(site.host) != nil
  }

  private func readAgain(at now: WallTime) -> [PublicationOutcome] {
    do throws(LinkspanError) {
      return try publish(at: now)
    } catch {
      // What was served stays until the folders can be read.
      log.error(error.text)
      return []
    }
  }

  /// Serves what another server was told to.
  private func stand(
    by order: SiteOrder, _ site: AssociationSite, startingAfter known: Int64?, at now: WallTime
  ) -> PublicationOutcome? {
    let isStart = known != nil
    guard let kind = order.standing else { return nil }
    let found = publisher.folderSite(of: site.host)
    let digest = found?.digest
    let standing = publisher.standing(of: site.host)
    // A standing of the state may be from when this server had no registry.
    if let standing, order.revision <= known ?? 0 || Self.isSame(standing, order, site) { return nil }
    // A folder without the host may have been emptied by mistake, and then it has replaced nothing.
    let isGone = isStart && kind != .pin && found == nil
    let isReplaced = order.replaced.contains(digest)
    if isStart, kind != .pin, !isGone, !isReplaced, found != site {
      shared?.end(order, at: now)
      return nil
    }
    if !isGone, !isReplaced { shared?.note(digest, replacedBy: order) }
    // Where the deployment that it replaced has not come yet, it stands for that as well.
    let replaced =
      digest == order.replaced.first ? [digest] : Set(order.replaced).union(isGone ? [] : [digest])
    let number = numberOfPublication(site)
    let decision = Standing(
      kind, site, number: number, replaced: replaced, actor: order.actor, since: order.since)
    kept.behind.insert(site.host)
    return publisher.stand(decision)
  }

  private static func isSame(_ standing: Standing, _ order: SiteOrder, _ site: AssociationSite) -> Bool {
    standing.kind == order.standing && standing.site == site && standing.since == order.since
      && standing.actor == order.actor
  }

  /// The number that this server has given the same files; nil when it has never published them.
  private func numberOfPublication(_ site: AssociationSite) -> Int? {
    do throws(LinkspanError) {
      let entries = try history?.entries(of: site.host, wantsAssociationFiles: false) { _ in }
      return entries?.first { $0.site == site }?.number
    } catch {
      log.error(error.text)
      return nil
    }
  }

  /// Notes which orders the state knows, when it has all of them.
  func keepKnownOrders() {
    guard let shared, let history, writesHistory, kept.behind.isEmpty, !retry.isStateBehind,
      shared.hasObeyedAll, shared.last != shared.kept
    else { return }
    let last = shared.last
    let isKept = isKept { () throws(LinkspanError) in
      try history.keep(knownOrder: last, of: shared.registry.hash.name)
    }
    if isKept { shared.kept = last }
  }

  // MARK: - What other servers are to do

  /// Has all servers obey these.
  ///
  /// - Throws: That the registry does not take them; then none does.
  func share(_ orders: [SiteOrder]) throws(LinkspanError) { try shared?.add(orders) }

  /// Has all servers obey a new decision about a host.
  ///
  /// - Returns: Whether the registry has it.
  func share(_ standing: Standing?, of host: String?) throws(LinkspanError) -> Bool {
    guard let shared, writesHistory else { return false }
    guard let standing, standing != kept.standings[host] else { return false }
    try shared.add([SiteOrder(standing)])
    return true
  }

  /// Has other servers know what came about without an order. What the store does not take is told again when it answers.
  func shareDecisions(_ current: Kept, at now: WallTime) {
    guard let shared else { return }
    for (host, standing) in kept.standings where current.standings[host] == nil {
      if let order = shared.standing(of: host),
        Self.isSame(standing, order, order.site(of: standing.site.host))
      {
        shared.end(order, at: now)
      }
    }
    for host in kept.held.subtracting(current.held) {
      if let order = shared.standing(of: host), order.kind == .removalHeld { shared.end(order, at: now) }
    }
    if shared.failures == 0 { tellOthers(isAll: true) }
  }

  private func tellOthers(isAll: Bool) {
    guard let shared, writesHistory else { return }
    let held = publisher.held.compactMap { host -> SiteOrder? in
      let order = shared.standing(of: host)
      // Where a decision about it is in the registry, that one keeps the host there.
      guard order?.kind != .removalHeld, order?.standing == nil,
        let removal = publisher.heldRemoval(of: host)
      else { return nil }
      return SiteOrder(.removalHeld, removal.site, "folder", at: removal.at)
    }
    do throws(LinkspanError) {
      try shared.tell(held: held, isAll: isAll)
    } catch {
      noteFailure(
        "other servers hear of held removals and of ends once the registry takes them: \(error.text)")
    }
  }

  /// Has it be tried again. Of a series the operator hears the first, and who looks for a mistake the rest.
  func noteFailure(_ text: String) {
    guard let shared else { return }
    if shared.failures == 0 { log.error(text) } else { log.debug(text) }
    shared.noteFailure()
  }
}
