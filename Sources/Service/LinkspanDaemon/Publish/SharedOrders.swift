internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import PushSending
internal import RegistryRequests

/// Orders about hosts in the registry, which every server of the registry obeys.
final class SharedOrders {
  /// Ours: how often a server asks for the orders of others, so that all obey within a second.
  static let periodMilliseconds: Int64 = 500

  let registry: Registry
  /// What this server knows, by the host's key; empty for every host without files of its own.
  private var known: [String: SiteOrder] = [:]
  /// The newest order up to which it knows all.
  private(set) var last: Int64 = 0
  /// What the state has of ``last``.
  var kept: Int64 = 0
  /// What the store is to be told of orders, by the host's key; a later order about the host ends that.
  private var late: [String: Late] = [:]
  /// Ends of pins that this server could not obey, since the store did not take what follows them; by the host's key.
  private var postponed: [String: SiteOrder] = [:]
  /// How often in a row the store took nothing; 0 when it has everything.
  private(set) var failures = 0
  /// How often this server asks for orders before it tries again.
  private var pause = 0
  /// Whether the store has not answered the last question yet.
  let isAsking = LockedState(false)

  /// What a server has found out about an order of the registry.
  private enum Late {
    /// Its folder has other files than the order replaced.
    case end(SiteOrder, at: WallTime)
    /// The order stands for what lies in its folder, too.
    case replaces(SiteOrder, String?)
  }

  /// Ours: of a store that answers and takes nothing, as behind a lock, each attempt waits for some seconds.
  private static let longestPause = 20

  init(_ registry: Registry) { self.registry = registry }

  /// The newest order about a host, where it has not ended.
  func standing(of host: String?) -> SiteOrder? {
    known[Self.key(host)].flatMap { $0.hasEnded ? nil : $0 }
  }

  private static func key(_ host: String?) -> String { host.map(HostName.key) ?? "" }

  /// Takes what the registry has.
  ///
  /// - Returns: Whether that is news.
  func note(_ order: SiteOrder) -> Bool {
    last = max(last, order.revision)
    let before = known[Self.key(order.host)]
    guard order.revision > before?.revision ?? 0 else { return false }
    // Servers of before told `example.com.` from `example.com`: what was decided about the second name holds.
    if let host = order.host, before != nil, host != HostName.key(host) { return false }
    learn(order)
    return true
  }

  private func learn(_ order: SiteOrder) {
    let key = Self.key(order.host)
    known[key] = order
    (late[key], postponed[key]) = (nil, nil)
  }

  /// All orders; waits for the store.
  func all() throws(LinkspanError) -> [SiteOrder] {
    try registry.askNow { store throws(RegistryError) in try store.siteOrders(after: 0) }
  }

  /// Hands over the orders that others have stored, without waiting for the store; none where it answers again and has something
  /// to be told.
  func look(_ take: @escaping @Sendable ([SiteOrder]) -> Void) {
    #if PLANTED_BUGS
      if ServiceBug.sharedOrdersUnheard.isPlanted { return }
    #endif
    let (isAsking, last) = (isAsking, last)
    let mayAsk = isAsking.withLock { isAsking in
      defer { isAsking = true }
      return !isAsking
    }
    guard mayAsk else { return }
    let triesAgain = failures > 0 && pause == 0
    pause = max(0, pause - 1)
    registry.ask({ store throws(RegistryError) in try store.siteOrders(after: last) }) { answer in
      defer { isAsking.withLock { $0 = false } }
      // A store that does not answer is told of by whoever looks after it.
      if case .success(let orders) = answer, triesAgain || !orders.isEmpty { take(orders) }
    }
  }

  /// Stores orders of this server; when this returns they are durable.
  func add(_ orders: [SiteOrder]) throws(LinkspanError) {
    let orders = numbered(orders)
    // Only those of this server are known then: others may have stored theirs before.
    for order in try registry.changeNow({ store throws(RegistryError) in try store.add(orders) }) {
      learn(order)
    }
  }

  /// Each with the number of the newest order about its host that this server knows.
  private func numbered(_ orders: [SiteOrder]) -> [SiteOrder] {
    orders.map { order in
      var order = order
      order.revision = known[Self.key(order.host)]?.revision ?? 0
      return order
    }
  }

  // MARK: - What the store has to know, sooner or later

  /// Has an order stand for what lies in this server's folder.
  func note(_ digest: String?, replacedBy order: SiteOrder) {
    late[Self.key(order.host)] = .replaces(order, digest)
  }

  /// Notes that this server's folder has other files than an order replaced.
  func end(_ order: SiteOrder, at now: WallTime) {
    known[Self.key(order.host)]?.hasEnded = true
    late[Self.key(order.host)] = .end(order, at: now)
  }

  /// Notes that the end of a pin is to be obeyed once the store takes what follows it.
  func postpone(_ order: SiteOrder) { postponed[Self.key(order.host)] = order }

  /// Whether the state may note that it knows every order up to ``last``.
  var hasObeyedAll: Bool { postponed.isEmpty }

  /// What was postponed, the oldest first; it is not any more.
  func takePostponed() -> [SiteOrder] {
    defer { postponed = [:] }
    return postponed.values.sorted { $0.revision < $1.revision }
  }

  /// Tells the store what it has to know, all in one change.
  ///
  /// - Parameters:
  ///   - held: Removals that this server holds back, and no other server has heard of.
  ///   - isAll: Whether the store has everything then.
  /// - Throws: That the store takes none of it; it is to be told again after ``noteFailure()``.
  func tell(held: [SiteOrder], isAll: Bool) throws(LinkspanError) {
    let (late, orders) = (late.sorted { $0.key < $1.key }.map(\.value), numbered(held))
    guard !late.isEmpty || !orders.isEmpty else { return isAll ? succeed() : () }
    let stored = try registry.changeNow { store throws(RegistryError) in
      for late in late {
        switch late {
        case .end(let order, let time): try store.end(order, at: time)
        case .replaces(let order, let digest): try store.note(digest, replacedBy: order)
        }
      }
      return try store.add(orders)
    }
    self.late = [:]
    for order in stored { learn(order) }
    // Of the others there is something newer, which is heard of in a moment.
    if stored.count < orders.count { noteFailure() } else if isAll { succeed() }
  }

  private func succeed() { (failures, pause) = (0, 0) }

  /// Has what the store did not take be tried again, a while after it answers.
  func noteFailure() {
    failures += 1
    pause = min(Self.longestPause, (1 << min(failures, 8)) - 2)
  }
}

extension SiteOrder {
  init(_ kind: Kind, _ site: AssociationSite, replaced: [String?] = [], _ actor: String, at time: WallTime) {
    self.init(
      host: site.host, kind: kind, associationFile: site.associationFile, assetLinks: site.assetLinks,
      servesRootName: site.servesRootName, replaced: replaced, actor: actor, since: time)
  }

  init(_ standing: Standing) {
    let kind: Kind =
      switch standing.kind {
      case .rollback: .rollback
      case .pin: .pin
      case .published: .published
      }
    self.init(kind, standing.site, replaced: Array(standing.replaced), standing.actor, at: standing.since)
  }

  /// Whether what clients had sent to a server before it started comes to nothing, since another server was told something later.
  ///
  /// - Parameter known: The newest order that the state of the server knows.
  func endsDrafts(after known: Int64) -> Bool {
    switch kind {
    case .published, .rollback, .approved: revision > known
    // Of a host that was removed a draft stays in the state.
    case .removed: true
    // What waits for the end of a pin goes on waiting, or its time has come.
    case .pin, .released, .removalHeld: false
    }
  }

  /// The kind of decision that it is; nil for one that leaves the folder to decide.
  var standing: Standing.Kind? {
    switch kind {
    case .rollback: .rollback
    case .pin: .pin
    case .published: .published
    case .released, .approved, .removalHeld, .removed: nil
    }
  }

  /// The files that it is about.
  ///
  /// - Parameter host: The name as it is spelled here.
  func site(of host: String?) -> AssociationSite {
    AssociationSite(
      host: host, associationFile: associationFile, servesRootName: servesRootName, assetLinks: assetLinks)
  }
}
