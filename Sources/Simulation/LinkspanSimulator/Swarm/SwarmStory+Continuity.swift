internal import AppLifecycle
internal import Handoff
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// Activities, arrivals and screens of stories that are made up.
extension SwarmStory {
  private static let types = ["com.example.viewing", "com.example.editing", "com.example.Editing"]

  /// Ours: as long as a story of the swarm may be.
  private static let stepLimit = 60

  /// Adds what apps and devices have for it, and steps between the others.
  ///
  /// Drawn by a generator of its own, so that the rest of the story stays what it was.
  mutating func addContinuity() {
    let usual = chance
    chance = SeededGenerator(seed: story.seed).fork("swarm continuity")
    defer { chance = usual }
    guard often(1, in: 2) else { return }
    for place in story.apps.indices where often(3, in: 4) { story.apps[place].continuity = continuity() }
    for place in story.devices.indices where often(1, in: 5) {
      story.devices[place].handoff = handoffSwitches()
    }
    for _ in 1...chance.draw(1...8) where story.script.count < Self.stepLimit {
      // Never first: there is nothing installed yet.
      let place = Int(chance.draw(1...Int64(story.script.count)))
      let step = StoryStep(.continuity(continuityStep()), at: .init(file: story.name))
      story.script.insert(step, at: place)
    }
  }

  private mutating func continuity() -> AppContinuity {
    var app = AppContinuity()
    app.activityTypes = some(Self.types, 1...2)
    if often(1, in: 10) { app.signer = "QWERT67890" }
    app.shape.lifeCycle = one(LifeCycle.allCases)
    app.shape.sdk = one([18, 26, 27])
    app.shape.continuesActivities = often(2, in: 3)
    app.code.forwarding = one(LinkCode.Forwarding.allCases)
    app.code.readiness = one(LinkCode.Readiness.allCases)
    app.code.queues = often(2, in: 3)
    app.code.ignoresRepeats = often(2, in: 3)
    app.code.routes = often(4, in: 5)
    app.code.unroutable = one(LinkCode.Unroutable.allCases)
    app.code.page = one(LinkCode.Page.allCases)
    app.cover = one(CoverPolicy.allCases)
    app.presents = often(1, in: 6)
    return app
  }

  private mutating func handoffSwitches() -> HandoffDevice.Switches {
    var switches = HandoffDevice.Switches()
    for key in HandoffDevice.Switches.keys where often(1, in: 4) {
      switches[keyPath: key.path] = !key.usual
    }
    if often(1, in: 4) { switches.account = "another" }
    if often(1, in: 4) { switches.userInfoLimitBytes = one([100, ActivityValue.advisedBytes]) }
    return switches
  }

  private mutating func continuityStep() -> ContinuityStep {
    let app = one(Array(story.apps.indices))
    switch chance.draw(0...2) {
    case 0 where story.devices.count > 1: return .handoff(handoffMove(app))
    case 1:
      return .screen(ScreenMove(some(ScreenEvent.allCases, 1...4), app: app, devices: someDevices()))
    default:
      return .arrive(
        ArrivalMove(
          one(Entrance.allCases), app: app, devices: someDevices(), start: one([nil, .cold, .warm])))
    }
  }

  private mutating func handoffMove(_ app: Int) -> HandoffMove {
    let devices = some(Array(story.devices.indices), 2...3)
    let isPage = often(1, in: 2)
    var activity = UserActivity.page(one(story.links))
    if !isPage {
      activity = UserActivity(type: one(Self.types), webpageURL: often(1, in: 3) ? one(story.links) : nil)
      activity.userInfo = .dictionary([.init(key: "draft", value: .data(one([10, 3000, 4000])))])
      activity.needsSave = often(1, in: 2)
      if often(1, in: 3) { activity.streamBytes = 100_000 }
      activity.isEligibleForHandoff = often(9, in: 10)
    }
    var move = HandoffMove(
      activity, app: isPage ? nil : app, from: devices[0], devices: devices.dropFirst().sorted())
    move.start = one([nil, .cold, .warm])
    if often(1, in: 5) { move.trouble = one(TransferTrouble.allCases) }
    if often(1, in: 4) { move.restores = 2 }
    if often(1, in: 4) { move.updates = 1 }
    return move
  }
}
