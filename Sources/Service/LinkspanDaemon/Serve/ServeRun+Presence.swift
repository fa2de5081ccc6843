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
    let gone =
      "another server on the registry '\(path)' would not be noticed: the file beside it that this server locks was removed or"
      + " replaced. Start this server again."
    return ServerPresence(beside: path, ServerPresence.Words(first: words, later: words, gone: gone))
  }

  /// Has the operator hear whether there is another server, or why that cannot be told, and does what was ordered once there is
  /// none.
  func lookForOthers(_ service: Service) {
    let publications = service.publications
    let before = publications.neighbour
    let neighbour = service.presences.lazy.compactMap(\.neighbour).first
    let found = neighbour ?? service.presences.lazy.compactMap(\.problem).first
    guard found != before else { return }
    log.error(found ?? Self.end(of: before, service.presences))
    publications.neighbour = found
    service.pages.tell(publications, [])
    if before != nil { carryOut(service) }
  }

  private static func end(of problem: String?, _ presences: [ServerPresence]) -> String {
    let wasNeighbour = presences.contains { [$0.words.first, $0.words.later].contains(problem) }
    return wasNeighbour ? "the other server has ended" : "the files that this server locks are there again"
  }
}
