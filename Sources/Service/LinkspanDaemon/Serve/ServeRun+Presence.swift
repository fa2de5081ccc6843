internal import DeviceRegistry
internal import Glibc
internal import LinkspanCore
internal import LinkspanServer
internal import PushSending

/// Other servers on the same files. One that starts before another has ended, as when a service is replaced, goes on; the operator
/// hears of it while it lasts.
extension ServeRun {
  /// What only one server may have.
  func presences(_ orders: PublicationOrders, _ registry: RegistryWatch?) -> [ServerPresence] {
    let found = [orders.presence, registry.flatMap { Self.presence($0.registry.address) }]
    return found.compactMap(\.self)
  }

  /// nil where any number of servers may have the registry.
  private static func presence(_ registry: RegistryAddress) -> ServerPresence? {
    guard case .sqlite(let path) = registry else { return nil }
    // Beside the database: closing the file itself would end the locks that SQLite has on it.
    let words =
      "another server has the registry '\(path)', and one server writes to an SQLite file. End one of the two, or use PostgreSQL."
    return ServerPresence(beside: path, ServerPresence.Words(first: words, later: words))
  }

  /// Has the operator hear whether there is another server, or why that cannot be told, and does what was ordered once there is
  /// none.
  func lookForOthers(_ service: Service) {
    let publications = service.publications
    let before = publications.neighbour
    let neighbour = service.presences.lazy.compactMap(\.neighbour).first
    let found = neighbour ?? service.presences.lazy.compactMap(\.problem).first
    guard found != before else { return }
    if let found { log.error(found) } else { log.error("the other server has ended") }
    publications.neighbour = found
    service.pages.tell(publications, [])
    if before != nil { carryOut(service) }
  }
}
