import AppSiteAssociation
import LinkspanCore
import LinkspanStories
import PushDelivery
internal import PushProvider
internal import PushTerms
import SimulatedDevices

/// Puts pushes into a made-up story: anything a story file could say about them.
///
/// It draws from a generator of its own, so that the rest of the story is the same with pushes and without.
struct SwarmPushes {
  private var chance: SeededGenerator

  private static let payloads = [
    #"{"aps":{"content-available":1},"count":1}"#, #"{"aps":{"content-available":1},"count":2}"#,
    #"{"aps":{"alert":"Hello"}}"#, #"{"aps":{"alert":"Hello","content-available":1}}"#,
    #"{"aps":{"badge":3}}"#, #"{"aps":{"alert":"Hello","mutable-content":1}}"#,
    #"{"aps":{}}"#,
  ]

  /// - Parameter limit: The most steps a story may have.
  static func add(to story: inout Story, seed: UInt64, limit: Int) {
    var maker = SwarmPushes(chance: SeededGenerator(seed: seed).fork("swarm pushes"))
    // Two stories in three are about links alone.
    guard maker.often(1, in: 3) else { return }
    maker.fill(&story, limit: limit)
  }

  private mutating func fill(_ story: inout Story, limit: Int) {
    for place in story.apps.indices { story.apps[place].push = app() }
    story.deviceSwitches.pushesAsObserved = often(1, in: 3)
    story.deviceSwitches.groupsLowPriorityPushes = often(1, in: 6)
    addLaunches(&story, limit: limit)
    let room = limit - story.script.count
    guard room > 0 else { return }
    for _ in 1...min(chance.draw(5...25), Int64(room)) {
      let step = StoryStep(.push(step(story)), at: .init(file: story.name))
      // The first step installs.
      story.script.insert(step, at: Int(chance.draw(1...Int64(story.script.count))))
    }
  }

  /// Has most apps opened after they were installed: an app that never was has no token, so nothing could be sent to it.
  private mutating func addLaunches(_ story: inout Story, limit: Int) {
    var place = 0
    while place < story.script.count, story.script.count < limit {
      if case .install(let apps, let devices) = story.script[place].action, often(5, in: 6) {
        story.script.insert(
          StoryStep(.launch(apps: apps, devices: devices), at: .init(file: story.name)), at: place + 1)
        place += 1
      }
      place += 1
    }
  }

  private mutating func app() -> AppPush {
    var push = AppPush()
    push.environment = one([.production, .production, .production, .sandbox, .sandbox, nil])
    push.modes = one([
      ["remote-notification"], ["remote-notification", "audio"], ["remote-notification", "fetch"], [],
    ])
    if often(1, in: 3) { push.fetchInterval = one([.zero, .seconds(3600)]) }
    if often(1, in: 4) {
      push.service = ServicePlan(duration_ms: one([nil, 2000, 40_000]), text: "Longer news")
    }
    push.permission = one(PushApp.Permission.allCases)
    push.plan = plan()
    return push
  }

  private mutating func plan() -> HandlerPlan {
    HandlerPlan(
      duration_ms: one([nil, 1000, 4000, 30_000, 40_000]), result: one(HandlerPlan.Result.allCases),
      badge: one([nil, 1]), notification: one([nil, "News"]))
  }

  private mutating func step(_ story: Story) -> PushStep {
    // The first app is on every device; the others perhaps.
    let app = often(1, in: 2) ? 0 : Int(chance.draw(0...Int64(story.apps.count - 1)))
    let devices = story.devices.indices.filter { _ in often(2, in: 3) }
    let places = devices.isEmpty ? [0] : devices
    switch chance.draw(0...10) {
    case 10:
      var change = PushAppChange(app: app, devices: places)
      change.tapsNotification = true
      return .app(change)
    case 0...4: return .send(sending(story, app, places))
    case 5, 6:
      var change = PushAppChange(app: app, devices: places)
      change.life = one([.foreground, .background, .suspended, .suspended, .terminated, .forceQuit])
      return .app(change)
    case 7:
      var change = PushAppChange(app: app, devices: places)
      change.permission = one(PushApp.Permission.allCases)
      change.allowsBackgroundRefresh = !often(1, in: 4)
      change.plan = plan()
      return .app(change)
    default:
      var change = PushDeviceChange(devices: places)
      change.isOnline = !often(1, in: 3)
      change.power = one(DeviceConditions.Power.allCases)
      change.isInUse = often(1, in: 2)
      change.hasDebugger = often(1, in: 8)
      return .device(change)
    }
  }

  private mutating func sending(_ story: Story, _ app: Int, _ devices: [Int]) -> PushSending {
    let bytes = Array(one(Self.payloads).utf8)
    guard let payload = try? ReceivedPayload(bytes), let root = JSONParser.parse(bytes).root else {
      preconditionFailure("the swarm's own payloads can be read")
    }
    var push = SentPush(payload, server: story.apps[app].push?.environment ?? .production)
    if often(1, in: 10) { push.server = one([PushEnvironment.sandbox, .production]) }
    if often(1, in: 5) { push.priority = one(PushPriority.allCases) }
    if often(1, in: 8) { push.kind = one(SentPush.simulatedTypes) }
    if often(1, in: 4) { push.collapseIdentifier = "news" }
    return PushSending(
      payload: root.json, app: app, devices: devices, push: push,
      lifetime: one([nil, nil, .zero, .seconds(60), .seconds(86_400)]), expectations: [])
  }

  private mutating func often(_ numerator: Int64, in denominator: Int64) -> Bool {
    chance.chance(numerator, in: denominator)
  }

  private mutating func one<Element>(_ elements: [Element]) -> Element {
    elements[Int(chance.draw(0...Int64(elements.count - 1)))]
  }
}
