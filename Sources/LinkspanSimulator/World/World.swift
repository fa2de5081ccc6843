import LinkspanCore

/// Everybody in a story, on one clock.
struct World: Sendable {
  let pace: Pace
  let trace: Trace
  /// Who asked whom; kept only for those who watch over the invariants.
  let ledger: Ledger?
  let network: Network
  let cdn: ContentDeliveryNetwork
  /// In the order of the story.
  let devices: [Device]

  /// - Parameter live: Answers for the hosts of the story in place of what the story says they publish.
  init(
    _ story: Story, seed: UInt64, clock: VirtualClock, live: Transport?, plant: PlantedBug? = nil,
    isWatched: Bool = false
  ) {
    let chance = SeededGenerator(seed: seed)
    let pace = Pace(clock: clock)
    let trace = Trace(
      pace: pace, start: story.start, limit: story.eventLimit, devices: story.devices.map(\.name))
    let ledger = isWatched ? Ledger() : nil
    let network = Network(
      pace: pace, chance: chance.fork("network"), live: live, faults: story.faults, ledger: ledger,
      note: { asker, lane, fields in await trace.record(asker.name, "fault", lane: lane, fields) })
    let cdn = ContentDeliveryNetwork(
      clock: clock, transport: { await network.ask($0, by: $1, $2, lane: "cdn") },
      switches: story.cdnSwitches, holding: story.cdnAnswers,
      copyLife: CopyLife(faults: story.faults, plant: plant, chance: chance.fork("stale copies")),
      note: { host, fields in await trace.record("cdn", "crawl", lane: host, fields) })
    let surroundings = DeviceSurroundings(
      pace: pace, network: network, cdn: cdn, cache: AssociationCache(), trace: trace,
      switches: story.deviceSwitches, faults: story.faults, plant: plant, ledger: ledger)
    self.pace = pace
    self.trace = trace
    self.ledger = ledger
    self.network = network
    self.cdn = cdn
    devices = story.devices.map {
      Device($0, in: surroundings, chance: chance.fork("device " + $0.name))
    }
  }
}
