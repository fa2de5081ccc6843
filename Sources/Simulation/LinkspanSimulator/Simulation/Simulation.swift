import AppSiteAssociation
import LinkspanCore
package import LinkspanStories
package import SimulatedDevices

/// Runs stories on a virtual clock, on the calling thread.
package enum Simulation {
  /// Runs a story to its end. The same story, seed and answers give the same bytes in every process.
  ///
  /// - Parameters:
  ///   - seed: Replaces the story's own; nil keeps that.
  ///   - interleaving: Replaces the seed where the executor picks among jobs that are ready at the same time. It
  ///     must change nothing that can be observed; tests pass it to prove that.
  ///   - plant: A deliberate bug for the invariants to find.
  ///   - transport: Contacts the story's hosts for real; nil answers from the story. The story's network settings
  ///     still apply, and a host that is none of the story's sites stays unresolvable, unless the story has no sites:
  ///     then every host is asked. With a transport, invariants are not checked.
  /// - Throws: ``SimulationError`` when the story stalls or exceeds its event limit.
  package static func run(
    _ story: Story, seed: UInt64? = nil, interleaving: UInt64? = nil, transport: Transport? = nil,
    plant: PlantedBug? = nil
  ) throws(SimulationError) -> SimulationResult {
    let seed = seed ?? story.seed
    return try play(story, seed: seed, interleaving: interleaving, transport: transport, plant: plant) {
      runner, _ in
      await runner.result(seed: seed)
    }
  }

  /// Runs a story to its end in a world of its own.
  ///
  /// - Parameters:
  ///   - files: Association files that were read before.
  ///   - isWatched: Whether invariants are checked, where they can be.
  ///   - answer: Asked once after the last step, while the world still exists.
  package static func play<Answer: Sendable>(
    _ story: Story, seed: UInt64, interleaving: UInt64?, transport: Transport?, plant: PlantedBug?,
    files: AssociationCache = AssociationCache(), isWatched: Bool = true,
    _ answer: @escaping @Sendable (StoryRunner, World) async -> Answer
  ) throws(SimulationError) -> Answer {
    let executor = SeededExecutor(seed: interleaving ?? seed)
    let clock = VirtualClock(executor)
    let outcome: (answer: Answer, isFull: Bool)? = executor.run {
      // Against answers from outside the story nothing can be held that the story published.
      let world = World(
        story, seed: seed, clock: clock, files: files, live: transport, plant: plant,
        isWatched: isWatched && transport == nil && story.cdnAnswers.isEmpty)
      let runner = StoryRunner(story: story, world: world, seed: seed)
      await runner.run()
      return (await answer(runner, world), await world.trace.isFull)
    }
    guard let outcome else { throw SimulationError(kind: .stalled) }
    guard !outcome.isFull else { throw SimulationError(kind: .tooManyEvents(limit: story.eventLimit)) }
    return outcome.answer
  }
}
