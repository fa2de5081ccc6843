/// What a plain reader of the manual believes about the hosts that a server publishes; shares no code with the service.
struct SiteModel {
  /// Versions of a host's files are numbers; nil is for a host that is not served, or whose folder is not there.
  struct Tag: Hashable {
    var text: String
    var version: Int
  }

  struct Host: Hashable {
    /// What lies in its folder, and what the server has read there.
    var folder: Int?
    var read: Int?
    /// What may be live.
    var live: Set<Int?> = [nil]
    /// What the file was called when somebody asked for it, and its version.
    var tag: Tag?
    /// What a power cut may bring back, since what came after it may not be on the disk: an `fsync` failed, or the process died
    /// before it. More than telling the operator a server cannot do then, until it writes something of the host again or a
    /// start on a disk without faults.
    var returning: Set<Int?> = []
    /// The versions that are being checked: that of the folder, and that which a client of the API sent.
    var folderCheck: Int?
    var sentCheck: Int?
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

  /// A process died between two changes of its state: what it was about to publish is live after a start, or what was before.
  mutating func noteDeath() {
    for index in hosts.indices {
      if hosts[index].sentCheck != nil { hosts[index].isOrderLost = true }
      hosts[index].noteHalf()
      hosts[index].standing?.isCertain = false
      // It was taking away what it had found gone, also where the folder is back by now.
      if hosts[index].folder == nil || hosts[index].read == nil { hosts[index].live.insert(nil) }
      hosts[index].returning.formUnion(hosts[index].live)
    }
  }

  /// The power is gone, and with it what no `fsync` has made durable.
  mutating func notePowerCut() {
    for index in hosts.indices where !hosts[index].returning.isEmpty {
      hosts[index].live.formUnion(hosts[index].returning)
      (hosts[index].returning, hosts[index].isLineCertain) = ([], false)
      hosts[index].isOrderLost = true
      hosts[index].standing?.isCertain = false
    }
  }

  /// The process has ended, and what it was checking was never live: nobody finds it after a start.
  mutating func noteEnd() {
    for index in hosts.indices { hosts[index].noteEndOfChecks() }
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

  mutating func noteEndOfChecks() { (folderCheck, sentCheck) = (nil, nil) }

  /// What is being checked may have been kept by half.
  mutating func noteHalf() {
    let good = [folderCheck, sentCheck].compactMap { $0 }.filter(SiteModel.isGood)
    guard !good.isEmpty else { return }
    live.formUnion(good.map { $0 })
    returning.formUnion(live)
    isLineCertain = false
    standing?.isCertain = false
  }

  /// A change of what is live was acknowledged.
  ///
  /// - Parameter before: What may have been live until then, and may be after the next start, where the disk refused something.
  mutating func noteKept(_ before: Set<Int?>, isDisturbed: Bool) {
    guard isDisturbed else { return returning = [] }
    live.formUnion(before)
    returning.formUnion(live)
  }

  /// The server has read the folder.
  mutating func noteRead() {
    if read != folder { sentCheck = nil }
    if read != folder, let standing, standing.kind != .pin, folder != standing.replaced {
      self.standing = nil
    }
    read = folder
  }
}
