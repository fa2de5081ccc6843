import AppSiteAssociation
internal import AssociatedDomains
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// One run of a story's script. Time passes inside a step only: each is carried out on all its devices at
/// once and has ended on all of them before the next begins.
package actor StoryRunner {
  private struct Place: Hashable, Comparable {
    var link: Int
    var device: Int

    static func < (left: Self, right: Self) -> Bool { (left.link, left.device) < (right.link, right.device) }
  }

  private let story: Story
  private let world: World
  /// One for each way in which a link was followed on a device, the last behind the others.
  private var verdicts: [Place: [(way: WayOfFollowing, verdict: LinkVerdict)]] = [:]
  private var taps: [SimulationResult.Tap] = []
  /// The place of the step in the script.
  private var step = 0
  private var checks: [SimulationResult.Check] = []
  /// What each host publishes now.
  private var sites: [String: Site]
  /// Taps of the step that is going on.
  private var tapsOfStep: [StepRecord.Tap] = []
  private var violations: [Violation] = []
  private var weather: SeededGenerator
  /// nil for a story without pushes.
  private let pushes: PushRunner?
  private let continuity: ContinuityRunner
  /// nil for a story without App Clips.
  private let clips: ClipRunner?

  init(story: Story, world: World, seed: UInt64) {
    self.story = story
    self.world = world
    sites = story.sites
    continuity = ContinuityRunner(story: story, world: world)
    weather = SeededGenerator(seed: seed).fork("weather")
    pushes = story.hasPushes ? PushRunner(story: story, world: world, seed: seed) : nil
    clips = story.clips.isEmpty ? nil : ClipRunner(story: story, world: world, continuity: continuity)
  }

  func run() async {
    for (host, site) in story.sites.sorted(by: { $0.key < $1.key }) {
      await world.network.publish(site.handler, at: host)
    }
    await apply(story.network)
    var watch = world.isWatched ? Watch(story, over: world) : nil
    for (index, step) in story.script.enumerated() {
      self.step = index
      guard await !world.trace.isFull, violations.isEmpty else { return }
      await world.trace.beginStep()
      tapsOfStep = []
      await perform(step.action)
      await pushes?.follow(step.action)
      await clips?.follow(step.action)
      if watch != nil { violations = await watch?.look(after: step, taps: tapsOfStep) ?? [] }
    }
  }

  func result(seed: UInt64) async -> SimulationResult {
    let events = await world.trace.events
    var digest = Digest()
    for event in events { digest.update(event.line + "\n") }
    var states: [(device: DeviceTraits, records: [AssociationRecord])] = []
    for device in world.devices { states.append((device.traits, await device.state)) }
    let rows = verdicts.sorted { $0.key < $1.key }.flatMap { place, values in
      values.map { row(place.link, place.device, $0.way, $0.verdict) }
    }
    return SimulationResult(
      seed: seed, comment: story.comment, start: story.start, events: events,
      rows: rows, taps: taps, checks: checks, states: states, pushes: await pushes?.rows ?? [],
      exchanges: await world.traffic.exchanges, elapsed: world.clock.now, digest: digest,
      violations: violations)
  }

  // MARK: - Steps

  private func perform(_ action: StoryStep.Action) async {
    switch action {
    case .install, .update, .reinstall, .delete, .launch, .choose, .reboot:
      await world.perform(action, of: story)
    case .tap(let links, let way, let devices, let expectations):
      await tap(links, way, devices)
      for expectation in expectations { await check(expectation) }
    case .wait(let duration):
      let end = world.clock.now + duration
      async let edge: Void = restartEdge(during: duration)
      async let pushing: Void? = pushes?.keepGoing(until: end)
      await world.onEach(Array(story.devices.indices)) { await $0.keepFresh(until: end) }
      await world.clock.pause(until: end)
      await edge
      _ = await pushing
    case .deploy(let sites):
      for (host, site) in sites.sorted(by: { $0.key < $1.key }) {
        await world.network.publish(site.handler, at: host)
        let before = self.sites.updateValue(site, forKey: host)
        await note(.deployed(SiteChange(host: host, before: before, after: site)))
      }
    case .network(let facts): await apply(facts)
    case .expect(let expectations):
      for expectation in expectations { await check(expectation) }
    case .push(let step):
      if case .device(let change) = step, let isOnline = change.isOnline {
        await world.onEach(change.devices) { await $0.change(isOnline: isOnline) }
      }
      for check in await pushes?.perform(step) ?? [] { await record(check) }
    case .continuity(let step):
      for check in await continuity.perform(step) { await record(check) }
    case .clip(let step): for check in await clips?.perform(step, sites) ?? [] { await record(check) }
    }
  }

  private func apply(_ network: [String: HostFacts]) async {
    for (host, facts) in network.sorted(by: { $0.key < $1.key }) {
      await world.network.change(host, to: facts)
      await note(.changedNetwork(host: host, facts))
    }
  }

  /// Lets Apple's CDN forget everything once, when chance has it, at a moment when nothing else happens.
  private func restartEdge(during wait: Duration) async {
    guard weather.happens(story.faults.edgeRestart) else { return }
    let delay_ms = weather.draw(0...max(0, wait.wholeMilliseconds - 1))
    await world.clock.pause(.milliseconds(delay_ms) + Daemon.crashOffset)
    _ = await world.cdn.purge(nil)
    await world.trace.record("cdn", StoryHappening.restartedEdge, lane: "edge")
  }

  private func tap(_ links: [Int], _ way: WayOfFollowing, _ devices: [Int]) async {
    for link in links {
      let url = LinkURL(written: story.links[link])
      for device in devices {
        if let browser = way.navigation.choosesBrowser {
          await world.devices[device].choose(browser: browser, host: url.host)
        }
        let verdict = await world.devices[device].follow(url, way)
        let place = Place(link: link, device: device)
        verdicts[place, default: []].removeAll { $0.way == way }
        verdicts[place, default: []].append((way, verdict))
        taps.append(.init(step: step, time: world.clock.now, row: row(link, device, way, verdict)))
        if world.isWatched {
          tapsOfStep.append(.init(device: device, link: url, way: way, verdict: verdict))
        }
        await world.trace.record(
          story.devices[device].name, StoryHappening.tapped(url: url.text, way, verdict),
          provenance: verdict.provenance)
      }
    }
  }

  private func row(
    _ link: Int, _ device: Int, _ way: WayOfFollowing, _ verdict: LinkVerdict
  ) -> SimulationResult.Row {
    SimulationResult.Row(
      link: story.links[link], device: story.devices[device], way: way, verdict: verdict,
      appName: verdict.app.map(name(of:)))
  }

  // MARK: - Expectations

  private func check(_ expectation: Expectation) async {
    for link in expectation.links {
      for device in expectation.devices {
        let verdict = verdicts[Place(link: link, device: device)]?.last?.verdict
        let actual = verdict.map { "\(words($0)): \($0.reason)" } ?? "was not tapped"
        let isHeld = verdict.map { expectation.isHeld(by: $0) } ?? false
        let check = SimulationResult.Check(
          link: story.links[link].withoutUserInformation, device: story.devices[device].name,
          expected: expectation.words,
          actual: actual, isHeld: isHeld,
          change: isHeld || expectation.opens == .browser ? nil : verdict?.change,
          location: expectation.location)
        await record(check)
      }
    }
  }

  private func record(_ check: SimulationResult.Check) async {
    checks.append(check)
    await world.trace.record("story", check)
  }

  private func words(_ verdict: LinkVerdict) -> String {
    var words = "opens \(verdict.app.map(name(of:)) ?? verdict.destination.words)"
    if let rule = verdict.ruleName { words += " by rule \(rule)" }
    if let domain = verdict.domain { words += " through \(domain.canonicalText)" }
    return words + " (\(verdict.step.rawValue))"
  }

  private func name(of identifier: String) -> String {
    story.apps.first { $0.build.identifier == identifier }?.name ?? identifier
  }

  private func note(_ what: StoryHappening) async {
    await world.trace.record("story", what)
  }
}
