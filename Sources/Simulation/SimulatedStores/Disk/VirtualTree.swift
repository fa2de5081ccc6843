package import LinkspanCore
internal import LinkspanDaemon
package import LinkspanFiles

/// The directory of a server's state in memory: what it publishes lies there. It fails as a ``VirtualDisk`` does, and a crash takes
/// away names that were not on it yet.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
package final class VirtualTree: StatePlace, @unchecked Sendable {
  package let path = "/state"
  /// What a server of now sees; that of one that has ended fails.
  package private(set) var root: VirtualFolder
  private let disk: VirtualDisk
  private var generator: SeededGenerator
  /// Changes and `fsync`s until the server is killed before one; nil for none.
  package var changesLeft: Int?
  /// Whether the server has been killed so.
  package private(set) var isDead = false
  /// How often it refused something to a server that runs.
  package fileprivate(set) var refusals = 0

  package init(_ disk: VirtualDisk, _ generator: SeededGenerator) {
    self.disk = disk
    self.generator = generator
    root = VirtualFolder(path: path)
    root.tree = self
  }

  package func isThere() throws(LinkspanError) -> Bool {
    try refuseDead()
    return true
  }

  package func open<Answer>(
    _ body: (any StateFolder) throws(LinkspanError) -> Answer
  ) throws(LinkspanError) -> Answer {
    try refuseDead()
    return try body(root)
  }

  package func openMade(_ body: (any StateFolder) throws(LinkspanError) -> Void) throws(LinkspanError) {
    try refuseDead()
    try body(root)
  }

  // MARK: - Failing

  package func refuseDead() throws(LinkspanError) {
    if isDead { throw LinkspanError("the process has ended", at: path) }
  }

  /// Before each change.
  ///
  /// - Parameter needsRoom: Whether a full disk refuses it.
  package func change(needsRoom: Bool) throws(LinkspanError) {
    try countDown()
    if needsRoom, disk.faults.isFull { throw refusal("No space left on device") }
    if disk.fails(disk.faults.write) { throw refusal("Input/output error") }
  }

  /// Before each `fsync`.
  package func sync() throws(LinkspanError) {
    try countDown()
    if disk.fails(disk.faults.sync) { throw refusal("Input/output error") }
  }

  private func countDown() throws(LinkspanError) {
    try refuseDead()
    guard let left = changesLeft else { return }
    changesLeft = left - 1
    if left <= 0 { isDead = true }
    try refuseDead()
  }

  private func refusal(_ why: String) -> LinkspanError {
    refusals += 1
    return LinkspanError("cannot be written", at: path, why: why)
  }

  // MARK: - Ends

  /// Another process sees the same folders.
  package func restart() {
    isDead = false
    changesLeft = nil
  }

  /// Cuts the power.
  package func crash() { root.crash(&generator) }
}

/// A directory of a ``VirtualTree``.
package final class VirtualFolder: StateFolder {
  package enum Node {
    /// Its bytes were on the disk before its name was there.
    case file([UInt8], number: Int)
    case folder(VirtualFolder)
  }

  package let path: String
  fileprivate weak var tree: VirtualTree?
  private var entries: [String: Node] = [:]
  /// What is on the disk.
  private var durable: [String: Node] = [:]
  private var count = 0

  package init(path: String) { self.path = path }

  private func owner() throws(LinkspanError) -> VirtualTree {
    guard let tree else { throw LinkspanError("is gone", at: path) }
    try tree.refuseDead()
    return tree
  }

  package func kind(of name: String) throws(LinkspanError) -> OpenFolder.Kind {
    _ = try owner()
    return switch entries[name] {
    case nil: .missing
    case .file: .file
    case .folder: .folder
    }
  }

  package func inner(_ name: String) throws(LinkspanError) -> any StateFolder {
    _ = try owner()
    guard case .folder(let folder) = entries[name] else {
      throw LinkspanError("cannot be opened", at: "\(path)/\(name)", why: "No such file or directory")
    }
    return folder
  }

  package func madeInner(_ name: String) throws(LinkspanError) -> any StateFolder {
    if case .folder(let folder) = entries[name] {
      _ = try owner()
      return folder
    }
    try owner().change(needsRoom: true)
    let folder = VirtualFolder(path: "\(path)/\(name)")
    folder.tree = tree
    entries[name] = .folder(folder)
    return folder
  }

  package func names() throws(LinkspanError) -> [String] {
    _ = try owner()
    return entries.keys.sorted()
  }

  package func bytes(of name: String, limitBytes: Int) throws(LinkspanError) -> [UInt8] {
    _ = try owner()
    guard case .file(let bytes, _) = entries[name], bytes.count <= limitBytes else {
      throw LinkspanError("cannot be read", at: "\(path)/\(name)", why: "No such file or directory")
    }
    return bytes
  }

  private func file(_ bytes: [UInt8]) -> Node {
    count += 1
    return .file(bytes, number: count)
  }

  package func writeNew(_ bytes: [UInt8], to name: String) throws(LinkspanError) {
    let tree = try owner()
    try tree.change(needsRoom: true)
    guard entries[name] == nil else {
      throw LinkspanError("cannot be written", at: "\(path)/\(name)", why: "File exists")
    }
    entries[name] = file(bytes)
    try tree.sync()
  }

  package func replace(_ name: String, by bytes: [UInt8]) throws(LinkspanError) {
    let tree = try owner()
    try tree.change(needsRoom: true)
    try tree.sync()
    entries[name] = file(bytes)
    try sync()
  }

  package func rename(_ name: String, to other: String) throws(LinkspanError) {
    try owner().change(needsRoom: false)
    entries[other] = entries.removeValue(forKey: name)
  }

  package func remove(_ name: String) throws(LinkspanError) {
    let tree = try owner()
    guard entries[name] != nil else { return }
    let before = tree.refusals
    do throws(LinkspanError) {
      try tree.change(needsRoom: false)
    } catch {
      // A mark that stays is nothing that an operator is told: all that it stands for is kept.
      if PublicationHistory.marks.contains(name) { tree.refusals = before }
      throw error
    }
    entries[name] = nil
  }

  package func refuseUnwritable() throws(LinkspanError) { try owner().change(needsRoom: true) }

  package func sync() throws(LinkspanError) {
    try owner().sync()
    durable = entries
  }

  /// Of each name that is not on the disk as it is now, the seed keeps what is there or what was.
  package func crash(_ generator: inout SeededGenerator) {
    for name in Set(entries.keys).union(durable.keys).sorted() where !isSame(entries[name], durable[name]) {
      if generator.chance(1, in: 2) { entries[name] = durable[name] }
    }
    durable = entries
    for (_, node) in entries.sorted(by: { $0.key < $1.key }) {
      if case .folder(let folder) = node { folder.crash(&generator) }
    }
  }

  private func isSame(_ one: Node?, _ other: Node?) -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (.file(_, let one)?, .file(_, let other)?): one == other
    case (.folder(let one)?, .folder(let other)?): one === other
    default: false
    }
  }
}
