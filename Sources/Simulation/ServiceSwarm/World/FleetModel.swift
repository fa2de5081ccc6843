/// What a plain reader of the manual believes about hosts that several servers publish, each from a folder of its own; shares no code
/// with the service.
struct FleetModel {
  /// A decision that every server obeys.
  struct Order: Hashable {
    enum Kind: Hashable { case rollback, pin }
    var kind: Kind
    var version: Int
  }

  struct Host: Hashable {
    /// What the operator deploys; nil for nothing.
    var wanted: Int?
    /// What lies in the folder of each server.
    var folders: [Int?]
    /// Versions that somebody has put there or sent.
    var known: Set<Int> = []
    /// The newest decision, where it is known.
    var order: Order?
    /// Whether a pin may stand that was not acknowledged.
    var mayBePinned = false
  }

  var hosts: [Host]

  init(hostCount: Int, serverCount: Int) {
    hosts = Array(repeating: Host(folders: Array(repeating: nil, count: serverCount)), count: hostCount)
  }

  /// An operator deploys a version, or removes the folder for nil. It reaches servers one after the other.
  mutating func deploy(_ host: Int, _ version: Int?) {
    hosts[host].wanted = version
    if let version { hosts[host].known.insert(version) }
    endRollback(host)
  }

  /// Somebody sent a version to one of the servers, which may be published before or after what is ordered meanwhile.
  mutating func upload(_ host: Int, _ version: Int) {
    hosts[host].known.insert(version)
    endRollback(host)
  }

  /// A version that somebody sent was published: also after a rollback of which its server had not heard.
  mutating func publishUpload(_ host: Int) { endRollback(host) }

  private mutating func endRollback(_ host: Int) {
    if hosts[host].order?.kind == .rollback { hosts[host].order = nil }
  }

  /// What is deployed reaches a server. Where it is news, it comes after what a rollback replaced.
  mutating func reach(_ server: Int) {
    for host in hosts.indices where hosts[host].folders[server] != hosts[host].wanted {
      hosts[host].folders[server] = hosts[host].wanted
      endRollback(host)
    }
  }

  /// An order was answered.
  ///
  /// - Parameter version: What is served since.
  mutating func take(_ order: ServiceStep.Order, _ host: Int, _ version: Int?) {
    switch (order, version) {
    case (.pin, let version?):
      hosts[host].order = Order(kind: .pin, version: version)
      hosts[host].mayBePinned = true
    case (.rollback, let version?):
      // Where folders differ it stands for as long as each of them is as it was.
      let isEven = Set(hosts[host].folders).count == 1
      hosts[host].order = isEven ? Order(kind: .rollback, version: version) : nil
      hosts[host].mayBePinned = false
    default:
      hosts[host].order = nil
      hosts[host].mayBePinned = false
    }
  }

  /// It is not known whether an order was taken.
  mutating func lose(_ order: ServiceStep.Order, _ host: Int) {
    hosts[host].order = nil
    if order == .pin { hosts[host].mayBePinned = true }
  }
}
