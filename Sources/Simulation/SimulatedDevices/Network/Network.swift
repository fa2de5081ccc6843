import AppSiteAssociation
internal import AssociatedDomains
package import AssociationDelivery
package import LinkspanCore

/// Carries requests from clients to hosts as the story's facts about each host allow.
///
/// The delays of each lane to each host come from a generator of their own, so that one asking more, or earlier
/// in the same moment, changes nobody else's.
package actor Network {
  private let clock: SimulationClock
  /// Answers for the hosts of the story in place of their handlers; nil for a world in memory.
  private let live: Transport?
  /// Whether hosts without a handler are asked as well.
  private let isEveryHostLive: Bool
  private let traffic: Traffic
  /// Where each client is, by its name in a trace.
  private let regions: [String: String]
  private let chance: SeededGenerator
  private let faults: FaultOptions
  /// Told of every fault, for a trace.
  private let note: @Sendable (_ client: FetchClient, _ lane: String, _ fault: RoadFault) async -> Void
  private var handlers: [String: HTTPHandler] = [:]
  private var facts: [String: HostFacts] = [:]
  private var generators: [String: SeededGenerator] = [:]

  /// How long it takes to learn that a name has no address, in milliseconds. Ours.
  private static let lookup_ms: ClosedRange<Int64> = 5...60

  /// - Parameter isEveryHostLive: Whether `live` also answers for hosts that publish nothing.
  package init(
    clock: SimulationClock, chance: SeededGenerator, live: Transport?, isEveryHostLive: Bool = false,
    traffic: Traffic, regions: [String: String],
    faults: FaultOptions = .none,
    note: @escaping @Sendable (FetchClient, String, RoadFault) async -> Void = { _, _, _ in }
  ) {
    self.clock = clock
    self.traffic = traffic
    self.regions = regions
    self.chance = chance
    self.live = live
    self.isEveryHostLive = isEveryHostLive
    self.faults = faults
    self.note = note
  }

  /// Gives a host something that answers; a host without is unresolvable.
  package func publish(_ handler: @escaping HTTPHandler, at host: String) { handlers[host] = handler }

  package func change(_ host: String, to facts: HostFacts) { self.facts[host] = facts }

  /// What is out of the ordinary about a host, as the reason of a failure: "a filter there drops Apple's crawler".
  package func filter(at host: String) -> String? {
    guard let facts = facts[host] else { return nil }
    if facts.drops != .nobody { return "a filter there drops \(facts.drops.words)" }
    if facts.forbids != .nobody { return "a filter there forbids \(facts.forbids.words)" }
    if let regions = facts.regions {
      return "a filter there answers only \(regions.joined(separator: ", "))"
    }
    return nil
  }

  /// - Parameter lane: Whose requests follow each other: the crawler's, or those for one entry of one device.
  package func ask(_ request: HTTPRequest, by client: FetchClient, _ options: FetchOptions, lane: String)
    async
    -> FetchResult
  {
    var request = request
    request.fields["User-Agent"] = client.userAgent
    let begun = await traffic.begin(from: client.name, to: request.host)
    let trouble = await trouble(lane, request.host, client)
    let result = trouble.spoil(await carry(request, by: client, options, lane: lane, trouble))
    await traffic.end(begun, request, result, because: options.cause)
    return result
  }

  private func trouble(_ lane: String, _ host: String, _ client: FetchClient) async -> RoadTrouble {
    guard faults != .none else { return RoadTrouble() }
    let name = "faults of " + lane + " to " + host
    let trouble = RoadTrouble(faults, &generators[name, default: chance.fork(name)], isOrigin: true)
    if let words = trouble.words {
      await note(client, lane + " " + host, RoadFault(host: host, words: words))
    }
    return trouble
  }

  private func carry(
    _ request: HTTPRequest, by client: FetchClient, _ options: FetchOptions, lane: String,
    _ trouble: RoadTrouble
  ) async -> FetchResult {
    let host = request.host
    let facts = facts[host] ?? HostFacts()
    let region = regions[client.name] ?? HostFacts.usualRegion
    let isKnown = handlers[host] != nil || isEveryHostLive
    // A tester who sends Apple's crawler to a host of this machine has given that name an address.
    let isOutOfReach = live == nil && client == .crawler && !AssociatedDomain.isPublicName(host)
    if facts.isUnresolvable || !isKnown || isOutOfReach || trouble.hasNoAddress {
      await pause(Self.lookup_ms, lane, host)
      return .failed(.unresolvable)
    }
    if let address = facts.privateAddress, client == .crawler {
      await pause(Self.lookup_ms, lane, host)
      return .failed(.privateAddress(address))
    }
    let delay = trouble.delay(.milliseconds(draw(facts.latency_ms, lane, host)))
    if facts.drops(client, from: region) || trouble.isLost || delay > options.timeout {
      await clock.pause(options.timeout)
      return .failed(.timedOut)
    }
    await clock.pause(delay)
    if facts.isDown { return .failed(.unreachable("Connection refused")) }
    if let problem = facts.certificate, !options.acceptsAnyCertificate {
      return .failed(.certificate(problem))
    }
    if facts.forbids(client, from: region) { return .answered(.text(403, "Forbidden")) }
    if let live {
      var options = options
      options.time = clock.now
      return await live(request, client, options)
    }
    guard let handler = handlers[host] else { return .failed(.unresolvable) }
    return .answered(handler(request))
  }

  private func pause(_ range_ms: ClosedRange<Int64>, _ lane: String, _ host: String) async {
    await clock.pause(.milliseconds(draw(range_ms, lane, host)))
  }

  private func draw(_ range: ClosedRange<Int64>, _ lane: String, _ host: String) -> Int64 {
    let name = lane + " to " + host
    return generators[name, default: chance.fork(name)].draw(range)
  }
}
