import AppSiteAssociation
import LinkspanCore
package import LinkspanStories
package import SimulatedDevices

/// Plays what comes before a question about a link: apps, sites, networks and time.
package enum Simulation {
  package static func play<Answer>(
    _ story: Story, seed: UInt64, interleaving: UInt64?, transport: Transport?, plant: PlantedBug?,
    files: AssociationCache, isWatched: Bool, _ answer: (StoryRunner, World) -> Answer
  ) throws(SimulationError) -> Answer {
    let world = World(
      story, seed: seed, clock: VirtualClock(), files: files, live: transport, plant: plant,
      isWatched: isWatched)
    let runner = StoryRunner(story: story, world: world)
    runner.run()
    let answer = answer(runner, world)
    guard !world.trace.isFull else {
      throw SimulationError(kind: .tooManyEvents(limit: story.eventLimit))
    }
    return answer
  }
}

package struct StoryRunner {
  let story: Story
  let world: World

  func run() {
    publish(story.sites)
    apply(story.network)
    for step in story.script {
      guard !world.trace.isFull else { return }
      world.trace.beginStep()
      perform(step.action)
    }
  }

  private func perform(_ action: StoryStep.Action) {
    switch action {
    case .install, .update, .reinstall, .delete, .launch, .choose, .reboot:
      world.perform(action, of: story)
    case .tap(let links, let way, let devices, _):
      guard let browser = way.navigation.choosesBrowser else { return }
      for link in links {
        let host = LinkURL(written: story.links[link]).host
        for device in devices { world.devices[device].choose(browser: browser, host: host) }
      }
    case .wait(let duration):
      let end = world.clock.now + duration
      world.onEach(Array(story.devices.indices)) { $0.keepFresh(until: end) }
      world.clock.pause(until: end)
    case .deploy(let sites):
      publish(sites)
      for _ in sites { world.trace.record("story", Changed()) }
    case .network(let facts): apply(facts)
    case .expect, .push, .continuity, .clip: break
    }
  }

  private func publish(_ sites: [String: Site]) {
    for (host, site) in sites { world.network.publish(site.handler, at: host) }
  }

  private func apply(_ network: [String: HostFacts]) {
    for (host, facts) in network {
      world.network.change(host, to: facts)
      world.trace.record("story", Changed())
    }
  }
}

/// A site or a network is another from now on.
private struct Changed: Happening {
  var kind: String { "change" }
  var fields: [(String, JSON)] { [] }
}
