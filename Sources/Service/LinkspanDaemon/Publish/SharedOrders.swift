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
  /// What this server knows, by the host in lower case; empty for every host without files of its own.
  private var known: [String: SiteOrder] = [:]
  /// The newest order up to which it knows all.
  private(set) var last: Int64 = 0
  /// Whether the state lacks something of an order, since it took nothing.
  var isStateBehind = false
  /// What the state has of ``last``.
  var kept: Int64 = 0
  private let isAsking = LockedState(false)

  init(_ registry: Registry) { self.registry = registry }

  /// The newest order about a host, where it has not ended.
  func standing(of host: String?) -> SiteOrder? {
    known[Self.key(host)].flatMap { $0.hasEnded ? nil : $0 }
  }

  private static func key(_ host: String?) -> String { host.map(ASCII.lowercased) ?? "" }

  /// Takes what the registry has.
  ///
  /// - Returns: Whether that is news.
  func note(_ order: SiteOrder) -> Bool {
    last = max(last, order.revision)
    guard order.revision > known[Self.key(order.host)]?.revision ?? 0 else { return false }
    known[Self.key(order.host)] = order
    return true
  }

  /// All orders; waits for the store.
  func all() throws(LinkspanError) -> [SiteOrder] {
    try registry.askNow { store throws(RegistryError) in try store.siteOrders(after: 0) }
  }

  /// Hands over the orders that others have stored, without waiting for the store.
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
    registry.ask({ store throws(RegistryError) in try store.siteOrders(after: last) }) { answer in
      isAsking.withLock { $0 = false }
      // A store that does not answer is told of by whoever looks after it.
      if case .success(let orders) = answer, !orders.isEmpty { take(orders) }
    }
  }

  /// Stores orders of this server; when this returns they are durable.
  func add(_ orders: [SiteOrder]) throws(LinkspanError) {
    let orders = orders.map { order in
      var order = order
      order.revision = known[Self.key(order.host)]?.revision ?? 0
      return order
    }
    // Only those of this server are known then: others may have stored theirs before.
    for order in try registry.changeNow({ store throws(RegistryError) in try store.add(orders) }) {
      known[Self.key(order.host)] = order
    }
  }

  /// Has an order stand for what lies in this server's folder.
  func note(_ digest: String?, replacedBy order: SiteOrder) throws(LinkspanError) {
    try registry.changeNow { store throws(RegistryError) in try store.note(digest, replacedBy: order) }
  }

  /// Notes that this server's folder has other files than an order replaced.
  func end(_ order: SiteOrder, at now: WallTime) throws(LinkspanError) {
    known[Self.key(order.host)]?.hasEnded = true
    try registry.changeNow { store throws(RegistryError) in try store.end(order, at: now) }
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
