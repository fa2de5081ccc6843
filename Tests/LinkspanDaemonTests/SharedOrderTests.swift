import Foundation
import LinkspanCore
import LinkspanFiles
import LinkspanServer
import PushSending
import RegistryDatabases
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import LinkspanDaemon
@testable import ServiceConfiguration

/// Orders that one server is given and every server of the registry obeys, each with a folder of its own.
@Suite struct SharedOrderTests {
  static let host = "a.example"

  /// Servers of one registry; some have a state, others begin with nothing at each start.
  final class Fleet {
    private let folder: ScratchFolder
    let registry: Registry
    private(set) var servers: [PublicationManager] = []
    private let hasState: [Bool]
    private let needsApproval: Bool
    private let clock = LockedState(WallTime("2026-09-14T08:00:00Z")!)
    private let lines = LockedState<[String]>([])

    /// What the servers' logs have about drafts that are dropped.
    var dropped: [String] { lines.withLock { $0 }.filter { $0.contains("is dropped") } }

    var now: WallTime { clock.withLock { $0 } }

    init(_ hasState: [Bool], hosts: [String] = [SharedOrderTests.host], needsApproval: Bool = false) throws {
      folder = try ScratchFolder(inMemory: true)
      self.hasState = hasState
      self.needsApproval = needsApproval
      registry = try Registry(.sqlite(path: folder.path("registry.db")))
      for server in hasState.indices {
        for host in hosts { try write(1, host, to: server) }
        servers.append(try start(server))
      }
    }

    deinit { registry.stop() }

    private func write(_ version: Int, _ host: String, to server: Int) throws {
      try folder.write(
        String(decoding: PublicationLawTests.good(version), as: UTF8.self),
        to: "site\(server)/\(host)\(PublicationLawTests.path)")
    }

    /// What a start of `serve` does before it answers anybody.
    private func start(_ server: Int, withRegistry: Bool = true) throws -> PublicationManager {
      var options = ServeOptions()
      options.sites = [folder.path("site\(server)")]
      if hasState[server] { options.state = folder.path("state\(server)") }
      options.needsApproval = needsApproval
      if needsApproval { options.console = "127.0.0.1:0" }
      let manager = try PublicationManager(
        ServeSettings(options),
        ServerLog(.info, stampsLines: false) { [lines] line in lines.withLock { $0.append(line) } },
        PublicationSurroundings(now: { [clock] in clock.withLock { $0 } }))
      manager.followsLater = withRegistry
      do throws(LinkspanError) {
        _ = try manager.publish(at: now)
      } catch {
        manager.log.error(error.text)
      }
      settle(manager)
      if withRegistry { _ = try manager.follow(registry, at: now) }
      settle(manager)
      return manager
    }

    private func settle(_ manager: PublicationManager) {
      while manager.checks.step() {
        for answer in manager.takeAnswers(to: manager.takeOutcomes(at: now)) { answer() }
      }
    }

    /// Puts a folder where a file of the state would be written.
    func block(_ name: String, ofState server: Int) throws {
      try folder.write("", to: "state\(server)/\(name)/file")
    }

    func unblock(_ name: String, ofState server: Int) throws {
      try FileManager.default.removeItem(atPath: folder.path("state\(server)/\(name)"))
    }

    /// The newest publication that the history of a server has.
    func newestPublication(of server: Int) throws -> PublicationHistory.Entry? {
      try servers[server].history?.entries(of: SharedOrderTests.host, wantsAssociationFiles: true) { _ in }
        .first
    }

    /// What a server does once a second.
    func tryAgain(_ server: Int) {
      for _ in 0..<4 { _ = servers[server].tryAgain(at: now) }
    }

    func restart(_ server: Int, withRegistry: Bool = true) throws {
      servers[server] = try start(server, withRegistry: withRegistry)
    }

    /// Puts files into a server's folder.
    func deploy(_ version: Int, to server: Int, host: String = SharedOrderTests.host) throws {
      try write(version, host, to: server)
      try read(server)
    }

    /// Has the store answer questions and take no orders, as behind another program's lock, until ``takeOrders()``.
    func refuseOrders() throws {
      try registry.changeNow { store throws(RegistryError) in
        try store.database.runScript(
          "CREATE TRIGGER refusal BEFORE UPDATE ON site_order_count BEGIN SELECT RAISE(ABORT, 'no'); END;"
            + "CREATE TRIGGER other BEFORE UPDATE ON site_orders BEGIN SELECT RAISE(ABORT, 'no'); END")
      }
    }

    func takeOrders() throws {
      try registry.changeNow { store throws(RegistryError) in
        try store.database.runScript("DROP TRIGGER refusal; DROP TRIGGER other")
      }
    }

    func remove(_ hosts: [String], from server: Int) throws {
      for host in hosts {
        try FileManager.default.removeItem(atPath: folder.path("site\(server)/\(host)"))
      }
      try read(server)
    }

    private func read(_ server: Int) throws {
      pass(seconds: 1)
      _ = try servers[server].publish(at: now)
      settle(servers[server])
    }

    func pass(seconds: Int64) { clock.withLock { $0 = $0.advanced(by: .seconds(seconds)) } }

    /// Each server asks for the orders of the others, the last one first, until there is no news.
    func poll() throws {
      for _ in 0..<3 {
        for manager in servers.reversed() {
          let orders = try #require(manager.shared).all()
          let (outcomes, _) = manager.perform(.init(work: .obey(orders), actor: "") { _ in }, at: now)
          for answer in manager.takeAnswers(to: outcomes) { answer() }
          settle(manager)
        }
      }
    }

    @discardableResult
    func order(_ order: PublicationOrder, at server: Int, by actor: String = "console:ada") throws -> String {
      pass(seconds: 1)
      let (_, answer) = servers[server].perform(
        .init(work: .order(order), actor: actor) { _ in }, at: now)
      settle(servers[server])
      return try #require(answer).get().words
    }

    /// - Parameter meanwhile: What happens before its check ends.
    /// - Returns: Why it is not published; nil when it is, or is held.
    @discardableResult
    func upload(_ version: Int, to server: Int, _ meanwhile: () throws -> Void = {}) throws -> String? {
      pass(seconds: 1)
      let candidate = PublicationCandidate(
        AssociationSite(host: SharedOrderTests.host, associationFile: PublicationLawTests.good(version)),
        author: "ci")
      let failure = LockedState<String?>(nil)
      let item = PublicationOrders.Item(work: .publish(candidate), actor: "ci") { result in
        if case .failure(let error) = result { failure.withLock { $0 = error.text } }
      }
      _ = servers[server].perform(item, at: now)
      try meanwhile()
      settle(servers[server])
      return failure.withLock { $0 }
    }

    /// The version that each server answers with, by the page's and the handler's account; 0 for none.
    func served(_ host: String = SharedOrderTests.host) -> [Int] {
      servers.map { server in
        let answer = AssociationHandler(server.served).response(
          to: HTTPRequest(authority: host, target: PublicationLawTests.path))
        guard answer.status == 200 else { return 0 }
        return (1..<100).first { PublicationLawTests.good($0) == answer.body } ?? -1
      }
    }

    func states(_ host: String = SharedOrderTests.host) -> [HostReport.State?] {
      servers.map { server in server.reports.first { $0.host == host }?.state }
    }
  }

  /// The folder is as it was when the API published over it, so the end of what stood for that leaves the folder behind it.
  @Test(arguments: [true, false])
  func theEndOfARollbackOrAPinServesWhatTheAPIPublishedBeforeIt(isPin: Bool) throws {
    let fleet = try Fleet([true, true, true])
    try fleet.upload(7, to: 0)
    try fleet.poll()
    try fleet.order(
      isPin ? .pin(host: Self.host, number: 1) : .rollBack(host: Self.host, number: 1), at: 1)
    try fleet.poll()
    #expect(fleet.served() == [1, 1, 1])
    let words = try fleet.order(.release(host: Self.host), at: 2)
    #expect(words.hasSuffix("has ended; what the API published before it is served for a.example."))
    try fleet.poll()
    #expect(fleet.served() == [7, 7, 7])
    for server in 0..<3 { try fleet.restart(server) }
    #expect(fleet.served() == [7, 7, 7])
    // A rollback goes behind it as ever, and what is put into the folder afterwards counts.
    try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    #expect(fleet.served() == [1, 1, 1])
    for server in 0..<3 { try fleet.deploy(8, to: server) }
    #expect(fleet.served() == [8, 8, 8])
  }

  /// What was put into the folder after the API published was published then, and comes back.
  @Test func theEndOfAPinServesTheFolderWhereThatWasPublishedLast() throws {
    let fleet = try Fleet([true])
    try fleet.upload(7, to: 0)
    try fleet.deploy(2, to: 0)
    try fleet.order(.pin(host: Self.host, number: 1), at: 0)
    let words = try fleet.order(.release(host: Self.host), at: 0)
    #expect(words == "The pin has ended; the folder of a.example decides again.")
    #expect(fleet.served() == [2])
    // So does what is put there during a pin.
    try fleet.upload(9, to: 0)
    try fleet.order(.pin(host: Self.host, number: 1), at: 0)
    try fleet.deploy(3, to: 0)
    try fleet.order(.release(host: Self.host), at: 0)
    #expect(fleet.served() == [3])
  }

  @Test func aRollbackIsServedByEveryServerAndAfterEachStart() throws {
    let fleet = try Fleet([true, true, false])
    for server in 0..<3 { try fleet.deploy(2, to: server) }
    try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    #expect(fleet.served() == [1, 2, 2])
    try fleet.poll()
    #expect(fleet.served() == [1, 1, 1])
    #expect(fleet.states() == [.rolledBack, .rolledBack, .rolledBack])
    for server in 0..<3 { try fleet.restart(server) }
    #expect(fleet.served() == [1, 1, 1])
    // The deployment after it reaches one server after the other, and a start in between changes nothing.
    try fleet.deploy(3, to: 1)
    try fleet.poll()
    #expect(fleet.served() == [1, 3, 1])
    for server in 0..<2 { try fleet.restart(server) }
    #expect(fleet.served() == [1, 3, 1])
    for server in [0, 2] { try fleet.deploy(3, to: server) }
    for server in 0..<3 { try fleet.restart(server) }
    #expect(fleet.served() == [3, 3, 3])
    #expect(fleet.states() == [.live, .live, .live])
  }

  @Test func aServerThatADeploymentReachesLaterObeysAllTheSame() throws {
    let fleet = try Fleet([true, false])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.deploy(3, to: 0)
    try fleet.order(.rollBack(host: Self.host, number: 1), at: 0)
    try fleet.poll()
    #expect(fleet.served() == [1, 1])
    try fleet.deploy(3, to: 1)
    #expect(fleet.served() == [1, 1])
    // What the second server had before it is a deployment like any other now.
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    #expect(fleet.served() == [2, 2])
  }

  @Test func aDeploymentThatIsTakenBackEndsARollbackOnEveryServer() throws {
    let fleet = try Fleet([true, false])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.deploy(3, to: 0)
    try fleet.order(.rollBack(host: Self.host, number: 1), at: 0)
    try fleet.poll()
    try fleet.deploy(2, to: 0)
    try fleet.poll()
    #expect(fleet.served() == [2, 2])
  }

  @Test func aPinHoldsEverywhereUntilAnybodyTakesItAway() throws {
    let fleet = try Fleet([true, true, false])
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    for server in 0..<3 { try fleet.deploy(2, to: server) }
    try fleet.restart(2)
    #expect(fleet.served() == [1, 1, 1])
    #expect(fleet.states() == [.pinned, .pinned, .pinned])
    try fleet.order(.release(host: Self.host), at: 1, by: "console:bob")
    try fleet.poll()
    #expect(fleet.served() == [2, 2, 2])
    for server in 0..<3 { try fleet.restart(server) }
    #expect(fleet.served() == [2, 2, 2])
  }

  @Test func aPinHoldsWhereItIsNotHeardOfYet() throws {
    let fleet = try Fleet([true, true])
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    let answer = try fleet.upload(7, to: 1)
    #expect(answer?.contains("was pinned a moment ago") == true, "\(answer ?? "none")")
    #expect(fleet.served() == [1, 1])
    try fleet.poll()
    #expect(fleet.served() == [1, 1])
    #expect(fleet.states() == [.pinned, .pinned])
    // Nothing of it is left for the end of the pin, nor for a start.
    try fleet.order(.release(host: Self.host), at: 0)
    try fleet.poll()
    try fleet.restart(1)
    #expect(fleet.served() == [1, 1])
  }

  /// Whichever server has it, and whichever is told that the pin is over.
  @Test(arguments: [0, 1]) func whatWaitsForTheEndOfAPinIsServedByAllThen(server: Int) throws {
    let fleet = try Fleet([true, true])
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.upload(7, to: 1)
    #expect(fleet.served() == [1, 1])
    try fleet.order(.release(host: Self.host), at: server)
    try fleet.poll()
    #expect(fleet.served() == [7, 7])
    for server in 0..<2 { try fleet.restart(server) }
    #expect(fleet.served() == [7, 7])
  }

  /// The server that has it starts again, and publishes it for all.
  @Test func whatWasSentBeforeAStartIsPublishedByAll() throws {
    let fleet = try Fleet([true, true])
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.upload(7, to: 1)
    try fleet.order(.release(host: Self.host), at: 0)
    try fleet.restart(1)
    try fleet.poll()
    #expect(Set(fleet.served()).count == 1, "\(fleet.served())")
  }

  /// Its folder goes before what the API published, and that had replaced the pin.
  @Test func aPinThatTheAPIHasReplacedDoesNotComeBackWithAStart() throws {
    let fleet = try Fleet([true, true])
    try fleet.deploy(2, to: 0)
    try fleet.order(.pin(host: Self.host, number: 1), at: 1)
    try fleet.poll()
    try fleet.upload(7, to: 0)
    try fleet.order(.release(host: Self.host), at: 0)
    #expect(fleet.served() == [7, 1])
    try fleet.restart(1)
    for server in 0..<2 { try fleet.deploy(3, to: server) }
    #expect(fleet.served() == [3, 3])
  }

  /// The row of the registry then says that the later one has ended, and nothing of the pin.
  @Test(arguments: [false, true]) func aPinEndsWithADecisionThatReplacedItAndEndedUnheard(isDown: Bool) throws
  {
    let fleet = try Fleet([true, true], hosts: [Self.host, "b.example"])
    try fleet.upload(7, to: 0)
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.order(.release(host: Self.host), at: 0)
    try fleet.deploy(2, to: 0)
    if isDown { try fleet.restart(1) } else { try fleet.poll() }
    for server in 0..<2 { try fleet.deploy(3, to: server) }
    #expect(fleet.served() == [3, 3])
  }

  /// What waited for the end of a pin is older than what another server was told since.
  @Test(arguments: [PublicationOrder.rollBack(host: host, number: 1), .remove(hosts: [host]), nil])
  func aStartPublishesNothingOverNewerDecisions(order: PublicationOrder?) throws {
    let fleet = try Fleet([true, true], hosts: [Self.host, "b.example"])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.upload(7, to: 1)
    if case .remove = order { for server in 0..<2 { try fleet.remove([Self.host], from: server) } }
    if let order {
      try fleet.order(order, at: 0)
    } else {
      try fleet.order(.release(host: Self.host), at: 0)
      try fleet.upload(8, to: 0)
    }
    for _ in 0..<2 {
      try fleet.restart(1)
      try fleet.poll()
      let version =
        switch order {
        case .rollBack: 1
        case .remove: 0
        default: 8
        }
      #expect(fleet.served() == [version, version])
    }
  }

  /// Its client was answered 202, and nothing of it is served: the log says so, also of a server that was down meanwhile.
  @Test(
    arguments: [PublicationOrder.rollBack(host: host, number: 1), .remove(hosts: [host])], [false, true])
  func theLogNamesADraftThatADecisionDrops(order: PublicationOrder, isDown: Bool) throws {
    let fleet = try Fleet([true, true], hosts: [Self.host, "b.example"])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.upload(7, to: 1)
    // A newer one of the same client is no news for it.
    try fleet.upload(8, to: 1)
    if case .remove = order { for server in 0..<2 { try fleet.remove([Self.host], from: server) } }
    #expect(fleet.dropped == [])
    try fleet.order(order, at: 0)
    if isDown { try fleet.restart(1) }
    try fleet.poll()
    #expect(
      fleet.dropped == [
        "audit: the draft that ci sent for a.example is dropped, since something else was decided about the host"
      ])
  }

  /// What waited for the end of a pin is served then, and so is what somebody approves.
  /// Also where the folder has what is rolled back to, so that nothing in it is newer.
  @Test(arguments: [0, 1]) func aRollbackDropsWhatWaitedForTheEndOfThePin(server: Int) throws {
    let fleet = try Fleet([true, true])
    try fleet.upload(7, to: 0)
    try fleet.poll()
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.upload(8, to: server)
    try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    #expect(fleet.served() == [1, 1] && fleet.states() == [.rolledBack, .rolledBack])
    #expect(
      fleet.dropped == [
        "audit: the draft that ci sent for a.example is dropped, since something else was decided about the host"
      ])
  }

  @Test func theLogNamesNoDraftThatIsServed() throws {
    let fleet = try Fleet([true, true])
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.upload(7, to: 1)
    try fleet.order(.release(host: Self.host), at: 0)
    try fleet.poll()
    #expect(fleet.served() == [7, 7])
    #expect(fleet.dropped == [])
  }

  @Test func whatIsBeingCheckedWhenAnotherServersOrderComesIsToBeSentAgain() throws {
    let fleet = try Fleet([true, true])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    let answer = try fleet.upload(7, to: 1) {
      try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
      try fleet.poll()
    }
    #expect(answer?.contains("Send it again") == true, "\(answer ?? "none")")
    #expect(fleet.served() == [1, 1])
  }

  /// Where the folder still has files, these count.
  @Test(arguments: [false, true], [false, true])
  func aRemovalEndsAPinOnEveryServer(isDown: Bool, hasDraft: Bool) throws {
    let fleet = try Fleet([true, true], hosts: [Self.host, "b.example"])
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.deploy(2, to: 1)
    if hasDraft { try fleet.upload(7, to: 1) }
    try fleet.remove([Self.host], from: 0)
    #expect(fleet.served() == [1, 1])
    try fleet.order(.remove(hosts: [Self.host]), at: 0)
    if isDown { try fleet.restart(1) } else { try fleet.poll() }
    #expect(fleet.served() == [0, 2])
    for server in 0..<2 { try fleet.deploy(3, to: server) }
    #expect(fleet.served() == [3, 3])
  }

  @Test func anApprovalEndsNoPinThatIsNotHeardOfYet() throws {
    let fleet = try Fleet([true, true], needsApproval: true)
    try fleet.deploy(2, to: 1)
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    #expect(throws: LinkspanError.self) {
      try fleet.order(.approve(host: Self.host), at: 1, by: "console:bob")
    }
    try fleet.poll()
    #expect(fleet.served() == [1, 1])
  }

  @Test func anOrderThatWasGivenWhileAServerWasDownIsObeyed() throws {
    let fleet = try Fleet([true, true])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.order(.release(host: Self.host), at: 0)
    try fleet.restart(1)
    #expect(fleet.served() == [2, 2])
  }

  /// Its orders are numbered again from where the backup was.
  @Test func anOrderToARegistryThatWasRestoredIsObeyedAfterAStart() throws {
    let fleet = try Fleet([true, true])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    let pin = PublicationOrder.pin(host: Self.host, number: 1)
    for order in [pin, .release(host: Self.host), pin] {
      try fleet.order(order, at: 0)
      try fleet.poll()
    }
    try fleet.registry.changeNow { store throws(RegistryError) in
      try store.database.run("DELETE FROM site_orders")
      try store.database.run("UPDATE site_order_count SET revision = 0")
    }
    for server in 0..<2 { try fleet.restart(server) }
    #expect(fleet.served() == [1, 1])
    try fleet.order(.release(host: Self.host), at: 0)
    try fleet.restart(1)
    #expect(fleet.served() == [2, 2])
  }

  @Test func whatTheAPIPublishesIsServedByEveryServer() throws {
    // Without a state, the registry has the files.
    let fleet = try Fleet([false, false])
    try fleet.upload(7, to: 0)
    #expect(fleet.served() == [7, 1])
    try fleet.poll()
    #expect(fleet.served() == [7, 7])
    for server in 0..<2 { try fleet.restart(server) }
    #expect(fleet.served() == [7, 7])
    #expect(fleet.states() == [.published, .published])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.poll()
    #expect(fleet.served() == [2, 2])
  }

  @Test func anApprovalCountsForEveryServer() throws {
    let fleet = try Fleet([true, true, true], needsApproval: true)
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    #expect(fleet.states() == [.waiting, .waiting, .live])
    try fleet.order(.approve(host: Self.host), at: 0, by: "console:bob")
    try fleet.poll()
    #expect(fleet.served() == [2, 2, 1])
    // The third server gets the files later.
    try fleet.deploy(2, to: 2)
    #expect(fleet.served() == [2, 2, 2])
    try fleet.deploy(3, to: 2)
    #expect(fleet.states() == [.live, .live, .waiting])
  }

  @Test func anApprovalIsOfTheDraftThatWasSeen() throws {
    let fleet = try Fleet([true], needsApproval: true)
    func digest(_ version: Int) -> String {
      AssociationSite(host: Self.host, associationFile: PublicationLawTests.good(version)).digest
    }
    try fleet.deploy(2, to: 0)
    try fleet.deploy(3, to: 0)
    #expect(throws: LinkspanError.self) {
      try fleet.order(.approve(host: Self.host, digest: digest(2)), at: 0, by: "console:bob")
    }
    #expect(fleet.served() == [1] && fleet.states() == [.waiting])
    try fleet.order(.approve(host: Self.host, digest: digest(3)), at: 0, by: "console:bob")
    #expect(fleet.served() == [3])
  }

  @Test func aRemovalThatIsHeldBackIsServedAfterAStartWithoutAState() throws {
    let hosts = (0..<12).map { "h\($0).example" }
    let fleet = try Fleet([true, false], hosts: hosts)
    let gone = Array(hosts.prefix(8))
    for server in 0..<2 { try fleet.remove(gone, from: server) }
    for host in gone { #expect(fleet.states(host) == [.removalHeld, .removalHeld]) }
    try fleet.restart(1)
    for host in gone { #expect(fleet.served(host) == [1, 1]) }
    try fleet.order(.remove(hosts: gone), at: 0)
    try fleet.poll()
    for host in gone { #expect(fleet.served(host) == [0, 0]) }
    for server in 0..<2 { try fleet.restart(server) }
    for host in gone { #expect(fleet.served(host) == [0, 0]) }
    for host in hosts.dropFirst(8) { #expect(fleet.served(host) == [1, 1]) }
  }

  @Test func aConfirmedRemovalIsNotHeldBackWhereItComesLater() throws {
    let hosts = (0..<12).map { "h\($0).example" }
    let fleet = try Fleet([true, true], hosts: hosts)
    let gone = Array(hosts.prefix(8))
    try fleet.remove(gone, from: 0)
    try fleet.order(.remove(hosts: gone), at: 0)
    try fleet.poll()
    try fleet.remove(gone, from: 1)
    for host in gone { #expect(fleet.served(host) == [0, 0]) }
  }

  /// With a registry, a state that takes nothing is no obstacle.
  @Test func aRollbackIsObeyedWhereTheStateCannotBeWritten() throws {
    let fleet = try Fleet([true])
    try fleet.deploy(2, to: 0)
    try fleet.block("publications/\(Self.host)/.standing", ofState: 0)
    try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    #expect(fleet.served() == [1])
    try fleet.restart(0)
    #expect(fleet.served() == [1])
    #expect(fleet.states() == [.rolledBack])
  }

  /// Two servers' clocks differ, so the registry's numbers say which order is the later one.
  @Test func aLaterOrderOfAServerWhoseClockIsBehindIsObeyedAtAStart() throws {
    let fleet = try Fleet([true, true])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    fleet.pass(seconds: -3_600)
    try fleet.order(.pin(host: Self.host, number: 1), at: 1)
    try fleet.restart(0)
    #expect(fleet.served() == [1, 1])
    fleet.pass(seconds: -3_600)
    try fleet.order(.release(host: Self.host), at: 1)
    try fleet.restart(0)
    #expect(fleet.served() == [2, 2] && fleet.states() == [.live, .live])
  }

  /// What was decided while the server had no registry is later than the orders that its state knew by then.
  @Test func aDecisionWithoutTheRegistryOutlivesTheOrdersBeforeIt() throws {
    let fleet = try Fleet([true, true])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.order(.pin(host: Self.host, number: nil), at: 1)
    try fleet.poll()
    try fleet.restart(0, withRegistry: false)
    fleet.pass(seconds: -3_600)
    try fleet.order(.pin(host: Self.host, number: 1), at: 0)
    try fleet.restart(0)
    #expect(fleet.served() == [1, 2])
    // The next order is news for both.
    try fleet.order(.pin(host: Self.host, number: 2), at: 1)
    try fleet.restart(0)
    #expect(fleet.served() == [2, 2])
  }

  @Test func withoutTheStoreNothingIsOrdered() throws {
    let fleet = try Fleet([true])
    try fleet.deploy(2, to: 0)
    fleet.registry.stop()
    #expect(throws: LinkspanError.self) { try fleet.order(.rollBack(host: Self.host, number: nil), at: 0) }
    #expect(fleet.served() == [2])
    #expect(fleet.states() == [.live])
  }

  /// Deployments reach the servers one after the other, with orders and starts in between: in the end all serve the same.
  @Test(arguments: 0..<6) func everyServerEndsWithTheSame(part: Int) throws {
    for seed in 0..<(PublicationLawTests.count / 2) where seed % 6 == part {
      var chance = SeededGenerator(seed: UInt64(seed))
      let fleet = try Fleet([true, true, false])
      var version = 1
      var words: [String] = []
      for _ in 0..<10 {
        let server = Int.random(in: 0..<3, using: &chance)
        switch Int.random(in: 0..<8, using: &chance) {
        case 0, 1, 2:
          // Now and then what was there before.
          let isOld = Int.random(in: 0..<3, using: &chance) == 0
          let next = isOld ? Int.random(in: 1...version, using: &chance) : version + 1
          version = max(version, next)
          words.append("deploy \(next)")
          for place in [0, 1, 2].shuffled(using: &chance) {
            try fleet.deploy(next, to: place)
            if Bool.random(using: &chance) { try fleet.poll() }
          }
        case 3:
          let isDone = (try? fleet.order(.rollBack(host: Self.host, number: nil), at: server)) != nil
          words.append("roll back at \(server): \(isDone)")
        case 4:
          let isDone = (try? fleet.order(.pin(host: Self.host, number: nil), at: server)) != nil
          words.append("pin at \(server): \(isDone)")
        case 5:
          let isDone = (try? fleet.order(.release(host: Self.host), at: server)) != nil
          words.append("release at \(server): \(isDone)")
        case 6:
          try fleet.upload(90 + Int.random(in: 0..<5, using: &chance), to: server)
          words.append("upload at \(server)")
        default:
          try fleet.poll()
          try fleet.restart(server)
          words.append("restart \(server)")
        }
        try fleet.poll()
        words.append("\(fleet.served())")
        guard Set(fleet.served()).count == 1, Set(fleet.states()).count == 1 else {
          Issue.record(
            "seed \(seed): \(fleet.served()), \(fleet.states())\n\(words.joined(separator: "\n"))")
          return
        }
      }
    }
  }
}
