import LinkspanCore
import LinkspanServer
import PushSending
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import LinkspanDaemon

/// What servers of a registry have to hear of, while its store takes nothing.
@Suite struct UntoldOrderTests {
  private typealias Fleet = SharedOrderTests.Fleet
  private static let host = SharedOrderTests.host
  private static let hosts = (0..<12).map { "h\($0).example" }
  private static let gone = Array(hosts.prefix(8))

  /// The versions of the hosts whose folders are gone, of all servers together.
  private func served(_ fleet: Fleet) -> Set<Int> { Set(Self.gone.flatMap { fleet.served($0) }) }

  /// A server without a state asks the registry alone which hosts to serve all the same.
  @Test func aHeldRemovalIsToldWhenTheStoreTakesIt() throws {
    let fleet = try Fleet([true, false], hosts: Self.hosts)
    try fleet.refuseOrders()
    for server in 0..<2 { try fleet.remove(Self.gone, from: server) }
    for _ in 0..<3 { try fleet.poll() }
    try fleet.takeOrders()
    try fleet.poll()
    try fleet.restart(1)
    #expect(served(fleet) == [1])
    try fleet.order(.remove(hosts: Self.gone), at: 0)
    try fleet.poll()
    for server in 0..<2 { try fleet.restart(server) }
    #expect(served(fleet) == [0])
  }

  /// The state knows it.
  @Test func aHeldRemovalIsToldByTheNextStart() throws {
    let fleet = try Fleet([true, false], hosts: Self.hosts)
    try fleet.refuseOrders()
    for server in 0..<2 { try fleet.remove(Self.gone, from: server) }
    try fleet.takeOrders()
    for server in 0..<2 { try fleet.restart(server) }
    #expect(served(fleet) == [1])
  }

  /// Also where a removal of before was confirmed, which the registry still has.
  @Test func aStartDoesNotTakeAnEarlierRemovalForTheHeldOne() throws {
    let fleet = try Fleet([true, false], hosts: Self.hosts)
    for server in 0..<2 { try fleet.remove(Self.gone, from: server) }
    try fleet.order(.remove(hosts: Self.gone), at: 0)
    try fleet.poll()
    for server in 0..<2 {
      for host in Self.gone { try fleet.deploy(2, to: server, host: host) }
    }
    try fleet.poll()
    fleet.pass(seconds: 120)
    try fleet.refuseOrders()
    for server in 0..<2 { try fleet.remove(Self.gone, from: server) }
    #expect(served(fleet) == [2])
    try fleet.takeOrders()
    for server in 0..<2 { try fleet.restart(server) }
    #expect(served(fleet) == [2])
  }

  /// The first server has not heard of the confirmation, and tells nothing in its place.
  @Test func aConfirmationIsNotReplacedByTheRemovalThatIsToldLate() throws {
    let fleet = try Fleet([true, true, false], hosts: Self.hosts)
    try fleet.remove(Self.gone, from: 1)
    try fleet.poll()
    try fleet.refuseOrders()
    try fleet.remove(Self.gone, from: 0)
    try fleet.takeOrders()
    try fleet.order(.remove(hosts: Self.gone), at: 1)
    // Some other news, before the orders of others are asked for.
    try fleet.deploy(2, to: 0, host: "h11.example")
    try fleet.remove(Self.gone, from: 2)
    try fleet.poll()
    #expect(served(fleet) == [0])
    for server in 0..<3 { try fleet.restart(server) }
    #expect(served(fleet) == [0])
  }

  /// Another server whose folders are whole ends it for the registry at its start, and this one still holds it.
  @Test func aHeldRemovalIsToldAgainWhereAnotherServerEndedIt() throws {
    let fleet = try Fleet([true, true, false], hosts: Self.hosts)
    for server in [0, 2] { try fleet.remove(Self.gone, from: server) }
    try fleet.restart(1)
    try fleet.poll()
    try fleet.restart(2)
    #expect(served(fleet) == [1])
  }

  /// Else hosts that are removed later, one after the other, come back with a start.
  @Test func theEndOfAHeldRemovalIsToldWhenTheStoreTakesIt() throws {
    let fleet = try Fleet([true, false], hosts: Self.hosts)
    try fleet.remove(Self.gone, from: 0)
    try fleet.refuseOrders()
    for host in Self.gone { try fleet.deploy(1, to: 0, host: host) }
    try fleet.takeOrders()
    try fleet.poll()
    for host in Self.gone {
      fleet.pass(seconds: 120)
      for server in 0..<2 { try fleet.remove([host], from: server) }
    }
    for server in 0..<2 { try fleet.restart(server) }
    #expect(served(fleet) == [0])
  }

  /// It serves what was replaced in the folder of a server that could not say so.
  @Test(arguments: [false, true]) func aRollbackStandsForAFolderThatIsToldLate(isRestarted: Bool) throws {
    let fleet = try Fleet([true, false])
    try fleet.deploy(2, to: 0)
    try fleet.deploy(3, to: 1)
    try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    try fleet.refuseOrders()
    try fleet.poll()
    #expect(fleet.served() == [1, 1])
    try fleet.takeOrders()
    try fleet.poll()
    if isRestarted { try fleet.restart(1) }
    try fleet.poll()
    #expect(fleet.served() == [1, 1])
  }

  /// The folder is as it was when the rollback came, so a start of a server without a state would roll back again.
  @Test func theEndOfARollbackIsToldWhenTheStoreTakesIt() throws {
    let fleet = try Fleet([true, false])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.order(.rollBack(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.refuseOrders()
    for version in [3, 2] { for server in 0..<2 { try fleet.deploy(version, to: server) } }
    try fleet.poll()
    try fleet.takeOrders()
    try fleet.poll()
    try fleet.restart(1)
    #expect(fleet.served() == [2, 2])
  }

  /// Two servers after a pin at the first, for whose end files wait at the second, which has not heard of it.
  private static func endedPin() throws -> Fleet {
    let fleet = try Fleet([true, true])
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.upload(7, to: 1)
    try fleet.order(.release(host: Self.host), at: 0)
    try fleet.refuseOrders()
    return fleet
  }

  @Test func whatWaitsForTheEndOfAPinIsServedWhenTheStoreTakesIt() throws {
    let fleet = try Self.endedPin()
    for _ in 0..<3 { try fleet.poll() }
    #expect(fleet.served() == [1, 1])
    #expect(fleet.states() == [.live, .pinned])
    try fleet.takeOrders()
    try fleet.poll()
    #expect(fleet.served() == [7, 7])
    for server in 0..<2 { try fleet.restart(server) }
    #expect(fleet.served() == [7, 7])
  }

  /// A start in between publishes it as well, and hears of the end of the pin.
  @Test func whatWaitsForTheEndOfAPinIsServedByAStartInBetween() throws {
    let fleet = try Self.endedPin()
    try fleet.poll()
    try fleet.restart(1)
    #expect(fleet.served() == [1, 1])
    try fleet.takeOrders()
    try fleet.poll()
    #expect(fleet.served() == [7, 7])
    #expect(fleet.states() == [.published, .published])
  }

  /// What another server was told meanwhile is newer than what waits for the store.
  @Test(
    arguments: [PublicationOrder.rollBack(host: host, number: 1), .pin(host: host, number: 1), nil],
    [false, true])
  func whatWaitsForTheStoreReplacesNothingNewer(order: PublicationOrder?, isRestarted: Bool) throws {
    let fleet = try Fleet([true, true])
    for server in 0..<2 { try fleet.deploy(2, to: server) }
    try fleet.order(.pin(host: Self.host, number: nil), at: 0)
    try fleet.poll()
    try fleet.upload(7, to: 1)
    try fleet.order(.release(host: Self.host), at: 0)
    try fleet.refuseOrders()
    try fleet.poll()
    if isRestarted { try fleet.restart(1) }
    try fleet.takeOrders()
    if let order { try fleet.order(order, at: 0) } else { try fleet.upload(8, to: 0) }
    try fleet.poll()
    let version = order == nil ? 8 : 1
    #expect(fleet.served() == [version, version])
    for server in 0..<2 { try fleet.restart(server) }
    #expect(fleet.served() == [version, version])
  }

  /// A store that takes nothing is asked less and less often, and one that is away costs nothing.
  @Test func theStoreIsNotToldAgainAllTheTime() async throws {
    let fleet = try Fleet([true], hosts: Self.hosts)
    try fleet.refuseOrders()
    try fleet.remove(Self.gone, from: 0)
    let manager = fleet.servers[0]
    let shared = try #require(manager.shared)
    #expect(shared.failures == 1)
    var attempts: [Int] = []
    for look in 1...80 {
      let isAsked = LockedState(false)
      shared.look { _ in isAsked.withLock { $0 = true } }
      // Questions are answered one after the other.
      while shared.isAsking.withLock({ $0 }) { await Task.yield() }
      guard isAsked.withLock({ $0 }) else { continue }
      attempts.append(look)
      _ = manager.perform(.init(work: .obey([]), actor: "") { _ in }, at: fleet.now)
    }
    #expect(attempts == [1, 4, 11, 26, 47, 68])
    try fleet.takeOrders()
    try fleet.poll()
    #expect(shared.failures == 0)
    #expect(try shared.all().count == Self.gone.count)
  }
}
