import LinkspanCore
import LinkspanStories
package import SimulatedDevices

/// All parties of a story, on one clock.
package struct World: Sendable {
  let clock: SimulationClock
  package let trace: Trace
  let traffic: Traffic
  /// Whether the invariants are checked after every step.
  let isWatched: Bool
  /// The mistake that was made on purpose.
  let plant: PlantedBug?
  let network: Network
  let cdn: ContentDeliveryNetwork
  /// In the order of the story.
  package let devices: [SimulatedDevice]

  /// - Parameter live: Answers for the story's hosts instead of what the story says they publish; for every host where the
  ///   story names no site.
  init(
    _ story: Story, seed: UInt64, clock virtual: VirtualClock, files: AssociationCache = AssociationCache(),
    live: Transport?, plant: PlantedBug? = nil, isWatched: Bool = false
  ) {
    let chance = SeededGenerator(seed: seed)
    let clock = SimulationClock(virtual)
    let trace = Trace(
      clock: clock, start: story.start, limit: story.eventLimit, devices: story.devices.map { $0.name })
    let traffic = Traffic(clock: clock, trace: trace, limit: story.eventLimit)
    var regions = Dictionary(
      story.devices.map { ($0.name, $0.region) }, uniquingKeysWith: { first, _ in first })
    regions[FetchClient.crawler.name] = story.cdnSwitches.crawlerRegion
    let network = Network(
      clock: clock, chance: chance.fork("network"), live: live,
      isEveryHostLive: live != nil && story.sites.isEmpty, traffic: traffic, regions: regions,
      faults: story.faults,
      note: { client, lane, fault in await trace.record(client.name, fault, lane: lane) })
    let cdn = ContentDeliveryNetwork(
      now: { clock.now }, transport: { await network.ask($0, by: $1, $2, lane: "cdn") },
      switches: story.cdnSwitches, named: story.cdnName, holding: story.cdnAnswers,
      copyLife: CopyLife(faults: story.faults, plant: plant, chance: chance.fork("stale copies")),
      note: { crawl in await trace.record("cdn", crawl, lane: crawl.host) })
    let surroundings = DeviceSurroundings(
      clock: clock, network: network, cdn: cdn, cache: files, trace: trace, traffic: traffic,
      switches: story.deviceSwitches, faults: story.faults, plant: plant,
      authorities: story.authorities, start: story.start)
    self.clock = clock
    self.trace = trace
    self.traffic = traffic
    self.isWatched = isWatched
    self.plant = plant
    self.network = network
    self.cdn = cdn
    devices = story.devices.map {
      SimulatedDevice($0, in: surroundings, chance: chance.fork("device " + $0.name))
    }
  }
}
