package import LinkspanCore

/// Hosts whose folders are gone. One is served no more; many at once are rather a mistake, and a device that hears 404 keeps
/// that for days, so they are served until somebody confirms.
extension Publisher {
  /// A host that is not served any more.
  package struct Removal: Sendable {
    package var site: AssociationSite
    package var at: WallTime
    /// The decision about it that ended with it.
    var standing: Standing?

    package init(_ site: AssociationSite, at: WallTime) { self.init(site, at: at, standing: nil) }

    init(_ site: AssociationSite, at: WallTime, standing: Standing?) {
      self.site = site
      self.at = at
      self.standing = standing
    }
  }

  /// Ours, as the operations guide says: removals within this time count as one.
  package static let removalWindow = Duration.seconds(60)
  /// Ours: so many removals are never held back, however few hosts there are.
  package static let removalsAtAnyRate = 5

  /// Whether so many removals are held back.
  ///
  /// - Parameter count: Hosts that were served before the first of them.
  func holds(_ removals: Int, of count: Int) -> Bool {
    if let most = removeAtMost { return removals > most }
    return removals > Self.removalsAtAnyRate && removals * 10 > count
  }

  /// Has a removal of before this process began count, or go on being held.
  package mutating func restore(_ removal: Removal, isHeld: Bool) {
    if isHeld { heldRemovals[Self.key(removal.site.host)] = removal.at } else { removals.append(removal) }
  }

  /// The hosts whose removal waits for somebody to confirm it, sorted.
  package var held: [String?] { heldRemovals.keys.sorted().map { live[$0]?.host } }

  /// What is served while its removal waits for somebody, and since when; nil where no removal waits.
  package func heldRemoval(of host: String?) -> Removal? {
    let key = Self.key(host)
    guard let site = live[key], let since = heldRemovals[key] else { return nil }
    return Removal(site, at: since)
  }

  /// Which hosts have no files any more.
  enum Absence {
    /// Others have some.
    case partial
    /// A whole folder of sites is empty, or the configuration names none any more, which is rather a mistake than meant.
    case whole
  }

  /// Takes note of hosts that are served and have no files any more. A decision about one ends with it, and goes on where its
  /// removal is held back: files that were rolled back are not served because their folder was empty for a moment.
  mutating func withdraw(_ missing: [AssociationSite], _ absence: Absence, at now: WallTime) -> [Step] {
    let begin = now.advanced(by: .zero - Self.removalWindow)
    removals.removeAll { $0.at < begin || $0.at > now }
    let confirmed = missing.filter { elsewhere.removed.contains(Self.key($0.host)) }
    for site in confirmed { end(site.host) }
    let steps: [Step] = confirmed.map { .outcome(outcome(of: $0, .withdrawn)) }
    let fresh = missing.filter { live[Self.key($0.host)] != nil && heldRemovals[Self.key($0.host)] == nil }
    guard !fresh.isEmpty else { return steps }
    let heldNow = heldRemovals.values.count { $0 >= begin }
    let count = removals.count + heldNow + fresh.count
    if absence == .partial, !holds(count, of: live.count + removals.count) {
      for site in fresh {
        removals.append(Removal(site, at: now, standing: standings[Self.key(site.host)]))
        end(site.host)
      }
      return steps + fresh.map { .outcome(outcome(of: $0, .withdrawn)) }
    }
    // Those that went first belong to it.
    let early = removals.filter { live[Self.key($0.site.host)] == nil }
    removals = []
    for removal in early {
      put(removal.site)
      standings[Self.key(removal.site.host)] = removal.standing
    }
    let held = early.map(\.site) + fresh
    for site in held { heldRemovals[Self.key(site.host)] = now }
    return steps + held.map { .outcome(outcome(of: $0, .removalHeld)) }
  }

  /// Serves a host no more because somebody says so.
  ///
  /// - Returns: What became of it; nil when the host is not served, or when its folder has files.
  package mutating func remove(_ host: String?) -> PublicationOutcome? {
    let key = Self.key(host)
    guard let site = live[key], mayRemove(host) else { return nil }
    end(site.host)
    order.removeAll { $0 == key }
    ordered.remove(key)
    return outcome(of: site, .withdrawn)
  }

  /// Whether nothing in the folder says that a host is to be served.
  package func mayRemove(_ host: String?) -> Bool {
    let key = Self.key(host)
    return folder[key] == nil || heldRemovals[key] != nil
  }

  /// Forgets everything about a host.
  mutating func end(_ host: String?) {
    let key = Self.key(host)
    live[key] = nil
    forgetFiles(key)
    standings[key] = nil
    heldRemovals[key] = nil
    elsewhere.removed.remove(key)
  }

  mutating func forgetFiles(_ key: String) {
    refusals[key] = nil
    refusedFiles[key] = nil
    pending[key] = nil
    sent[key] = nil
    (hindered[key], unkept[key]) = (nil, nil)
    drafts[key] = nil
    folder[key] = nil
  }

  private func outcome(of site: AssociationSite, _ kind: PublicationOutcome.Kind) -> PublicationOutcome {
    let isHeld = kind == .removalHeld
    var outcome = PublicationOutcome(
      host: site.host, kind: kind, errors: [], differences: [], isServed: isHeld)
    if isHeld { outcome.confirmation = confirmation(of: site.host) }
    return outcome
  }
}
