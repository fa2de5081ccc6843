import LinkspanCore
import LinkspanDaemon
import LinkspanServer
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What the checker believes about hosts, next to a server that publishes them.
@Suite struct SiteCheckTests {
  /// A world whose server has published version 0 of host 0, and then others.
  private static func world(
    publishing versions: [Int] = [0], _ body: (ServiceWorld) throws -> Void
  ) rethrows -> ServiceInvariant? {
    let world = QuietWorld.make()
    world.startServers()
    defer { world.forgetServer(0) }
    for version in versions { deploy(version, in: world) }
    #expect(world.violation == nil && world.sites.hosts[0].live == [versions.last])
    try body(world)
    return world.violation?.invariant
  }

  private static func deploy(_ version: Int?, of host: Int = 0, in world: ServiceWorld) {
    world.publish(version.map { .deploy(host: host, version: $0) } ?? .undeploy(host: host))
    read(world)
  }

  private static func read(_ world: ServiceWorld) {
    world.publish(.read)
    check(world)
  }

  private static func check(_ world: ServiceWorld) {
    repeat { world.turnSites() } while world.servers[0]?.publication?.isChecking == true
  }

  private static func order(_ order: ServiceStep.Order, in world: ServiceWorld, isDone: Bool = true) {
    let result = world.perform(order, 0, nil)
    #expect(((try? result.get()) != nil) == isDone, "\(order): \(result)")
  }

  /// A rollback stands until the folder has other files than those that it replaced.
  @Test func aNewDeploymentEndsARollback() {
    let violation = Self.world(publishing: [0, 1]) { world in
      Self.order(.rollback, in: world)
      #expect(world.sites.hosts[0].live == [0] && world.sites.hosts[0].line == [0])
      #expect(
        world.sites.hosts[0].standing == .init(kind: .rollback, version: 0, replaced: 1, isCertain: true))
      Self.read(world)
      #expect(world.sites.hosts[0].live == [0] && world.sites.hosts[0].standing != nil)
      Self.deploy(2, in: world)
      #expect(world.sites.hosts[0].live == [2] && world.sites.hosts[0].standing == nil)
    }
    #expect(violation == nil)
  }

  @Test func whatAClientSendsEndsARollback() {
    let violation = Self.world(publishing: [0, 1]) { world in
      Self.order(.rollback, in: world)
      world.publish(.upload(host: 0, version: 2))
      Self.check(world)
      let host = world.sites.hosts[0]
      #expect(host.live == [2] && host.sentCheck == nil, "\(host)")
      #expect(host.standing == .init(kind: .published, version: 2, replaced: 1, isCertain: true))
    }
    #expect(violation == nil)
  }

  @Test func aPinOutlivesADeployment() {
    let violation = Self.world(publishing: [0, 1]) { world in
      Self.order(.pin, in: world)
      Self.deploy(2, in: world)
      #expect(world.sites.hosts[0].live == [1] && world.sites.hosts[0].standing?.kind == .pin)
      Self.order(.release, in: world)
      Self.check(world)
      #expect(world.sites.hosts[0].live == [2] && world.sites.hosts[0].standing == nil)
    }
    #expect(violation == nil)
  }

  /// What a client sent is served in the place of a pin that ends, and no folder is read then.
  @Test func aReleaseAfterAnUploadReadsNoFolder() {
    let violation = Self.world { world in
      Self.order(.pin, in: world)
      world.publish(.upload(host: 0, version: 1))
      Self.check(world)
      #expect(world.sites.hosts[0].live == [0])
      world.publish(.deploy(host: 0, version: 2))
      Self.order(.release, in: world)
      Self.check(world)
      let host = world.sites.hosts[0]
      #expect(host.live == [1] && host.read == 0, "\(host)")
      #expect(host.standing == .init(kind: .published, version: 1, replaced: 0, isCertain: true))
    }
    #expect(violation == nil)
  }

  @Test func aWithdrawnHostIsServedAgainWithItsNextDeployment() {
    let violation = Self.world { world in
      for host in 1...2 { Self.deploy(1, of: host, in: world) }
      Self.deploy(nil, in: world)
      #expect(world.sites.hosts[0].live == [nil] && world.sites.hosts[0].read == nil)
      #expect(world.sites.hosts.map(\.live).dropFirst() == [[1], [1]])
      Self.deploy(4, in: world)
      #expect(world.sites.hosts[0].live == [4] && world.sites.hosts[0].known == [0, 4])
    }
    #expect(violation == nil)
  }

  @Test func damagedFilesNeverGoLive() {
    let violation = Self.world { world in
      Self.deploy(3, in: world)
      #expect(world.sites.hosts[0].live == [0] && world.sites.hosts[0].read == 3)
      #expect(world.sites.hosts[0].folderCheck == nil)
    }
    #expect(violation == nil)
  }

  /// Of an order that a disk refused nobody knows how much was done; one that cannot be is not begun.
  @Test func anOrderThatTheDiskRefusesMayBeHalfDone() {
    let refused = Self.world { world in
      Self.order(.rollback, in: world, isDone: false)
      #expect(!world.sites.hosts[0].isOrderLost)
    }
    #expect(refused == nil)
    let lost = Self.world(publishing: [0, 1]) { world in
      world.disk.faults.isFull = true
      Self.order(.rollback, in: world, isDone: false)
      let host = world.sites.hosts[0]
      #expect(
        host.isOrderLost && !host.isLineCertain && host.live == [0, 1, nil] && host.returning == host.live)
    }
    #expect(lost == nil)
  }

  // MARK: - What would be wrong

  /// What the next deployment says when something else is believed about host 0.
  private static func deploying(_ belief: (inout SiteModel.Host) -> Void) -> ServiceInvariant? {
    world { world in
      world.publish(.deploy(host: 0, version: 1))
      belief(&world.sites.hosts[0])
      read(world)
    }
  }

  @Test func aVersionThatNobodyPutThereIsFound() {
    #expect(Self.deploying { _ in } == nil)
    #expect(Self.deploying { $0.known = [0] } == .oneLivePublication)
  }

  @Test func aVersionInThePlaceOfADecisionIsFound() {
    func standing(_ kind: SiteModel.Standing.Kind, replaced: Int?, isCertain: Bool = true)
      -> ServiceInvariant?
    {
      Self.deploying {
        $0.standing = .init(kind: kind, version: 0, replaced: replaced, isCertain: isCertain)
      }
    }
    #expect(standing(.pin, replaced: 0) == .rollbackRestores)
    #expect(standing(.pin, replaced: 0, isCertain: false) == nil)
    #expect(standing(.published, replaced: 0) == nil)
    // A rollback stands while the folder is as it was then.
    #expect(standing(.rollback, replaced: 1) == .rollbackRestores)
    #expect(standing(.rollback, replaced: 0) == nil)
  }

  /// Of a rollback that somebody ordered while the files were being checked.
  @Test func aRollbackStandsOnlyInThePlaceOfWhatItReplaced() {
    for (replaced, violation) in [(0, nil), (1, .rollbackRestores)] as [(Int, ServiceInvariant?)] {
      let found = Self.world { world in
        world.publish(.deploy(host: 0, version: 1))
        world.publish(.read)
        #expect(world.sites.hosts[0].live == [0] && world.sites.hosts[0].read == 1)
        world.sites.hosts[0].standing = .init(
          kind: .rollback, version: 0, replaced: replaced, isCertain: true)
        Self.check(world)
      }
      #expect(found == violation)
    }
  }

  @Test func aHostThatIsServedOtherwiseIsFound() {
    func serving(_ change: @escaping (inout SiteModel.Host) -> Void) -> ServiceInvariant? {
      Self.world { world in
        change(&world.sites.hosts[0])
        world.checkServed()
      }
    }
    #expect(serving { _ in } == nil)
    #expect(serving { $0.live = [0, 1] } == nil)
    #expect(serving { $0.live = [1] } == .oneLivePublication)
    #expect(serving { $0.live = [nil] } == .oneLivePublication)
    let pinned = serving {
      $0.live = [1]
      $0.standing = .init(kind: .pin, version: 1, replaced: nil, isCertain: true)
    }
    #expect(pinned == .rollbackRestores)
    let undeployed = Self.world { world in
      world.publish(.undeploy(host: 0))
      world.sites.hosts[1].live = [1]
      world.checkServed()
    }
    #expect(undeployed == .oneLivePublication)
  }

  @Test func aRollbackToAnotherVersionThanTheOneBeforeIsFound() {
    func rollingBack(_ change: @escaping (inout SiteModel.Host) -> Void) -> ServiceInvariant? {
      Self.world(publishing: [0, 1, 2]) { world in
        change(&world.sites.hosts[0])
        Self.order(.rollback, in: world)
      }
    }
    #expect(rollingBack { _ in } == nil)
    #expect(rollingBack { $0.line = [1, 0, 2] } == .rollbackRestores)
    #expect(
      rollingBack {
        $0.line = [1, 0, 2]; $0.isLineCertain = false
      } == nil)
    #expect(rollingBack { $0.known = [0, 2] } == .rollbackRestores)
  }

  @Test func aPinOfAnotherVersionThanTheLiveOneIsFound() {
    func pinning(_ change: @escaping (inout SiteModel.Host) -> Void) -> ServiceInvariant? {
      Self.world { world in
        change(&world.sites.hosts[0])
        Self.order(.pin, in: world)
      }
    }
    #expect(pinning { _ in } == nil)
    #expect(pinning { $0.live = [1] } == .rollbackRestores)
    #expect(pinning { $0.live = [1, 2] } == nil)
  }

  @Test func aHostWithoutADecisionServesItsFolderAtTheEnd() {
    func end(_ change: (inout SiteModel.Host) -> Void) -> ServiceInvariant? {
      Self.world { world in
        Self.order(.pin, in: world)
        world.publish(.deploy(host: 0, version: 1))
        change(&world.sites.hosts[0])
        world.checkSitesAtEnd()
      }
    }
    #expect(end { _ in } == nil)
    #expect(end { $0.standing = nil } == .drains)
    #expect(end { ($0.standing, $0.isOrderLost) = (nil, true) } == nil)
    #expect(end { ($0.standing, $0.folder) = (nil, 3) } == nil)
  }

  // MARK: - Uploads

  @Test func anUploadIsAnsweredForItsHost() {
    func answer(_ body: String) -> (ServiceInvariant?, [String: Int]) {
      let world = QuietWorld.make()
      world.acknowledgeUpload(1, QuietWorld.json(body), 200)
      return (world.violation?.invariant, world.model.audited.mapValues(\.certain))
    }
    #expect(answer(#"{"host":"host1.example","outcome":"published"}"#) == (nil, ["site.publish": 1]))
    #expect(answer(#"{"host":"host1.example","outcome":"held"}"#) == (nil, ["site.draft": 1]))
    #expect(answer(#"{"host":"host1.example","outcome":"unchanged"}"#) == (nil, [:]))
    for body in [
      #""host0.example","outcome":"published""#, #""host1.example","outcome":"refused""#, #""host1.example""#,
    ] {
      #expect(answer("{\"host\":\(body)}").0 == .oneLivePublication)
    }
  }

  @Test(arguments: [400, 401, 404, 409, 413, 422, 429, 499, 500, 502, 503])
  func anUploadThatFailsMayHaveBeenPublishedAllTheSame(status: Int) {
    let world = QuietWorld.make()
    world.refuseUpload(0, status, "")
    let isAllowed = [409, 422, 429, 500, 503].contains(status)
    #expect((world.violation == nil) == isAllowed)
    #expect(
      world.model.audited.mapValues(\.possible)
        == (status >= 500 ? ["site.publish": 1, "site.draft": 1] : [:]))
    #expect(world.model.audited.values.allSatisfy { $0.certain == 0 })
  }

  // MARK: - Versions

  @Test func aVersionIsReadFromTheFilesOfItsHost() {
    for version in 0...7 {
      let file = ServiceWorld.file(1, version)
      #expect(ServiceWorld.version(file, of: 1) == version)
      #expect(ServiceWorld.version(file, of: 2) == nil)
      #expect(ServiceWorld.version(Array(file.dropLast()), of: 1) == nil)
      #expect(
        ServiceWorld.version([0x30, 0x82] + file + [0x00], of: 1) == (version % 4 == 3 ? nil : version))
    }
    #expect(ServiceWorld.version(nil, of: 1) == nil && ServiceWorld.version([0x30], of: 1) == nil)
  }

  // MARK: - The end

  /// A world with nothing in it is calm three times, 20 s apart, after three short turns of its sender.
  @Test func aDrainEndsAfterThreeCalmTurns() {
    let world = QuietWorld.make()
    world.startServers()
    defer { world.forgetServer(0) }
    let before = world.time.uptimeMilliseconds
    world.drain()
    #expect(world.violation == nil)
    #expect(world.time.uptimeMilliseconds - before == 60_150)
  }
}
