import AppSiteAssociation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices

extension Simulation {
  /// The answer for one link, and what finding it cost.
  struct PlayedExplanation: Sendable {
    var explanation: LinkExplanation
    var eventCount: Int
    /// For decisions, and for files that were read.
    var spentSteps: Int
  }

  /// Plays a story to its end and follows one link there, telling of every step.
  ///
  /// - Parameters:
  ///   - device: Its place in the story.
  ///   - files: Those that were read for other worlds.
  ///   - steps: What comparing the link with the files may cost.
  static func explain(
    _ story: Story, link: LinkURL, way: WayOfFollowing, device: Int, files: AssociationCache,
    steps: Int = WorkLimits.decision
  ) throws(SimulationError) -> PlayedExplanation {
    try play(
      story, seed: story.seed, interleaving: nil, transport: nil, plant: nil, files: files, isWatched: false
    ) { _, world in
      let before = await files.spentSteps
      if let browser = way.navigation.choosesBrowser {
        await world.devices[device].choose(browser: browser, host: link.host)
      }
      await world.devices[device].renewWork(steps)
      let explanation = await world.devices[device].explain(link, way)
      return PlayedExplanation(
        explanation: explanation, eventCount: await world.trace.count,
        spentSteps: await world.devices[device].spentSteps + files.spentSteps - before)
    }
  }
}
