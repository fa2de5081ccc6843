package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// Decisions about hosts that every server obeys.
extension RegistryStore {
  /// For a folder that has no files of a host.
  private static let noFiles = "-"

  /// Stores orders, each in the place of an earlier one about the same host. A removal that is held back, which no person has
  /// ordered, takes the place of none that its server does not know.
  ///
  /// - Parameter orders: Each with the revision of the newest order about its host that its server knows.
  /// - Returns: The orders that were stored, with their revisions.
  /// - Throws: That a host was pinned meanwhile, and an order is to publish something for it.
  package func add(_ orders: [SiteOrder]) throws(RegistryError) -> [SiteOrder] {
    let stored = try orders.map { order throws(RegistryError) -> SiteOrder? in
      var stored = order
      stored.revision = try nextRevision()
      try requireNoNewPin(order)
      if order.kind == .removalHeld, try isOutdated(order) { return nil }
      try database.run(
        "INSERT INTO site_orders (host, revision, kind, association_file, asset_links, serves_root, replaced, actor, since)"
          + " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (host) DO UPDATE SET"
          + " revision = excluded.revision, kind = excluded.kind, association_file = excluded.association_file,"
          + " asset_links = excluded.asset_links, serves_root = excluded.serves_root, replaced = excluded.replaced,"
          + " actor = excluded.actor, since = excluded.since, ended_at = NULL",
        [
          .text(order.host ?? ""), .int(stored.revision), .text(order.kind.rawValue),
          SQLValue(order.associationFile.map { ASCII.hexText($0) }),
          SQLValue(order.assetLinks.map { ASCII.hexText($0) }),
          .int(order.servesRootName ? 1 : 0), .text(Self.text(of: order.replaced)), .text(order.actor),
          .int(order.since.milliseconds),
        ])
      return stored
    }
    return stored.compactMap { $0 }
  }

  /// A pin holds for servers that have not heard of it, too. To be asked once ``nextRevision()`` has locked the orders.
  private func requireNoNewPin(_ order: SiteOrder) throws(RegistryError) {
    guard order.kind == .published || order.kind == .approved else { return }
    let pins = try database.run(
      "SELECT revision FROM site_orders WHERE host = $1 AND kind = $2 AND revision > $3 AND ended_at IS NULL",
      [.text(order.host ?? ""), .text(SiteOrder.Kind.pin.rawValue), .int(order.revision)])
    guard !pins.isEmpty else { return }
    throw RegistryError(
      .refused, "'\(order.host ?? "_")' was pinned a moment ago.",
      help: "Nothing was changed. Take the pin away first; files that are sent again wait for its end.")
  }

  /// Whether its server has not heard of a later order about the host.
  private func isOutdated(_ order: SiteOrder) throws(RegistryError) -> Bool {
    let later = try database.run(
      "SELECT revision FROM site_orders WHERE host = $1 AND revision > $2",
      [.text(order.host ?? ""), .int(order.revision)])
    return !later.isEmpty
  }

  private func nextRevision() throws(RegistryError) -> Int64 {
    let counts = try database.run("UPDATE site_order_count SET revision = revision + 1 RETURNING revision")
    guard let count = counts.first else {
      throw RegistryError(
        .damaged, "The registry has lost the count of orders about hosts.",
        help: "Restore the store from a backup.")
    }
    return try count.int("revision")
  }

  private static let selection =
    "SELECT host, revision, kind, association_file, asset_links, serves_root, replaced, actor, since, ended_at"
    + " FROM site_orders"

  /// The orders that were stored after this revision, the oldest first.
  package func siteOrders(after revision: Int64) throws(RegistryError) -> [SiteOrder] {
    let rows = try database.run("\(Self.selection) WHERE revision > $1 ORDER BY revision", [.int(revision)])
    return try rows.map { row throws(RegistryError) in try Self.siteOrder(row) }.compactMap { $0 }
  }

  /// - Returns: nil for a kind of a newer program.
  private static func siteOrder(_ row: SQLRow) throws(RegistryError) -> SiteOrder? {
    guard let kind = SiteOrder.Kind(rawValue: try row.text("kind")) else { return nil }
    func bytes(_ column: String) throws(RegistryError) -> [UInt8]? {
      guard let text = try row.optionalText(column) else { return nil }
      guard let bytes = ASCII.bytes(hex: text) else {
        throw RegistryError(
          .damaged, "An order about a host has a file that is no hexadecimal text.",
          help: "Restore the store from a backup.")
      }
      return bytes
    }
    let host = try row.text("host")
    var order = SiteOrder(
      host: host.isEmpty ? nil : host, kind: kind, associationFile: try bytes("association_file"),
      assetLinks: try bytes("asset_links"), servesRootName: try row.int("serves_root") != 0,
      replaced: digests(in: try row.text("replaced")), actor: try row.text("actor"),
      since: try row.time("since"))
    order.revision = try row.int("revision")
    order.hasEnded = try row.optionalInt("ended_at") != nil
    return order
  }

  private static func text(of digests: [String?]) -> String {
    digests.map { $0 ?? noFiles }.joined(separator: " ")
  }

  private static func digests(in text: String) -> [String?] {
    text.split(separator: " ").map { $0 == noFiles ? nil : String($0) }
  }

  /// Has an order stand for what lies in one more server's folder. Nothing happens when there is a later order.
  package func note(_ digest: String?, replacedBy order: SiteOrder) throws(RegistryError) {
    guard let stored = try held(order), !stored.replaced.contains(digest) else { return }
    try database.run(
      "UPDATE site_orders SET replaced = $1 WHERE host = $2",
      [.text(Self.text(of: stored.replaced + [digest])), .text(order.host ?? "")])
  }

  /// Notes that a server's folder has other files than an order replaced, which is news for the others. Nothing happens
  /// when there is a later order.
  package func end(_ order: SiteOrder, at now: WallTime) throws(RegistryError) {
    guard let stored = try held(order), !stored.hasEnded else { return }
    try database.run(
      "UPDATE site_orders SET revision = $1, ended_at = $2 WHERE host = $3",
      [.int(try nextRevision()), .int(now.milliseconds), .text(order.host ?? "")])
  }

  /// The order as it is stored, which no other server changes before the transaction ends; nil when there is a later one.
  private func held(_ order: SiteOrder) throws(RegistryError) -> SiteOrder? {
    try database.run("SELECT revision FROM site_order_count\(database.dialect.locksRow)")
    let rows = try database.run("\(Self.selection) WHERE revision = $1", [.int(order.revision)])
    return try rows.map { row throws(RegistryError) in try Self.siteOrder(row) }.first ?? nil
  }
}
