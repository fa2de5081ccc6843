import AppSiteAssociation
import AssociatedDomains
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// One way of making a story smaller: a list of things in it, and what it would be with less of one.
struct StoryReduction: Sendable {
  var count: @Sendable (Story) -> Int
  /// Smaller stories, the smallest first; none when nothing can go.
  var candidates: @Sendable (Story, Int) -> [Story]

  static var kinds: [StoryReduction] {
    [
      lost, chance, devices, apps, faults, switches, beginnings, sites, facts, devicesOfSteps, appsOfSteps,
      links, entries, documents, traits, releases, builds, ways, waits, again, seeds,
    ] + continuity + [clips]
  }

  /// A host that answers nobody.
  private static let silence: HostFacts = {
    var facts = HostFacts()
    facts.drops = .everybody
    return facts
  }()

  /// What chance did becomes what the script says: before the last step a host is lost to everybody, and there are
  /// no faults.
  private static let chance = StoryReduction(count: { _ in 1 }) { story, _ in
    guard story.faults != .none, let last = story.script.last else { return [] }
    return story.sites.keys.sorted().map { host in
      var story = story
      story.faults = .none
      let step = StoryStep(.network([host: silence]), at: last.location)
      story.script.insert(step, at: story.script.count - 1)
      return story
    }
  }

  /// The plainest story of a host that is lost: its file is there when the apps are installed, and then nobody is
  /// answered until devices have looked again (R1, V2).
  private static let lost = StoryReduction(count: { _ in 1 }) { story, _ in
    guard let first = story.script.first, let last = story.script.last else { return [] }
    var plain = story
    (plain.faults, plain.network, plain.links) = (.none, [:], [])
    for step in story.script {
      if case .deploy(let sites) = step.action { plain.sites.merge(sites) { $1 } }
    }
    plain.devices = story.devices.map { device in
      DeviceTraits(
        name: device.name, os: device.os.fetchesThroughCDN ? OSVersion(.iOS, 13, 7) : device.os)
    }
    return plain.sites.keys.sorted().map { host in
      var story = plain
      let actions: [StoryStep.Action] = [
        .install(apps: Array(story.apps.indices), devices: Array(story.devices.indices)),
        .network([host: silence]), .wait(.seconds(432_000)),
      ]
      story.script = zip(actions, [first, last, last]).map { StoryStep($0, at: $1.location) }
      return story
    }
  }

  /// What a step changes about the sites and the network is so from the beginning.
  private static let beginnings = StoryReduction(count: { $0.script.count }) { story, place in
    var smaller = story
    switch smaller.script.remove(at: place).action {
    case .deploy(let sites): smaller.sites.merge(sites) { $1 }
    case .network(let facts): smaller.network.merge(facts) { $1 }
    default: return []
    }
    return smaller.script.isEmpty ? [] : [smaller]
  }

  /// Waits that end at or behind the moments when something is due: C6, R1, C5, V2.
  private static let waits = StoryReduction(count: { $0.script.count }) { story, place in
    guard case .wait(let duration) = story.script[place].action else { return [] }
    let shorter: [Duration] = [1, 3600, 11_100, 21_600, 86_400, 432_000].map { .seconds($0) }
    return shorter.filter { $0 < duration }.map { wait in
      var story = story
      story.script[place].action = .wait(wait)
      return story
    }
  }

  /// Another chance, by which fewer faults may strike. A few are enough.
  private static let seeds = StoryReduction(count: { _ in 1 }) { story, _ in
    guard story.faults != .none else { return [] }
    return (1...10 as ClosedRange<UInt64>).map { seed in
      var story = story
      story.seed = seed
      return story
    }
  }

  private static let devices = StoryReduction(count: { $0.devices.count }) { story, place in
    guard story.devices.count > 1 else { return [] }
    var story = story
    story.devices.remove(at: place)
    return [story.mappingSteps { $0.mapping(devices: without(place)) }]
  }

  private static let apps = StoryReduction(count: { $0.apps.count }) { story, place in
    guard story.apps.count > 1, story.clips.isEmpty else { return [] }
    var story = story
    let gone = story.apps.remove(at: place).build.identifier
    let isLast = !story.apps.contains { $0.build.identifier == gone }
    if isLast {
      for device in story.devices.indices { story.devices[device].managedEntries[gone] = nil }
    }
    return [
      story.mappingSteps { action in
        // Nobody is left whose name could stand for the app that asks.
        if isLast, case .tap(_, let way, _, _) = action, way.navigation.app == gone { return nil }
        return action.mapping(apps: without(place))
      }
    ]
  }

  private static let faults = StoryReduction(count: { _ in FaultOptions.knobs.count + 1 }) { story, place in
    var smaller = story
    if place < FaultOptions.knobs.count {
      smaller.faults[keyPath: FaultOptions.knobs[place].path] = .never
    } else {
      smaller.faults.clockDrift_ppm = 0
    }
    return smaller.faults == story.faults ? [] : [smaller]
  }

  private static let switches = StoryReduction(
    count: { _ in CDNSwitches.Key.allCases.count + DeviceSwitches.keys.count }
  ) { story, place in
    var smaller = story
    let keys = CDNSwitches.Key.allCases
    if place < keys.count {
      let usual = CDNSwitches()
      switch CDNSwitches.place(of: keys[place]) {
      case .flag(let path): smaller.cdnSwitches[keyPath: path] = usual[keyPath: path]
      case .number(let path, _): smaller.cdnSwitches[keyPath: path] = usual[keyPath: path]
      case .size(let path, _): smaller.cdnSwitches[keyPath: path] = usual[keyPath: path]
      case .word(let path): smaller.cdnSwitches[keyPath: path] = usual[keyPath: path]
      }
    } else {
      smaller.deviceSwitches[keyPath: DeviceSwitches.keys[place - keys.count].path] = false
    }
    let isSame =
      smaller.cdnSwitches == story.cdnSwitches && smaller.deviceSwitches == story.deviceSwitches
    return isSame ? [] : [smaller]
  }

  private static let sites = StoryReduction(count: { $0.sites.count }) { story, place in
    var story = story
    story.sites[story.sites.keys.sorted()[place]] = nil
    return [story]
  }

  private static let facts = StoryReduction(count: { $0.network.count }) { story, place in
    var story = story
    story.network[story.network.keys.sorted()[place]] = nil
    return [story]
  }

  /// Each step with one device fewer.
  private static let devicesOfSteps = StoryReduction(count: { $0.script.count }) { story, place in
    story.smaller(place, story.script[place].action.devices) { action, kept in
      action.mapping(devices: { kept.contains($0) ? $0 : nil })
    }
  }

  private static let appsOfSteps = StoryReduction(count: { $0.script.count }) { story, place in
    story.smaller(place, story.script[place].action.apps) { action, kept in
      action.mapping(apps: { kept.contains($0) ? $0 : nil })
    }
  }

  private static let links = StoryReduction(count: { $0.links.count }) { story, place in
    var story = story
    story.links.remove(at: place)
    return [story.mappingSteps { $0.mapping(links: without(place)) }]
  }

  /// Each app with one entry fewer.
  private static let entries = StoryReduction(count: { $0.apps.count }) { story, place in
    story.apps[place].build.entries.indices.map { entry in
      var story = story
      story.apps[place].build.entries.remove(at: entry)
      return story
    }
  }

  /// Each site with one document fewer, or with less in one.
  private static let documents = StoryReduction(count: { $0.sites.count }) { story, place in
    let host = story.sites.keys.sorted()[place]
    let documents = story.sites[host]?.documents ?? []
    return documents.indices.flatMap { index -> [[Site.Document]] in
      var fewer = documents
      fewer.remove(at: index)
      let shorter = smallerFiles(documents[index].body).map { body in
        var changed = documents
        changed[index].body = body
        return changed
      }
      return (fewer.isEmpty ? [] : [fewer]) + shorter
    }
    .map { documents in
      var story = story
      story.sites[host] = Site(documents)
      return story
    }
  }

  private static let traits = StoryReduction(count: { $0.devices.count }) { story, place in
    let device = story.devices[place]
    var smaller = story
    smaller.devices[place] = DeviceTraits(name: device.name, os: device.os)
    return smaller.devices[place] == device ? [] : [smaller]
  }

  /// A device that asks the host itself, so that Apple's CDN is left out of it (V6).
  private static let releases = StoryReduction(count: { $0.devices.count }) { story, place in
    guard story.devices[place].os.fetchesThroughCDN else { return [] }
    var older = story
    older.devices[place].os = OSVersion(.iOS, 13, 7)
    // A filter against Apple's crawler is none against the device.
    var shut = older
    shut.network = shut.network.mapValues(\.keepingEverybodyOut)
    for step in shut.script.indices {
      guard case .network(let facts) = shut.script[step].action else { continue }
      shut.script[step].action = .network(facts.mapValues(\.keepingEverybodyOut))
    }
    return [shut, older]
  }

  /// All there is but one app with one entry, one device that starts anew, and a host without an address: the same question twice
  /// within a moment (V1).
  private static let again = StoryReduction(count: { $0.apps.count }) { story, place in
    story.apps[place].build.entries.compactMap { entry -> Story? in
      guard let domain = try? AssociatedDomain(asDevicesRead: entry), domain.mode == nil else { return nil }
      var alone = story
      alone.apps = [story.apps[place]]
      alone.apps[0].build = AppBuild(identifier: story.apps[place].build.identifier, entries: [entry])
      alone.devices = [story.devices.first { $0.os.fetchesThroughCDN } ?? story.devices[0]]
      (alone.sites, alone.network, alone.links, alone.faults) = ([:], [:], [], .none)
      (alone.clips, alone.deviceSwitches) = ([], DeviceSwitches())
      alone.script = [.install(apps: [0], devices: [0]), .reboot(devices: [0])].map {
        StoryStep($0, at: story.script[0].location)
      }
      return alone
    }
  }

  private static let builds = StoryReduction(count: { $0.apps.count }) { story, place in
    let build = story.apps[place].build
    var smaller = story
    smaller.apps[place].build = AppBuild(identifier: build.identifier, entries: build.entries)
    return smaller.apps[place].build == build ? [] : [smaller]
  }

  private static let ways = StoryReduction(count: { $0.script.count }) { story, place in
    guard case .tap(let links, let way, let devices, _) = story.script[place].action, way != .messages else {
      return []
    }
    var smaller = story
    smaller.script[place].action = .tap(links: links, way: .messages, devices: devices, expectations: [])
    return [smaller]
  }

  private static func without(_ place: Int) -> (Int) -> Int? {
    { $0 == place ? nil : $0 > place ? $0 - 1 : $0 }
  }

  /// The file with one element fewer of one of its arrays, or one optional member fewer of a rule.
  private static func smallerFiles(_ body: [UInt8]) -> [[UInt8]] {
    guard body.count < 10_000, let root = JSONParser.parse(body).root else { return [] }
    return smaller(root.json).map(\.bytes)
  }

  private static func smaller(_ value: JSON) -> [JSON] {
    switch value {
    case .array(let elements):
      return elements.indices.flatMap { place -> [JSON] in
        var fewer = elements
        fewer.remove(at: place)
        return [.array(fewer)]
          + smaller(elements[place]).map { element in
            var changed = elements
            changed[place] = element
            return .array(changed)
          }
      }
    case .object(let members):
      return members.indices.flatMap { place -> [JSON] in
        smaller(members[place].1).map { value in
          var changed = members
          changed[place].1 = value
          return .object(changed)
        }
      }
    default: return []
    }
  }
}

extension Story {
  /// Every step as it becomes; a step that becomes nil goes.
  fileprivate func mappingSteps(_ transform: (StoryStep.Action) -> StoryStep.Action?) -> Story {
    var story = self
    story.script = script.compactMap { step in transform(step.action).map { StoryStep($0, at: step.location) }
    }
    return story
  }

  /// The stories in which a step has one of its places fewer.
  fileprivate func smaller(
    _ step: Int, _ places: [Int], _ transform: (StoryStep.Action, Set<Int>) -> StoryStep.Action?
  ) -> [Story] {
    guard places.count > 1 else { return [] }
    return places.compactMap { place in
      transform(script[step].action, Set(places).subtracting([place])).map { action in
        var story = self
        story.script[step].action = action
        return story
      }
    }
  }
}

extension HostFacts {
  fileprivate var keepingEverybodyOut: HostFacts {
    var facts = self
    if facts.drops == .crawler { facts.drops = .everybody }
    if facts.forbids == .crawler { facts.forbids = .everybody }
    return facts
  }
}

extension StoryStep.Action {
  fileprivate var devices: [Int] {
    switch self {
    case .install(_, let devices), .update(_, let devices), .reinstall(_, let devices),
      .launch(_, let devices), .delete(_, let devices), .tap(_, _, let devices, _),
      .choose(_, _, let devices), .reboot(let devices):
      devices
    case .push(let step): step.devices
    case .continuity(let step): step.devices
    case .clip(let step): step.devices
    case .wait, .deploy, .network, .expect: []
    }
  }

  fileprivate var apps: [Int] {
    switch self {
    case .install(let apps, _), .update(let apps, _), .reinstall(let apps, _), .launch(let apps, _),
      .delete(let apps, _):
      apps
    default: []
    }
  }

  /// The step with other places, without those that become nil; nil when nothing is left of it.
  fileprivate func mapping(
    devices: (Int) -> Int? = { $0 }, apps: (Int) -> Int? = { $0 }, links: (Int) -> Int? = { $0 }
  ) -> StoryStep.Action? {
    func left(_ places: [Int], _ map: (Int) -> Int?) -> [Int]? {
      let mapped = places.compactMap(map)
      return mapped.isEmpty ? nil : mapped
    }
    switch self {
    case .install(let some, let on):
      guard let some = left(some, apps), let on = left(on, devices) else { return nil }
      return .install(apps: some, devices: on)
    case .update(let some, let on):
      guard let some = left(some, apps), let on = left(on, devices) else { return nil }
      return .update(apps: some, devices: on)
    case .reinstall(let some, let on):
      guard let some = left(some, apps), let on = left(on, devices) else { return nil }
      return .reinstall(apps: some, devices: on)
    case .launch(let some, let on):
      guard let some = left(some, apps), let on = left(on, devices) else { return nil }
      return .launch(apps: some, devices: on)
    case .delete(let some, let on):
      guard let some = left(some, apps), let on = left(on, devices) else { return nil }
      return .delete(apps: some, devices: on)
    case .tap(let some, let way, let on, _):
      guard let some = left(some, links), let on = left(on, devices) else { return nil }
      return .tap(links: some, way: way, devices: on, expectations: [])
    case .choose(let browser, let host, let on):
      return left(on, devices).map { .choose(browser: browser, host: host, devices: $0) }
    case .reboot(let on): return left(on, devices).map { .reboot(devices: $0) }
    case .wait, .deploy, .network: return self
    case .push(let step): return step.mapping(devices: devices, apps: apps).map { .push($0) }
    case .continuity(let step): return step.mapping(devices: devices, apps: apps).map { .continuity($0) }
    case .clip(let step): return step.mapping(devices: devices).map { .clip($0) }
    case .expect: return nil
    }
  }
}
