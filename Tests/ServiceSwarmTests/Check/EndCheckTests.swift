import LinkspanCore
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What the checker says when the faults are over, of a world in which a message went to two devices and a campaign to all.
@Suite struct EndCheckTests {
  /// - Parameter change: What is believed otherwise before the end.
  private static func end(
    _ store: ServiceStory.Store = .sqlite, _ change: (ServiceWorld) -> Void = { _ in }
  ) -> ServiceInvariant? {
    let world = QuietWorld.make(store: store)
    world.startServers()
    defer { for index in world.servers.indices { world.forgetServer(index) } }
    for device in 0...1 { world.register(device, 0) }
    world.settle(until: { world.flights.isEmpty })
    world.notify(0, credential: 0, key: nil)
    // The next campaign is a plain one, which holds nobody out.
    while !(world.wordCount + 1).isMultiple(of: 8) { _ = world.newWord("spare") }
    world.startCampaign(credential: 1)
    world.drain()
    #expect(world.violation == nil, "\(world.violation?.detail ?? "")")
    let notes = world.model.notes.values.sorted { $0.word < $1.word }
    #expect(notes.map(\.person) == [nil, 0] && notes.allSatisfy { $0.identifier != nil })
    #expect(notes.map(\.accepted) == [[0: 1, 1: 1], [0: 1, 1: 1]])
    change(world)
    world.checkEnd()
    return world.violation?.invariant
  }

  private static func ending(_ change: @escaping (inout ServiceModel.Note) -> Void) -> ServiceInvariant? {
    end { world in
      guard let word = world.model.notes.values.first(where: { $0.person == 0 })?.word else { return }
      change(&world.model.notes[word]!)
    }
  }

  @Test(arguments: [ServiceStory.Store.sqlite, .postgres]) func everythingThatWasAskedHasItsEnd(
    store: ServiceStory.Store
  ) {
    #expect(Self.end(store) == nil)
  }

  @Test func aMessageThatIsNotThereIsFound() {
    #expect(Self.ending { $0.identifier = "999" } == .deliveryStored)
    #expect(Self.ending { ($0.identifier, $0.mayBeGone) = ("999", true) } == nil)
  }

  @Test func aNumberOfDeliveriesIsKept() {
    for count in [1, 3] { #expect(Self.ending { $0.deliveries = count } == .deliveryStored) }
    #expect(Self.ending { $0.deliveries = nil } == nil)
  }

  @Test func aPushThatWasAcceptedTwiceIsFound() {
    #expect(Self.ending { $0.accepted[1] = 2 } == .deliveryAtMostOnce)
    // The journal has it, and does not say that it may have been sent twice.
    #expect(Self.ending { ($0.accepted[1], $0.identifier) = (2, nil) } == .deliveryAtMostOnce)
    #expect(Self.ending { ($0.accepted[1], $0.identifier, $0.word) = (2, nil, "pruned") } == nil)
  }

  @Test func whatAPNsDidNotAcceptIsNoAcceptedPush() {
    #expect(Self.ending { $0.accepted[1] = nil } == .acceptedIsTrue)
    #expect(Self.ending { $0.accepted[2] = 1 } == nil)
  }

  @Test func aChangeWithoutItsLineInTheAuditLogIsFound() {
    #expect(Self.end { $0.model.audit("device.delete", isCertain: true) } == .auditComplete)
    #expect(Self.end { $0.model.audit("device.delete", isCertain: false) } == nil)
    // Two lines more than anybody asked for.
    #expect(Self.end { $0.model.audited["device.register device.update"] = (0, 1) } == .auditComplete)
    #expect(Self.end { $0.model.audited["device.register device.update"] = (2, 2) } == nil)
  }

  @Test func aDeviceThatIsAnotherPersonsIsFound() {
    #expect(Self.end { $0.model.take(.register(person: 1), of: 0, at: 0) } == .readsCurrent)
    #expect(Self.end { $0.model.take(.register(person: 1), of: 5, at: 0) } == .registrationDurable)
    #expect(Self.end { $0.model.mayTake(.register(person: 1), of: 5, at: 0) } == nil)
  }

  @Test func aReportThatNamesADeviceIsFound() {
    #expect(Self.end { $0.reports.add("of \($0.tokens[0])") } == .secretsHidden)
  }

  // MARK: - Channels

  private static func channels(
    _ change: (ServiceWorld, _ channel: String) -> Void
  ) -> ServiceInvariant? {
    end { world in
      for act in [ChannelAsk.Act.create, .create] {
        world.ask(act, credential: 0, key: nil)
        world.settle(until: { world.flights.isEmpty })
      }
      let numbers = world.model.channels.channels.keys.sorted()
      #expect(numbers.count == 2 && world.apns.channels.count == 2)
      change(world, numbers[0])
    }
  }

  @Test func aChannelStaysUntilItsEndIsAskedFor() {
    #expect(Self.channels { _, _ in } == nil)
    #expect(
      Self.channels { $0.model.channels.channels[$1] = .init(endsAsked: 1, isEnded: true) } == .channelsAgree)
    #expect(Self.channels { $0.model.channels.channels[$1] = .init(endsAsked: 1) } == nil)
    #expect(Self.channels { world, _ in world.model.channels.channels["999"] = .init() } == .channelsAgree)
    #expect(Self.channels { world, _ in world.model.channels.activities["999"] = .init() } == .channelsAgree)
  }

  // MARK: - Fleets

  /// Two servers that share their orders about hosts, after a deployment to both.
  private static func fleet(
    _ change: (ServiceWorld) -> Void
  ) -> ServiceInvariant? {
    let world = QuietWorld.make(servers: 2, shares: true)
    world.startServers()
    defer { for index in world.servers.indices { world.forgetServer(index) } }
    world.publish(.deploy(host: 0, version: 1))
    world.checkSitesAtEnd()
    #expect(world.violation == nil, "\(world.violation?.detail ?? "")")
    for index in 0...1 { #expect(world.servedShared(0, index) == ServiceStory.versionCount) }
    change(world)
    return world.violation?.invariant
  }

  @Test func serversObeyWhatOneWasTold() {
    let pinned = Self.fleet { world in
      #expect((try? world.performShared(.pin, 0, nil, 1).get()) != nil)
      #expect(world.fleet.hosts[0].mayBePinned)
      world.publish(.deploy(host: 0, version: 2))
      world.checkOrders()
      for index in 0...1 { #expect(world.servedShared(0, index) == ServiceStory.versionCount) }
      world.checkSitesAtEnd()
    }
    #expect(pinned == nil)
    let disobeyed = Self.fleet { world in
      world.fleet.hosts[0].order = .init(kind: .pin, version: 1)
      world.checkOrders()
    }
    #expect(disobeyed == .ordersShared)
  }

  @Test func filesThatNobodyDeployedAreFound() {
    let unknown = Self.fleet { world in
      world.fleet.hosts[0].known = []
      _ = world.servedShared(0, 1)
    }
    #expect(unknown == .oneLivePublication)
  }
}
