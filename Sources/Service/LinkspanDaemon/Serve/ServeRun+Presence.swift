internal import DeviceRegistry
internal import Glibc
internal import LinkspanCore
internal import LinkspanServer
internal import PushSending

/// Other servers on the same files. One that starts before another has ended, as when a service is replaced, goes on; the operator
/// hears of it while it lasts.
extension ServeRun {
  /// What only one server may have.
  func presences(
    _ orders: PublicationOrders, _ registry: RegistryWatch?
  ) -> [(part: Readiness.Part, presence: ServerPresence)] {
    let ofRegistry = registry.flatMap { Self.presence($0.registry.address) }
    return [(Readiness.Part.files, orders.presence), (.registry, ofRegistry)].compactMap { part, presence in
      presence.map { (part, $0) }
    }
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
    var isNew = false
    var hasEnded = false
    for (part, presence) in service.presences {
      let before = publications.neighbours[part]
      let found = presence.neighbour ?? presence.problem
      guard found != before else { continue }
      isNew = true
      hasEnded = hasEnded || before != nil
      log.error(found ?? Self.end(of: before, presence))
      publications.neighbours[part] = found
    }
    guard isNew else { return }
    service.pages.tell(publications, [])
    if hasEnded { carryOut(service) }
  }

  private static func end(of problem: String?, _ presence: ServerPresence) -> String {
    [presence.words.first, presence.words.later].contains(problem)
      ? "the other server has ended" : "the files that this server locks are there again"
  }
}
