import LinkspanCore
import PushProvider
import PushTerms

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import RegistryRequests

/// What else is stored, and what goes wrong.
extension RegistryHistory {
  func look() {
    var filter = DeviceFilter()
    switch draw(8) {
    case 0: filter.audience.tags = ["a"]
    case 1: filter.audience.locales = ["en"]
    case 2: filter.search = ["PERSON-1", "en", "no\"", "%"][draw(4)]
    case 3: filter.isActive = draw(2) == 0
    case 4: filter.audience.belowVersion = "1.10"
    case 5: filter.audience.timeZones = ["no\"where\\", "Asia/Kolkata"]
    case 6: filter.alias = "person-\(draw(Self.personCount))"
    default: filter.visibleTopics = [Self.topics[0]]
    }
    let (sought, now) = (filter, now)
    ask("devices") { store throws(RegistryError) in try store.devices(sought, limit: 10) }
    ask("count") { store throws(RegistryError) in try store.count(sought) }
    ask("dead") { store throws(RegistryError) in
      try store.unregistered(sought, since: HistoryDatabase.now, limit: 5)
    }
    ask("health") { store throws(RegistryError) in
      var health = try store.health(at: now)
      // The server of the tests does without fsync, which is a problem.
      health.problems = []
      return health
    }
    ask("backlog") { store throws(RegistryError) in try store.size(.production).backlog }
  }

  func keys() {
    let (actor, key, request, now) = ("actor-\(draw(2))", "key-\(draw(3))", "request-\(draw(2))", now)
    _ = change("reserve") { store throws(RegistryError) in
      try store.reserve(request, actor, key: key, at: now)
    }
    switch draw(3) {
    case 0:
      _ = change("settle") { store throws(RegistryError) in
        try store.settle(.init(request: request, status: 200, body: "b"), actor, key: key)
      }
    case 1: _ = change("release") { store throws(RegistryError) in try store.release(actor, key: key) }
    default: ask("replay") { store throws(RegistryError) in try store.replay(actor, key: key) }
    }
  }

  func orders() {
    let kinds: [SiteOrder.Kind] = [.rollback, .pin, .released, .published, .removed]
    let order = SiteOrder(
      host: draw(5) == 0 ? nil : "host\(draw(3)).example", kind: kinds[draw(kinds.count)],
      associationFile: draw(2) == 0 ? nil : [0x00, 0xFF], replaced: ["d\(draw(2))", nil], actor: "test",
      since: now)
    let (now, other) = (now, "d\(draw(4))")
    let stored = change("order") { store throws(RegistryError) in try store.add([order]) }
    if let first = stored?.first {
      switch draw(3) {
      case 0:
        _ = change("replaced") { store throws(RegistryError) in try store.note(other, replacedBy: first) }
      case 1: _ = change("order's end") { store throws(RegistryError) in try store.end(first, at: now) }
      default: break
      }
    }
    let revision = Int64(draw(4))
    ask("orders") { store throws(RegistryError) in try store.siteOrders(after: revision) }
  }

  private func credential() -> AccessToken {
    AccessToken(
      identifier: "token-\(draw(4))", secretHash: "secret", name: draw(2) == 0 ? nil : "Ada",
      scopes: [.writeDevices], topics: [Self.topics[0]], createdAt: now)
  }

  func credentials() {
    let (token, now) = (credential(), now)
    // Refused where there is one of that name.
    _ = change("credential") { store throws(RegistryError) in try store.add(token) }
    if draw(3) == 0 {
      _ = change("revoke") { store throws(RegistryError) in try store.revoke(token.identifier, at: now) }
    }
    ask("credentials") { store throws(RegistryError) in try store.accessTokens() }
  }

  func channels() {
    let (name, now, count) = ("channel-\(draw(3))", now, Int64(draw(3) + 1))
    _ = change("channel") { store throws(RegistryError) in
      try store.addChannel(
        name, of: Self.topics[0], .production, .none, name: nil, actor: "test", at: now)
    }
    let message = messages.isEmpty || draw(2) == 0 ? nil : messages[draw(messages.count)]
    _ = change("activity") { store throws(RegistryError) in
      try store.addActivity(
        of: Self.topics[0], .production, name: "name", channel: nil, startedBy: message, actor: "test",
        at: now)
    }
    let isEnd = draw(2) == 0
    _ = change("activity's update") { store throws(RegistryError) in
      try store.noteUpdate(of: count, isEnd: isEnd, at: now)
    }
    ask("activities") { store throws(RegistryError) in try store.activities(topics: nil, limit: 10) }
    ask("channels") { store throws(RegistryError) in try store.channels(topics: nil, limit: 10) }
  }

  // MARK: - What goes wrong

  private static let given = RegistryError(.overloaded, "Given up by the history.")

  /// A transaction that comes to nothing after it has done something.
  func fail() {
    let (token, now, kind) = (credential(), now, draw(4))
    let key = try? self.key(draw(Self.deviceCount))
    guard let key else { return }
    let registration = DeviceRegistration(key: key, given: [.alias], time: now)
    _ = change("fail \(kind)") { store throws(RegistryError) -> Int64 in
      _ = try store.register([registration])
      switch kind {
      case 0: throw Self.given
      case 1:
        try store.add(token)
        try store.add(token)
      case 2:
        // After an error PostgreSQL does nothing more in a transaction.
        do throws(RegistryError) {
          try store.add(token)
          try store.add(token)
        } catch {
          return try store.count(DeviceFilter())
        }
      default: _ = try store.database.run("INSERT INTO messages (id) VALUES ($1)", [.int(7)])
      }
      return 0
    }
  }

  /// Connections that end, as all of them at a restart.
  func lose() throws {
    let (database, now, kind) = (database, now, draw(4))
    guard let key = try? self.key(draw(Self.deviceCount)) else { return }
    let registration = DeviceRegistration(key: key, given: [.alias], time: now)
    switch kind {
    case 0: try database.endConnections()
    case 1:
      // One reads, and has to ask again.
      try database.endConnections()
      ask("count after a loss") { store throws(RegistryError) in try store.count(DeviceFilter()) }
    default:
      let ending = Ending(database)
      _ = change("lost \(kind)") { store throws(RegistryError) -> Int in
        let devices = try store.register([registration])
        ending.run()
        // Otherwise the first thing that fails is the commit.
        if kind == 2 { _ = try store.count(DeviceFilter()) }
        return devices.count
      }
    }
  }
}

/// Ends connections within a transaction, the first time it is made.
///
/// `@unchecked Sendable`: the one thread of a history has it.
private final class Ending: @unchecked Sendable {
  private let database: HistoryDatabase
  private var isDone = false

  init(_ database: HistoryDatabase) { self.database = database }

  func run() {
    guard !isDone else { return }
    isDone = true
    try? database.endConnections()
  }
}
