internal import AppLifecycle
import AppSiteAssociation
internal import Handoff
import LinkspanCore
import LinkspanSpecification
import LinkspanStories
import SimulatedDevices

/// Plays the steps about activities, arrivals and screens, and remembers which apps run on which devices.
actor ContinuityRunner {
  private struct Place: Hashable {
    var device: Int
    var identifier: String
  }

  let story: Story
  let world: World
  private var machines: [Place: (program: StoryProgram, machine: ScreenMachine)] = [:]
  /// The code of those that run and have the library as theirs.
  private var libraries: [Place: (program: StoryProgram, library: LibraryApp)] = [:]
  /// How many frames each device has advertised.
  private var counters: [Int: UInt16] = [:]

  init(story: Story, world: World) {
    self.story = story
    self.world = world
  }

  /// - Returns: What became of the step's expectations.
  func perform(_ step: ContinuityStep) async -> [SimulationResult.Check] {
    switch step {
    case .handoff(let move): await perform(move)
    case .arrive(let move): await perform(move)
    case .screen(let move): await perform(move)
    }
  }

  private func perform(_ move: ArrivalMove) async -> [SimulationResult.Check] {
    var checks: [SimulationResult.Check] = []
    for device in move.devices {
      var facts = ContinuityFacts()
      if let reason = absence(of: move.entrance, on: device) {
        facts.reasons = [reason]
      } else if let app = await installed(move.app, on: device) {
        let payload = move.link.map { link -> LibraryApp.Payload in
          move.entrance == .spotlight ? .spotlightItem(link) : .link(link)
        }
        await arrive(move.entrance, .app(app), on: device, start: move.start, payload, &facts)
      } else {
        facts.reasons = ["'\(story.apps[move.app].name)' is not installed"]
      }
      let subject = "\(move.entrance.rawValue) in \(story.apps[move.app].name)"
      checks += self.checks(move.expectations, subject, device, facts)
    }
    return checks
  }

  private func perform(_ move: ScreenMove) async -> [SimulationResult.Check] {
    var checks: [SimulationResult.Check] = []
    for device in move.devices {
      var facts = ContinuityFacts()
      let os = story.devices[device].os
      if os.platform != .iOS {
        facts.reasons = ["the pictures of the switcher are known for iOS, and the device has \(os.name)"]
      } else if let app = await installed(move.app, on: device) {
        var steps: [ScreenStep] = []
        for event in move.events { steps += await show(event, app, on: device) }
        let outcome = ScreenOutcome(steps)
        facts.set(.card, outcome.card.rawValue)
        facts.set(.snapshot, outcome.snapshot?.rawValue ?? "none")
        facts.set(.disturbance, outcome.disturbance.rawValue)
        facts.set(.exposes, String(outcome.exposes))
      } else {
        facts.reasons = ["'\(story.apps[move.app].name)' is not installed"]
      }
      let subject = "\(move.events.map(\.rawValue).joined(separator: ", ")) in \(story.apps[move.app].name)"
      checks += self.checks(move.expectations, subject, device, facts)
    }
    return checks
  }

  /// Why nothing comes by an entrance on a device, as a clause; nil where its release has the entrance.
  private func absence(of entrance: Entrance, on device: Int) -> String? {
    let os = story.devices[device].os
    switch entrance {
    case .universalLink: return os.hasUniversalLinks ? nil : "\(os.name) has no universal links"
    case .clip:
      // Since iOS 14 (AC14, documented).
      return os.platform == .iOS && os.major >= 14 ? nil : "\(os.name) has no App Clips"
    case .handoff: return party(device).obstacles.first { $0.condition == .release }?.detail
    case .customScheme, .spotlight: return nil
    }
  }

  // MARK: - Apps on devices

  /// The app of the story that is on a device where the given one, or an update of it, should be; nil for none.
  func installed(_ app: Int, on device: Int) async -> Int? {
    let identifier = story.apps[app].build.identifier
    return await apps(on: device).first { story.apps[$0].build.identifier == identifier }
  }

  /// The apps of the story that are on a device now.
  func apps(on device: Int) async -> [Int] {
    await world.devices[device].snapshot.apps.compactMap { build in
      story.apps.firstIndex { $0.build == build }
    }
  }

  private func place(_ program: StoryProgram, on device: Int) -> Place {
    Place(device: device, identifier: story.identifier(of: program))
  }

  /// A clip that leaves the device is not running any more.
  func forget(_ program: StoryProgram, on device: Int) {
    machines[place(program, on: device)] = nil
    libraries[place(program, on: device)] = nil
  }

  private func machine(_ program: StoryProgram, on device: Int) -> ScreenMachine {
    // An update ends the app.
    if let known = machines[place(program, on: device)], known.program == program { return known.machine }
    let continuity = story.continuity(of: program)
    let traits = world.devices[device].traits
    var surroundings = ScreenMachine.Surroundings()
    surroundings.isSimulator = traits.isSimulator
    surroundings.presents = continuity.presents
    surroundings.secureLayerIsBroken =
      traits.os.platform == .iOS && (traits.os.major, traits.os.minor) >= (26, 5)
    let defect: ScreenMachine.Defect? =
      switch world.plant {
      case .callbackTwice: .deliversTwice
      case .coverRemovedEarly: .uncoversBeforeSnapshot
      default: nil
      }
    return ScreenMachine(
      AppProcess(continuity.shape), policy: continuity.cover, surroundings: surroundings, defect: defect)
  }

  private func keep(_ machine: ScreenMachine, _ program: StoryProgram, on device: Int) {
    machines[place(program, on: device)] = (program, machine)
  }

  // MARK: - Arrivals and events

  /// - Parameter payload: What arrives, for an app whose code is the library.
  func arrive(
    _ entrance: Entrance, _ program: StoryProgram, on device: Int, start: ContinuityStep.Start?,
    _ payload: LibraryApp.Payload?, _ facts: inout ContinuityFacts
  ) async {
    var machine = machine(program, on: device)
    switch start {
    case .cold: machine.terminate()
    case .warm:
      machine.leaveRunning()
      libraries[place(program, on: device)]?.library.didEnterBackground()
    case nil: break
    }
    let shape = machine.process.shape
    let arrival = machine.arrive(by: entrance, code: story.continuity(of: program).code)
    keep(machine, program, on: device)
    await note(
      .arrived(entrance, isCold: arrival.isCold, shape.lifeCycle), device, program,
      Provenance(citing: ["LC1"], atMost: arrival.certainty))
    let outcome = payload.flatMap { receive($0, entrance, program, on: device, arrival) }
    for step in arrival.steps where outcome == nil || step.isOfSystem {
      let provenance = Provenance(citing: step.rules, atMost: step.certainty)
      if case .callback(let callback, let carrier) = step.kind {
        await note(
          .callback(.init(name: callback.rawValue, carries: carrier)), device, program, provenance)
      } else {
        await note(.did(step.name), device, program, provenance)
      }
    }
    facts.add(arrival)
    guard let outcome else { return }
    for (what, detail) in outcome.deeds {
      await note(.did(what, detail: detail), device, program, Provenance(citing: ["LC3"]))
    }
    facts.add(outcome, isRefused: arrival.problems.contains(.missingScene))
  }

  /// What the library makes of it, where it is the app's code.
  private func receive(
    _ payload: LibraryApp.Payload, _ entrance: Entrance, _ program: StoryProgram, on device: Int,
    _ arrival: Arrival
  ) -> LibraryApp.Outcome? {
    guard var library = library(program, on: device, isNew: arrival.isCold) else { return nil }
    let outcome = library.receive(
      payload, by: entrance, steps: arrival.steps, isCold: arrival.isCold, now: world.clock.now)
    libraries[place(program, on: device)] = (program, library)
    return outcome
  }

  /// - Parameter isNew: The process was started for what arrives.
  private func library(_ program: StoryProgram, on device: Int, isNew: Bool) -> LibraryApp? {
    if !isNew, let known = libraries[place(program, on: device)], known.program == program {
      return known.library
    }
    let continuity = story.continuity(of: program)
    return continuity.routes.flatMap { routes in
      // The story's parser has built the same router, and reported what keeps one from being built.
      try? LibraryApp(
        routes, entries: story.entries(of: program), activityTypes: continuity.activityTypes)
    }
  }

  /// Opens a clip, or the app that took its place, with the URL of an invocation.
  ///
  /// - Returns: Where its code led.
  func open(
    _ program: StoryProgram, withClip url: String, on device: Int, start: ContinuityStep.Start?
  ) async -> String? {
    var facts = ContinuityFacts()
    await arrive(.clip, program, on: device, start: start, .link(url), &facts)
    return facts[.shows]
  }

  /// Opens an app without a payload, as for a continuation that fails.
  func open(_ app: Int, on device: Int) async { _ = await show(.open, app, on: device) }

  private func show(_ event: ScreenEvent, _ app: Int, on device: Int) async -> [ScreenStep] {
    var machine = machine(.app(app), on: device)
    let steps = machine.perform(event)
    keep(machine, .app(app), on: device)
    let program = StoryProgram.app(app)
    await note(.screen(event), device, program, Provenance(citing: ["LC4"]))
    for (index, step) in steps.enumerated() {
      let provenance = Provenance(citing: [step.rule], atMost: step.certainty)
      // A cover reacts to the callback before it, and is told with it.
      let cover = index + 1 < steps.count ? steps[index + 1].putsCoverOn : nil
      switch step.kind {
      case .callback(let callback):
        await note(
          .callback(.init(name: callback.rawValue, cover: cover)), device, program, provenance)
      case .suspendAnimation:
        await note(.callback(.init(name: step.name, cover: cover)), device, program, provenance)
      case .cover: break
      case .shows(let content, let place):
        await note(.visible(content, at: place), device, program, provenance)
      case .snapshot(let content): await note(.snapshot(content), device, program, provenance)
      case .launchRefused: await note(.did(step.name), device, program, provenance)
      }
    }
    return steps
  }

  // MARK: - What is told

  func nextCounter(of device: Int) -> UInt16 {
    counters[device, default: 0] &+= 1
    return counters[device] ?? 0
  }

  /// - Parameter program: The code that it is about; nil for the system.
  func note(
    _ what: ContinuityHappening.What, _ device: Int, _ program: StoryProgram?, _ provenance: Provenance
  ) async {
    let named: ContinuityHappening.Program? =
      switch program {
      case .app(let place)?: .app(story.apps[place].name)
      case .clip(let place)?: .clip(story.clips[place].name)
      case nil: nil
      }
    await world.trace.record(
      story.devices[device].name, ContinuityHappening(program: named, what: what), provenance: provenance)
  }

  func checks(
    _ expectations: [ContinuityExpectation], _ subject: String, _ device: Int, _ facts: ContinuityFacts
  ) -> [SimulationResult.Check] {
    expectations.filter { $0.devices.contains(device) }.map { expectation in
      let isHeld = facts.hold(expectation.facts)
      let found = ContinuityFacts.words(facts.told)
      let reasons = facts.reasons.isEmpty ? "" : ": " + facts.reasons.joined(separator: "; ")
      return SimulationResult.Check(
        link: subject, device: story.devices[device].name, expected: ContinuityFacts.words(expectation.facts),
        actual: "ended with \(found.isEmpty ? "nothing" : found)\(reasons)", isHeld: isHeld,
        change: isHeld ? nil : facts.change, location: expectation.location)
    }
  }
}

extension ScreenStep {
  /// Whether a cover is put on or taken off; nil for a step that is about something else.
  fileprivate var putsCoverOn: Bool? {
    if case .cover(let isOn) = kind { isOn } else { nil }
  }
}
