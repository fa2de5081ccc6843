import AppSiteAssociation
import LinkspanCore

/// Why a story has no result.
package struct SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// Somebody waits for something outside the simulation, as a transport does that does not block.
    case stalled
    case tooManyEvents(limit: Int)
  }

  package var kind: Kind

  package init(kind: Kind) { self.kind = kind }

  package var description: String {
    switch kind {
    case .stalled:
      "the story came to a halt: somebody waits for what never comes. A live transport must block until it "
        + "has its answer."
    case .tooManyEvents(let limit):
      "the story has more than \(limit) events. Let it run for a shorter time, or with fewer devices."
    }
  }
}

/// Plays stories.
package enum Simulation {
  /// Plays a story to its end. The same story, seed and answers give the same bytes in every process.
  ///
  /// - Parameters:
  ///   - seed: In place of the story's own.
  ///   - interleaving: Decides which of several things that could happen at one moment is done first, in place
  ///     of the seed. It must not change anything that can be seen; tests pass it to prove that.
  ///   - plant: A mistake for the invariants to find.
  ///   - transport: Asks the story's hosts for real; nil plays them from the story. What the story says about
  ///     the network holds all the same, and a host that it does not publish stays unresolvable.
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
  /// - Parameter answer: Asked once after the last step, while the world still exists.
  static func play<Answer: Sendable>(
    _ story: Story, seed: UInt64, interleaving: UInt64?, transport: Transport?, plant: PlantedBug?,
    _ answer: @escaping @Sendable (StoryRunner, World) async -> Answer
  ) throws(SimulationError) -> Answer {
    let executor = SeededExecutor(seed: interleaving ?? seed)
    let clock = VirtualClock(executor)
    let outcome: (answer: Answer, isFull: Bool)? = executor.run {
      // Against answers from outside the story nothing can be held that the story published.
      let world = World(
        story, seed: seed, clock: clock, live: transport, plant: plant,
        isWatched: transport == nil && story.cdnAnswers.isEmpty)
      let runner = StoryRunner(story: story, world: world, seed: seed)
      await runner.run()
      return (await answer(runner, world), await world.trace.isFull)
    }
    guard let outcome else { throw SimulationError(kind: .stalled) }
    guard !outcome.isFull else { throw SimulationError(kind: .tooManyEvents(limit: story.eventLimit)) }
    return outcome.answer
  }
}
