import AppSiteAssociation
internal import AssociationDelivery
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// Makes a story up from a seed: anything a story file could say, and rather what goes wrong.
struct SwarmStory {
  var chance: SeededGenerator
  var story: Story
  private var hosts: [String] = []

  private static let everyHost = [
    "e.test", "www.e.test", "users.e.test", "shop.test", "qa.shop.test", "x.test",
  ]
  private static let identifiers = [
    "ABCDE12345.com.example.app", "ABCDE12345.com.example.other", "FGHIJ67890.com.example.app",
  ]
  /// From iOS 9 to 26, on both sides of every release that changed something, and some Macs and watches.
  private static let releases = [
    OSVersion(.iOS, 9, 0), OSVersion(.iOS, 9, 2), OSVersion(.iOS, 9, 3), OSVersion(.iOS, 10, 3),
    OSVersion(.iOS, 12, 4), OSVersion(.iOS, 13, 0), OSVersion(.iOS, 13, 7), OSVersion(.iOS, 14, 0),
    OSVersion(.iOS, 15, 8), OSVersion(.iOS, 17, 4), OSVersion(.iOS, 18, 2), OSVersion(.iOS, 26, 0),
    OSVersion(.macOS, 10, 15), OSVersion(.macOS, 11, 0), OSVersion(.macOS, 14, 4), OSVersion(.watchOS, 10, 0),
  ]
  private static let regions = ["US", "JP", "DE"]
  private static let paths = ["/a", "/a/b", "/a/b/c", "/b", "/shop/1", "/shop/1?q=x", "/shop/1#top", "/"]
  private static let patterns = ["*", "/a", "/a/*", "/b", "/shop/*", "/shop/?", "/a/?*", "*/c"]
  private static let waits_s: [Int64] = [
    30, 600, 3540, 3600, 3660, 10_800, 11_200, 21_600, 21_700, 86_400, 259_200, 423_000, 432_100, 600_000,
  ]
  /// Ours: 2026-09-14T08:00:00Z, as in the examples.
  private static let start = WallTime(milliseconds: 1_789_372_800_000)

  /// The story of a seed, always the same.
  static func make(seed: UInt64) -> Story {
    var maker = SwarmStory(seed: seed)
    maker.fill()
    SwarmPushes.add(to: &maker.story, seed: seed, limit: 60)
    SwarmClips.add(to: &maker.story, seed: seed, limit: 60)
    return maker.story
  }

  private init(seed: UInt64) {
    chance = SeededGenerator(seed: seed).fork("swarm")
    story = Story(name: "swarm-\(seed)", seed: seed, start: Self.start)
    story.eventLimit = 50_000
  }

  private mutating func fill() {
    hosts = some(Self.everyHost, 1...4)
    for host in hosts where !often(1, in: 10) { story.sites[host] = site() }
    for host in hosts where often(1, in: 4) { story.network[host] = facts() }
    switches()
    faults()
    for number in 1...Int(chance.draw(1...3)) { story.apps.append(app(number)) }
    for number in 1...Int(chance.draw(1...4)) {
      story.devices.append(device(number))
    }
    for _ in 1...chance.draw(2...6) {
      let host = often(1, in: 5) ? "sub." + one(hosts) : one(hosts)
      let link = "https://" + host + one(Self.paths)
      if !story.links.contains(link) { story.links.append(link) }
    }
    add(.install(apps: [0], devices: Array(story.devices.indices)))
    for _ in 1...chance.draw(9...59) { add(action()) }
    addContinuity()
  }

  mutating func add(_ action: StoryStep.Action) {
    story.script.append(StoryStep(action, at: .init(file: story.name)))
  }

  // MARK: - Parties

  private mutating func device(_ number: Int) -> DeviceTraits {
    var device = DeviceTraits(
      name: "device-\(number)", os: one(Self.releases), isDeveloper: often(1, in: 3),
      isManaged: often(1, in: 4))
    if often(1, in: 4) { device.region = one(Self.regions) }
    if often(1, in: 6) {
      device.managedEntries[one(story.apps).build.identifier] = ["applinks:" + one(hosts)]
    }
    return device
  }

  private mutating func site() -> Site {
    var documents = [document()]
    if often(1, in: 4) {
      var root = document()
      root.path = AssociationLocation.root.rawValue
      documents.append(root)
      if often(1, in: 2) { documents.removeFirst() }
    }
    return Site(documents)
  }

  private mutating func document() -> Site.Document {
    switch chance.draw(0...15) {
    case 0: return .init(status: Int(one([301, 302, 307])), location: "https://www.\(one(hosts))/")
    case 1: return .init(status: Int(one([403, 404, 410, 429])))
    case 2: return .init(status: Int(one([500, 502, 503])))
    case 3: return .init(contentType: "text/html", body: Array("<html>".utf8))
    case 4: return .init(body: Array(one(["{", "[]", "{}", "// none\n{}", ""]).utf8))
    case 5 where often(1, in: 4):
      let filler = String(repeating: "x", count: AssociationLocation.maximumFileBytes)
      return .init(body: JSON.object([("comment", .string(filler))]).bytes)
    default: return .init(body: file().bytes)
    }
  }

  private mutating func file() -> JSON {
    var entries: [JSON] = []
    for _ in 1...chance.draw(1...3) {
      let identifier = JSON.string(one(Self.identifiers))
      if often(1, in: 2) {
        let paths = some(Self.patterns, 1...3).map { JSON.string(often(1, in: 4) ? "NOT " + $0 : $0) }
        entries.append(.object([("appID", identifier), ("paths", .array(paths))]))
      } else {
        entries.append(.object([("appIDs", .array([identifier])), ("components", .array(components()))]))
      }
    }
    let apps: [(String, JSON)] = often(1, in: 5) ? [] : [("apps", .array([]))]
    return .object([("applinks", .object(apps + [("details", .array(entries))]))])
  }

  private mutating func components() -> [JSON] {
    some(Self.patterns, 1...3).map { pattern in
      var members: [(String, JSON)] = [("/", .string(pattern))]
      if often(1, in: 4) { members.append(("exclude", .bool(true))) }
      if often(1, in: 5) { members.append(("?", .object([("q", .string("?*"))]))) }
      return .object(members)
    }
  }

  private mutating func facts() -> HostFacts {
    var facts = HostFacts()
    switch chance.draw(0...10) {
    case 0: facts.isUnresolvable = true
    case 1: facts.privateAddress = "10.0.0.5"
    case 2: facts.drops = .crawler
    case 3: facts.drops = .everybody
    case 4: facts.forbids = one([.crawler, .devices, .everybody])
    case 5: facts.isDown = true
    case 6: facts.certificate = one([.expired, .wrongName, .untrusted])
    case 7: facts.latency_ms = 1000...chance.draw(1000...9000)
    case 8:
      facts.regions = some(Self.regions, 1...2)
      facts.elsewhere = one(HostFacts.Fence.allCases)
    case 9: facts.drops = .devices
    default: break
    }
    return facts
  }

  private mutating func app(_ number: Int) -> Story.App {
    var entries: [String] = []
    for _ in 1...chance.draw(1...4) {
      var entry = "applinks:" + (often(1, in: 4) ? "*." : "") + one(hosts)
      if often(1, in: 4) { entry += "?mode=" + one(["developer", "managed", "developer+managed"]) }
      if often(1, in: 20) { entry += ":8080" }
      entries.append(entry)
    }
    var build = AppBuild(
      identifier: one(Self.identifiers), entries: entries, kind: one(BuildKind.allCases))
    build.isOnRemoteVolume = often(1, in: 20)
    return Story.App(name: "app-\(number)", build: build)
  }

  private mutating func switches() {
    story.cdnSwitches.asksRootAfterNotFound = often(2, in: 3)
    story.cdnSwitches.followsRedirectInsideDomain = often(1, in: 5)
    story.deviceSwitches.asksHostWhenTold = often(1, in: 5)
    story.deviceSwitches.keepsApprovalAfterRefusal = often(1, in: 3)
    story.deviceSwitches.waitsAfterBoot = often(1, in: 5)
    story.cdnSwitches.keepsOldCopy = often(1, in: 5)
    if often(1, in: 5) { story.cdnSwitches.crawlerRegion = one(Self.regions) }
    if often(1, in: 8) { story.cdnSwitches.positiveLife_s = 3600 }
    if often(1, in: 8) { story.cdnSwitches.negativeLife_s = 1800 }
    if often(1, in: 8) { story.cdnSwitches.crawlTimeout_s = one([1, 30]) }
    if often(1, in: 20) { story.cdnSwitches.largestFileBytes = 100 }
  }

  private mutating func faults() {
    // One story in four has none, so that what fails there is not a fault's doing.
    guard !often(1, in: 4) else { return }
    for knob in FaultOptions.knobs where often(1, in: 3) {
      story.faults[keyPath: knob.path] = one([
        Likelihood(1, in: 3), Likelihood(1, in: 10), Likelihood(1, in: 50),
      ])
    }
    if often(1, in: 3) { story.faults.clockDrift_ppm = one([20, 200, 50_000]) }
  }

  // MARK: - Steps

  private mutating func action() -> StoryStep.Action {
    switch chance.draw(0...20) {
    case 0...6: return .wait(.seconds(one(Self.waits_s)))
    case 7...10:
      return .tap(
        links: Array(story.links.indices), way: way(), devices: someDevices(), expectations: [])
    case 11: return .install(apps: someApps(), devices: someDevices())
    case 12: return .update(apps: someApps(), devices: someDevices())
    case 13: return .reinstall(apps: someApps(), devices: someDevices())
    case 14: return often(1, in: 2) ? .delete(apps: someApps(), devices: someDevices()) : reboot()
    case 15: return .deploy([one(hosts): site()])
    case 16, 17: return .network([one(hosts): facts()])
    case 18: return .choose(browser: often(1, in: 2), host: one(hosts), devices: someDevices())
    case 19: return .launch(apps: someApps(), devices: someDevices())
    default: return reboot()
    }
  }

  private mutating func reboot() -> StoryStep.Action { .reboot(devices: someDevices()) }

  private mutating func way() -> WayOfFollowing {
    switch chance.draw(0...19) {
    case 0: .typed
    case 1, 2: .safari(pageHost: one(hosts))
    case 3: .ownApp(identifier: one(story.apps).build.identifier)
    case 4: .longPress(browser: often(1, in: 2))
    case 5: .redirect(through: some(story.links, 1...2))
    case 6: .tracker(through: some(story.links, 1...2))
    case 7: .webView(identifier: often(1, in: 2) ? one(story.apps).build.identifier : nil)
    case 8...10:
      one([
        .mail, .notes, .otherApp, .script, .universalLinksOnly, .safariViewController, .otherBrowser,
        .inAppBrowser, .qrCode, .nfcTag, .handoff, .spotlight, .clipCard, .smartBanner,
      ])
    default: .messages
    }
  }

  mutating func someDevices() -> [Int] { some(Array(story.devices.indices), 1...4).sorted() }

  private mutating func someApps() -> [Int] { some(Array(story.apps.indices), 1...2) }

  // MARK: - Chance

  mutating func often(_ numerator: Int64, in denominator: Int64) -> Bool {
    chance.chance(numerator, in: denominator)
  }

  mutating func one<Element>(_ elements: [Element]) -> Element {
    elements[Int(chance.draw(0...Int64(elements.count - 1)))]
  }

  /// Different ones, as many as the range says and there are.
  mutating func some<Element>(_ elements: [Element], _ count: ClosedRange<Int>) -> [Element] {
    var rest = elements
    var chosen: [Element] = []
    for _ in 0..<min(Int(chance.draw(Int64(count.lowerBound)...Int64(count.upperBound))), rest.count) {
      chosen.append(rest.remove(at: Int(chance.draw(0...Int64(rest.count - 1)))))
    }
    return chosen
  }
}
