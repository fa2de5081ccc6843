import LinkspanCore
import LinkspanServer
import Testing

@testable import LinkspanDaemon

/// What people decided about a host outlives a folder that was emptied by mistake, on every server of the registry.
@Suite struct EmptiedFolderTests {
  typealias Fleet = SharedOrderTests.Fleet
  private static let host = SharedOrderTests.host

  /// Two servers that have rolled back from version 2 to version 1; the second one has no state.
  private func rolledBack(_ hosts: [String] = [host]) throws -> Fleet {
    let fleet = try Fleet([true, false], hosts: hosts)
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    #expect(fleet.served() == [1, 1])
    return fleet
  }

  @Test(arguments: [0, 1]) func aRollbackOutlivesAnEmptyFolderOnEveryServer(server: Int) throws {
    let fleet = try rolledBack()
    try fleet.remove([Self.host], from: server)
    try fleet.poll()
    #expect(fleet.served() == [1, 1])
    #expect(fleet.states()[server] == .removalHeld && fleet.states()[1 - server] == .rolledBack)
    try fleet.deploy(2, to: server)
    try fleet.poll()
    #expect(fleet.served() == [1, 1] && fleet.states() == [.rolledBack, .rolledBack])
    for server in 0..<2 { try fleet.deploy(3, to: server) }
    #expect(fleet.served() == [3, 3] && fleet.states() == [.live, .live])
  }

  /// As a container whose volume comes a moment later than its server.
  @Test(arguments: [0, 1]) func aStartWithAnEmptyFolderEndsNoRollback(server: Int) throws {
    let fleet = try rolledBack()
    try fleet.remove([Self.host], from: server)
    for _ in 0..<2 {
      try fleet.restart(server)
      try fleet.poll()
      #expect(fleet.served() == [1, 1])
      #expect(fleet.states()[server] == .removalHeld && fleet.states()[1 - server] == .rolledBack)
    }
    try fleet.deploy(2, to: server)
    try fleet.poll()
    #expect(fleet.served() == [1, 1] && fleet.states() == [.rolledBack, .rolledBack])
  }

  /// A server that begins with nothing, whose folder has other hosts: the rule of removals says that this one is meant.
  @Test func aStartWithoutTheOneHostEndsItsRollback() throws {
    let fleet = try rolledBack([Self.host, "b.example"])
    for server in 0..<2 { try fleet.remove([Self.host], from: server) }
    try fleet.poll()
    try fleet.restart(1)
    #expect(fleet.served() == [0, 0] && fleet.served("b.example") == [1, 1])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    #expect(fleet.served() == [2, 2])
  }

  @Test func aConfirmedRemovalEndsTheRollback() throws {
    let fleet = try rolledBack()
    for server in 0..<2 { try fleet.remove([Self.host], from: server) }
    try fleet.order(.remove(hosts: [Self.host]), at: 1)
    try fleet.poll()
    #expect(fleet.served() == [0, 0])
    for server in 0..<2 { try fleet.restart(server) }
    #expect(fleet.served() == [0, 0])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    #expect(fleet.served() == [2, 2])
  }

  // MARK: - A state that takes nothing

  /// A folder in a folder where a publication is prepared, which the server does not remove.
  private static let obstacle = "publications/\(host)/.unfinished/a"

  @Test func aRollbackThatTheStateDoesNotTakeIsToldSoAndKeptLater() throws {
    let fleet = try Fleet([true])
    for version in 2...3 { try fleet.deploy(version, to: 0) }
    try fleet.block(Self.obstacle, ofState: 0)
    #expect(
      try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
        == "Publication 2 of a.example is served again. The history has no record of that until it can be written."
    )
    #expect(fleet.served() == [2])
    #expect(try fleet.newestPublication(of: 0)?.number == 3)
    // It is not known which publication is the one before.
    let error = #expect(throws: LinkspanError.self) {
      try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    }
    #expect(
      error?.message == "the history lacks what is served for 'a.example', since it cannot be written.")
    #expect(fleet.served() == [2])
    try fleet.unblock(Self.obstacle, ofState: 0)
    fleet.tryAgain(0)
    let newest = try #require(try fleet.newestPublication(of: 0))
    #expect(newest.number == 4 && newest.origin == .rolledBack(to: 2))
    #expect(
      try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
        == "Publication 1 of a.example is served again, as publication 5.")
    try fleet.restart(0)
    #expect(fleet.served() == [1] && fleet.states() == [.rolledBack])
  }

  @Test func anOrderOfAnotherServerIsKeptLater() throws {
    let fleet = try Fleet([true, true])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.block(Self.obstacle, ofState: 1)
    try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    #expect(fleet.served() == [1, 1])
    #expect(try fleet.newestPublication(of: 1)?.number == 2)
    try fleet.unblock(Self.obstacle, ofState: 1)
    fleet.tryAgain(1)
    #expect(try fleet.newestPublication(of: 1)?.origin == .rolledBack(to: 1))
    try fleet.restart(1)
    #expect(fleet.served() == [1, 1] && fleet.states() == [.rolledBack, .rolledBack])
  }

  /// A host that a server never published before.
  @Test func whatTheAPIPublishedAtAnotherServerOutlivesAStartWithoutTheRegistry() throws {
    let fleet = try Fleet([true, true], hosts: ["b.example"])
    try fleet.upload(7, to: 0)
    try fleet.poll()
    #expect(fleet.served() == [7, 7])
    try fleet.restart(1, withRegistry: false)
    #expect(fleet.served() == [7, 7] && fleet.states() == [.published, .published])
  }
}
