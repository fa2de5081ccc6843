internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer

/// Hosts whose folders are gone.
extension PublicationManager {
  /// Whether this server is there for files: it has a SITE, or nothing else, or serves what had one.
  var hasFiles: Bool { !settings.sites.isEmpty || settings.registry == nil || heldRemovals != nil }

  /// What asks for somebody's word; nil when nothing does.
  var heldRemovals: String? {
    let held = publisher.held
    let hosts = held.map { $0 ?? "every other host" }.sorted()
    guard let first = hosts.first else { return nil }
    if hosts.count == 1 {
      return "\(first) was removed from the sites and is still served."
        + " That ends when \(publisher.confirmation(of: held[0])), or when the folder is back."
    }
    let rest = hosts.count > Self.namedHosts ? " and \(hosts.count - Self.namedHosts) more" : ""
    return "\(hosts.count) hosts were removed from the sites and are still served:"
      + " \(hosts.prefix(Self.namedHosts).joined(separator: ", "))\(rest)."
      + " That ends when \(publisher.confirmation(of: "HOST…")), or when the folders are back."
  }

  /// Hosts that are named in one sentence. Ours.
  private static let namedHosts = 3

  /// Serves hosts no more because somebody says so: all of them, or none.
  func remove(
    _ hosts: [String], _ actor: String, at now: WallTime
  ) throws(LinkspanError) -> PublicationOrders.Answer {
    let names: [String?] = hosts.map { $0 == PublicationOrder.everyOtherHost ? nil : $0 }
    for (host, name) in zip(hosts, names) {
      guard publisher.site(of: name) != nil else {
        throw LinkspanError("'\(host)' is not served.", help: "Nothing was changed.")
      }
      guard publisher.mayRemove(name) else {
        throw LinkspanError(
          "the folder of '\(host)' still has its files.",
          help: "Nothing was changed. Remove its folder first; then it is not served.")
      }
    }
    try share(names.map { SiteOrder(.removed, AssociationSite(host: $0), actor, at: now) })
    // What the registry has holds after any start, whatever the state takes.
    if shared == nil { try keepWithdrawals(of: names) }
    let outcomes = names.compactMap { publisher.remove($0) }
    let what = hosts.count == 1 ? "\(names[0] ?? "every other host") is" : "\(hosts.count) hosts are"
    return PublicationOrders.Answer(
      words: "\(what) no longer served.",
      outcomes: finish(outcomes, at: now, hasWithdrawals: shared == nil), isServed: false)
  }

  /// Has the state know that somebody wants hosts served no more, before it is done: so no start brings them back.
  ///
  /// - Throws: That it cannot be written; then it is of none of them.
  private func keepWithdrawals(of hosts: [String?]) throws(LinkspanError) {
    guard let history, writesHistory else { return }
    var kept: [String?] = []
    do throws(LinkspanError) {
      for host in hosts {
        try history.withdraw(host, at: nil)
        kept.append(host)
      }
    } catch {
      for host in kept { _ = isKept { () throws(LinkspanError) in try history.takeBackWithdrawal(of: host) } }
      throw error
    }
  }
}
