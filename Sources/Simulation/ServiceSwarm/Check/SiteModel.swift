/// What a plain reader of the manual believes about the hosts that a server publishes; shares no code with the service.
struct SiteModel {
  /// Versions of a host's files are numbers; nil is for a host that is not served, or whose folder is not there.
  struct Host: Hashable {
    /// What lies in its folder, and what the server has read there.
    var folder: Int?
    var read: Int?
    /// What may be live.
    var live: Set<Int?> = [nil]
    /// Versions that are being checked.
    var checking: Set<Int> = []
    /// Versions that somebody has put there or sent.
    var known: Set<Int> = []
    /// What clients have sent since the last decision.
    var sent: Set<Int> = []
    /// What was live one after the other; each rollback goes back by one.
    var line: [Int] = []
    /// Whether the line is what the history has: no crash or fault has come between.
    var isLineCertain = true
    var publicationCount = 0
    /// Whether a process died in the middle of an order.
    var isOrderLost = false
    var standing: Standing?
  }

  /// A decision that goes before the folder.
  struct Standing: Hashable {
    enum Kind: Hashable { case rollback, pin, published }
    var kind: Kind
    var version: Int
    /// What lay in the folder.
    var replaced: Int?
    /// Whether it is on the disk, as far as is known.
    var isCertain: Bool
  }

  var hosts: [Host]

  init(hostCount: Int) { hosts = Array(repeating: Host(), count: hostCount) }

  /// Publications of a host that its history keeps.
  static let kept = 10

  static func isGood(_ version: Int) -> Bool { version % 4 != 3 }

  /// The disk begins to refuse things.
  mutating func noteFault() {
    for index in hosts.indices { (hosts[index].isLineCertain, hosts[index].isOrderLost) = (false, true) }
  }

  /// A process died between two changes of its state.
  mutating func noteDeath() {
    for index in hosts.indices {
      hosts[index].standing?.isCertain = false
      hosts[index].isOrderLost = true
      if hosts[index].folder == nil { hosts[index].live.insert(nil) }
    }
  }

  /// The process has ended: what was kept and not told of may be live after a start.
  mutating func noteEnd() {
    for index in hosts.indices {
      let checking = hosts[index].checking.filter(Self.isGood)
      if !checking.isEmpty {
        hosts[index].isLineCertain = false
        hosts[index].standing?.isCertain = false
      }
      hosts[index].live.formUnion(checking.map { $0 })
      hosts[index].checking = []
    }
  }
}

extension SiteModel.Host {
  /// Something went live.
  mutating func publish(_ version: Int) {
    live = [version]
    publicationCount += 1
    if line.last != version { line.append(version) }
    if publicationCount >= SiteModel.kept { isLineCertain = false }
  }

  /// A version is being checked from now on. One that was being checked may be kept in the history all the same.
  mutating func check(_ version: Int) {
    if !checking.isSubset(of: [version]) { isLineCertain = false }
    checking.insert(version)
  }

  /// The server has read the folder.
  mutating func noteRead() {
    if read != folder, let standing, standing.kind != .pin, folder != standing.replaced {
      self.standing = nil
    }
    read = folder
  }
}
