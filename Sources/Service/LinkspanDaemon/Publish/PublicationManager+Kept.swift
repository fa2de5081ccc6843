internal import LinkspanCore
internal import LinkspanServer

/// What the state knows.
extension PublicationManager {
  /// The decisions that the state knows.
  struct Kept {
    var standings: [String?: Standing]
    var held: Set<String?>
    /// What clients of the API were told is held.
    var sentDrafts: [PublicationDraft]
    /// Since when hosts are withdrawn of which the state does not know that yet.
    var withdrawals: [String?: WallTime] = [:]
    /// Hosts of which the state lacks what is served, or the decision about it, while the registry has it.
    var behind: Set<String?> = []

    init(_ publisher: Publisher) {
      standings = Dictionary(publisher.allStandings.map { ($0.site.host, $0) }) { first, _ in first }
      held = Set(publisher.held)
      sentDrafts = publisher.heldSentDrafts
    }
  }

  /// Writes what has changed without an order. What cannot be written is told and tried again after a while
  /// (``tryAgain(at:)``); until then a start decides by the folder alone.
  func keepDecisions(_ outcomes: [PublicationOutcome], at now: WallTime, hasWithdrawals: Bool = false) {
    guard writesHistory else { return }
    let current = Kept(publisher)
    shareDecisions(current, at: now)
    for draft in kept.sentDrafts where !current.sentDrafts.contains(draft) { tellEnd(of: draft) }
    kept.sentDrafts = current.sentDrafts
    guard let history else {
      kept = current
      return
    }
    for outcome in outcomes where outcome.kind == .withdrawn && !hasWithdrawals {
      kept.withdrawals[outcome.host] = now
    }
    for (host, time) in kept.withdrawals.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
      // One that is served again is not withdrawn.
      let isServed = publisher.site(of: host) != nil
      if isServed || isKept({ () throws(LinkspanError) in try history.withdraw(host, at: time) }) {
        kept.withdrawals[host] = nil
      }
    }
    for host in Self.sorted(current.held.symmetricDifference(kept.held)) {
      let since = current.held.contains(host) ? now : nil
      guard isKept({ () throws(LinkspanError) in try history.keepHeldRemoval(since: since, of: host) })
      else { continue }
      if since == nil { kept.held.remove(host) } else { kept.held.insert(host) }
    }
    for host in Self.sorted(kept.behind) {
      let before = kept.standings[host]
      kept.standings[host] = current.standings[host]
      if isKept({ () throws(LinkspanError) in try catchUp(host, history, before, at: now) }) {
        kept.behind.remove(host)
      }
    }
    for host in Self.sorted(Set(current.standings.keys).union(kept.standings.keys)) {
      let standing = current.standings[host]
      guard standing != kept.standings[host],
        isKept({ () throws(LinkspanError) in try history.keep(standing, of: host) })
      else { continue }
      kept.standings[host] = standing
    }
    for outcome in outcomes where [.refused, .held].contains(outcome.kind) && !outcome.isRepeated {
      if let draft = publisher.draft(of: outcome.host), draft.state != .checking {
        _ = isKept { () throws(LinkspanError) in try history.keep(draft, at: now) }
      }
    }
  }

  /// Has the state know what is served for a host, and why.
  ///
  /// - Parameter before: The decision about its newest publication (``PublicationHistory/keep(_:of:before:)``).
  private func catchUp(
    _ host: String?, _ history: PublicationHistory, _ before: Standing?, at now: WallTime
  ) throws(LinkspanError) {
    let (site, standing) = (publisher.site(of: host), publisher.standing(of: host))
    let newest = try history.entries(of: host, wantsAssociationFiles: false) { _ in }.first?.site
    try history.keep(standing, of: host, before: before == standing ? nil : before)
    guard let site, site != newest else { return }
    let isSent = standing?.kind == .published
    try history.add(
      site, at: now, rolledBackTo: isSent ? nil : standing?.number, author: isSent ? standing?.actor : nil)
    // The first publication brings the folder in which decisions lie.
    if newest == nil { try history.keep(standing, of: host) }
  }

  /// Has the log name a draft that its client believes to be held, unless it is served or its client sent another one.
  private func tellEnd(of draft: PublicationDraft) {
    let host = draft.site.host
    guard publisher.site(of: host) != draft.site, publisher.draft(of: host)?.author != draft.author else {
      return
    }
    tellEnd(of: draft.site, sentBy: draft.author)
  }

  /// Has the log name files that are held for a client no more, and are not served.
  func tellEnd(of site: AssociationSite, sentBy author: String?) {
    log.info(
      "audit: the draft that \(author ?? "a client") sent for \(site.host ?? "_") is dropped, since something else was decided"
        + " about the host")
  }

  /// Writes something of one host. Where that fails the operator is told, it is tried again later, and the other hosts are
  /// written all the same.
  func isKept(_ write: () throws(LinkspanError) -> Void) -> Bool {
    do throws(LinkspanError) {
      try write()
      return true
    } catch {
      noteUnkept(error)
      return false
    }
  }

  /// Hosts in an order that is the same in every process.
  private static func sorted(_ hosts: Set<String?>) -> [String?] {
    hosts.sorted { ($0 ?? "") < ($1 ?? "") }
  }
}
