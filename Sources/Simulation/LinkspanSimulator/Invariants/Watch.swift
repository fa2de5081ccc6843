import AppSiteAssociation
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// Checks the invariants after every step of a run.
struct Watch {
  private let story: Story
  private let world: World
  private var watchers: [(invariant: Invariant, watcher: any InvariantWatcher)]
  private var index = 0
  private var eventCount = 0
  private var exchangeCount = 0
  private var began: Duration = .zero
  private var devices: [DeviceSnapshot]
  private var published: [String: [[UInt8]]] = [:]
  private var facts: [String: HostFacts]

  init(_ story: Story, over world: World) {
    self.story = story
    self.world = world
    watchers = Invariant.all.map { ($0, $0.watcher()) }
    devices = story.devices.map { DeviceSnapshot(traits: $0, apps: [], records: []) }
    facts = story.network
    publish(story.sites)
  }

  /// - Returns: What does not hold; empty when all is well.
  mutating func look(after step: StoryStep, taps: [StepRecord.Tap]) async -> [Violation] {
    switch step.action {
    case .deploy(let sites): publish(sites)
    case .network(let changed): facts.merge(changed) { $1 }
    default: break
    }
    let events = await world.trace.events(after: eventCount)
    let exchanges = await world.traffic.exchanges(after: exchangeCount)
    let before = devices
    // Of all ways to follow a link only a long press changes what a device knows.
    if step.action.changesDevices {
      for (place, device) in world.devices.enumerated() { devices[place] = await device.snapshot }
    }
    let record = StepRecord(
      story: story, index: index, action: step.action, began: began, events: events,
      exchanges: exchanges, taps: taps, before: before, after: devices, published: published,
      facts: facts)
    index += 1
    eventCount += events.count
    exchangeCount += exchanges.count
    began = world.clock.now
    return look(record, step.location)
  }

  private mutating func look(_ record: StepRecord, _ location: Finding.Location) -> [Violation] {
    var violations: [Violation] = []
    for place in watchers.indices {
      for detail in watchers[place].watcher.problems(record) {
        violations.append(
          Violation(
            invariant: watchers[place].invariant, step: record.index, location: location, detail: detail))
      }
    }
    return violations
  }

  private mutating func publish(_ sites: [String: Site]) {
    for (host, site) in sites { published[host, default: []] += site.documents.map(\.body) }
  }
}

extension StoryStep.Action {
  fileprivate var changesDevices: Bool {
    switch self {
    case .tap(_, let way, _, _): way.navigation.choosesBrowser != nil
    case .push(.device): true
    case .expect, .push, .continuity, .clip: false
    default: true
    }
  }
}
