import LinkspanCore
import LinkspanStories
import PushDelivery
import SimulatedDevices

/// The pushes of a story's run: APNs' store and the devices' side of it, beside what the devices know of links.
actor PushRunner {
  private let story: Story
  private let world: World
  /// In the order of the story.
  private var devices: [PushDevice]
  /// The name of each push: by its number, from 1.
  private var names: [String] = []
  /// The last push to an app on a device.
  private var last: [Place: Int] = [:]

  private struct Place: Hashable {
    var app: Int
    var device: Int
  }

  init(story: Story, world: World, seed: UInt64) {
    self.story = story
    self.world = world
    let chance = SeededGenerator(seed: seed)
    devices = story.devices.map {
      var device = PushDevice(
        start: story.start, profile: story.pushProfile, chance: chance.fork("pushes " + $0.name))
      device.groupsLowPriority = story.deviceSwitches.groupsLowPriorityPushes
      return device
    }
  }

  private var now: WallTime { story.start.advanced(by: world.clock.now) }

  // MARK: - Steps of others

  /// Does to the apps what a step of the script did.
  func follow(_ action: StoryStep.Action) async {
    switch action {
    case .install(let apps, let places), .update(let apps, let places):
      await on(places) { device, now in for app in apps { install(app, on: &device, now) } }
    case .reinstall(let apps, let places):
      await on(places) { device, now in
        for app in apps {
          device.delete(bundle(app), at: now)
          install(app, on: &device, now)
        }
      }
    case .delete(let apps, let places):
      await on(places) { device, now in for app in apps { device.delete(bundle(app), at: now) } }
    case .launch(let apps, let places):
      await on(places) { device, now in
        for app in apps { device.move(bundle(app), to: .foreground, at: now) }
      }
    case .reboot(let places): await on(places) { device, now in device.reboot(at: now) }
    default: break
    }
  }

  private nonisolated func bundle(_ app: Int) -> String { story.apps[app].build.bundleIdentifier }

  private nonisolated func install(_ app: Int, on device: inout PushDevice, _ now: WallTime) {
    let build = story.apps[app].build
    let push = story.apps[app].push ?? AppPush()
    let isNew = device.apps[build.bundleIdentifier].map { $0.life == .notInstalled } ?? true
    device.install(
      PushAppTraits(
        bundleIdentifier: build.bundleIdentifier, environment: push.environment, backgroundModes: push.modes,
        isTestFlight: build.kind == .testFlight), at: now)
    device.handlers[build.bundleIdentifier] =
      story.apps[app].continuity.routes == nil ? nil : LibraryPushHandler(story).code
    device.change(build.bundleIdentifier, at: now) {
      $0.plan = push.plan
      $0.fetchPlan = push.fetchPlan
      $0.service = push.service
      $0.fetch.minimum_ms = push.fetchInterval?.wholeMilliseconds
      if isNew { $0.permission = push.permission }
    }
  }

  /// Does what falls due until a moment, at its time.
  func keepGoing(until end: Duration) async {
    await on(Array(devices.indices)) { device, now in device.advance(to: now) }
    let limit = story.start.advanced(by: end)
    while let next = devices.compactMap(\.nextMoment).min(), next <= limit {
      await world.clock.pause(
        until: world.clock.now + .milliseconds(max(0, next.milliseconds - now.milliseconds)))
      let moment = now
      let due = devices.indices.filter { devices[$0].nextMoment.map { $0 <= moment } ?? false }
      await on(due) { device, now in device.advance(to: now) }
    }
  }

  private func on(_ places: [Int], _ work: (inout PushDevice, WallTime) -> Void) async {
    let now = now
    for place in places {
      work(&devices[place], now)
      for event in devices[place].takeEvents() { await record(event, story.devices[place].name) }
    }
  }

  private func record(_ event: DeliveryEvent, _ device: String) async {
    let identifier = story.apps.first { $0.build.bundleIdentifier == event.app }?.build.identifier
    await world.trace.record(
      device, PushHappening.delivery(event, app: identifier ?? event.app), lane: "push")
  }

  // MARK: - Steps of its own

  /// - Returns: What came of expectations.
  func perform(_ step: PushStep) async -> [SimulationResult.Check] {
    switch step {
    case .send(let sending): return await send(sending)
    case .app(let change):
      let bundle = bundle(change.app)
      await on(change.devices) { device, now in
        device.change(bundle, at: now) { app in
          if let plan = change.plan { app.plan = plan }
          if let permission = change.permission { app.permission = permission }
          if let allows = change.allowsBackgroundRefresh { app.allowsBackgroundRefresh = allows }
        }
        if change.tapsNotification { device.tapNotification(bundle, at: now) }
        if let life = change.life { device.move(bundle, to: life, at: now) }
      }
      await note(change.devices, .changedApp(change, app: story.apps[change.app].build.identifier))
    case .device(let change):
      await note(change.devices, .changedDevice(change))
      await on(change.devices) { device, now in
        var conditions = device.conditions
        change.apply(to: &conditions)
        device.change(to: conditions, at: now)
      }
    case .expect(let expectations): return await check(expectations)
    }
    return []
  }

  private func note(_ places: [Int], _ what: PushHappening) async {
    for place in places { await world.trace.record(story.devices[place].name, what, lane: "push") }
  }

  private func send(_ sending: PushSending) async -> [SimulationResult.Check] {
    let number = names.count + 1
    names.append("push \(number)" + (sending.file.map { " (\($0))" } ?? ""))
    for place in sending.devices { last[Place(app: sending.app, device: place)] = number }
    let bundle = bundle(sending.app)
    await on(sending.devices) { device, now in
      var push = sending.push
      switch sending.lifetime {
      case nil: push.expiry = .policy
      case .zero?: push.expiry = .oneAttempt
      case let lifetime?: push.expiry = .at(now.advanced(by: lifetime))
      }
      device.send(push, number: number, to: bundle, at: now)
    }
    return await check(sending.expectations)
  }

  private func check(_ expectations: [PushExpectation]) async -> [SimulationResult.Check] {
    await on(Array(devices.indices)) { device, now in device.advance(to: now) }
    return expectations.flatMap { expectation in
      expectation.devices.map { place in
        let number = last[Place(app: expectation.app, device: place)]
        let record = number.flatMap { devices[place].records[$0] }
        let app = devices[place].apps[bundle(expectation.app)]
        let isHeld = record.map { expectation.isHeld(by: $0, app) } ?? false
        return SimulationResult.Check(
          link: (number.map { "push \($0)" } ?? "a push") + " to \(story.apps[expectation.app].name)",
          device: story.devices[place].name, expected: expectation.words,
          actual: record.map { $0.words(app, expectation) } ?? "was never sent", isHeld: isHeld,
          change: isHeld ? nil : record?.reason?.facts.change, location: expectation.location,
          subject: .push)
      }
    }
  }

  /// What came of each push on each device.
  var rows: [SimulationResult.PushRow] {
    names.indices.flatMap { index in
      devices.indices.compactMap { place in
        devices[place].records[index + 1].map { record in
          SimulationResult.PushRow(
            number: index + 1, name: names[index],
            app: story.apps.first { $0.build.bundleIdentifier == record.app }?.name ?? record.app,
            device: story.devices[place].name, record: record)
        }
      }
    }
  }
}
