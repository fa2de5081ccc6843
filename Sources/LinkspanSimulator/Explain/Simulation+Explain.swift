package import AppSiteAssociation

extension Simulation {
  /// Plays a story to its end and follows one link there, telling of every step.
  ///
  /// - Parameter device: Its place in the story.
  package static func explain(
    _ story: Story, link: LinkURL, way: WayOfFollowing, device: Int
  ) throws(SimulationError) -> LinkExplanation {
    try play(story, seed: story.seed, interleaving: nil, transport: nil, plant: nil) { _, world in
      if case .longPress(let browser) = way {
        await world.devices[device].choose(browser: browser, host: link.host)
      }
      return await world.devices[device].explain(link, way)
    }
  }
}
