internal import Glibc
package import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer
internal import LinkspanSystem

/// Orders of the command line, as files in `STATE/orders`, and their answers beside them.
///
/// The state belongs to the user that serves: what lies there is read with bounds, and says nothing that this user could
/// not do itself.
final class OrderFiles: Sendable {
  /// Becomes readable when somebody has put an order there.
  let descriptor: Int32
  private let state: String
  /// Locked while this process serves, so that nobody waits for a server that is not there.
  let presence: ServerPresence

  /// The file that is locked.
  fileprivate static let serving = ".serving"
  fileprivate static let servingMode: mode_t = 0o644
  fileprivate static let folder = "orders"
  fileprivate static let orderEnd = ".order"
  fileprivate static let answerEnd = ".answer"
  /// Ours: an order that names ten thousand hosts at their longest.
  fileprivate static let limitBytes = 1 << 22

  init(state: String) throws(LinkspanError) {
    self.state = state
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else {
      throw LinkspanError("orders cannot be watched", errno: errno)
    }
    let folder = try Self.opened(state)
    presence = ServerPresence(
      Self.serving, in: folder, "\(state)/\(Self.folder)/\(Self.serving)", mode: Self.servingMode,
      ServerPresence.Words(
        first: Self.words(state, reached: "this one"), later: Self.words(state, reached: "that one"),
        gone: Self.goneWords(state)))
    // Answers that nobody came for.
    for name in try folder.names() where name.hasSuffix(Self.answerEnd) { try folder.remove(name) }
    // Where the system has no more watches, orders wait for the next one over another way.
    _ = inotify_add_watch(descriptor, "/proc/self/fd/\(folder.descriptor)", UInt32(IN_MOVED_TO))
  }

  deinit { close(descriptor) }

  private static func words(_ state: String, reached: String) -> String {
    "another server has the state '\(state)': both keep each publication there, and orders such as a rollback reach \(reached)"
      + " only. End one of the two, or give each a state of its own."
  }

  private static func goneWords(_ state: String) -> String {
    "the state '\(state)' was removed or replaced while this server uses it: orders of the command line do not reach the server,"
      + " and what was published and decided before is not there. If the folder was moved, stop the server, move it back and"
      + " start the server; else start the server again, and publish what only the API had published."
  }

  fileprivate static func opened(_ state: String) throws(LinkspanError) -> OpenFolder {
    let home = try SiteWriter.madeFolder(state)
    return try Privileges.asOwner(of: home) { () throws(LinkspanError) in try home.madeFolder(folder) }
  }

  /// The orders that lie there; each is taken once, by the server that was there first.
  func take() -> [PublicationOrders.Item] {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
      while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
    guard presence.isFirst else { return [] }
    // A folder that cannot be read has no orders: the person at the command line hears that nobody answers.
    guard let folder = try? Self.opened(state), let names = try? folder.names() else { return [] }
    return names.sorted().compactMap { name in
      guard name.hasSuffix(Self.orderEnd),
        let bytes = try? folder.bytes(of: name, limitBytes: Self.limitBytes),
        (try? folder.remove(name)) != nil
      else { return nil }
      let answer = name.dropLast(Self.orderEnd.count) + Self.answerEnd
      let completion: PublicationOrders.Completion = { [state] result in
        // Nobody waits for an answer that cannot be written.
        try? Self.opened(state).replace(String(answer), by: Self.answer(result).bytes + [0x0A])
      }
      guard let root = JSONParser.parse(bytes).root, let order = PublicationOrder(root) else {
        completion(.failure(LinkspanError("the order cannot be understood")))
        return nil
      }
      return PublicationOrders.Item(
        work: .order(order), actor: PublicationOrders.commandLine, completion: completion)
    }
  }

  private static func answer(_ result: Result<PublicationOrders.Answer, LinkspanError>) -> JSON {
    switch result {
    case .success(let answer):
      .object([
        ("done", .bool(true)), ("words", .string(answer.words)), ("number", .init(answer.number)),
        ("served", .bool(answer.isServed)),
      ])
    case .failure(let error):
      .object([("done", .bool(false)), ("words", .string(error.message)), ("help", .init(error.help))])
    }
  }
}

extension PublicationOrder {
  fileprivate init?(_ root: JSONNode) {
    let hosts = (root["hosts"]?.array ?? []).compactMap(\.string).map(IDNA.named)
    let number = root["number"]?.int
    switch (root["order"]?.string, hosts.first) {
    case ("rollback", let host?): self = .rollBack(host: host, number: number)
    case ("pin", let host?): self = .pin(host: host, number: number)
    case ("release", let host?): self = .release(host: host)
    case ("approve", let host?): self = .approve(host: host, digest: root["digest"]?.string)
    case ("remove", _?): self = .remove(hosts: hosts)
    default: return nil
    }
  }

  fileprivate var json: JSON {
    let (word, number): (String, Int?) =
      switch self {
      case .rollBack(_, let number): ("rollback", number)
      case .pin(_, let number): ("pin", number)
      case .release: ("release", nil)
      case .approve: ("approve", nil)
      case .remove: ("remove", nil)
      }
    var members: [(String, JSON)] = [
      ("order", .string(word)), ("hosts", .array(hosts.map(JSON.string))), ("number", .init(number)),
    ]
    if case .approve(_, let digest?) = self { members.append(("digest", .string(digest))) }
    return .object(members)
  }
}

/// The command line's side: hands an order to the `serve` that has the same state.
package enum StateOrder {
  package enum Outcome: Equatable, Sendable {
    /// The server has carried it out.
    case done(words: String, number: Int?, isServed: Bool)
    /// No server answered; the order is carried out when one starts.
    case waits
  }

  /// Ours: how long a running server may take. It takes some milliseconds, and where it waits for the store of its registry,
  /// for as long as that waits for a lock.
  private static let patienceMilliseconds = 30_000
  private static let stepMilliseconds = 10
  /// Between two looks whether the server is still there.
  private static let stepsBetweenLooks = 100

  /// Writes an order into the state, and waits until the server has carried it out.
  ///
  /// - Throws: Why it cannot be written, or why the server did not do it.
  package static func give(_ order: PublicationOrder, state: String) throws(LinkspanError) -> Outcome {
    guard try FileReader.kind(of: state) != .missing else {
      throw LinkspanError(
        "there is no state '\(state)', so no server would find the order there.",
        help: "Name the folder that 'serve --state' was given. Nothing was changed.")
    }
    let home = try SiteWriter.madeFolder(state)
    return try Privileges.asOwner(of: home) { () throws(LinkspanError) in
      let folder = try home.madeFolder(OrderFiles.folder)
      let name = "\(CurrentTime.now.milliseconds)-\(getpid())"
      try folder.replace(name + OrderFiles.orderEnd, by: order.json.bytes + [0x0A])
      guard isServing(folder) else { return .waits }
      for step in 1...(patienceMilliseconds / stepMilliseconds) {
        if let answer = try answer(name, in: folder) { return answer }
        if step.isMultiple(of: stepsBetweenLooks), !isServing(folder) { break }
        usleep(UInt32(stepMilliseconds * 1_000))
      }
      if let answer = try answer(name, in: folder) { return answer }
      if try folder.kind(of: name + OrderFiles.orderEnd) == .file { return .waits }
      throw LinkspanError(
        "the server has taken the order and has not answered",
        help:
          "It ended, or its registry did not answer for \(patienceMilliseconds / 1_000) seconds. Its log says what became of the order."
      )
    }
  }

  private static func isServing(_ folder: OpenFolder) -> Bool {
    let file = ServerPresence.opened(OrderFiles.serving, in: folder, mode: OrderFiles.servingMode)
    defer { close(file) }
    // Where it cannot be told, the answer tells it.
    return file < 0 || flock(file, LOCK_SH | LOCK_NB) != 0
  }

  private static func answer(_ name: String, in folder: OpenFolder) throws(LinkspanError) -> Outcome? {
    let file = name + OrderFiles.answerEnd
    guard try folder.kind(of: file) == .file else { return nil }
    let bytes = try folder.bytes(of: file, limitBytes: OrderFiles.limitBytes)
    try folder.remove(file)
    let root = JSONParser.parse(bytes).root
    let words = root?["words"]?.string ?? "the server's answer cannot be understood"
    guard root?["done"]?.bool == true else { throw LinkspanError(words, help: root?["help"]?.string) }
    return .done(words: words, number: root?["number"]?.int, isServed: root?["served"]?.bool ?? true)
  }
}
